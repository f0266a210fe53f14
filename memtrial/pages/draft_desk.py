"""The desk for the drafts of a run folder: one committed decision at a time."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from pydantic import JsonValue

from memtrial.agents.traces import trace_from_json
from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import render
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.review_facts import (
    DraftDecision,
    DraftForReview,
    asked_drafts,
    decide,
    decisions,
    withdraw,
)
from memtrial.ledger.run_plan import identity_in_force
from memtrial.memory.item import field_names, schema_of
from memtrial.memory.markdown import MarkdownFault, parse
from memtrial.pages.desk import NOTHING_TO_UNDO, DeskChoice, DeskFault, DeskWording, Queue
from memtrial.pages.page_lock import alone_deciding, entered_run
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.folder import LEDGER, open_for_reading

MANNER = DeskWording(
    (
        DeskChoice("accept", "a", "accept", "accepted", "yes"),
        DeskChoice("edit", "e", "edit", "edited", meaning="The item as markdown.", text="draft"),
        DeskChoice("reject", "r", "reject", "rejected", "no"),
        DeskChoice(
            "reject", "w", "reject, and why", "rejected", meaning="Why it is rejected.", text="reason"
        ),
    ),
    then="The run goes on with these decisions.",
)


@dataclass
class DraftDesk:
    """The drafts of a run folder.

    Args:
        by: who decides; who has a name is shown what nobody of that name has decided.
        visiting: nobody here holds the folder: each decision takes it, or is made beside a page that is open.
    """

    folder: Path
    blind: bool
    by: str = ""
    finished: Event = field(default_factory=Event)
    visiting: bool = False

    def queue(self) -> Queue:
        """Drafts of banks that are not made."""
        with open_for_reading(self.folder) as (_, ledger):
            return read_queue(ledger, self.by)

    def runs(self, draft: DraftForReview) -> tuple[Trajectory, ...]:
        """What the draft was made of."""
        with open_for_reading(self.folder) as (_, ledger):
            return (trace_from_json(ledger.traces(draft.backbone)[draft.task]),)

    def about(self, draft: DraftForReview) -> str:
        """Where the draft stands."""
        place = f"{draft.condenser}, bank {draft.draw + 1}, {draft.backbone}"
        return f"{place}; task {draft.task}, item {draft.number}"

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """A draft with what a person needs to decide on it elsewhere."""
        shown = draft.model_dump(mode="json", exclude={"findings"} if self.blind else None)
        return {"draft": draft.id, **shown, "trajectory": render(self.runs(draft)[0], draft.view)}

    def decide(self, *given: DraftDecision) -> None:
        """See `Desk`.

        Raises:
            DeskFault: no such draft waits, or an edited text is no item of its schema.
            SpecFault: another process carries the run out and serves no page; only for who is `visiting`.
            LedgerFault: the ledger cannot be written.
        """
        with self._drafts_to_write(*(decision.draft for decision in given)) as (ledger, drafts):
            for decision, draft in zip(given, drafts, strict=True):
                refuse_unfit(draft, decision)
            decide(ledger, given)

    def undo(self, name: str) -> None:
        """See `Desk`: what was decided stays in the ledger, as withdrawn. Faults as above."""
        with self._drafts_to_write(name) as (ledger, _):
            if not withdraw(ledger, name, self.by):
                raise DeskFault(NOTHING_TO_UNDO)

    @contextmanager
    def _drafts_to_write(self, *names: str) -> Iterator[tuple[LedgerStore, list[DraftForReview]]]:
        """The ledger, and the drafts of these names, which still wait."""
        with entered_run(self.folder) if self.visiting else nullcontext(), alone_deciding(self.folder):
            drafts = {draft.id: draft for draft in self.queue().drafts}
            for name in names:
                if name not in drafts:
                    raise DeskFault(f"no draft {name!r} waits for review; its bank may be made already")
            with closing(open_ledger(self.folder / LEDGER)) as ledger:
                # a person's minutes are worth a wait for the disk
                ledger.wait_for_disk()
                yield ledger, [drafts[name] for name in names]


def read_queue(ledger: LedgerStore, by: str = "") -> Queue:
    """The drafts of a ledger that can be decided on."""
    asked = asked_drafts(ledger)
    # most runs ask nobody, and what was condensed is long
    rows = ledger.condensations() if asked else ()
    made = {(row.backbone, row.condenser, row.draw, row.task) for row in rows}
    drafts = tuple(
        draft for draft in asked if (draft.backbone, draft.condenser, draft.draw, draft.task) not in made
    )
    return Queue(drafts, decisions(ledger, by or None), MANNER)


def blind_run(folder: Path) -> bool:
    """Whether the spec of a run hides the gates' findings from people; SpecFault where it cannot be read."""
    with open_for_reading(folder) as (_, ledger):
        return bool((identity_in_force(ledger) or {}).get("review.blind"))


LONGEST_REASON = 2_000
"""Characters."""


def refuse_unfit(draft: DraftForReview, decision: DraftDecision) -> None:
    """Refuse (DeskFault) an edit that is not one changed item of the draft's schema with its first field, and
    a reason that is too long or of no rejection."""
    if decision.reason and decision.how != "reject":
        raise DeskFault(f"only a rejection brings a reason; {decision.how} of {draft.id} brought one")
    if len(decision.reason) > LONGEST_REASON:
        length = f"{len(decision.reason):,} characters"
        raise DeskFault(f"a reason of at most {LONGEST_REASON:,} characters is needed; got {length}")
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
