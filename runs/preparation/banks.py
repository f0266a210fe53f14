"""Condense: each condenser makes one frozen bank of the same trajectories."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import takewhile
from typing import Any

from pydantic import JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.condensers.baselines import Peer
from memtrial.condensers.condenser import Condensation, ReviewWaits
from memtrial.gates.duplicate import DUPLICATE
from memtrial.gates.gate import Surroundings
from memtrial.ledger.rows import CondensationRow
from memtrial.memory.item import Item, item_from_json, item_to_json
from memtrial.memory.markdown import render
from memtrial.memory.record_bank import Bank, Record
from memtrial.models.client.client import ModelClient
from memtrial.models.client.types import ProviderFault
from memtrial.protocols import Condenser
from memtrial.runs.preparation.open_condensers import build_condenser, setup_of
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.parallel_work import end_all

Jobs = list[tuple[int, Trajectory]]
"""Draw and trajectory."""
Held = dict[tuple[str, int, str], dict[str, JsonValue]]
"""By condenser, draw and task, what was made."""

BankReady = Callable[[str, tuple[Bank, ...]], None]
"""Hears of a condenser by its name, and of its banks, one a draw, as soon as they are there."""


def ignore_bank(_name: str, _banks: tuple[Bank, ...]) -> None:
    """Nobody waits for it."""


async def condense_all(
    jobs: Sequence[tuple[Condenser, Trajectory]],
    model_client: ModelClient,
    done: Callable[[int, Condensation], None],
    at_once: int,
    most_lost: int,
) -> None:
    """Do all jobs, a few at a time; `done` gets the number of each with what was made.

    A trace that the provider fails twice leaves only its fault, at most `most_lost` of them. ReviewWaits is
    raised once all others are done: a person has to decide on drafts of some.
    """
    waits: list[int] = []

    async def one(number: int) -> None:
        condenser, trace = jobs[number]
        try:
            made = await condenser(trace)
        except ReviewWaits as waiting:
            waits.append(waiting.drafts)
            return
        finally:
            model_client.cache.flush()
        done(number, made)

    lost = await two_rounds(range(len(jobs)), one, at_once, most_lost, model_client.forgive)
    for number, fault in lost.items():
        done(number, _failed_condensation(*jobs[number], fault))
    if waits:
        raise ReviewWaits(sum(waits))


async def condense_once(condenser: Condenser, trace: Trajectory, model_client: ModelClient) -> Condensation:
    """One condensation. A bad request leaves only its fault; another fault of a provider is retried once."""
    try:
        return await condenser(trace)
    except ProviderFault as fault:
        if fault.kind == "bad request":
            return _failed_condensation(condenser, trace, fault)
        model_client.forgive()
    return await condenser(trace)


def _failed_condensation(condenser: Condenser, trace: Trajectory, fault: ProviderFault) -> Condensation:
    return Condensation(trace.trace_id, condenser.name, (), faults=(str(fault),))


async def fill_banks(
    run: RunContext, backbone: str, traces: tuple[Trajectory, ...], ready: BankReady = ignore_bank
) -> dict[str, tuple[Bank, ...]]:
    """The banks of each condenser, one a draw; what the ledger holds already is taken from there.

    All draws are of the same trajectories in the same order.

    Raises:
        ReviewWaits: a person has to decide on drafts; what waits for nobody is made.
        ModelFault: no answer could be had.
        HaltFault, StoreFault: nothing more may be sent.
    """
    spec, design = run.spec, run.design
    have = _held(run, backbone)
    setup = replace(setup_of(run, backbone), peer_of=lambda name, draw: partial(_peer, have, name, draw))
    templates = {task.id: task.template for task in run.world.tasks("train")}
    draws = {name: design.draws if name in design.drawn else 1 for name in design.memories}
    banks: dict[str, tuple[Bank, ...]] = {}
    waits: list[int] = []
    with run.display.phase(f"condense, {backbone}", len(traces) * sum(draws.values())) as tick:

        async def fill(name: str) -> None:
            n = draws[name]
            around = [_surroundings(run, traces, have, name, draw) for draw in range(n)]
            drawn = [
                build_condenser(name, spec.condensers[name], replace(setup, around=around[draw]), draw)
                for draw in range(n)
            ]
            every = [(draw, trace) for draw in range(n) for trace in traces]
            missing = [job for job in every if (name, job[0], job[1].task_id) not in have]
            tick(len(every) - len(missing))

            def keep(number: int, made: Condensation) -> None:
                draw, trace = missing[number]
                body = have[name, draw, trace.task_id] = to_json(made)
                run.ledger.add_condensations([CondensationRow(backbone, name, trace.task_id, body, draw)])
                tick(1)

            # of all traces, so that a resumed run may lose as many as an uninterrupted one
            most_lost = int(spec.engine.max_error_share * len(traces)) * n
            jobs = [(drawn[draw], trace) for draw, trace in missing]
            # what is stored already has to be the same in each session
            side_by_side = 1 if DUPLICATE.name in spec.condensers[name].gates else run.at_once
            try:
                await condense_all(jobs, run.model_client, keep, side_by_side, most_lost)
            except ReviewWaits as waiting:
                waits.append(waiting.drafts)
                return
            layout = run.experiment.control_of(name).layout
            made = (
                tuple(record_of(trace, have[name, draw, trace.task_id], templates) for trace in traces)
                for draw in range(n)
            )
            banks[name] = tuple(Bank(name, records, layout) for records in made)
            ready(name, banks[name])

        leading = [name for name in draws if spec.condensers[name].like is None]
        following = [name for name in draws if name not in leading]
        await _fill_each(leading, fill, run.workers > 1)
        if not waits:  # a condenser that follows another one needs what that one made
            await _fill_each(following, fill, run.workers > 1)
    if waits:
        raise ReviewWaits(sum(waits))
    return {name: banks[name] for name in (*leading, *following)}


async def _fill_each(
    names: Sequence[str], fill: Callable[[str], Awaitable[None]], side_by_side: bool
) -> None:
    """Fill the banks of all, side by side where answers are waited for."""
    if side_by_side:
        await end_all(map(fill, names))
        return
    for name in names:
        await fill(name)


def _peer(have: Held, name: str, draw: int, trace: Trajectory) -> Peer:
    """What a condenser did with a trace; one that has a single bank for all draws shows that in each."""
    body: Mapping[str, Any] = have.get((name, draw, trace.task_id)) or have[name, 0, trace.task_id]
    shown = body["items"] if body["reply"] is None else [{"markdown": body["reply"]}]
    return Peer(
        tuple(body.get("revisions", ())),
        sum(bool(draft.get("gates")) for draft in body["dropped"]),
        sum(len(item["markdown"].split()) for item in shown),
    )


def _surroundings(
    run: RunContext, traces: tuple[Trajectory, ...], have: Held, name: str, draw: int
) -> Surroundings:
    """What the gates of a condenser may look at: all traces, and the items of those before a trace."""

    def stored_items(trajectory: Trajectory) -> tuple[Item, ...]:
        before = takewhile(lambda trace: trace.task_id != trajectory.task_id, traces)
        return _items(have.get((name, draw, trace.task_id)) for trace in before)

    return Surroundings(traces, stored_items, run.model_embedder)


def _items(bodies: Iterable[Mapping[str, Any] | None]) -> tuple[Item, ...]:
    return tuple(item_from_json(item) for body in bodies if body for item in body["items"])


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
                "item": review.item,
                "strain": review.strain,
                "draft": review.draft,
                **asdict(review.finding),
            }
            for review in made.reviews
        ],
        "dropped": [asdict(dropped) for dropped in made.dropped],
        "faults": list(made.faults),
        "unread": list(made.unread),
        "reply": made.reply,
        "unchanged": made.unchanged,
        "revisions": list(made.revisions),
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
