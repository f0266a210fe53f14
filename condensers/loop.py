"""draft → check → settle → revise, before anything is stored: one loop, however an item is written.

A draft that lacks the form of its schema (`schema_form`) is revised before any gate sees it, also without
gates.
Source: seeds/002, "Generation is not one call". WARN and FAIL lead to a revision; only FAIL drops an item,
after `max_rounds` or once a revision changes nothing; an ERROR leaves the item out as a fault, never as a
verdict on it (DESIGN 7). `check` only collects findings and `settle` only decides by them. Where a person
reviews, `review` stands in the place of `settle`: the loop is interrupted, and findings are advice.
"""

import operator
from asyncio import gather
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Protocol, TypedDict

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.condensers.condenser import (
    MOST_ITEMS,
    Condensation,
    Dropped,
    Rejected,
    Review,
    Reviewer,
    WaitingDraft,
)
from memtrial.condensers.draft_replies import Drafts
from memtrial.condensers.schema_form import SCHEMA_FORM, check_form
from memtrial.condensers.strains import name_strain
from memtrial.gates.gate import Finding
from memtrial.memory.item import AdditiveItem, Item, NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.models.client.structured import ReplyFault
from memtrial.protocols import Gate

FLAGS = ("WARN", "FAIL")


class Drafting(Protocol):
    """How items of one schema are written. Both raise ReplyFault for a reply that cannot be read, asked for
    twice, and ModelFault where no answer could be had."""

    async def draft(self, trajectory: Trajectory) -> Drafts:
        """The first drafts, all the model wrote."""

    async def revise(
        self, item: Item, number: int, findings: Sequence[Finding], trajectory: Trajectory
    ) -> Item:
        """One item anew, in the light of what was found; `number` is its place among its trace's items."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One item on its way: its number among its trace's items, and how often it was revised."""

    number: int
    round: int
    item: Item


class LoopState(TypedDict, total=False):
    """The state of the graph for one trajectory: `drafts` are those under way, the other lists grow.

    `revised` holds an item's number for each revision that was asked for.
    """

    trajectory: Trajectory
    drafts: list[Draft]
    findings: Annotated[list[tuple[Draft, Finding]], operator.add]
    stored: Annotated[list[Draft], operator.add]
    dropped: Annotated[list[Dropped], operator.add]
    faults: Annotated[list[str], operator.add]
    unread: Annotated[list[str], operator.add]
    unchanged: Annotated[list[Draft], operator.add]
    revised: Annotated[list[int], operator.add]


KEPT = (
    Trajectory,
    Step,
    Draft,
    Finding,
    Dropped,
    NativeItem,
    TheoryItem,
    AdditiveItem,
    Rejected,
    WaitingDraft,
)
"""What a checkpoint of the loop may hold; a file that names another type is not followed."""


