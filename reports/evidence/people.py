"""People in the loop: what they decided on drafts, in what time, and whether the gates agree with them."""

from collections import Counter
from collections.abc import Mapping
from statistics import median

from loadbearing.analysis.behaviour.kappa import kappa
from loadbearing.ledger.review_facts import DraftForReview, ReviewDecision, asked_drafts, decisions
from loadbearing.ledger.store import Ledger
from loadbearing.reports.base.lookup import grouped
from loadbearing.reports.model.play import PeopleRow

FLAGS = ("WARN", "FAIL")


def people_rows(ledger: Ledger) -> tuple[PeopleRow, ...]:
    """One row a backbone and condenser whose drafts waited for a person, sorted."""
    decided = decisions(ledger)
    groups = grouped(asked_drafts(ledger), lambda draft: (draft.backbone, draft.condenser))
    return tuple(_row(place, groups[place], decided) for place in sorted(groups))


def _row(
    place: tuple[str, str], drafts: list[DraftForReview], decided: Mapping[str, ReviewDecision]
) -> PeopleRow:
    reviewed = [(draft, decided.get(draft.id)) for draft in drafts]
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
