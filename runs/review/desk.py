"""The desk at which people decide: the drafts of a run folder, one committed decision at a time."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from pydantic import JsonValue

from loadbearing.episodes.traces import trace_from_json
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import render
from loadbearing.ledger.lock_facts import identity_in_force
from loadbearing.ledger.review_facts import (
    DraftForReview,
    How,
    ReviewDecision,
    asked_drafts,
    decide,
    decisions,
)
from loadbearing.ledger.store import Ledger
from loadbearing.memory.item import field_names, schema_of
from loadbearing.memory.markdown import MarkdownFault, parse
from loadbearing.runs.folder.run_folder import LEDGER, reading

WORDS: dict[How, str] = {"accept": "accepted", "edit": "edited", "reject": "rejected"}


class DeskFault(ValueError):
    """A decision that cannot be taken; one line for the person who made it."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The drafts whose bank is not made yet, in the order of asking, and what was decided on them by name.

    Args:
        words: what the decisions are called.
    """

    drafts: tuple[DraftForReview, ...]
    decided: Mapping[str, ReviewDecision]
    words: Mapping[How, str] = field(default_factory=lambda: WORDS)

    @property
    def left(self) -> int:
        """Drafts on which nobody has decided."""
        return sum(draft.id not in self.decided for draft in self.drafts)

    @property
    def told(self) -> str:
        """How many drafts were decided in which way, and how many are left."""
        hows = Counter(self.decided[draft.id].how for draft in self.drafts if draft.id in self.decided)
        made = ", ".join(f"{hows[how]} {word}" for how, word in self.words.items())
        return f"{made}, {self.left or 'none'} left"

    def after(self, name: str) -> str:
        """The draft to look at after this one: the next that waits, from the beginning again; empty: none."""
        names = [draft.id for draft in self.drafts]
        at = names.index(name) + 1 if name in names else 0
        return next((one for one in (*names[at:], *names[:at]) if one not in self.decided), "")


@dataclass
class Desk:
    """Reads the folder anew for each look, so that what is shown is what is committed.

    Args:
        blind: the gates' findings are hidden; it is noted with each decision.
        by: who decides, noted too; who has a name is shown what nobody of that name has decided.
        finished: set once a person says that all is decided.
    """

    folder: Path
    blind: bool
    by: str = ""
    finished: Event = field(default_factory=Event)
    _shown: dict[str, float] = field(default_factory=dict)
    _writing: Lock = field(default_factory=Lock)

    def queue(self) -> Queue:
        """What is on the desk now.

        Raises:
            SpecFault: the ledger cannot be read.
        """
        with reading(self.folder) as (_, ledger):
            made = {(row.backbone, row.condenser, row.draw, row.task) for row in ledger.condensations()}
            drafts = tuple(
                one
                for one in asked_drafts(ledger)
                if (one.backbone, one.condenser, one.draw, one.task) not in made
            )
            return Queue(drafts, decisions(ledger, self.by or None))

    def trajectory(self, draft: DraftForReview) -> Trajectory:
        """What the draft was made of."""
        with reading(self.folder) as (_, ledger):
            return trace_from_json(ledger.traces(draft.backbone)[draft.task])

    def about(self, draft: DraftForReview) -> str:
        """Where the draft stands."""
        place = f"{draft.condenser}, bank {draft.draw + 1}, {draft.backbone}"
        return f"{place}; task {draft.task}, item {draft.number}"

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """A draft with what a person needs to decide on it elsewhere."""
        shown = draft.model_dump(mode="json", exclude={"findings"} if self.blind else None)
        return {"draft": draft.id, **shown, "trajectory": render(self.trajectory(draft), draft.view)}

    def show(self, name: str) -> None:
        """A person sees this draft from now on."""
        self._shown[name] = time.monotonic()

    def seconds(self, name: str) -> float | None:
        """Since the draft was shown; None where it was not."""
        begun = self._shown.get(name)
        return None if begun is None else round(time.monotonic() - begun, 1)

    def decide(self, *given: ReviewDecision) -> None:
        """Commit decisions, all or none; they are on the disk when this returns. A later one is a correction.

        Raises:
            DeskFault: no such draft waits, or an edited text is no item of its schema.
            LedgerFault: the ledger cannot be written.
        """
        with self._writing:
            drafts = {one.id: one for one in self.queue().drafts}
            for one in given:
                if one.draft not in drafts:
                    raise DeskFault(f"no draft {one.draft!r} waits for review; its bank may be made already")
                refuse_unfit(drafts[one.draft], one)
            ledger = Ledger(self.folder / LEDGER)
            try:
                # a person's minutes are worth a wait for the disk
                ledger.connection.execute("PRAGMA synchronous=FULL")
                decide(ledger, given)
            finally:
                ledger.close()


def blind_run(folder: Path) -> bool:
    """Whether the spec of a run hides the gates' findings from people; SpecFault where it cannot be read."""
    with reading(folder) as (_, ledger):
        return bool((identity_in_force(ledger) or {}).get("review.blind"))


def refuse_unfit(draft: DraftForReview, decision: ReviewDecision) -> None:
    """Refuse (DeskFault) an edit that is not one changed item of the draft's schema with its first field."""
    if decision.how != "edit":
        if decision.markdown:
            raise DeskFault(f"only an edit brings a text; {decision.how} of {draft.id} brought one")
        return
    before = parse(draft.markdown)
    try:
        after = parse(decision.markdown)
    except MarkdownFault as fault:
        raise DeskFault(str(fault)) from fault
    if schema_of(after) != schema_of(before):
        raise DeskFault(f"a {schema_of(before)} item is needed; this reads as {schema_of(after)}")
    first = field_names(schema_of(after))[0]
    if not getattr(after, first):
        raise DeskFault(f"the item needs a text under '## {first.capitalize()}'; reject it to leave it out")
    if after == before:
        raise DeskFault("nothing was changed; accept it as it stands")
