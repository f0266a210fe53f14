"""What was done before the first trial: condensing with its gates, and what the damage did to the texts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from loadbearing.analysis.verdicts.facts import Place
from loadbearing.ledger.rows import CheckRow, CondensationRow
from loadbearing.outcomes.reserved_names import PLACEBO
from loadbearing.reports.model.play import CondenserRow, ManipulationRow

_MEASURED = ("words_changed", "content_words_left", "length_ratio", "flips", "fluency_distance")
MOST_APART = 0.15
"""By more than this share of the words, touched in all or of one role, the damage of two arms differs."""

_SAYS = {"when": "when it counts", "what": "what to do", "why": "why", "form": "in which form"}


def manipulation_rows(checks: Iterable[CheckRow]) -> tuple[ManipulationRow, ...]:
    """What each damage did to the slots it applies to, a row an arm and condition."""
    groups: dict[tuple[str, str], list[CheckRow]] = defaultdict(list)
    for check in checks:
        groups[check.arm, check.condition].append(check)
    rows = []
    for (arm, condition), group in groups.items():
        applicable = [check for check in group if check.applicable]
        others = {check.reason for check in group if not check.applicable}
        rows.append(
            ManipulationRow(
                arm=arm,
                condition=condition,
                n=len(group),
                applicable=len(applicable),
                passed=sum(check.passed for check in applicable),
                not_applicable_because=tuple(sorted(others)),
                **{name: _mean(applicable, name) for name in _MEASURED},
                roles=_roles(applicable),
                written_by=Counter(
                    str(one.measured["written_by"]) for one in applicable if "written_by" in one.measured
                ),
            )
        )
    return tuple(rows)


def _mean(checks: list[CheckRow], name: str) -> float | None:
    """Mean of one figure over the checks that measured it."""
    found = [float(check.measured[name]) for check in checks if check.measured.get(name) is not None]
    return round(fmean(found), 4) if found else None


def _roles(checks: list[CheckRow]) -> dict[str, float]:
    """By role the mean share of its words that were touched, over the slots that have the role."""
    found: dict[str, list[float]] = defaultdict(list)
    for check in checks:
        for role, share in check.measured.get("roles", {}).items():
            found[role].append(share)
    return {role: round(fmean(shares), 4) for role, shares in found.items()}


def uneven_damage(rows: Iterable[ManipulationRow], pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Notes on the contrasts whose two arms were not damaged alike by the same condition.

    Against a contrast that compares two amounts of damage, and not two memories.
    """
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.words_changed is not None:
            by_role = {f"the words that say {_SAYS[role]}": share for role, share in row.roles.items()}
            shares[row.arm, row.condition] = {"the words": row.words_changed, **by_role}
    notes = []
    for (arm, condition), own in shares.items():
        for other in (control for treatment, control in pairs if treatment == arm):
            theirs = shares.get((other, condition), {})
            apart = {what: abs(own[what] - theirs[what]) for what in own.keys() & theirs.keys()}
            worst = max(sorted(apart), key=apart.__getitem__, default="")
            if worst and apart[worst] > MOST_APART:
                notes.append(
                    f"{arm} − {other}, {condition}: the two arms were not damaged alike; of {worst}"
                    f" {own[worst]:.0%} were touched in {arm} and {theirs[worst]:.0%} in {other}"
                )
    return notes


def inapplicable(checks: Iterable[CheckRow]) -> dict[Place, str]:
    """Cells that were never to be played, as no check of them applied, with the first reason by name."""
    applied: set[Place] = set()
    reasons: dict[Place, set[str]] = defaultdict(set)
    for check in checks:
        place = (check.backbone, check.arm, check.condition)
        if check.applicable:
            applied.add(place)
        else:
            reasons[place].add(check.reason)
    return {place: min(found) for place, found in reasons.items() if place not in applied}


def condensation_rows(rows: Iterable[CondensationRow]) -> tuple[CondenserRow, ...]:
    """Counts of what each condenser made and what the gates did, a row a backbone and condenser."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    traces: dict[tuple[str, str], set[str]] = defaultdict(set)
    draws: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        place = row.backbone, row.condenser
        counts[place].update(_counts(row.body))
        traces[place].add(row.task)
        draws[place].add(row.draw)
    return tuple(
        CondenserRow(
            backbone=place[0],
            condenser=place[1],
            draws=len(draws[place]),
            traces=len(traces[place]),
            **found,
        )
        # streams write side by side, so that the order of the rows is chance
        for place, found in sorted(counts.items())
    )


def _counts(body: Mapping[str, Any]) -> dict[str, int]:
    flagged = {one["draft"] for one in body["findings"] if one["finding"] in ("WARN", "FAIL")}
    revised = {one["draft"] for one in body["findings"] if one["round"] > 0}
    return {
        "items": len(body["items"]),
        "drafts": len({finding["draft"] for finding in body["findings"]}),
        "flagged": len(flagged),
        "passed_after_revision": len(revised - flagged),
        "unchanged": body.get("unchanged", 0),
        "dropped": len(body["dropped"]),
        "faults": len(body["faults"]),
    }


AS_INTACT = 0.05
"""Bits a word: text whose surprisal grows by no more reads as the intact text does."""


def fluency_distances(checks: Iterable[CheckRow]) -> dict[Place, float]:
    """By backbone, arm and condition, the mean fluency distance of the damaged slots, in bits a word."""
    found: dict[Place, list[float]] = defaultdict(list)
    for row in checks:
        distance = row.measured.get("fluency_distance")
        if row.applicable and isinstance(distance, int | float):
            found[row.backbone, row.arm, row.condition].append(float(distance))
    return {place: fmean(values) for place, values in found.items()}


def fluent_places(checks: Iterable[CheckRow]) -> frozenset[Place]:
    """The places whose distance is no larger than the paraphrase's in the same arm (STATISTICS 0d.1).

    Where none was played, as on raw trajectories, damage is fluent that reads as the intact text does.
    """
    distances = fluency_distances(checks)
    return frozenset(
        place
        for place, distance in distances.items()
        if place[2] != PLACEBO and distance <= distances.get((*place[:2], PLACEBO), AS_INTACT)
    )
