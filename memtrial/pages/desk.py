"""A desk at which people decide: what waits, how it is asked, what was decided, and by whom."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event
from typing import Literal, Protocol

from pydantic import JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.ledger.review_facts import DraftDecision, DraftForReview


class DeskFault(ValueError):
    """A decision that cannot be taken; one line for the person who made it."""


NOTHING_TO_UNDO = "nothing was decided here under your name"


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


class Desk(Protocol):
    """What a person decides on; it is read anew for each look, so that what is shown is what is committed.

    Args:
        by: who decides; empty: nobody is named.
        blind: what is known of a draft beside its text is hidden.
        finished: set once a person says that all is decided.
    """

    @property
    def by(self) -> str: ...
    @property
    def blind(self) -> bool: ...
    @property
    def finished(self) -> Event: ...

    def queue(self) -> Queue:
        """All that can be decided on, and what was; SpecFault where it cannot be read."""

    def about(self, draft: DraftForReview) -> str:
        """What a person is asked."""

    def runs(self, draft: DraftForReview) -> tuple[Trajectory, ...]:
        """What the draft was made of, or is about."""

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """A draft with what a person needs to decide on it elsewhere."""

    def decide(self, *given: DraftDecision) -> None:
        """Commit decisions, all or none; they are on the disk when this returns. A later one is a correction.

        Raises:
            DeskFault: no such draft waits, or a decision is none of those that were offered.
        """

    def undo(self, name: str) -> None:
        """Take back what `by` decided on a draft, so that it waits again; DeskFault where it cannot be."""
