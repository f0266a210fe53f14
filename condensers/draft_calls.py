"""The calls of the loops: draft items from a trajectory, and revise them by findings, or without.

A revision without findings is the placebo of one with them: the same call, and no criteria in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, render
from memtrial.condensers.baselines import native_messages, warn_of
from memtrial.condensers.condenser import MOST_ITEMS
from memtrial.condensers.draft_replies import (
    Drafts,
    Reader,
    ask_until_read,
    one_of,
    read_additive,
    read_native,
    read_theory,
)
from memtrial.gates.gate import Finding
from memtrial.memory.item import Item, field_names
from memtrial.memory.markdown import render as render_item
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.prompts.templates import Prompt

Typed = Literal["theory", "additive"]
_Written = Typed | Literal["native"]
DRAFT: dict[Typed, Prompt] = {"theory": Prompt("theory_draft"), "additive": Prompt("additive_draft")}
_READ: dict[_Written, Reader] = {"native": read_native, "theory": read_theory, "additive": read_additive}
REVISE = {schema: Prompt(f"{schema}_revise") for schema in _READ}
REWRITE = {schema: Prompt(f"{schema}_rewrite") for schema in _READ}


@dataclass(frozen=True)
class TheoryDrafting:
    """Writes items with a theory's fields from the same view of the trajectory as the control sees.

    Args:
        schema: the five fields alone, or beside the control's three.
        exhort: gates whose failures the draft prompt warns of, in the gates' own words.
        placebo: revisions are told no findings.
    """

    structured: Structured
    view: View
    exhort: tuple[str, ...] = ()
    placebo: bool = False
    schema: Typed = "theory"

    async def draft(self, trajectory: Trajectory) -> Drafts:
        """The first drafts, all the model wrote."""
        asked = self.structured.messages(
            to_draft(self.schema, self.exhort), run_inputs(trajectory, self.view)
        )
        return await ask_until_read(self.structured.caller, asked, _READ[self.schema])

    async def revise(
        self, item: Item, number: int, findings: Sequence[Finding], trajectory: Trajectory
    ) -> Item:
        """One item anew, in the light of what was found."""
        inputs = asked_anew(item, number, None if self.placebo else findings)
        return await _anew(self.structured, self.schema, run_inputs(trajectory, self.view) | inputs)


@dataclass(frozen=True)
class NativeDrafting:
    """Drafts with the control's own prompts and call; revises in its schema, in our wording."""

    caller: Caller
    prompts: ControlPrompts
    view: View
    placebo: bool = False
    exhort: tuple[str, ...] = ()

    async def draft(self, trajectory: Trajectory) -> Drafts:
        """The items of the reply."""
        asked = native_messages(self.prompts, trajectory, self.view, self.exhort)
        return await ask_until_read(self.caller, asked, read_native)

    async def revise(
        self, item: Item, number: int, findings: Sequence[Finding], trajectory: Trajectory
    ) -> Item:
        """One item anew, also where it was prose."""
        inputs = asked_anew(item, number, None if self.placebo else findings)
        return await _anew(Structured(self.caller), "native", run_inputs(trajectory, self.view) | inputs)


def run_inputs(trajectory: Trajectory, view: View) -> dict[str, str]:
    """The input fields that every call has."""
    return {"outcome": trajectory.outcome, "trajectory": render(trajectory, view)}


def asked_anew(item: Item, number: int, findings: Sequence[Finding] | None) -> dict[str, str]:
    """The item, and what was found wrong with it; None: nobody is told."""
    inputs = {"item": render_item(item, number)}
    findings_lines = [f"- {f.gate}: {f.finding}. {f.reason} ({f.quote})" for f in findings or ()]
    return inputs if findings is None else inputs | {"findings": "\n".join(findings_lines)}


async def _anew(structured: Structured, schema: _Written, inputs: dict[str, str]) -> Item:
    asked = structured.messages(to_revise(schema, "findings" not in inputs), inputs)
    drafts = await ask_until_read(structured.caller, asked, one_of(_READ[schema]))
    if not drafts.items:
        raise ReplyFault("it holds no item")
    return drafts.items[0]


GIVEN = {"outcome": "success or failure", "trajectory": "the recorded run"}
"""What every call reads."""


@cache
def to_draft(schema: Typed, exhort: tuple[str, ...]) -> Any:
    """The signature of the first call."""
    instructions = DRAFT[schema].render({"most": MOST_ITEMS})
    if exhort:
        instructions += "\n" + warn_of(exhort)
    many = (list[_item(schema)], "at most three items")  # type: ignore[misc]
    return signature_of(instructions, GIVEN, {"memory_items": many})


@cache
def to_revise(schema: _Written, placebo: bool) -> Any:
    """The signature of a revision."""
    given = GIVEN | {"item": "the memory item as it stands"}
    if not placebo:
        given |= {"findings": "what was found wrong with it"}
    instructions = (REWRITE if placebo else REVISE)[schema].render()
    return signature_of(instructions, given, {"memory_item": (_item(schema), "the item, written again")})


@cache
def _item(schema: _Written) -> Any:
    from pydantic import create_model

    fields: dict[str, Any] = dict.fromkeys(field_names(schema), (str, ...))
    return create_model("MemoryItem", **fields)
