"""The sentence behind a word, made at the very end from the row's code, its numbers and the facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from loadbearing.analysis.estimands.contrast import Contrast, drop
from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.inference.betting_interval import all_zero_interval, differing_share_bound
from loadbearing.analysis.reasons import Caveat
from loadbearing.analysis.result import Estimate
from loadbearing.analysis.secondary.content_effect import beyond_placebo, content_effect
from loadbearing.analysis.sequential.interim import LockedLooks, place_of
from loadbearing.analysis.verdicts.facts import Facts
from loadbearing.analysis.verdicts.rules import WORDS, kind_of
from loadbearing.outcomes.count_words import how_many

EXPLORATORY_BELOW = 10
"""Units below which a verdict is printed as exploratory."""

_SMALLEST_INFORMATIVE = 6  # 2^(1-5) = .0625: five differing units can never reach .05


def worded(rows: Sequence[Estimate], facts: Facts) -> tuple[Estimate, ...]:
    """The rows with their caveats and their sentences; no word changes any more.

    Args:
        rows: as the guards have left them.
        facts: of the same rows.
    """
    facts = replace(facts, rows={row.key: row for row in rows})
    return tuple(_worded(row, facts) for row in rows)


def _worded(row: Estimate, facts: Facts) -> Estimate:
    assert row.code is not None
    kind = kind_of(row)
    words = WORDS["comparison" if facts.run.reference and kind == "utility" else kind]
    caveats = tuple(_caveats(row, facts))
    parts = (row.code.sentence or words.claim(row.code), *(caveat.sentence for caveat in caveats))
    reason = "; ".join(part.format_map(Case(row, facts)) for part in parts)
    return replace(row, caveats=caveats, reason=reason)


def _caveats(row: Estimate, facts: Facts) -> Iterator[Caveat]:
    alpha = facts.plan.alpha
    if row.code is None or row.code.bare or row.p is None or row.p_adjusted is None:
        return
    over_looks = _looks(row, facts) is not None
    if row.same_text == 1.0:
        yield Caveat.SAME_TEXT
    if facts.of(row).all_zero:
        yield Caveat.NO_DIFFERENCE
    elif row.n_informative < _SMALLEST_INFORMATIVE:
        yield Caveat.FEW_DIFFERENCES
    if over_looks:
        yield Caveat.LOOKS
    p = row.p_adjusted if over_looks else row.p
    if row.p <= alpha < row.p_adjusted and not over_looks:
        yield Caveat.FAMILY_DECIDES
    elif row.low is not None and row.high is not None and (p <= alpha) != (row.low > 0 or row.high < 0):
        yield Caveat.DISAGREE
    if row.n_clusters < EXPLORATORY_BELOW:
        yield Caveat.FEW_UNITS


def _looks(row: Estimate, facts: Facts) -> LockedLooks | None:
    """The looks over which this row's p and interval hold; None where it has its own alone."""
    found = facts.run.looks
    return found if found is not None and found.in_force and row.family == HYPOTHESES else None


@dataclass(frozen=True, slots=True)
class Case:
    """A row and the facts by which it was judged."""

    row: Estimate
    facts: Facts

    def __getitem__(self, name: str) -> object:
        """What a name in a sentence stands for, looked up when the sentence asks for it."""
        return NAMED[name](self)

    @property
    def alpha(self) -> float:
        """The error rate."""
        return self.facts.plan.alpha

    @property
    def unit(self) -> str:
        """What p rests on."""
        return "cluster" if self.row.n_tasks > self.row.n_clusters else "task"

    def find(self, contrast: Contrast) -> Estimate | None:
        """The row of another contrast on the same backbone."""
        return self.facts.find(self.row, contrast)


def _family(case: Case) -> int:
    """Tests that share the row's alpha, its own among them."""
    return sum(one.family == case.row.family and one.p is not None for one in case.facts.rows.values())


def _held_against(case: Case) -> str:
    """What is taken off a drop to see what is left of it."""
    content = case.row.estimand == "content"
    return "the same damage to an irrelevant slot" if content else "a rewording that keeps the meaning"


def _part(case: Case) -> str:
    """What a factor moves."""
    condition = case.row.condition
    return "the intact score" if condition == "intact" else f"the drop under {condition}"


def _betting(case: Case) -> tuple[float, float]:
    """The interval that holds where no task differs."""
    return all_zero_interval(case.row.n_clusters, case.facts.of(case.row).bounds, case.alpha)


def _diverging(case: Case) -> str:
    """What the agent did."""
    return case.facts.run.diverging[case.row.backbone, case.row.arm, case.row.condition]


def _beyond(case: Case) -> Estimate | None:
    return case.find(beyond_placebo(case.row.arm, case.row.condition, case.facts.plan.placebo))


def _look(case: Case) -> int | None:
    """The look that gave the least p over all of them."""
    looks = case.facts.run.looks
    return looks.overall(place_of(case.row))[1] if looks is not None else None


NAMED: Mapping[str, Callable[[Case], object]] = MappingProxyType(
    {
        "row": lambda case: case.row,
        "plan": lambda case: case.facts.plan,
        "reference": lambda case: case.facts.run.reference,
        "margin": lambda case: f"{case.facts.plan.margin:.2f}",
        "small": lambda case: " (below the margin)" if case.row.within(case.alpha) else "",
        "held_against": _held_against,
        "part": _part,
        "tasks": lambda case: how_many(case.row.tasks_to_settle or 0, "task"),
        "unit": lambda case: case.unit,
        "units": lambda case: how_many(case.row.n_clusters, case.unit),
        "informative": lambda case: how_many(case.row.n_informative, case.unit),
        # the smallest p that so many units with a difference can give
        "least": lambda case: 2.0 ** (1 - max(case.row.n_informative, 1)),
        "level": lambda case: 1 - case.alpha,
        "share": lambda case: differing_share_bound(case.row.n_clusters, case.alpha),
        "betting": _betting,
        "family": _family,
        "room": lambda case: case.facts.of(case.row).room,
        "apart": lambda case: case.facts.apart(case.row),
        "cancelling": lambda case: case.facts.cancelling(case.row),
        "diverging": _diverging,
        "content": lambda case: case.find(content_effect(case.row.arm, case.row.condition)),
        "placebo": lambda case: case.find(drop(case.row.arm, case.facts.plan.placebo)),
        "beyond": _beyond,
        "lost": lambda case: case.facts.lost(case.row),
        "inapplicable": lambda case: ": ".join(case.facts.inapplicable(case.row) or ()),
        "advice": lambda case: case.facts.advice(case.row),
        "looks": lambda case: case.facts.run.looks,
        "look": _look,
    }
)
"""What each name in a sentence stands for."""
