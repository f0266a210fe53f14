"""Facts of the ledger, each stated once: damage that a model wrote, drafts for people, and their decisions.

They need no table of their own, so that ledgers written before people could be asked stay readable.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Literal

from pydantic import Field, JsonValue

from memtrial.ledger.row_text import now, text_of
from memtrial.ledger.run_plan import Recorded, read_as
from memtrial.protocols import LedgerStore

ASKED, DECIDED, WITHDRAWN = "draft for review ", "review of ", "withdrawn review of "
How = Literal["accept", "edit", "reject"]


class GateFinding(Recorded):
    """What a gate said of a draft: advice to the person, who decides."""

    gate: str
    finding: str
    quote: str | None
    where: str
    reason: str


class DraftForReview(Recorded):
    """One draft of one condenser, as a person is shown it; `view` is the part of the trajectory it saw."""

    backbone: str
    condenser: str
    draw: int
    task: str
    number: int
    markdown: str
    view: Literal["full", "actions", "messages"] = "full"
    findings: tuple[GateFinding, ...] = ()

    @property
    def id(self) -> str:
        """The same draft at the same place has the same name in every session."""
        place = [self.backbone, self.condenser, self.draw, self.task, self.number, self.markdown]
        return sha256(text_of(place).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class DraftDecision(Recorded):
    """What a person decided on one draft, and how many seconds after it was shown.

    `how` is one of the ways that were offered; `markdown` is the edited text, `reason` why it was rejected;
    `blind`: the gates' findings were hidden; `by`: the name that the person gave, if any.
    """

    draft: str
    how: str
    markdown: str = ""
    reason: str = ""
    seconds: float | None = Field(None, ge=0)
    blind: bool = False
    by: str = ""
    made: str = Field(default_factory=now)


class ReviewDecision(DraftDecision):
    """A decision that a run goes by; only an `edit` has `markdown`, only a `reject` may have a `reason`."""

    how: How


def ask_for_review(ledger: LedgerStore, draft: DraftForReview) -> None:
    """State that a draft waits; stating it again is no change."""
    # the gates may say more at a later time: what a person was asked about stays
    if ledger.fact_text(f"{ASKED}{draft.id}") is None:
        ledger.state(f"{ASKED}{draft.id}", draft.facts)


def decide(ledger: LedgerStore, given: Iterable[DraftDecision]) -> None:
    """Commit decisions; a later one on the same draft is a correction, and both stay."""
    for decision in given:
        prefix = f"{DECIDED}{decision.draft} "
        facts: dict[str, JsonValue] = decision.facts | {"made": decision.made}
        ledger.state(f"{prefix}{len(ledger.facts_with(prefix)) + 1}", facts)


def withdraw(ledger: LedgerStore, draft: str, by: str) -> int:
    """State that whoever has this name takes back all decisions on a draft; they stay, and count no more.

    How many there were.
    """
    taken, count = ledger.facts_with(WITHDRAWN), 0
    for number, text in ledger.facts_with(f"{DECIDED}{draft} ").items():
        name = f"{draft} {number}"
        if name not in taken and read_as(ReviewDecision, text, DECIDED + name).by == by:
            ledger.state(f"{WITHDRAWN}{name}", {"made": now()})
            count += 1
    return count


def asked_drafts(ledger: LedgerStore) -> tuple[DraftForReview, ...]:
    """Every draft that people were asked about, in the order of asking."""
    return tuple(
        read_as(DraftForReview, text, ASKED + name) for name, text in ledger.facts_with(ASKED).items()
    )


def decisions(ledger: LedgerStore, by: str | None = None) -> dict[str, ReviewDecision]:
    """By the name of a draft, what was decided on it last; by this person, where one is named."""
    return {
        decision.draft: decision for decision in _read_decisions(ledger) if by is None or decision.by == by
    }


def reviewers(ledger: LedgerStore) -> tuple[str, ...]:
    """The names that people gave, sorted."""
    return tuple(sorted({decision.by for decision in _read_decisions(ledger)} - {""}))


def _read_decisions(ledger: LedgerStore) -> list[ReviewDecision]:
    taken = ledger.facts_with(WITHDRAWN)
    facts = ledger.facts_with(DECIDED).items()
    return [read_as(ReviewDecision, text, DECIDED + name) for name, text in facts if name not in taken]


def count_waiting(ledger: LedgerStore) -> int:
    """Drafts on which nobody has decided."""
    decided = decisions(ledger)
    return sum(draft.id not in decided for draft in asked_drafts(ledger))


FACT = "written damage"


class WrittenText(Recorded):
    """One slot, by the digest of its intact items, under one kind of damage.

    There are no items where no draft of `tries` was accepted (`why`): the rules' text is shown, or none.
    `readings` are what the judge read in each accepted item and its intact text (`intact`), so that its word
    can be held against the two texts again. `by_rules`: the judge read the rules' text, for no draft was
    accepted; without items it refused that, too.
    """

    kind: str
    before: str
    items: tuple[str, ...] = ()
    tries: int
    why: str = ""
    readings: tuple[JsonValue, ...] = ()
    intact: tuple[str, ...] = ()
    by_rules: bool = False


class WrittenTexts(Recorded):
    """All of them, with the model that wrote and the one that read."""

    model: str
    judge: str
    texts: tuple[WrittenText, ...]

    @property
    def digests(self) -> dict[str, dict[str, str]]:
        """Sha256 of every text by kind and intact items, empty where the rules' text is shown."""
        digests: dict[str, dict[str, str]] = {}
        for text in self.texts:
            after = sha256(json.dumps(text.items).encode()).hexdigest() if text.items else ""
            digests.setdefault(text.kind, {})[text.before] = after
        return digests


def written_texts(ledger: LedgerStore) -> WrittenTexts | None:
    """What was stated; None where nothing was."""
    text = ledger.fact_text(FACT)
    return None if text is None else read_as(WrittenTexts, text, FACT)
