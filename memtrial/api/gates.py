"""The gates on their own: what each asks, what its flags are worth, and items to be labelled."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, JsonValue

from memtrial.agents.traces import TraceFault, read_traces, trace_to_json
from memtrial.api.given_spec import client_of, done_by
from memtrial.call_purpose import Purpose
from memtrial.faults import SpecFault, refused
from memtrial.gates.calibration.labelled_items import SHIPPED, Fixture, FixtureFault, read_fixtures
from memtrial.gates.calibration.rates import GateCalibration
from memtrial.gates.calibration.regression import Always, judge_digest
from memtrial.gates.calibration.regression import regress as rates_of
from memtrial.gates.gate import GateKind
from memtrial.gates.suite import NAMES, gate_names, kinds_of
from memtrial.judges.closed_question import ModelJudge
from memtrial.models.client.client import Caller
from memtrial.outcomes.given_path import path_of
from memtrial.pages.decision_file import read_rows
from memtrial.runs.setup.event_loop import without_loop

PROGRAMS = ("rules", "pass", "warn")
"""Judges that are no model: none at all, and two that never look."""


def asked_kinds(names: str | Iterable[str] = "all") -> tuple[GateKind, ...]:
    """The gates named; SpecFault where there is none of a name."""
    with refused(ValueError):
        return kinds_of(gate_names(names if isinstance(names, str) else tuple(names)))


@without_loop
def regress(
    judge: str = "rules",
    gates: str | Iterable[str] = "all",
    fixtures: Path = SHIPPED,
    temperature: float | None = None,
    base_urls: tuple[str, ...] = (),
    held_out: Path | None = None,
) -> GateCalibration:
    """Rates of the gates on labelled fixtures, each item with the other runs of its set around it.

    Args:
        judge: provider/model; `rules`: the programs alone, on what they claim to see; `pass` and `warn`:
            judges that give one answer, whatever they are shown.
        fixtures: a folder, or one file. Those that ship are in-sample: the rules were written from them.
        held_out: a second folder or file, measured beside the first; nothing is learnt from it.
        temperature: of a model; a spec whose gates are asked at another one needs its own calibration.

    Raises:
        SpecFault: fixtures, gates or judge are wrong; nothing was sent.
        RunFault: the model could not be had.
    """
    kinds = asked_kinds(gates)
    held = _read_labelled(kinds, fixtures)
    beside = () if held_out is None else _read_labelled(kinds, held_out)
    in_sample = Path(fixtures).resolve() == SHIPPED.resolve()
    if judge in PROGRAMS:
        asked = None if judge == "rules" else Always(judge)
        rows = asyncio.run(rates_of(kinds, asked, held, beside))
        return GateCalibration(judge=judge, judge_digest=judge_digest(judge), in_sample=in_sample, gates=rows)
    if "/" not in judge:
        raise SpecFault(f"--judge takes {', '.join(PROGRAMS)} or provider/model; got {judge!r}")
    client = client_of((("judge", judge),), base_urls)
    caller = Caller(client, judge, temperature, purpose=Purpose("gates regress"))
    rows = done_by(
        client,
        lambda: rates_of(kinds, ModelJudge(caller), held, beside),
        lambda: "the judge could not be had",
    )
    digest = judge_digest(judge, caller.temperature, caller.max_tokens)
    return GateCalibration(judge=judge, judge_digest=digest, in_sample=in_sample, gates=rows)


def _read_labelled(kinds: tuple[GateKind, ...], place: Path) -> tuple[Fixture, ...]:
    with refused(FixtureFault):
        held = read_fixtures(path_of(place, "a file or folder of fixtures", SpecFault), NAMES)
    labelled = {fixture.gate for fixture in held if fixture.flag is not None}
    if not any(kind.name in labelled for kind in kinds):
        raise SpecFault(
            f"labelled fixtures of {', '.join(kind.name for kind in kinds)} are needed; {place} has none"
        )
    return held


class _TracedLine(BaseModel):
    """A line that condense wrote."""

    trace_id: str
    items: tuple[dict[str, JsonValue], ...]


def to_label(items: Path, traces: Path, gates: str | Iterable[str] = "all") -> tuple[str, ...]:
    """Unlabelled fixtures, a JSON line each: every stored item with its trace, once for each gate.

    Args:
        items: what `condense --out` wrote.
        traces: the trace file that was condensed.

    Raises:
        SpecFault: one of the two cannot be read, or an item's trace is not there.
    """
    kinds = asked_kinds(gates)
    items, traces = (
        path_of(items, "the output of condense", SpecFault),
        path_of(traces, "a trace file", SpecFault),
    )
    with refused(TraceFault):
        runs = {trajectory.trace_id: trace_to_json(trajectory) for trajectory in read_traces(traces)}
    lines = []
    needed = f"the output of condense on {traces} is needed"
    for row in read_rows(items, _TracedLine, needed):
        if row.trace_id not in runs:
            raise SpecFault(f"{needed}; {items} has trace {row.trace_id!r}")
        for number, item in enumerate(row.items, 1):
            for kind in kinds:
                name = f"{row.trace_id} item {number}"
                held = {key: value for key, value in item.items() if key != "markdown"}
                fixture = {"gate": kind.name, "name": name, "flag": None, "why": "", "item": held}
                lines.append(json.dumps({**fixture, "trajectory": runs[row.trace_id]}, ensure_ascii=False))
    if not lines:
        raise SpecFault(f"items are needed; {items} holds none")
    return tuple(lines)
