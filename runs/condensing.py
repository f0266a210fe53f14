"""Condense: each condenser makes one frozen bank of the same trajectories."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from condensers.condenser import Condensation, Condenser
from condensers.native import Native
from condensers.nothing import Nothing
from condensers.theory import Theory
from episodes.trajectory import Trajectory
from gates.suite import chosen
from judges.question import ModelJudge
from ledger.rows import CondensationRow
from ledger.store import Ledger
from memory.bank import Bank
from memory.item import item_from_json, item_to_json
from memory.markdown import render
from memory.record import Record
from models.door import Caller, Door
from prompts.control import ControlPrompts
from runs.spec import CondenserSpec

AT_ONCE = 8


def build_condenser(
    name: str, asked: CondenserSpec, door: Door, model: str, judge: str, control: ControlPrompts, view: Any
) -> Condenser:
    """The condenser of a spec's entry, asking `model` and, for its gates, `judge`."""
    if asked.kind == "nothing":
        return Nothing(name)
    caller = Caller(door, model)
    if asked.kind == "native":
        return Native(caller, control, view, name)
    gates = chosen(ModelJudge(Caller(door, judge), view), asked.gates, view)
    return Theory(caller, gates, asked.max_rounds, view, name)


async def condense_all(
    condenser: Condenser,
    traces: tuple[Trajectory, ...],
    door: Door,
    done: Callable[[Trajectory, Condensation], None],
) -> None:
    """Condense every trajectory, a few at a time; `done` gets each in the order of the traces.

    Raises:
        ModelFault: no answer could be had.
    """
    for start in range(0, len(traces), AT_ONCE):
        batch = traces[start : start + AT_ONCE]
        made = await asyncio.gather(*(condenser(trace) for trace in batch), return_exceptions=True)
        door.cache.flush()
        for trace, condensation in zip(batch, made, strict=True):
            if isinstance(condensation, BaseException):
                raise condensation
            done(trace, condensation)


async def fill_banks(
    backbone: str,
    condensers: Mapping[str, Condenser],
    traces: tuple[Trajectory, ...],
    templates: Mapping[str, str],
    door: Door,
    ledger: Ledger,
    shared: bool,
    tick: Callable[[], None],
) -> dict[str, Bank]:
    """One bank for each condenser; what the ledger holds already is taken from there.

    Args:
        shared: every backbone has the same traces and condensing models, so that one's condensations are
            the others' as well.

    Raises:
        ModelFault: no answer could be had.
    """
    rows = list(ledger.condensations())
    have = {(row.condenser, row.task): row.body for row in rows if row.backbone == backbone}
    if shared:
        theirs = {
            (row.condenser, row.task): row.body for row in rows if (row.condenser, row.task) not in have
        }
        ledger.add_condensations(CondensationRow(backbone, *place, body) for place, body in theirs.items())
        have |= theirs
    banks = {}
    for name, condenser in condensers.items():

        def keep(trace: Trajectory, made: Condensation, name: str = name) -> None:
            body = to_json(made)
            have[name, trace.task_id] = body
            ledger.add_condensations([CondensationRow(backbone, name, trace.task_id, body)])
            tick()

        missing = tuple(trace for trace in traces if (name, trace.task_id) not in have)
        for _ in range(len(traces) - len(missing)):
            tick()
        await condense_all(condenser, missing, door, keep)
        records = tuple(_record(trace, have[name, trace.task_id], templates) for trace in traces)
        banks[name] = Bank(name, records)
    return banks


def to_json(made: Condensation) -> dict[str, Any]:
    """A condensation as the line that `condense --out` writes (DESIGN 6)."""
    return {
        "trace_id": made.trace_id,
        "condenser": made.condenser,
        "items": [{"markdown": render(item, i)} | item_to_json(item) for i, item in enumerate(made.items, 1)],
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


def _record(trace: Trajectory, body: Mapping[str, Any], templates: Mapping[str, str]) -> Record:
    return Record(
        task_id=trace.task_id,
        query=trace.query,
        family=trace.family,
        template=templates.get(trace.task_id, ""),
        items=tuple(item_from_json(raw) for raw in body["items"]),
        trace_id=trace.trace_id,
        outcome=trace.outcome,
    )
