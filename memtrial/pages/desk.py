"""The desk at which people decide: the drafts of a run folder, one committed decision at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Literal, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from memtrial.agents.traces import trace_from_json
from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import render
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.review_facts import (
    DraftDecision,
    DraftForReview,
    ReviewDecision,
    asked_drafts,
    decide,
    decisions,
)
from memtrial.ledger.run_plan import identity_in_force
from memtrial.memory.item import field_names, schema_of
from memtrial.memory.markdown import MarkdownFault, parse
from memtrial.pages.page_lock import alone_deciding, page_is_open
from memtrial.prompts.plain_text import lines_of
from memtrial.runs.run_folder.folder import LEDGER, open_for_reading


class DeskFault(ValueError):
    """A decision that cannot be taken; one line for the person who made it."""


@dataclass(frozen=True, slots=True)
class DeskChoice:
    """One way to decide: its key and button, and what is said once it was chosen.

    Args:
        style: `yes`, `no`, or empty for neither.
        meaning: when to choose it; where it brings a text, what is asked for.
        text: it brings a text: the edited draft, or a reason.
    """

    how: str
    key: str
    word: str
    done: str
    style: str = ""
    meaning: str = ""
    text: Literal["", "draft", "reason"] = ""


@dataclass(frozen=True, slots=True)
class DeskWording:
    """How a desk asks; `whole` heads a draft's text that is no item, `then` is what goes on afterwards."""

    choices: tuple[DeskChoice, ...]
    noun: str = "draft"
    whole: str = ""
    runs: tuple[str, ...] = ("What the agent did",)
    then: str = ""

    @property
    def words(self) -> dict[str, str]:
        return {choice.how: choice.done for choice in self.choices}


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


@dataclass(frozen=True, slots=True)
class Queue:
    """The drafts that can be decided on, in the order of asking, and what was decided on them by name."""

    drafts: tuple[DraftForReview, ...]
    decided: Mapping[str, DraftDecision]
    manner: DeskWording

    @property
    def left(self) -> int:
        """Drafts on which nobody has decided."""
        return sum(draft.id not in self.decided for draft in self.drafts)

    @property
    def told(self) -> str:
        """How many drafts were decided in which way, and how many are left."""
        words = self.manner.words
        hows = Counter(words[self.decided[draft.id].how] for draft in self.drafts if draft.id in self.decided)
        made = ", ".join(f"{hows[word]} {word}" for word in dict.fromkeys(words.values()))
        return f"{made}, {self.left or 'none'} left"

    def after(self, name: str) -> str:
        """The draft to look at after this one: the next that waits, from the beginning again; empty: none."""
        names = [draft.id for draft in self.drafts]
        place = names.index(name) + 1 if name in names else 0
        return next(
            (draft_id for draft_id in (*names[place:], *names[:place]) if draft_id not in self.decided), ""
        )


@dataclass
class Desk:
    """Reads the folder anew for each look, so that what is shown is what is committed.

    Args:
        by: who decides; who has a name is shown what nobody of that name has decided.
        finished: set once a person says that all is decided.
        beside: another process has the folder and serves its page; decisions are taken while it does.
    """

    folder: Path
    blind: bool
    by: str = ""
    finished: Event = field(default_factory=Event)
    beside: bool = False

    def queue(self) -> Queue:
        """What is on the desk now; SpecFault where the ledger cannot be read."""
        with open_for_reading(self.folder) as (_, ledger):
            made = {(row.backbone, row.condenser, row.draw, row.task) for row in ledger.condensations()}
            drafts = tuple(
                draft
                for draft in asked_drafts(ledger)
                if (draft.backbone, draft.condenser, draft.draw, draft.task) not in made
            )
            return Queue(drafts, decisions(ledger, self.by or None), MANNER)

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
        """Commit decisions, all or none; they are on the disk when this returns. A later one is a correction.

        Raises:
            DeskFault: no such draft waits, an edited text is no item of its schema, or the page is closed
                beside which it was to be decided.
            LedgerFault: the ledger cannot be written.
        """
        with alone_deciding(self.folder):
            if self.beside and not page_is_open(self.folder):
                raise DeskFault("the page was closed just now; give the same command again")
            drafts = {draft.id: draft for draft in self.queue().drafts}
            for decision in given:
                if decision.draft not in drafts:
                    raise DeskFault(
                        f"no draft {decision.draft!r} waits for review; its bank may be made already"
                    )
                refuse_unfit(drafts[decision.draft], decision)
            with closing(open_ledger(self.folder / LEDGER)) as ledger:
                # a person's minutes are worth a wait for the disk
                ledger.wait_for_disk()
                decide(ledger, given)


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


LARGEST = 512 * 2**20
FORM = (
    'a line is {"draft": ID, "how": "accept" | "edit" | "reject", "markdown": TEXT of an edit,'
    ' "reason": TEXT of a rejection}'
)
Row = TypeVar("Row", bound=BaseModel)


def read_decisions(path: Path) -> tuple[ReviewDecision, ...]:
    """Decisions made elsewhere, in the file's order; SpecFault where it cannot be read, or a line is none."""
    decisions = tuple(read_rows(path, ReviewDecision, FORM))
    if not decisions:
        raise SpecFault(f"{path} holds no decision; {FORM}")
    return decisions


def read_rows(path: Path, kind: type[Row], form: str) -> Iterator[Row]:
    """The JSON lines of a file; SpecFault where one is not of the form, or it cannot be read."""
    for where, line in lines_of(path, "a plain file of JSON lines is needed", SpecFault, LARGEST):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as fault:
            first = fault.errors(include_url=False, include_input=False)[0]
            what = ".".join(map(str, first["loc"])) or "JSON"
            raise SpecFault(f"{where}: {what}: {first['msg']}; {form}") from None
