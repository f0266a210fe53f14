"""Where the loop of a condenser meets people: drafts go into the ledger, decisions come from it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.condensers.condenser import Rejected, ReviewWaits, WaitingDraft
from memtrial.condensers.loop import KEPT
from memtrial.console.display import Display
from memtrial.gates.gate import Finding
from memtrial.ledger.review_facts import (
    DraftForReview,
    GateFinding,
    ReviewDecision,
    ask_for_review,
    decisions,
)
from memtrial.ledger.sqlite.checkpoints import open_checkpoints
from memtrial.memory.item import Item
from memtrial.memory.markdown import parse, render
from memtrial.outcomes.count_words import how_many
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.folder import CHECKPOINTS

LOOK_S = 0.2


class OpenPage(Protocol):
    """A page that is served, on which a person decides about the drafts of a run."""

    @property
    def address(self) -> str: ...

    @property
    def finished(self) -> Event:
        """Set once the person says that all is decided."""


ServePage = Callable[[Path, bool], AbstractContextManager[OpenPage]]
"""Serve the page of a run folder, blind to who drafted or not, for as long as the context is open."""


@dataclass(frozen=True)
class AskedPeople:
    """The reviewer of one draw of one condenser; see `condensers.reviewer`."""

    ledger: LedgerStore
    saver: Any
    backbone: str
    condenser: str
    draw: int
    view: View

    def thread(self, trajectory: Trajectory) -> str:
        of = [self.backbone, self.condenser, self.draw, asdict(trajectory)]
        return sha256(json.dumps(of).encode()).hexdigest()

    def __call__(self, trajectory: Trajectory, drafts: Sequence[WaitingDraft]) -> list[Item | Rejected]:
        asked = [self._draft_for_review(trajectory, waiting) for waiting in drafts]
        for draft in asked:
            ask_for_review(self.ledger, draft)
        decided = decisions(self.ledger)
        if left := sum(draft.id not in decided for draft in asked):
            raise ReviewWaits(left)
        return [
            _apply_decision(waiting.item, decided[draft.id])
            for waiting, draft in zip(drafts, asked, strict=True)
        ]

    def _draft_for_review(self, trajectory: Trajectory, draft: WaitingDraft) -> DraftForReview:
        return DraftForReview(
            backbone=self.backbone,
            condenser=self.condenser,
            draw=self.draw,
            task=trajectory.task_id,
            number=draft.number,
            markdown=render(draft.item, draft.number),
            view=self.view,
            findings=tuple(_note_finding(each) for finding in draft.findings for each in finding.every),
        )


def _note_finding(finding: Finding) -> GateFinding:
    return GateFinding(
        gate=finding.gate,
        finding=finding.finding,
        quote=finding.quote,
        where=finding.where,
        reason=finding.reason,
    )


def _apply_decision(item: Item, decision: ReviewDecision) -> Item | Rejected:
    if decision.how == "edit":
        return parse(decision.markdown)
    return item if decision.how == "accept" else Rejected(decision.reason.strip())


@dataclass(frozen=True)
class Reviews:
    """All reviews of one session on a run folder; `refuse_halted` raises HaltFault once that was stopped."""

    folder: Path
    ledger: LedgerStore
    saver: Any
    blind: bool
    display: Display
    refuse_halted: Callable[[], None]
    serve_page: ServePage | None

    def reviewer(self, backbone: str, condenser: str, draw: int, view: View) -> AskedPeople:
        """Who decides on the drafts of one bank."""
        return AskedPeople(self.ledger, self.saver, backbone, condenser, draw, view)

    async def wait_for_decisions(self, waits: ReviewWaits) -> None:
        """Serve the page until a person has decided on all drafts, and says so.

        ReviewWaits: nobody looks on (display none), or there is no page. HaltFault: the session was stopped.
        """
        if self.display.mode == "none" or self.serve_page is None:
            raise waits
        with self.serve_page(self.folder, self.blind) as page:
            self.display.say(f"for your review: {how_many(waits.drafts, 'draft')}; open {page.address}")
            while not page.finished.is_set():
                self.refuse_halted()
                await asyncio.sleep(LOOK_S)


@asynccontextmanager
async def reviews(
    ledger: LedgerStore,
    blind: bool,
    display: Display,
    refuse_halted: Callable[[], None],
    serve_page: ServePage | None = None,
) -> AsyncIterator[Reviews]:
    """Open the checkpoints of interrupted loops, a file beside the ledger for its owner alone.

    No values are built from it but those of the loop: a file from another hand starts nothing.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = ledger.path.with_name(CHECKPOINTS)
    async with open_checkpoints(path) as connection:
        saver = AsyncSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=KEPT))
        yield Reviews(path.parent, ledger, saver, blind, display, refuse_halted, serve_page)
