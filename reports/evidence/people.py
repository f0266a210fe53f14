"""People in the loop: what they decided on drafts, in what time, and whether the gates agree with them."""

from collections import Counter, defaultdict
from statistics import median

from loadbearing.analysis.behaviour.kappa import kappa
from loadbearing.ledger.review_facts import (
    DraftForReview,
    ReviewDecision,
    asked_drafts,
    decisions,
    reviewers,
)
from loadbearing.ledger.store import Ledger
from loadbearing.reports.model.play import PeopleRow

FLAGS = ("WARN", "FAIL")
Reviewed = tuple[DraftForReview, ReviewDecision | None]


def people_rows(ledger: Ledger) -> tuple[PeopleRow, ...]:
    """One row a backbone and condenser whose drafts waited for a person, and one a person by name, sorted."""
    names, drafts = reviewers(ledger), asked_drafts(ledger)
    groups: dict[tuple[str, str, str], list[Reviewed]] = defaultdict(list)
    for name in ("", *names):
        decided = decisions(ledger, name or None)
        for draft in drafts:
            groups[draft.backbone, draft.condenser, name].append((draft, decided.get(draft.id)))
    return tuple(_row(place, groups[place]) for place in sorted(groups))


def _row(place: tuple[str, str, str], reviewed: list[Reviewed]) -> PeopleRow:
    made = [one for _, one in reviewed if one is not None]
    hows = Counter(one.how for one in made)
    times = [one.seconds for one in made if one.seconds is not None]
    pairs = [
        (_flagged(draft), "stays" if one.how == "accept" else "changes")
        for draft, one in reviewed
        if one is not None and draft.findings and all(f.finding != "ERROR" for f in draft.findings)
    ]
    agreed, low, high = kappa(pairs)
    return PeopleRow(
        backbone=place[0],
        condenser=place[1],
        by=place[2],
        drafts=len(reviewed),
        accepted=hows["accept"],
        edited=hows["edit"],
        rejected=hows["reject"],
        blind=sum(one.blind for one in made),
        median_seconds=median(times) if times else None,
        compared=len(pairs),
        kappa=agreed,
        low=low,
        high=high,
    )


def _flagged(draft: DraftForReview) -> str:
    """What the gates alone would do with a draft: revise it, or let it stay."""
    return "changes" if any(one.finding in FLAGS for one in draft.findings) else "stays"
