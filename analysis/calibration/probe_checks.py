"""Checks of the probe: false and true words on decisions of participants of known adherence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from memtrial.analysis.arrays import Bools, Floats
from memtrial.analysis.calibration.error_bands import ALPHA, Row, Values, at_least, at_most
from memtrial.analysis.calibration.measured_experiments import Bench
from memtrial.analysis.probe.made_up_decisions import AskedReader, DecisionSetting, make_up
from memtrial.analysis.probe.probed_effects import (
    ProbedEffect,
    ProbedFamily,
    all_shown,
    choose_shift_word,
    choose_word,
    measure_family,
)

CALLS = 400
EVERY = 2
"""So many times fewer experiments than of verdicts: each measures four families."""
DRAWN_CELLS, EXACT_CELLS = 5, 4
"""Calls of a decision: three conditions, and the intact memory twice where replies are drawn."""
DRAWN, EXACT = DecisionSetting(CALLS // DRAWN_CELLS), DecisionSetting(CALLS // EXACT_CELLS)
IN_RECORDS = DecisionSetting(20, per_task=4, per_cluster=2)
"""The same decisions, four to a task, two tasks to a record."""
EXACT_REPLIES = 100
"""How finely shares are known that a server gives."""
DEAF = AskedReader("ignores it")
WAVERING = AskedReader("ignores it, and each wording moves it", wavers=0.5)
READER = AskedReader("adherence .2", adherence=0.2)
WAVERING_READER = AskedReader("adherence .2, and each wording moves it", adherence=0.2, wavers=0.5)
MENTIONER = AskedReader("does what is named", mention=0.3)
STUMBLER = AskedReader("stumbles over damage", stumble=0.5)


@dataclass(frozen=True, slots=True)
class SeenProbes:
    """Of many probes, shape (n,): whether a word was said that is to be said; values that are to be held.

    Args:
        moved: some condition is said to move what is advised, or to reverse it.
        shifted: some condition is said to shift what is done.
        told: `counter` is said to move what is advised; follows: so does the advice turned round, and the
            other action is done where it is advised.
        named: being named is said to move what is done; held: the interval of the first condition held the
            truth, which is zero for those who ignore it.
    """

    moved: Bools
    shifted: Bools
    told: Bools
    follows: Bools
    named: Bools
    held: Bools


@lru_cache(maxsize=16)
def see_probes(bench: Bench, reader: AskedReader, setting: DecisionSetting, samples: int) -> SeenProbes:
    """Many probes of one participant; with 0 `samples` shares are seen without chance."""
    rng = bench.rng("probe", reader.name, setting, samples)
    rules = bench.plan.rules
    hits = []
    for _ in range(max(1, bench.effort.judged // EVERY)):
        seen = make_up(reader, setting, samples, rng)
        replies = samples or EXACT_REPLIES
        floor = 0.0 if samples else rules.margin

        def measure(values: Floats, floor: float = 0.0, replies: int = replies) -> tuple[ProbedEffect, ...]:
            family = ProbedFamily(values, setting.task, setting.cluster, replies, floor=floor)
            return measure_family(family, rules, rng)

        advised, shift = measure(seen.advised), measure(seen.shift, floor)
        (other,), (mention,) = measure(seen.other), measure(seen.mention)
        first = advised[0]
        assert first.low is not None
        assert first.high is not None
        hits.append(
            (
                any(choose_word(effect, 1.0, rules) in ("moves", "reversed") for effect in advised),
                any(choose_shift_word(effect, floor, rules) == "moves" for effect in shift),
                choose_word(advised[2], 1.0, rules) == "moves",
                all_shown((advised[2], other, advised[1]), rules),
                choose_word(mention, 1.0, rules) == "moves",
                first.low <= 0.0 <= first.high,
            )
        )
    return SeenProbes(*np.array(hits).T)


def list_probe_checks() -> Iterator[Row]:
    """Type I at most alpha, power .8 at an adherence of .2 with 400 calls, no word for a wrong reason."""
    for name, reader, setting, samples in (
        (f"replies drawn, {DEAF.name}", DEAF, DRAWN, 1),
        (f"replies drawn, {DEAF.name}, tasks in records", DEAF, IN_RECORDS, 1),
        (f"shares given, {WAVERING.name}", WAVERING, EXACT, 0),
    ):
        yield Row(f"probe, type I: {name}", _see("moved", reader, setting, samples), at_most(ALPHA, 0.005))
        yield Row(f"probe, coverage: {name}", _see("held", reader, setting, samples), at_least(1 - ALPHA))
    yield Row(
        "probe, type I of shifts: replies drawn", _see("shifted", DEAF, DRAWN, 1), at_most(ALPHA, 0.005)
    )
    for name, reader, setting, samples in (
        (f"replies drawn, {READER.name}", READER, DRAWN, 1),
        (f"shares given, {WAVERING_READER.name}", WAVERING_READER, EXACT, 0),
    ):
        for what in ("told", "follows"):
            yield Row(
                f"probe, power at {CALLS} calls, {what}: {name}",
                _see(what, reader, setting, samples),
                at_least(0.8),
            )
    yield Row("probe, mention is seen: replies drawn", _see("named", MENTIONER, DRAWN, 1), at_least(0.8))
    for reader in (MENTIONER, STUMBLER):
        yield Row(f"probe, no following: {reader.name}", _see("follows", reader, DRAWN, 1), at_most(ALPHA))


def _see(what: str, reader: AskedReader, setting: DecisionSetting, samples: int) -> Callable[[Bench], Values]:
    def see(bench: Bench) -> Values:
        seen: Bools = getattr(see_probes(bench, reader, setting, samples), what)
        return seen

    return see
