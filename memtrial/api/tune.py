"""Tuning an instruction on one half of labelled examples, and scoring it on the other half."""

from asyncio import Semaphore, gather
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memtrial.agents.traces import TraceFault, read_traces
from memtrial.analysis.inference.interval import t_interval, unit_sample
from memtrial.api.given_spec import client_of, done_by
from memtrial.condensers.tuning.optimiser import Example, Method, OptimisedInstruction, optimise
from memtrial.condensers.tuning.subjects import (
    Subject,
    Used,
    halves,
    key_of,
    of_draft,
    of_gate,
    of_revise,
    read_register,
    write_register,
)
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault, refused
from memtrial.gates.calibration.labelled_items import SHIPPED, FixtureFault, read_fixtures
from memtrial.gates.calibration.rates import exact_rate
from memtrial.gates.suite import ALL as GATES
from memtrial.gates.suite import gate_name
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured
from memtrial.models.client.types import Instead, provider_of
from memtrial.outcomes.given_path import path_of
from memtrial.private_file import write_whole
from memtrial.prompts.tuned_instruction import Rate, Scored, Tuned
from memtrial.runs.run_folder.output_file import refuse_below, refuse_unwritable
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.model_roles import Role
from memtrial.runs.spec.option_values import SEEDS, plain_value, refuse_options, settle

Floats = NDArray[np.float64]
AT_ONCE = 8
JUDGED = tuple(kind.name for kind in GATES if kind.judged)
SUBJECTS = (*JUDGED, "draft", "revise")


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """How to tune.

    Args:
        model: that answers; its instruction is tuned. For `gepa` it writes new instructions, too.
        examples: fixtures, a folder or a file; traces for `draft`. By default the shipped fixtures.
        most_calls: for `gepa`, answers of the model that it may score.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        environment: where keys and addresses stand; the process's own unless given.
    """

    model: str
    method: Method = "gepa"
    examples: Path | None = None
    most_calls: int = 400
    seed: int = 0
    base_urls: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        settle(self, {"seed": SEEDS, "most_calls": (1, 1_000_000)})


@dataclass(frozen=True, slots=True)
class TuneEnd:
    """What was found and what it scores; shown in a notebook as in the terminal."""

    tuned: Tuned
    calls: int
    usd: float | None

    def lines(self) -> Iterator[str]:
        """What the terminal shows."""
        tuned, scored = self.tuned, self.tuned.scored
        label = "; simulated: no evidence about language models" if tuned.simulated else ""
        yield f"{tuned.subject}, {tuned.method}, {tuned.model}{label}"
        low, high = scored.difference[1:]
        yield (
            f"kept half, {scored.n} examples: score {scored.before:.3f} before, {scored.after:.3f} after,"
            f" difference {scored.difference[0]:+.3f} [{low:+.3f}, {high:+.3f}]"
        )
        for name, pair in (("hit rate", scored.hit_rate), ("false alarms", scored.false_alarm_rate)):
            if pair is not None:
                before, after = (f"{rate:.2f} [{low:.2f}, {high:.2f}]" for rate, low, high in pair)
                yield f"  {name}: {before} before, {after} after"
        yield f"trained on {len(tuned.trained)} examples, {len(tuned.demos)} shown as worked examples"
        yield f"{self.calls:,} calls" + ("" if self.usd is None else f", {self.usd:.2f} USD")

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


