"""Items as structured fields, for a planner that takes constraints and hints rather than prose.

Source: seeds/000 section 3, step 4.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.preambles.item_gist import gist_of
from memtrial.memory.item import TypedItem


class ConditioningField(BaseModel):
    """One item as a planner takes it.

    Args:
        kind: a guardrail of a failure constrains; a strategy of a success hints at a subgoal.
        advice: what to do, or to do instead.
        when: preconditions, or a Trigger; empty: always.
        beware: pitfalls.
        confidence: as stored, in [0, 1].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    kind: Literal["constraint", "subgoal_hint"]
    title: str
    advice: str
    when: tuple[str, ...] = ()
    beware: tuple[str, ...] = ()
    confidence: float


class ConditioningFields(BaseModel):
    """What a planner is given for a task, in two lists, each with the best first."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: Literal[1] = 1
    constraints: tuple[ConditioningField, ...] = ()
    subgoal_hints: tuple[ConditioningField, ...] = ()


def make_fields(items: Sequence[BankItem]) -> ConditioningFields:
    """The fields of items; their JSON is what is carried."""
    fields = [_field(item) for item in items]
    return ConditioningFields(
        constraints=tuple(field for field in fields if field.kind == "constraint"),
        subgoal_hints=tuple(field for field in fields if field.kind == "subgoal_hint"),
    )


def _field(item: BankItem) -> ConditioningField:
    gist = gist_of(item)
    trigger = item.item.trigger if isinstance(item.item, TypedItem) else ""
    return ConditioningField(
        id=item.id,
        kind="constraint" if item.origin.outcome == "failure" else "subgoal_hint",
        title=gist.title,
        advice=gist.content or gist.title,
        when=item.details.preconditions or ((trigger,) if trigger else ()),
        beware=item.details.pitfalls,
        confidence=item.confidence,
    )
