"""The condensers on their own, on anyone's traces."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from loadbearing.condensers.condenser import Condensation
from loadbearing.episodes.traces import TraceFault, read_traces
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.duplicate import DUPLICATE
from loadbearing.gates.gate import Surroundings
from loadbearing.gates.suite import SEED_SUBSET, gate_names, kinds_of
from loadbearing.memory.item import Item
from loadbearing.memory.markdown import render
from loadbearing.models.client.types import ModelFault
from loadbearing.outcomes.given_path import path_of
from loadbearing.prompts.control import ControlFault, load_control
from loadbearing.runs.errors import SpecFault, refused
from loadbearing.runs.library.spec import client_of, done_by
from loadbearing.runs.prepare.banks import condense_all, to_json
from loadbearing.runs.prepare.condensers import CondenserSetup, build_condenser
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.context import AT_ONCE
from loadbearing.runs.setup.event_loop import without_loop
from loadbearing.runs.setup.model_roles import Role, gate_model, gate_standings
from loadbearing.runs.spec.condenser_factors import CondenserSpec

Kind = Literal["theory", "native", "nothing"]
MOST_LOST = 0.2
"""The share of traces that may be lost to faults of the provider."""


@dataclass(frozen=True, slots=True)
class CondenseOptions:
    """How to condense.

    Args:
        condenser: theory (treatment), native (control) or nothing.
        model: that drafts, provider/name.
        judge: that answers the gates; by default the model, or simulated/examiner for the scribe.
        gates: by name, `all` or `seed`; none: the schema alone.
        gate_calibration: what `gates regress --out` wrote of the judge; without a fresh one it only advises.
        max_rounds: revisions at most.
        view: what of a trajectory is shown; by default all, or what a verified control saw.
        control: upstream's memory_instruction.py, for native; an embedded equivalent unless given.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    condenser: Kind = "theory"
    model: str = "simulated/scribe"
    judge: str | None = None
    gates: tuple[str, ...] = SEED_SUBSET
    max_rounds: int = 2
    view: View | None = None
    control: Path | None = None
    base_urls: tuple[str, ...] = ()
    gate_calibration: Path | None = None


@dataclass(frozen=True, slots=True)
class Condensed:
    """What became of each trajectory, in their order; `control` says which native prompts were loaded."""

    made: tuple[Condensation, ...]
    control: str

    def rows(self) -> tuple[dict[str, JsonValue], ...]:
        """An object for each trajectory (DESIGN 6)."""
        return tuple(to_json(one) for one in self.made)

    def json_lines(self) -> tuple[str, ...]:
        return tuple(json.dumps(row, ensure_ascii=False) for row in self.rows())

    def _repr_html_(self) -> str:
        texts = [
            f"# {one.trace_id}: {len(one.items)} of {one.condenser}\n"
            + "\n\n".join(render(item, number) for number, item in enumerate(one.items, 1))
            for one in self.made
        ]
        return f"<pre>{escape(chr(10).join(texts))}</pre>"


def _trajectories(traces: object) -> tuple[Trajectory, ...]:
    """Those given, or of a file; SpecFault where it is neither."""
    if isinstance(traces, Iterable) and not isinstance(traces, str | bytes):
        given = tuple(traces)
        if all(isinstance(one, Trajectory) for one in given):
            return given
        raise SpecFault(f"traces are trajectories, or the path of a file; got {type(traces).__name__}")
    return read_traces(path_of(traces, "a trace file of JSON lines", SpecFault))


@without_loop
def condense(
    traces: str | Path | Iterable[Trajectory],
    options: CondenseOptions = CondenseOptions(),
    display: Display | None = None,
) -> Condensed:
    """Make memory items of trajectories.

    Args:
        traces: a file of JSON lines, or trajectories.
        display: shows progress; nothing is shown unless given.

    Raises:
        SpecFault: traces, models or gates are wrong; nothing was sent.
        RunFault: a model could not be had.
    """
    shown, asked = display or Display("none"), gate_names(options.gates)
    with refused(TraceFault, ControlFault, ModelFault, ValueError):
        kinds_of(asked)  # an unknown one is refused
        found = _trajectories(traces)
        prompts = load_control(options.control)
        judge = gate_model(options.model, options.judge)
    kind = options.condenser
    roles: list[Role] = [("condense", options.model)] if kind != "nothing" else []
    if kind == "theory" and asked:
        roles.append(("judge", judge))
    client = client_of(roles, options.base_urls, say=shown.say)
    gates = asked if kind == "theory" else ()
    spec = CondenserSpec(kind=kind, gates=gates, max_rounds=options.max_rounds)
    made = dict[str, Condensation]()

    def stored(trajectory: Trajectory) -> tuple[Item, ...]:
        before = takewhile(lambda one: one.trace_id != trajectory.trace_id, found)
        return tuple(item for one in before if one.trace_id in made for item in made[one.trace_id].items)

    setup = CondenserSetup(
        *(client, options.model, judge, prompts, options.view or prompts.view),
        calibration=options.gate_calibration,
        around=Surroundings(found, stored),
    )
    condenser = build_condenser(kind, spec, setup)
    standing = gate_standings(judge, None, 2048, options.gate_calibration)
    if advising := [name for name in gates if not standing[name].blocks]:
        shown.say(f"{judge} only advises at {', '.join(advising)}: no fresh calibration (gates regress)")
    at_once = 1 if DUPLICATE.name in gates else AT_ONCE

    jobs = [(condenser, trace) for trace in found]

    async def work() -> None:
        with shown.phase(f"condense, {kind}", len(found)) as tick:

            def keep(at: int, one: Condensation) -> None:
                made[found[at].trace_id] = one
                tick(1)

            await condense_all(jobs, client, keep, at_once, int(len(jobs) * MOST_LOST))

    done_by(client, work, lambda: f"a model could not be had after {len(made)} of {len(found)} traces")
    return Condensed(tuple(made[trace.trace_id] for trace in found), prompts.label)
