"""The multiplicity ledger: which tests share an error rate, which of them decide, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loadbearing.analysis.families import HYPOTHESES
from loadbearing.analysis.result import Estimate

Role = Literal["primary", "secondary"]

SERIAL = (HYPOTHESES, "other contrasts", "factorial effects")
"""Families that are tested one after the other (STATISTICS 3). All others are estimates with intervals and
adjusted p-values: secondary whatever they show."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """A family of tests as the results list it.

    Args:
        role: the declared hypotheses are primary, all else is secondary.
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
