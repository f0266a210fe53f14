"""The condensers on their own, on anyone's traces."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from memtrial.agents.traces import TraceFault, read_traces
from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.api.given_spec import client_of, done_by
from memtrial.condensers.condenser import Condensation, Fate
from memtrial.condensers.schema_form import SCHEMA_FORM
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault, refused
from memtrial.gates.duplicate import DUPLICATE
from memtrial.gates.gate import Surroundings
from memtrial.gates.suite import SEED_SUBSET, gate_names, kinds_of
from memtrial.memory.item import Item
from memtrial.memory.markdown import render
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.types import ModelFault, provider_of
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import path_of
from memtrial.prompts.control_prompts import ControlFault, load_control
from memtrial.runs.preparation.banks import condense_all, to_json
from memtrial.runs.preparation.open_condensers import CondenserSetup, build_condenser
from memtrial.runs.setup.context import AT_ONCE
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.gate_notices import advising_notice
from memtrial.runs.setup.model_roles import Role, gate_model, gate_standings
from memtrial.runs.spec.condenser_factors import TYPED, CondenserSpec
from memtrial.runs.spec.option_values import refuse_options, settle

Kind = Literal["theory", "additive", "native", "nothing"]
LOST: tuple[Fate, ...] = ("unread", "unanswered")
TOLD: dict[Fate, str] = {
    "unread": "unread",
    "in part": "read in part",
    "unanswered": "without an answer",
    "no items": "without items",
}
MOST_LOST = 0.2
"""The share of traces that may be lost to faults of the provider."""


@dataclass(frozen=True, slots=True)
class CondenseOptions:
    """How to condense.

    Args:
        condenser: theory (treatment), native (control), additive (the fields of both) or nothing.
        model: that drafts, provider/name; none for `nothing`. Simulated ones make items up, to try it out.
        judge: that answers the gates; by default the model, or simulated/examiner for the scribe.
        gates: by name, `all` or `seed`; none: the schema alone.
        gate_calibration: what `gates regress --out` wrote of the judge; without a fresh one it only advises.
        max_rounds: revisions at most.
        view: what of a trajectory is shown; by default all, or what a verified control saw.
        control: upstream's memory_instruction.py, for native; an embedded equivalent unless given.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    condenser: Kind = "theory"
    model: str | None = None
    judge: str | None = None
    gates: tuple[str, ...] = SEED_SUBSET
    max_rounds: int = 2
    view: View | None = None
    control: Path | None = None
    base_urls: tuple[str, ...] = ()
    gate_calibration: Path | None = None

    def __post_init__(self) -> None:
        settle(self)


@dataclass(frozen=True, slots=True)
class Condensed:
    """What became of each trajectory, in their order.

    Args:
        control: which native prompts were loaded.
        simulated: models that took part and are none, with commas; every item then says that it is simulated.
    """

    made: tuple[Condensation, ...]
    control: str
    simulated: str = ""

    @property
    def lost_share(self) -> float:
        """Of the traces, those of which nothing could be read, or that the provider did not answer."""
        return (
            sum(condensation.fate in LOST for condensation in self.made) / len(self.made)
            if self.made
            else 0.0
        )

    def rows(self) -> tuple[dict[str, JsonValue], ...]:
        """An object for each trajectory (DESIGN 6)."""
        return tuple(self._row(condensation) for condensation in self.made)

    def _row(self, condensation: Condensation) -> dict[str, JsonValue]:
        row = to_json(condensation) | {"fate": condensation.fate}
        if self.simulated and isinstance(items := row["items"], list):
            row["items"] = [item | {"simulated": True} for item in items if isinstance(item, dict)]
        return row

    def json_lines(self) -> tuple[str, ...]:
        return tuple(json.dumps(row, ensure_ascii=False) for row in self.rows())

    def summary(self) -> str:
        """How many traces were condensed, how many of them not, or not in full, and drafts without form."""
        counts = Counter(condensation.fate for condensation in self.made)
        kinds = [f"{counts[fate]} {words}" for fate, words in TOLD.items() if counts[fate]]
        dropped = [draft for condensation in self.made for draft in condensation.dropped]
        if formless := sum(SCHEMA_FORM in draft.gates for draft in dropped):
            kinds.append(f"{how_many(formless, 'draft')} dropped for want of form")
        return ", ".join([f"{how_many(len(self.made), 'trace')} condensed", *kinds])

    def faults(self) -> tuple[str, ...]:
        """A line for each trace of which something is missing, with the reason."""
        short = [condensation for condensation in self.made if condensation.faults]
        return tuple(
            f"{condensation.fate}: {condensation.trace_id}: {'; '.join(condensation.faults)}"
            for condensation in short
        )

    def _repr_html_(self) -> str:
        texts = [
            f"# {condensation.trace_id}: {len(condensation.items)} of {condensation.condenser}\n"
            + "\n\n".join(render(item, number) for number, item in enumerate(condensation.items, 1))
            for condensation in self.made
        ]
        lines = [
            *([simulated_note(self.simulated)] if self.simulated else []),
            self.summary(),
            *self.faults(),
        ]
        return f"<pre>{escape(chr(10).join([*lines, *texts]))}</pre>"