@without_loop
def tune(subject: str, options: TuneOptions, out: Path, display: Display | None = None) -> TuneEnd:
    """Tune the question of a gate, the draft, or the revision, and write the tuned instruction.

    The kept half is shown to no optimiser, and scored twice at the end: with the shipped instruction and with
    the tuned one. A register beside `out` keeps an example from being kept in two tunings.

    Raises:
        SpecFault: subject, examples, models or the file are wrong, or too few examples are unused; nothing
            was sent.
        RunFault: a model could not be had.
    """
    refuse_options(options, TuneOptions, "options")
    out = path_of(out, "--out: a file", SpecFault)
    name, shown = gate_name(plain_value("subject", subject, str)), progress_of(display)
    refuse_unwritable(out, options.examples or SHIPPED)
    refuse_below(out, options.examples or SHIPPED)
    asked = subject_of(name, options.examples)
    register = read_register(out.parent)
    trained, kept = halves(asked, register.subjects.get(name, Used()), options.seed)
    role: Role = ("condense" if name in ("draft", "revise") else "judge", options.model)
    client = client_of((role,), options.base_urls, options.environment, say=shown.say)
    callers = (Caller(client, options.model), Caller(client, options.model, temperature=1.0))

    by_id = {example.id: example for example in asked.examples}
    examples, apart = ([by_id[id] for id in half] for half in (trained, kept))
    most = options.most_calls if options.method == "gepa" else len(trained)

    async def work() -> tuple[OptimisedInstruction, Scored]:
        with shown.phase(f"tune {name}", most) as tick:
            optimised = await optimise(
                asked.signature, examples, callers, options.method, most, options.seed, tick
            )
        write_register(out.parent, register, name, trained, kept)
        with shown.phase("score the kept half", 2 * len(kept)) as tick:
            return optimised, await _score_kept(asked, apart, callers[0], optimised, tick)

    optimised, scored = done_by(client, work, lambda: "tuning stopped, a model could not be had")
    tuned = Tuned(
        subject=name,
        method=options.method,
        model=options.model,
        reflection=options.model if options.method == "gepa" else "",
        simulated=provider_of(options.model) in ("simulated", "scripted"),
        key=key_of(name),
        instructions=optimised.instructions,
        demos=optimised.demos,
        trained=trained,
        kept=kept,
        scored=scored,
    )
    write_whole(out, tuned.model_dump_json(indent=1) + "\n")
    stats = client.stats()
    return TuneEnd(
        tuned, sum(caller.meter.calls for caller in callers), None if stats.unpriced else stats.usd
    )


def subject_of(name: str, examples: Path | None) -> Subject:
    """What is tuned, with its examples; SpecFault where there is none of the name, or no examples can be
    read."""
    if name not in SUBJECTS:
        raise SpecFault(f"tune needs one of {', '.join(SUBJECTS)}; got {name!r}")
    with refused(TraceFault, FixtureFault):
        if name == "draft":
            if examples is None:
                raise SpecFault("tuning the draft needs traces to draft from; name a file with --examples")
            return of_draft(read_traces(examples))
        fixtures = read_fixtures(examples or SHIPPED, tuple(kind.name for kind in GATES))
    if name == "revise":
        return of_revise(fixtures)
    return of_gate(next(kind for kind in GATES if kind.name == name), fixtures)


async def _score_kept(
    subject: Subject,
    kept: Sequence[Example],
    caller: Caller,
    optimised: OptimisedInstruction,
    tick: Callable[[int], None],
) -> Scored:
    """The kept half, with the shipped instruction and with what was found."""
    other = replace(caller, instead={key_of(subject.name): Instead(optimised.instructions, optimised.demos)})
    free = Semaphore(AT_ONCE)

    async def score(example: Example, by: Caller) -> float:
        async with free:
            try:
                return example.score(await Structured(by).ask(subject.signature, example.inputs))[0]
            except ReplyFault:
                return 0.0
            finally:
                tick(1)

    before, after = [
        np.array(await gather(*(score(example, by) for example in kept))) for by in (caller, other)
    ]
    sample = unit_sample(after - before, np.arange(len(kept)), 1, (-1.0, 1.0))
    rates: dict[str, tuple[Rate, Rate]] = {}
    if subject.flags:
        wanted = np.array([subject.flags[example.id] for example in kept])
        rates["hit_rate"] = (_rate(before[wanted]), _rate(after[wanted]))
        rates["false_alarm_rate"] = (_rate(1 - before[~wanted]), _rate(1 - after[~wanted]))
    return Scored(
        n=len(kept),
        before=float(before.mean()),
        after=float(after.mean()),
        difference=(float(sample.mean), *t_interval(sample, 0.05)),
        hit_rate=rates.get("hit_rate"),
        false_alarm_rate=rates.get("false_alarm_rate"),
    )


def _rate(scores: Floats) -> Rate:
    share, low, high = exact_rate([bool(score) for score in scores])
    return share or 0.0, low, high
