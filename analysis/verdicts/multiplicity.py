"""The multiplicity ledger: which tests share an error rate, which of them decide, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from loadbearing.analysis.arrays import Floats
from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.result import Estimate

Role = Literal["primary", "secondary"]

SERIAL = (HYPOTHESES, "other contrasts", "factorial effects")
"""Families that are tested one after the other (STATISTICS 3). All others are estimates with intervals and
adjusted p-values: secondary whatever they show."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A family of tests as the results list it; the declared hypotheses are primary, all else is secondary.

    Args:
        order: its place in the serial order, counted from 1; None outside it.
        confirmatory: by the serial order alone, if the run is; whether the run is, its lock says.
        members: `estimand: arm - versus, condition (backbone)` of each hypothesis.
        tested, rejected: members with a p-value, and with an adjusted one of at most alpha.
    """

    name: str
    role: Role
    order: int | None
    confirmatory: bool
    members: tuple[str, ...]
    tested: int
    rejected: int
    adjusted_by: str = "Student's t, step-down max-T over sign flips (mid-p)"


def families(estimates: Sequence[Estimate], alpha: float) -> tuple[FamilyRow, ...]:
    """The families of an analysis, those of the serial order first, then in the order of the rows.

    Serial gatekeeping: a family is confirmatory only if every hypothesis of those before it was rejected
    (one that could not be tested was not). Each is tested at the full alpha, and the chance of any false
    rejection among the confirmatory families is at most alpha. Means over all backbones are secondary.
    Call it last, on the rows that are reported.

    Source: Dmitrienko & Tamhane 2007, serial gatekeeping.
    """
    rows: dict[str, list[Estimate]] = {}
    for row in estimates:
        rows.setdefault(row.family, []).append(row)
    serial = [name for name in SERIAL if name in rows]
    listed, all_rejected = [], True
    for name in (*serial, *(name for name in rows if name not in serial)):
        known = [row.p_adjusted for row in rows[name] if row.p_adjusted is not None]
        rejected = sum(p <= alpha for p in known)
        listed.append(
            FamilyRow(
                name=name,
                role="primary" if name == HYPOTHESES else "secondary",
                order=serial.index(name) + 1 if name in serial else None,
                confirmatory=name in serial and all_rejected,
                members=tuple(map(_named, rows[name])),
                tested=len(known),
                rejected=rejected,
            )
        )
        all_rejected = all_rejected and rejected == len(rows[name])
    return tuple(listed)


def _named(row: Estimate) -> str:
    share = "" if row.share is None else f" at {row.share:g}"
    return f"{row.estimand}{share}: {row.arm} - {row.versus}, {row.condition} ({row.backbone})"


_FIRST_STEP = 0.1
"""Share of alpha that is spent on showing which effects lie far outside the margin."""
_LEAST = 1e-300  # below it the quantile turns its sign
_FARTHEST = 1e3  # standard errors; a p-value of 1 is infinitely far


def stepped_down(p: Floats, df: Floats, alpha: float) -> Floats:
    """P-values of equivalence, adjusted for their family: at most alpha for any false absence in it.

    An effect far outside the margin can hardly be called absent, and counting it in full would cost the
    others their power (of three absences beside six effects of .35 Holm's step-down shows 49 %, this 74 %).
    First, bounds that hold at once say how far outside each effect lies at least; then Holm's step-down adds
    up, at each step, the chances of a statistic as large in all tests that are left, each at its distance.
    Both hold however the tests depend on each other.

    Args:
        p: each test's own p-value, the larger of two one-sided ones, shape (n_tests,).
        df: degrees of freedom of its t statistic, shape (n_tests,).

    Source: Romano, Shaikh & Wolf 2014 (two steps); Holm 1979; p-values: Schuirmann 1987.
    """
    from scipy.stats import t

    if len(p) < 2:
        return p
    first = _FIRST_STEP * alpha
    # standard errors within the margin
    inside = np.clip(t.isf(np.maximum(p, _LEAST), df), -_FARTHEST, _FARTHEST)
    outside = np.maximum(0.0, -inside - t.isf(first / len(p), df))
    order = np.argsort(-inside, kind="stable")
    chances = t.sf(inside[order, None] + outside[order], df[order])  # one row a step
    steps = first + np.triu(chances).sum(axis=1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def adjusted_for_family(rows: Sequence[Estimate], alpha: float) -> tuple[Estimate, ...]:
    """The rows of one family with `p_equivalence_adjusted`; a row without a test is none of the family's."""
    p = np.array([row.p_equivalence for row in rows if row.p_equivalence is not None])
    df = np.array([row.freedom for row in rows if row.p_equivalence is not None], dtype=np.float64)
    adjusted = iter(stepped_down(p, df, alpha).tolist())
    return tuple(
        row if row.p_equivalence is None else replace(row, p_equivalence_adjusted=next(adjusted))
        for row in rows
    )