def simulated_note(models: str) -> str:
    """The line before anything else where a model is none."""
    return f"simulated: for trying out; {models} wrote this by rules, no language model read the traces"


def simulated_models(options: CondenseOptions) -> str:
    """The models of the options that are simulated, with commas; empty where none is.

    Raises:
        SpecFault: no model is named where one is needed.
    """
    if options.condenser == "nothing":
        return ""
    if options.model is None:
        raise SpecFault(
            "condense needs the model that drafts: --model provider/name (in Python"
            " CondenseOptions(model=…)); to try it out: --model simulated/scribe, which makes items up"
        )
    models = [options.model]
    if options.condenser in TYPED and gate_names(options.gates):
        models.append(gate_model(options.model, options.judge))
    return ", ".join(dict.fromkeys(model for model in models if provider_of(model) == "simulated"))


def _trajectories(traces: object) -> tuple[Trajectory, ...]:
    """Those given, or of a file; SpecFault where it is neither."""
    if isinstance(traces, Iterable) and not isinstance(traces, str | bytes):
        given = tuple(traces)
        if all(isinstance(trajectory, Trajectory) for trajectory in given):
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
        display: shows progress; unless given a bar in a notebook, and nothing elsewhere.

    Raises:
        SpecFault: traces, models or gates are wrong; nothing was sent.
        RunFault: a model could not be had.
    """
    refuse_options(options, CondenseOptions, "options")
    shown, asked = progress_of(display), gate_names(options.gates)
    with refused(TraceFault, ControlFault, ModelFault, ValueError):
        kinds_of(asked)  # an unknown one is refused
        trajectories = _trajectories(traces)
        prompts = load_control(options.control)
        simulated = simulated_models(options)
        model = options.model or ""
        judge = gate_model(model, options.judge) if model else ""
    kind = options.condenser
    roles: list[Role] = [("condense", model)] if kind != "nothing" else []
    if kind in TYPED and asked:
        roles.append(("judge", judge))
    client = client_of(roles, options.base_urls, say=shown.say)
    gates = asked if kind in TYPED else ()
    spec = CondenserSpec(kind=kind, gates=gates, max_rounds=options.max_rounds)
    made = dict[str, Condensation]()

    def stored_items(trajectory: Trajectory) -> tuple[Item, ...]:
        before = takewhile(lambda earlier: earlier.trace_id != trajectory.trace_id, trajectories)
        return tuple(
            item for earlier in before if earlier.trace_id in made for item in made[earlier.trace_id].items
        )

    setup = CondenserSetup(
        *(client, model, judge, prompts, options.view or prompts.view),
        calibration=options.gate_calibration,
        around=Surroundings(trajectories, stored_items),
    )
    condenser = build_condenser(kind, spec, setup)
    standing = gate_standings(judge, None, 2048, options.gate_calibration) if gates else {}
    if lacking := tuple(name for name in gates if standing[name].uncalibrated):
        notice = advising_notice(judge, lacking, None, shipped_prices())
        shown.say(f"{notice}, and name the file with --gate-calibration")
    at_once = 1 if DUPLICATE.name in gates else AT_ONCE

    jobs = [(condenser, trace) for trace in trajectories]

    async def work() -> None:
        with shown.phase(f"condense, {kind}", len(trajectories)) as tick:

            def keep(number: int, condensation: Condensation) -> None:
                made[trajectories[number].trace_id] = condensation
                tick(1)

            await condense_all(jobs, client, keep, at_once, int(len(jobs) * MOST_LOST))

    done_by(client, work, lambda: f"a model could not be had after {len(made)} of {len(trajectories)} traces")
    return Condensed(tuple(made[trace.trace_id] for trace in trajectories), prompts.label, simulated)
