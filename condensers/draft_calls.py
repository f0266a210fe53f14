"""The two structured calls of the theory-grounded condenser: draft from a trajectory, revise by findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from loadbearing.condensers.condenser import MOST_ITEMS
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View, render
from loadbearing.gates.gate import Finding
from loadbearing.memory.item import Item, TheoryItem, field_names
from loadbearing.memory.markdown import render as render_item
from loadbearing.models.client.structured import Structured
from loadbearing.prompts.templates import Prompt

DRAFT, REVISE = Prompt("theory_draft"), Prompt("theory_revise")


@dataclass(frozen=True)
class TheoryDrafting:
    """Writes theory items from the same view of the trajectory as the control sees."""

    structured: Structured
    view: View

    async def draft(self, trajectory: Trajectory) -> tuple[TheoryItem, ...]:
        """The first drafts, all the model wrote.

        Raises:
            ReplyFault: the reply holds no items that can be read.
            ModelFault: no answer could be had.
        """
        said = await self.structured.ask(_signatures()[0], self._run(trajectory))
        return tuple(TheoryItem(**raw.model_dump()) for raw in said.memory_items)

    async def revise(
        self, item: Item, number: int, findings: Sequence[Finding], trajectory: Trajectory
    ) -> TheoryItem:
        """One item anew, in the light of what was found. Raises as `draft`."""
        inputs = self._run(trajectory) | {
            "item": render_item(item, number),
            "findings": "\n".join(f"- {f.gate}: {f.finding}. {f.reason} ({f.quote})" for f in findings),
        }
        said = await self.structured.ask(_signatures()[1], inputs)
        return TheoryItem(**said.memory_item.model_dump())

    def _run(self, trajectory: Trajectory) -> dict[str, str]:
        return {"outcome": trajectory.outcome, "trajectory": render(trajectory, self.view)}


@cache
def _signatures() -> tuple[Any, Any]:
    """Of the draft and of the revision."""
    import dspy
    from pydantic import create_model

    fields: dict[str, Any] = dict.fromkeys(field_names("theory"), (str, ...))
    memory_item: Any = create_model("MemoryItem", **fields)
    run = {
        "outcome": (str, dspy.InputField(desc="success or failure")),
        "trajectory": (str, dspy.InputField(desc="the recorded run")),
    }
    draft = run | {"memory_items": (list[memory_item], dspy.OutputField(desc="at most three items"))}
    revise = run | {
        "item": (str, dspy.InputField(desc="the memory item as it stands")),
        "findings": (str, dspy.InputField(desc="what was found wrong with it")),
        "memory_item": (memory_item, dspy.OutputField(desc="the item, written again")),
    }
    return (
        dspy.Signature(draft).with_instructions(DRAFT.render({"most": MOST_ITEMS})),
        dspy.Signature(revise).with_instructions(REVISE.render()),
    )
