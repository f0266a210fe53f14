"""Condense: each condenser makes one frozen bank of the same trajectories."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from loadbearing.condensers.baselines import Nothing, Raw
from loadbearing.condensers.condenser import Condensation, Condenser
from loadbearing.condensers.native import Native
from loadbearing.condensers.theory import Theory
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import Gate
from loadbearing.gates.suite import chosen
from loadbearing.judges.question import ModelJudge
from loadbearing.ledger.rows import CondensationRow
from loadbearing.memory.bank import Bank
from loadbearing.memory.item import item_from_json, item_to_json
from loadbearing.memory.markdown import render
from loadbearing.memory.record import Record
from loadbearing.models.client.client import Caller, ModelClient
from loadbearing.models.client.types import ProviderFault
from loadbearing.prompts.control import ControlPrompts
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.condenser import load_condenser
from loadbearing.runs.plugins.gate import load_gate
from loadbearing.runs.prepare.retry_once import two_rounds
from loadbearing.runs.setup.context import AT_ONCE, RunContext
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.role_sampling import sampling_of
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.sampling import SamplingByRole
from loadbearing.runs.spec.sections import CondenserSpec

Jobs = list[tuple[int, Trajectory]]
"""Draw and trajectory."""
Held = dict[tuple[str, int, str], dict[str, JsonValue]]
"""By condenser, draw and task, what was made."""
MOST_LOST = 0.2
"""The share of traces that may be lost to faults of the provider, where no spec says otherwise."""


@dataclass(frozen=True, slots=True)
class CondenserSetup:
    """What all condensers of one backbone share; `model` is asked by them, `judge` by their gates.

    Args:
        controls: by a condenser's own source, its native prompts; `control` are those of the others.
    """

    model_client: ModelClient
    model: str
    judge: str
    control: ControlPrompts
    view: View = "full"
    seed: int = 0
    sampling: SamplingByRole = SamplingByRole()
    controls: Mapping[Path | None, ControlPrompts] = field(default_factory=dict)


def setup_of(run: RunContext, backbone: str) -> CondenserSetup:
    """The setup that the spec asks for."""
    spec = run.spec
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    control = run.experiment.control
    view = spec.traces.view or control.view
    controls = run.experiment.controls
    return CondenserSetup(run.model_client, model, judge, control, view, spec.seed, spec.sampling, controls)


def build_condenser(name: str, asked: CondenserSpec, setup: CondenserSetup, repeat: int = 0) -> Condenser:
    """The condenser of a spec's entry; SpecFault where one of the user's own, or a gate, cannot be loaded.

    Args:
        repeat: the repeat its calls belong to, where each repeat has a bank of its own: the draw.
    """
    if asked.kind == "nothing":
        return Nothing(name)
    if asked.kind == "raw":
        return Raw(setup.view, name)
    prompts = setup.controls.get(asked.source, setup.control)
    drawn = sampling_of(setup.sampling.condenser, "condenser", prompts)
    caller = Caller(
        setup.model_client, setup.model, drawn.temperature, repeat, drawn.max_tokens, f"condense {name}"
    )
    if is_plugin(asked.kind):
        return load_condenser(asked.kind, caller, setup.seed, name)
    if asked.kind == "native":
        return Native(caller, prompts, setup.view, name)
    judged = sampling_of(setup.sampling.gate, "gate", setup.control)
    judging = Caller(
        setup.model_client, setup.judge, judged.temperature, repeat, judged.max_tokens, f"gate {name}"
    )
    gates = build_gates(asked.gates, judging, setup.view, setup.seed)
    return Theory(caller, gates, asked.max_rounds, setup.view, name)


def build_gates(names: tuple[str, ...], judge: Caller, view: View, seed: int = 0) -> tuple[Gate, ...]:
    """Gates by name, ours and the user's own; SpecFault where one cannot be loaded, or two share a name."""
    asked = ModelJudge(judge, view)
    gates = tuple(
        load_gate(name, judge, seed) if is_plugin(name) else chosen(asked, (name,), view)[0] for name in names
    )
    given = [gate.name for gate in gates]
    if len(set(given)) < len(given):
        raise SpecFault(f"gates need a name each; got {', '.join(given)}")
    return gates


async def condense_all(
    condenser: Condenser,
    traces: tuple[Trajectory, ...],
    model_client: ModelClient,
    done: Callable[[Trajectory, Condensation], None],
    at_once: int = AT_ONCE,
    most_lost: int | None = None,
) -> None:
    """Condense every trajectory, a few at a time; `done` gets each as it is over.

    A trace that the provider fails twice leaves only its fault, and the others are condensed without it.

    Args:
        most_lost: traces that may be lost so; a fifth of them unless given.

    Raises:
        ModelFault: no answer could be had.
        HaltFault, StoreFault: nothing more may be sent.
    """
    jobs = [(condenser, trace) for trace in traces]
    most = int(len(traces) * MOST_LOST) if most_lost is None else most_lost
    await _condense(jobs, model_client, lambda at, made: done(traces[at], made), at_once, most)