@dataclass(frozen=True)
class Loop:
    """Items checked by gates and revised at most `max_rounds` times. Without gates: the first drafts.

    With a reviewer a person decides on each first draft, and nothing is revised.
    """

    drafting: Drafting
    gates: tuple[Gate, ...]
    max_rounds: int
    name: str
    reviewer: Reviewer | None = None
    _graph: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_graph", self._compile())

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
            ReviewWaits: a person has not decided on all drafts.
        """
        if self.reviewer is not None:
            end = await self._finish_review(self.reviewer, trajectory)
        else:
            limit = {"recursion_limit": 3 * (self.max_rounds + 2)}
            end = await self._graph.ainvoke(LoopState(trajectory=trajectory, drafts=[]), limit)
        revised = Counter(end["revised"])
        return Condensation(
            trajectory.trace_id,
            self.name,
            tuple(draft.item for draft in sorted(end["stored"], key=lambda draft: draft.number)),
            tuple(
                Review(
                    *(draft.round, render(draft.item), finding, draft.number),
                    name_strain(draft.item, finding),
                )
                for draft, finding in end["findings"]
            ),
            tuple(end["dropped"]),
            (*end["unread"], *end["faults"]),
            unread=tuple(end["unread"]),
            unchanged=len(end["unchanged"]),
            revisions=tuple(revised[number] for number in range(1, max(revised, default=0) + 1)),
        )

    async def _finish_review(self, reviewer: Reviewer, trajectory: Trajectory) -> Any:
        """The end of a loop that is interrupted for a person, from where its checkpoint left it."""
        from langgraph.types import Command

        config = {"configurable": {"thread_id": reviewer.thread(trajectory)}}
        kept = await self._graph.aget_state(config)
        if kept.values and not kept.next:
            return kept.values
        begin = None if kept.next else LoopState(trajectory=trajectory, drafts=[])
        end = await self._graph.ainvoke(begin, config, durability="sync")
        if interrupts := end.get("__interrupt__"):
            decided = reviewer(trajectory, interrupts[0].value)
            end = await self._graph.ainvoke(Command(resume=decided), config, durability="sync")
        return end

    def _compile(self) -> Any:
        from langgraph.graph import END, START, StateGraph

        graph: Any = StateGraph(LoopState)
        graph.add_edge(START, "draft")
        begun = [("draft", self._draft), ("check", self._check)]
        if self.reviewer is not None:
            graph.add_sequence([*begun, ("review", self._review)])
            graph.add_edge("review", END)
            return graph.compile(self.reviewer.saver)
        graph.add_sequence([*begun, ("settle", self._settle)])
        graph.add_node("revise", self._revise)
        graph.add_conditional_edges(
            "settle", lambda state: "revise" if state["drafts"] else END, ["revise", END]
        )
        graph.add_edge("revise", "check")
        return graph.compile()

    async def _draft(self, state: LoopState) -> LoopState:
        try:
            drafts = await self.drafting.draft(state["trajectory"])
        except ReplyFault as fault:
            return LoopState(unread=[f"the draft could not be read: {fault}"])
        items = drafts.items
        return LoopState(
            unread=[f"part of the draft could not be read: {drafts.unread}"] if drafts.unread else [],
            drafts=[Draft(number, 0, item) for number, item in enumerate(items[:MOST_ITEMS], 1)],
            dropped=[Dropped(render(item), f"more than {MOST_ITEMS} items") for item in items[MOST_ITEMS:]],
        )

    async def _check(self, state: LoopState) -> LoopState:
        """Ask the gates about each draft that has its form; where a person decides, about all."""
        trajectory = state["trajectory"]
        lacking = {draft.number: check_form(draft.item, trajectory) for draft in state["drafts"]}
        misses = [(draft, miss) for draft in state["drafts"] if (miss := lacking[draft.number]) is not None]
        formed = [draft for draft in state["drafts"] if self.reviewer or lacking[draft.number] is None]
        asked = [(draft, gate) for draft in formed for gate in self.gates]
        findings = await gather(*(gate(draft.item, trajectory) for draft, gate in asked))
        judged = [(draft, finding) for (draft, _), finding in zip(asked, findings, strict=True)]
        return LoopState(findings=[*misses, *judged])

    def _review(self, state: LoopState) -> LoopState:
        """Wait for a person. Alone in its node, which LangGraph runs from its start once all is decided."""
        from langgraph.types import interrupt

        drafts = state["drafts"]
        asked = [WaitingDraft(draft.number, draft.item, tuple(_of(draft, state))) for draft in drafts]
        wanted = interrupt(asked) if asked else []
        pairs = list(zip(drafts, wanted, strict=True))
        return LoopState(
            drafts=[],
            stored=[replace(draft, item=item) for draft, item in pairs if not isinstance(item, Rejected)],
            dropped=[
                _drop_rejected(draft, verdict) for draft, verdict in pairs if isinstance(verdict, Rejected)
            ],
        )

    async def _settle(self, state: LoopState) -> LoopState:
        """What becomes of each draft of this round: stored, revised, dropped, or left out as a fault."""
        stored, to_revise, dropped, faults = [], [], [], []
        for draft in state["drafts"]:
            own = _of(draft, state)
            last = _drop_draft(draft, own, f" after {draft.round} revisions")
            broken = [finding for finding in own if finding.finding == "ERROR"]
            if broken:
                each = "; ".join(f"{finding.gate}: {finding.reason}" for finding in broken)
                faults.append(f"item {draft.number}, {each}")
            elif any(finding.finding in FLAGS for finding in own) and draft.round < self.max_rounds:
                to_revise.append(draft)
            elif last is not None:
                dropped.append(last)
            else:
                stored.append(draft)
        return LoopState(drafts=to_revise, stored=stored, dropped=dropped, faults=faults)

    async def _revise(self, state: LoopState) -> LoopState:
        async def anew(old: Draft) -> Draft | str:
            every = (each for finding in _of(old, state) for each in finding.every)
            flags = [each for each in every if each.finding in FLAGS]
            try:
                item = await self.drafting.revise(old.item, old.number, flags, state["trajectory"])
            except ReplyFault as fault:
                return f"the revision of item {old.number} could not be read: {fault}"
            return Draft(old.number, old.round + 1, item)

        made = await gather(*(anew(draft) for draft in state["drafts"]))
        pairs = zip(state["drafts"], made, strict=True)
        same = [old for old, new in pairs if isinstance(new, Draft) and new.item == old.item]
        ended = {
            draft.number: _drop_draft(draft, _of(draft, state), "; its revision changed nothing")
            for draft in same
        }
        return LoopState(
            drafts=[draft for draft in made if isinstance(draft, Draft) and draft.number not in ended],
            stored=[draft for draft in same if ended[draft.number] is None],
            dropped=[draft for draft in ended.values() if draft is not None],
            unread=[draft for draft in made if isinstance(draft, str)],
            unchanged=same,
            revised=[draft.number for draft in state["drafts"]],
        )


def _of(draft: Draft, state: LoopState) -> list[Finding]:
    return [finding for judged, finding in state["findings"] if judged == draft]


def _drop_rejected(draft: Draft, rejection: Rejected) -> Dropped:
    why = f": {rejection.reason}" if rejection.reason else ""
    return Dropped(render(draft.item), f"rejected by a person{why}")


def _drop_draft(draft: Draft, own: Sequence[Finding], how: str) -> Dropped | None:
    """A draft that is not revised again, if a gate still fails it; None where it is stored."""
    failed = tuple(finding.gate for finding in own if finding.finding == "FAIL")
    if not failed:
        return None
    lacking = "".join(f": {finding.reason}" for finding in own if finding.gate == SCHEMA_FORM)
    return Dropped(render(draft.item), f"still fails {', '.join(failed)}{how}{lacking}", failed)
