"""The decision check: damage that leaves the advice as it was tests nothing, and a placebo must leave it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from memtrial.analysis.behaviour.course_distance import canonical
from memtrial.analysis.verdicts.facts import Place
from memtrial.ledger.rows import DecisionRow
from memtrial.outcomes.reserved_names import INTACT, PLACEBO
from memtrial.protocol.monitoring_rows import AdviceRow

NOTHING = "nothing"
FEWEST = 5
"""Slots whose intact text advises an action, below which nothing is concluded."""
MOST = 0.5
"""The share from which on it is most of them."""

Answers = Mapping[tuple[str, int], DecisionRow]
"""By task and repeat."""


def decision_rows(rows: Iterable[DecisionRow]) -> tuple[AdviceRow, ...]:
    """One row a backbone, arm and condition, sorted."""
    by_place: dict[tuple[int, Place], dict[tuple[str, int], DecisionRow]] = defaultdict(dict)
    for row in rows:
        by_place[row.nth, (row.backbone, row.arm, row.condition)][row.task, row.repeat] = row
    rows_said = []
    for nth, place in sorted(by_place):
        whole = (*place[:2], INTACT)
        if nth == 0 and place != whole:
            intact, again = by_place.get((0, whole), {}), by_place.get((1, whole), {})
            rows_said.append(_row(place, intact, by_place[0, place], again))
    return tuple(rows_said)


def untestable_by_decision(rows: Iterable[DecisionRow]) -> dict[Place, str]:
    """Where the damage, or the placebo, did not do to the advice what it is there for."""
    return {
        (row.backbone, row.arm, row.condition): row.reason for row in decision_rows(rows) if row.untestable
    }


def _row(place: Place, intact: Answers, damaged: Answers, again: Answers) -> AdviceRow:
    asked, advising, changed = _compare_answers(intact, damaged)
    _, twice, noise = _compare_answers(intact, again)
    faults = sum(bool(decision.fault) for decision in damaged.values())
    counts = f"in {changed} of {advising} slots that advise an action at the start {place[2]} changed it"
    untestable = False
    if advising < FEWEST:
        reason = f"too few slots advise an action at the start ({advising}; {FEWEST} are needed)"
    elif twice and noise / twice >= MOST:
        reason = (
            f"the judge contradicts itself on the same intact slot in {noise} of {twice}; nothing follows"
        )
    elif place[2] == PLACEBO:
        reason, untestable = f"{counts}, and it is to keep the meaning", changed / advising >= MOST
    else:
        reason, untestable = counts, 1 - changed / advising >= MOST
    return AdviceRow(*place, asked, advising, changed, twice, noise, faults, untestable, reason)


def _compare_answers(intact: Answers, other: Answers) -> tuple[int, int, int]:
    """Slots read on both sides, those whose intact text advises an action, and those that changed."""
    pairs = [
        (canonical_action(intact[place].action), canonical_action(decision.action))
        for place, decision in other.items()
        if place in intact and not decision.fault and not intact[place].fault
    ]
    advising = [pair for pair in pairs if pair[0] != NOTHING]
    return len(pairs), len(advising), sum(before != after for before, after in advising)


def canonical_action(action: str) -> str:
    """An action as it is compared: in lower case, without articles."""
    return " ".join(word for word in canonical(action).split() if word not in ("a", "an", "the"))
