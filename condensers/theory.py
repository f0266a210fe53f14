"""The treatment: draft → gate-check → revise, before anything is stored.

Source: seeds/002, "Generation is not one call". WARN and FAIL lead to a revision; only FAIL drops an item
after `max_rounds`; an ERROR leaves the item out as a fault, never as a verdict on it (DESIGN 7).
"""

from __future__ import annotations

import operator
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


class Loop(TypedDict):
    """The state of the graph for one trajectory. Lists grow; `drafts` keeps every round.

    `round` is the one whose drafts are under way: all of earlier rounds are settled, and stay so even when no
    revision could be read.
    """

    trajectory: Trajectory
    round: int
    drafts: Annotated[list[Draft], operator.add]
    findings: Annotated[list[tuple[Draft, Finding]], operator.add]
    stored: Annotated[list[Draft], operator.add]
    dropped: Annotated[list[Dropped], operator.add]
    faults: Annotated[list[str], operator.add]
    to_revise: list[Draft]


class Change(TypedDict, total=False):
    """What a node adds to the state."""

    round: int
    drafts: list[Draft]
    findings: list[tuple[Draft, Finding]]
    stored: list[Draft]
    dropped: list[Dropped]
    faults: list[str]
    to_revise: list[Draft]


class DraftJob(TypedDict):
    """What one branch of the graph works on: a gate to check by, or findings to revise by."""

    trajectory: Trajectory
    draft: Draft
    gate: Gate | None
    findings: list[Finding]


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
        """Compile the graph once."""
        drafting = Drafting(Structured(self.caller), self.view)
        object.__setattr__(self, "_graph", _compile(drafting, self.gates, self.max_rounds))

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
        """
        start: dict[str, object] = {"trajectory": trajectory, "round": 0, "to_revise": []}
        end = await self._graph.ainvoke(start, {"recursion_limit": 4 * (self.max_rounds + 2)})
        stored = sorted(end["stored"], key=lambda draft: draft.number)
        reviews = tuple(
            Review(draft.round, render(draft.item), finding)
            for draft, finding in sorted(end["findings"], key=lambda pair: (pair[0].round, pair[0].number))
        )
        return Condensation(
            trajectory.trace_id,
            self.name,
            tuple(draft.item for draft in stored),
            reviews,
            tuple(end["dropped"]),
            tuple(end["faults"]),
        )


def _compile(drafting: Drafting, gates: tuple[Gate, ...], max_rounds: int) -> Any:
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send

    async def draft(state: Loop) -> Change:
        try:
            items = await drafting.draft(state["trajectory"])
        except ReplyFault as fault:
            return Change(faults=[f"the draft could not be read: {fault}"])
        return Change(
            drafts=[Draft(number, 0, item) for number, item in enumerate(items[:MOST_ITEMS], 1)],
            dropped=[Dropped(render(item), f"more than {MOST_ITEMS} items") for item in items[MOST_ITEMS:]],
        )

    async def check(job: DraftJob) -> Change:
        gate = job["gate"]
        assert gate is not None  # only revisions travel without one
        return Change(findings=[(job["draft"], await gate(job["draft"].item, job["trajectory"]))])

    def settle(state: Loop) -> Change:
        return _settle(_under_way(state), state["findings"], max_rounds)

    async def revise(job: DraftJob) -> Change:
        old = job["draft"]
        try:
            item = await drafting.revise(old.item, old.number, job["findings"], job["trajectory"])
        except ReplyFault as fault:
            return Change(faults=[f"the revision of item {old.number} could not be read: {fault}"])
        return Change(drafts=[Draft(old.number, old.round + 1, item)])

    def to_gates(state: Loop) -> list[Any] | str:
        jobs = [
            Send("check", DraftJob(trajectory=state["trajectory"], draft=one, gate=gate, findings=[]))
            for one in _under_way(state)
            for gate in gates
        ]
        return jobs or "settle"

    def to_revisions(state: Loop) -> list[Any] | str:
        jobs = [
            Send(
                "revise",
                DraftJob(trajectory=state["trajectory"], draft=one, gate=None, findings=_flags(one, state)),
            )
            for one in state["to_revise"]
        ]
        return jobs or END

    graph: Any = StateGraph(Loop)
    for name, node in (("draft", draft), ("check", check), ("settle", settle), ("revise", revise)):
        graph.add_node(name, node)
    graph.add_edge(START, "draft")
    graph.add_conditional_edges("draft", to_gates, ["check", "settle"])
    graph.add_edge("check", "settle")
    graph.add_conditional_edges("settle", to_revisions, ["revise", END])
    graph.add_node("again", lambda state: Change(round=state["round"] + 1, to_revise=[]))
    graph.add_edge("revise", "again")
    graph.add_conditional_edges("again", to_gates, ["check", "settle"])
    return graph.compile()


def _under_way(state: Loop) -> list[Draft]:
    """The drafts of this round; none where no revision could be read."""
    return [draft for draft in state["drafts"] if draft.round == state["round"]]


def _flags(draft: Draft, state: Loop) -> list[Finding]:
    return [
        finding
        for judged, finding in state["findings"]
        if judged == draft and finding.finding in ("WARN", "FAIL")
    ]


def _settle(fresh: list[Draft], findings: list[tuple[Draft, Finding]], max_rounds: int) -> Change:
    """What becomes of each draft of this round: stored, revised, dropped, or left out as a fault."""
    stored, to_revise, dropped, faults = [], [], [], []
    for draft in fresh:
        own = [finding for judged, finding in findings if judged == draft]
        failed = [finding for finding in own if finding.finding == "FAIL"]
        broken = [finding for finding in own if finding.finding == "ERROR"]
        if broken:
            faults.append(f"item {draft.number}, {broken[0].gate}: {broken[0].reason}")
        elif (failed or any(finding.finding == "WARN" for finding in own)) and draft.round < max_rounds:
            to_revise.append(draft)
        elif failed:
            gates = ", ".join(finding.gate for finding in failed)
            dropped.append(Dropped(render(draft.item), f"still fails {gates} after {draft.round} revisions"))
        else:
            stored.append(draft)
    return Change(stored=stored, to_revise=to_revise, dropped=dropped, faults=faults)
