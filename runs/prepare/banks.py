"""Condense: each condenser makes one frozen bank of the same trajectories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.model_client import workers
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.sections import CondenserSpec

AT_ONCE = 8
MOST_LOST = 0.2
"""The share of traces that may be lost to faults of the provider, where no spec says otherwise."""


@dataclass(frozen=True, slots=True)
class CondenserSetup:
    """What all condensers of one backbone share.

    Args:
        model: asked by the condensers.
        judge: asked by their gates.
        view: what they see of a trajectory.
        seed: given to a user's condensers and gates.
    """

    model_client: ModelClient
    model: str
    judge: str
    control: ControlPrompts
    view: View = "full"
    seed: int = 0


def setup_of(run: RunContext, backbone: str) -> CondenserSetup:
    """The setup that the spec asks for."""
    spec = run.spec
    model = spec.roles.condenser or backbone
    judge = gate_model(model, spec.roles.gate)
    return CondenserSetup(run.model_client, model, judge, run.experiment.control, spec.traces.view, spec.seed)


def build_condenser(name: str, asked: CondenserSpec, setup: CondenserSetup, repeat: int = 0) -> Condenser:
    """The condenser of a spec's entry.

    Args:
        repeat: the repeat its calls belong to, where each repeat has a bank of its own: the draw.

    Raises:
        SpecFault: it, or one of its gates, is a user's own and cannot be loaded.
    """
    if asked.kind == "nothing":
        return Nothing(name)
    if asked.kind == "raw":
        return Raw(setup.view, name)
    caller = Caller(setup.model_client, setup.model, repeat=repeat, purpose=f"condense {name}")
    if is_plugin(asked.kind):
        return load_condenser(asked.kind, caller, setup.seed, name)
    if asked.kind == "native":
        return Native(caller, setup.control, setup.view, name)
    judging = Caller(setup.model_client, setup.judge, repeat=repeat, purpose=f"gate {name}")
    gates = build_gates(asked.gates, judging, setup.view, setup.seed)
    return Theory(caller, gates, asked.max_rounds, setup.view, name)


def build_gates(names: tuple[str, ...], judge: Caller, view: View, seed: int = 0) -> tuple[Gate, ...]:
    """Gates by name, ours and the user's own, in the order given.

    Raises:
        SpecFault: one cannot be loaded, or two have the same name.
    """
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

    most = int(len(traces) * MOST_LOST) if most_lost is None else most_lost
    jobs = [(0, trace) for trace in traces]
    await _condense_jobs(
        [condenser], jobs, model_client, lambda _, trace, made: done(trace, made), at_once, most
    )


async def _condense_jobs(
    drawn: Sequence[Condenser],
    jobs: Sequence[tuple[int, Trajectory]],
    model_client: ModelClient,
    done: Callable[[int, Trajectory, Condensation], None],
    at_once: int,
    most_lost: int,
) -> None:
    """Condense trajectories by the draws they are wanted of, all draws side by side.

    Args:
        drawn: the same condenser, once a draw.
        jobs: draw and trajectory.
        done: gets each of them with what was made of it.
    """

    async def one(number: int) -> None:
        draw, trace = jobs[number]
        made = await drawn[draw](trace)
        model_client.cache.flush()
        done(draw, trace, made)

    lost = await two_rounds(range(len(jobs)), one, at_once, most_lost, model_client.forgive)
    for number, fault in lost.items():
        draw, trace = jobs[number]
        done(draw, trace, Condensation(trace.trace_id, drawn[draw].name, (), faults=(str(fault),)))


async def condense_once(condenser: Condenser, trace: Trajectory, model_client: ModelClient) -> Condensation:
    """One condensation. A bad request leaves only its fault; any other fault of a provider is retried once.

    Raises:
        ProviderFault: it may be answered at another time.
    """
    for last in (False, True):
        try:
            return await condenser(trace)
        except ProviderFault as fault:
            if fault.kind == "bad request":
                return Condensation(trace.trace_id, condenser.name, (), faults=(str(fault),))
            if last:
                raise
            model_client.forgive()
    raise AssertionError("unreachable")


async def fill_banks(
    run: RunContext,
    backbone: str,
    condensers: Mapping[str, Sequence[Condenser]],
    traces: tuple[Trajectory, ...],
    tick: Callable[[], None],
) -> dict[str, tuple[Bank, ...]]:
    """The banks of each condenser, one a draw; what the ledger holds already is taken from there.

    All draws are of the same trajectories in the same order.

    Args:
        condensers: by name, the same condenser once a draw.
        tick: called once for each condensation.

    Raises:
        ModelFault: no answer could be had.
    """
    have = _held(run, backbone)
    templates = {task.id: task.template for task in run.world.tasks("train")}
    banks = {}
    for name, drawn in condensers.items():

        def keep(draw: int, trace: Trajectory, made: Condensation, name: str = name) -> None:
            body = to_json(made)
            have[name, draw, trace.task_id] = body
            run.ledger.add_condensations([CondensationRow(backbone, name, trace.task_id, body, draw)])
            tick()

        every = [(draw, trace) for draw in range(len(drawn)) for trace in traces]
        missing = [(draw, trace) for draw, trace in every if (name, draw, trace.task_id) not in have]
        for _ in range(len(every) - len(missing)):
            tick()
        # of all traces, so that a resumed run may lose as many as an uninterrupted one
        most_lost = int(run.spec.engine.max_error_share * len(traces)) * len(drawn)
        await _condense_jobs(drawn, missing, run.model_client, keep, _at_once(run, len(traces)), most_lost)
        banks[name] = tuple(
            Bank(name, tuple(record_of(one, have[name, draw, one.task_id], templates) for one in traces))
            for draw in range(len(drawn))
        )
    return banks


def _held(run: RunContext, backbone: str) -> dict[tuple[str, int, str], dict[str, JsonValue]]:
    """What the ledger holds for a backbone, by place; what another one has that is the same is copied."""
    rows = list(run.ledger.condensations())
    have = {_place(row): row.body for row in rows if row.backbone == backbone}
    spec = run.spec
    if spec.roles.condenser is not None and (
        spec.traces.player is not None or spec.traces.source == "import"
    ):
        # every backbone has the same traces and condensing model
        theirs = {_place(row): row.body for row in rows if _place(row) not in have}
        run.ledger.add_condensations(
            CondensationRow(backbone, name, task, body, draw) for (name, draw, task), body in theirs.items()
        )
        have |= theirs
    return have


def _at_once(run: RunContext, n_traces: int) -> int:
    """Traces condensed at a time; a batch wants all of them together."""
    if run.spec.engine.batch:
        return n_traces * run.design.draws
    return max(AT_ONCE, workers(run.experiment, False))


def _place(row: CondensationRow) -> tuple[str, int, str]:
    return row.condenser, row.draw, row.task


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
                "finding": review.finding.finding,
                "quote": review.finding.quote,
                "where": review.finding.where,
                "reason": review.finding.reason,
            }
            for review in made.reviews
        ],
        "dropped": [{"markdown": dropped.markdown, "why": dropped.why} for dropped in made.dropped],
        "faults": list(made.faults),
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
    )
