"""The treatment: draft → gate-check → revise, before anything is stored.

Source: seeds/002, "Generation is not one call". WARN and FAIL lead to a revision; only FAIL drops an item,
after `max_rounds` or once a revision changes nothing; an ERROR leaves the item out as a fault, never as a
verdict on it (DESIGN 7).
"""

import operator
from asyncio import gather
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Dropped, Review
from loadbearing.condensers.draft_calls import Drafting
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import Finding, Gate
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.markdown import render
from loadbearing.models.client.client import Caller
from loadbearing.models.client.structured import ReplyFault, Structured


@dataclass(frozen=True, slots=True)
class Draft:
    """One item on its way: its number among its trace's items, and how often it was revised."""

    number: int
    round: int
    item: TheoryItem


class Loop(TypedDict, total=False):
    """The state of the graph for one trajectory: `drafts` are those under way, the other lists grow."""

    trajectory: Trajectory
    drafts: list[Draft]
    findings: Annotated[list[tuple[Draft, Finding]], operator.add]
    stored: Annotated[list[Draft], operator.add]
    dropped: Annotated[list[Dropped], operator.add]
    faults: Annotated[list[str], operator.add]
    unchanged: Annotated[list[Draft], operator.add]


@dataclass(frozen=True)
class Theory:
    """Claim / Trigger / Mechanism / Scope / Form, checked by gates and revised at most `max_rounds` times.

    Args:
        caller: drafts and revises. The gates bring their own judge.
        gates: which of the suite run (fork B). None of them: the schema alone.
    """

    caller: Caller
    gates: tuple[Gate, ...]
    max_rounds: int = 2
    view: View = "full"
    name: str = "theory"
    _graph: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        drafting = Drafting(Structured(self.caller), self.view)
        object.__setattr__(self, "_graph", _compile(drafting, self.gates, self.max_rounds))

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
        """
        limit = {"recursion_limit": 2 * (self.max_rounds + 2)}
        end = await self._graph.ainvoke(Loop(trajectory=trajectory, drafts=[]), limit)
        return Condensation(
            trajectory.trace_id,
            self.name,
            tuple(draft.item for draft in sorted(end["stored"], key=lambda draft: draft.number)),
            tuple(Review(draft.round, render(draft.item), finding) for draft, finding in end["findings"]),
            tuple(end["dropped"]),
            tuple(end["faults"]),
            unchanged=len(end["unchanged"]),
        )


def _compile(drafting: Drafting, gates: tuple[Gate, ...], max_rounds: int) -> Any:
    from langgraph.graph import END, START, StateGraph

    async def draft(state: Loop) -> Loop:
        try:
            items = await drafting.draft(state["trajectory"])
        except ReplyFault as fault:
            return Loop(faults=[f"the draft could not be read: {fault}"])
        return Loop(
            drafts=[Draft(number, 0, item) for number, item in enumerate(items[:MOST_ITEMS], 1)],
            dropped=[Dropped(render(item), f"more than {MOST_ITEMS} items") for item in items[MOST_ITEMS:]],
        )

    async def check(state: Loop) -> Loop:
        asked = [(one, gate) for one in state["drafts"] for gate in gates]
        found = await gather(*(gate(one.item, state["trajectory"]) for one, gate in asked))
        findings = [(one, finding) for (one, _), finding in zip(asked, found, strict=True)]
        return _settle(state["drafts"], findings, max_rounds)

    async def revise(state: Loop) -> Loop:
        async def anew(old: Draft) -> Draft | str:
            flags = [
                finding
                for judged, finding in state["findings"]
                if judged == old and finding.finding in ("WARN", "FAIL")
            ]
            try:
                item = await drafting.revise(old.item, old.number, flags, state["trajectory"])
            except ReplyFault as fault:
                return f"the revision of item {old.number} could not be read: {fault}"
            return Draft(old.number, old.round + 1, item)

        made = await gather(*(anew(one) for one in state["drafts"]))
        pairs = zip(state["drafts"], made, strict=True)
        same = [old for old, new in pairs if isinstance(new, Draft) and new.item == old.item]
        ended = {
            one.number: _dropped(one, state["findings"], "; its revision changed nothing") for one in same
        }
        return Loop(
            drafts=[one for one in made if isinstance(one, Draft) and one.number not in ended],
            stored=[one for one in same if ended[one.number] is None],
            dropped=[one for one in ended.values() if one is not None],
            faults=[one for one in made if isinstance(one, str)],
            unchanged=same,
        )

    graph: Any = StateGraph(Loop)
    for name, node in (("draft", draft), ("check", check), ("revise", revise)):
        graph.add_node(name, node)
    graph.add_edge(START, "draft")
    graph.add_edge("draft", "check")
    graph.add_conditional_edges("check", lambda state: "revise" if state["drafts"] else END, ["revise", END])
    graph.add_edge("revise", "check")
    return graph.compile()


def _dropped(draft: Draft, findings: Sequence[tuple[Draft, Finding]], how: str) -> Dropped | None:
    """A draft that is not revised again, if a gate still fails it; None where it is stored."""
    failed = [found.gate for judged, found in findings if judged == draft and found.finding == "FAIL"]
    return Dropped(render(draft.item), f"still fails {', '.join(failed)}{how}") if failed else None


def _settle(drafts: Sequence[Draft], findings: list[tuple[Draft, Finding]], max_rounds: int) -> Loop:
    """What becomes of each draft of this round: stored, revised, dropped, or left out as a fault."""
    stored, to_revise, dropped, faults = [], [], [], []
    for draft in drafts:
        own = [finding for judged, finding in findings if judged == draft]
        last = _dropped(draft, findings, f" after {draft.round} revisions")
        broken = [finding for finding in own if finding.finding == "ERROR"]
        if broken:
            faults.append(f"item {draft.number}, {broken[0].gate}: {broken[0].reason}")
        elif any(finding.finding in ("WARN", "FAIL") for finding in own) and draft.round < max_rounds:
            to_revise.append(draft)
        elif last is not None:
            dropped.append(last)
        else:
            stored.append(draft)
    return Loop(drafts=to_revise, findings=findings, stored=stored, dropped=dropped, faults=faults)