async def _condense(
    jobs: Sequence[tuple[Condenser, Trajectory]],
    model_client: ModelClient,
    done: Callable[[int, Condensation], None],
    at_once: int,
    most_lost: int,
) -> None:
    """Do all jobs side by side; `done` gets the number of each with what was made."""

    async def one(number: int) -> None:
        condenser, trace = jobs[number]
        made = await condenser(trace)
        model_client.cache.flush()
        done(number, made)

    lost = await two_rounds(range(len(jobs)), one, at_once, most_lost, model_client.forgive)
    for number, fault in lost.items():
        done(number, _failed(*jobs[number], fault))


async def condense_once(condenser: Condenser, trace: Trajectory, model_client: ModelClient) -> Condensation:
    """One condensation. A bad request leaves only its fault; another fault of a provider is retried once."""
    try:
        return await condenser(trace)
    except ProviderFault as fault:
        if fault.kind == "bad request":
            return _failed(condenser, trace, fault)
        model_client.forgive()
    return await condenser(trace)


def _failed(condenser: Condenser, trace: Trajectory, fault: ProviderFault) -> Condensation:
    return Condensation(trace.trace_id, condenser.name, (), faults=(str(fault),))


async def fill_banks(
    run: RunContext, backbone: str, traces: tuple[Trajectory, ...]
) -> dict[str, tuple[Bank, ...]]:
    """The banks of each condenser, one a draw; what the ledger holds already is taken from there.

    All draws are of the same trajectories in the same order.

    Raises:
        ModelFault: no answer could be had.
        HaltFault, StoreFault: nothing more may be sent.
    """
    spec, design, setup = run.spec, run.design, setup_of(run, backbone)
    have = _held(run, backbone)
    templates = {task.id: task.template for task in run.world.tasks("train")}
    draws = {name: design.draws if name in design.drawn else 1 for name in design.memories}
    banks = {}
    with run.display.phase(f"condense, {backbone}", len(traces) * sum(draws.values())) as tick:
        for name, n in draws.items():
            drawn = [build_condenser(name, spec.condensers[name], setup, draw) for draw in range(n)]
            every = [(draw, trace) for draw in range(n) for trace in traces]
            missing = [one for one in every if (name, one[0], one[1].task_id) not in have]
            tick(len(every) - len(missing))

            def keep(at: int, made: Condensation, name: str = name, missing: Jobs = missing) -> None:
                draw, trace = missing[at]
                body = have[name, draw, trace.task_id] = to_json(made)
                run.ledger.add_condensations([CondensationRow(backbone, name, trace.task_id, body, draw)])
                tick(1)

            # of all traces, so that a resumed run may lose as many as an uninterrupted one
            most_lost = int(spec.engine.max_error_share * len(traces)) * n
            jobs = [(drawn[draw], trace) for draw, trace in missing]
            await _condense(jobs, run.model_client, keep, run.at_once, most_lost)
            layout = run.experiment.control_of(name).layout
            made = (
                tuple(record_of(one, have[name, draw, one.task_id], templates) for one in traces)
                for draw in range(n)
            )
            banks[name] = tuple(Bank(name, records, layout) for records in made)
    return banks


def _held(run: RunContext, backbone: str) -> Held:
    """What the ledger holds for a backbone; what another one has that is the same is copied."""
    spec = run.spec
    have: Held = {}
    others: Held = {}
    for row in run.ledger.condensations():
        held = have if row.backbone == backbone else others
        held[row.condenser, row.draw, row.task] = row.body
    shared = spec.traces.player is not None or spec.traces.source == "import"
    if spec.roles.condenser is not None and shared:
        # every backbone has the same traces and condensing model
        theirs = {place: body for place, body in others.items() if place not in have}
        run.ledger.add_condensations(
            CondensationRow(backbone, name, task, body, draw) for (name, draw, task), body in theirs.items()
        )
        have |= theirs
    return have


def to_json(made: Condensation) -> dict[str, JsonValue]:
    """A condensation as the line that `condense --out` writes (DESIGN 6)."""
    return {
        "trace_id": made.trace_id,
        "condenser": made.condenser,
        "items": [
            {"markdown": render(item, i), **item_to_json(item)} for i, item in enumerate(made.items, 1)
        ],
        "findings": [
            {
                "gate": review.finding.gate,
                "round": review.round,
                "draft": review.draft,
                **asdict(review.finding),
            }
            for review in made.reviews
        ],
        "dropped": [asdict(dropped) for dropped in made.dropped],
        "faults": list(made.faults),
        "reply": made.reply,
        "unchanged": made.unchanged,
    }


def record_of(trace: Trajectory, body: Mapping[str, Any], templates: Mapping[str, str]) -> Record:
    """The record of a condensation as `to_json` wrote it."""
    return Record(
        task_id=trace.task_id,
        query=trace.query,
        family=trace.family,
        template=templates.get(trace.task_id, ""),
        items=tuple(item_from_json(raw) for raw in body["items"]),
        trace_id=trace.trace_id,
        outcome=trace.outcome,
        reply=body["reply"],
    )
