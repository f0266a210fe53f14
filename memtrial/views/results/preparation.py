"""What was done before the first trial: condensing, gates, people, and what the damage did to the texts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Any

from memtrial.analysis.failures.agreement import kappa
from memtrial.analysis.verdicts.facts import Place
from memtrial.console.escape import brief
from memtrial.ledger.review_facts import DraftForReview, ReviewDecision, asked_drafts, decisions, reviewers
from memtrial.ledger.rows import CheckRow, CondensationRow
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import PLACEBO
from memtrial.protocols import LedgerStore
from memtrial.views.rows.play_rows import (
    CondenserRow,
    ManipulationRow,
    PeopleRow,
    Strain,
    Strained,
    StrainRow,
)

_MEASURED = (
    *("words_changed", "content_words_left", "length_ratio", "flips", "contradictions"),
    "fluency_distance",
)
MOST_APART = 0.15
"""By more than this share of the words, touched in all or of one role, the damage of two arms differs."""

MOST_ADVICE_APART = 0.25
"""By more than this share of the words that say what to do the damage of two arms differs so much that their
contrast compares two amounts of damage: it is no hypothesis."""
FLAGS = ("WARN", "FAIL")
LONGEST = 200
"""Characters of an example of a strain."""
Rounds = list[dict[str, Mapping[str, Any]]]
"""What was found about one item in each round, by gate."""
_SAYS = {"when": "when it counts", "what": "what to do", "why": "why", "form": "in which form"}


def manipulation_rows(checks: Iterable[CheckRow]) -> tuple[ManipulationRow, ...]:
    """What each damage did to the slots it applies to, a row an arm and condition."""
    groups = group_by(checks, lambda check: (check.arm, check.condition))
    return tuple(_damage(place, group) for place, group in groups.items())


def _damage(place: tuple[str, str], group: list[CheckRow]) -> ManipulationRow:
    done = [check for check in group if check.applicable]
    touched = (entry for check in done for entry in check.measured.get("roles", {}).items())
    roles = group_by(touched, lambda entry: entry[0])
    return ManipulationRow(
        arm=place[0],
        condition=place[1],
        n=len(group),
        applicable=len(done),
        passed=sum(check.passed for check in done),
        not_applicable_because=tuple(sorted({check.reason for check in group if not check.applicable})),
        **{name: _mean(check.measured.get(name) for check in done) for name in _MEASURED},
        roles={role: round(fmean(share for _, share in own), 4) for role, own in roles.items()},
        written_by=Counter(
            str(check.measured["written_by"]) for check in done if "written_by" in check.measured
        ),
        tries=_mean(check.measured.get("tries") for check in group),
        by_rules_because=tuple(
            sorted({str(check.measured["by_rules_because"]) for check in done if _by_rules(check)})
        ),
    )


def _by_rules(check: CheckRow) -> bool:
    return "by_rules_because" in check.measured


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [float(value) for value in values if value is not None]
    return round(fmean(numbers), 4) if numbers else None


def uneven_damage(rows: Iterable[ManipulationRow], pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Notes on the contrasts whose two arms were not damaged alike by the same condition, equal ones in one.

    Against a contrast that compares two amounts of damage, and not two memories.
    """
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        if row.words_changed is not None:
            by_role = {f"the words that say {_SAYS[role]}": share for role, share in row.roles.items()}
            shares[row.arm, row.condition] = {"the words": row.words_changed, **by_role}
    alike: dict[tuple[str, str, str], list[str]] = {}
    for (arm, condition), own in shares.items():
        for other in (control for treatment, control in pairs if treatment == arm):
            theirs = shares.get((other, condition), {})
            apart = {what: abs(own[what] - theirs[what]) for what in own.keys() & theirs.keys()}
            worst = max(sorted(apart), key=apart.__getitem__, default="")
            if worst and apart[worst] > MOST_APART:
                told = f"the words that say {_SAYS['what']}"
                out = " It is no hypothesis." if apart.get(told, 0.0) > MOST_ADVICE_APART else ""
                measured = f"{own[worst]:.0%} of {worst} were touched, of {other} {theirs[worst]:.0%}.{out}"
                alike.setdefault((other, condition, measured), []).append(arm)
    return [
        f"{', '.join(arms)} − {other}, {condition}: not damaged alike. {measured}"
        for (other, condition, measured), arms in alike.items()
    ]


def uneven_contrasts(
    rows: Iterable[ManipulationRow], pairs: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str, str], ...]:
    """The contrasts (treatment, control, condition) whose arms differ by more than `MOST_ADVICE_APART`."""
    told = {(row.arm, row.condition): row.roles["what"] for row in rows if "what" in row.roles}
    return tuple(
        (arm, other, condition)
        for (arm, condition), own in told.items()
        for other in (control for treatment, control in pairs if treatment == arm)
        if abs(own - told.get((other, condition), own)) > MOST_ADVICE_APART
    )


def inapplicable(checks: Iterable[CheckRow]) -> dict[Place, str]:
    """Cells that were never to be played, as no check of them applied, with the first reason by name."""
    groups = group_by(checks, lambda check: (check.backbone, check.arm, check.condition))
    return {
        place: min(check.reason for check in group)
        for place, group in groups.items()
        if not any(check.applicable for check in group)
    }


def condensation_rows(rows: Iterable[CondensationRow]) -> tuple[CondenserRow, ...]:
    """Counts of what each condenser made and what the gates did, a row a backbone and condenser."""
    groups = group_by(rows, lambda row: (row.backbone, row.condenser))
    # streams write side by side, so that the order of the rows is chance
    return tuple(_condenser_row(place, group) for place, group in sorted(groups.items()))


def _condenser_row(place: tuple[str, str], rows: list[CondensationRow]) -> CondenserRow:
    counts: Counter[str] = Counter()
    for row in rows:
        findings, body = row.body["findings"], row.body
        flagged = {finding["draft"] for finding in findings if finding["finding"] in FLAGS}
        revised = {finding["draft"] for finding in findings if finding["round"] > 0}
        counts.update(
            items=len(body["items"]),
            drafts=len({finding["draft"] for finding in findings}),
            flagged=len(flagged),
            passed_after_revision=len(revised - flagged),
            unchanged=body.get("unchanged", 0),
            dropped=len(body["dropped"]),
            faults=len(body["faults"]),
            unread=bool(body.get("unread")),
        )
    unread = tuple(sorted({row.task for row in rows if row.body.get("unread")}))
    draws, traces = len({row.draw for row in rows}), len({row.task for row in rows})
    return CondenserRow(
        backbone=place[0], condenser=place[1], draws=draws, traces=traces, unread_tasks=unread, **counts
    )


AS_INTACT = 0.05
"""Bits a word: where intact texts have no spread, text whose surprisal grows by no more reads as they do."""
FEWEST_TEXTS = 3


def fluent_places(checks: Iterable[CheckRow]) -> frozenset[Place]:
    """The places whose damaged texts read no more oddly than the arm's intact texts do among each other.

    The mean distance is at most one standard deviation of the intact slots' own bits a word, under the same
    model. A rewording is no yardstick: it may be odder than any damage (STATISTICS 0e.6).
    """
    applied = [check for check in checks if check.applicable]
    spread = {
        place: _spread({check.before: bits for check, bits in _measured_bits(group, "intact_bits")})
        for place, group in group_by(applied, lambda check: (check.backbone, check.arm)).items()
    }
    groups = group_by(
        _measured_bits(applied, "fluency_distance"),
        lambda pair: (pair[0].backbone, pair[0].arm, pair[0].condition),
    )
    return frozenset(
        place
        for place, group in groups.items()
        if place[2] != PLACEBO and fmean(bits for _, bits in group) <= spread[place[:2]]
    )


def _measured_bits(checks: Iterable[CheckRow], name: str) -> list[tuple[CheckRow, float]]:
    known = ((check, check.measured.get(name)) for check in checks)
    return [(check, float(bits)) for check, bits in known if isinstance(bits, int | float)]


def _spread(bits_of_slots: Mapping[str, float]) -> float:
    """Their standard deviation, or what little counts as none where too few differ to tell."""
    bits = list(bits_of_slots.values())
    return max(stdev(bits), AS_INTACT) if len(bits) >= FEWEST_TEXTS else AS_INTACT


def strain_rows(rows: Iterable[CondensationRow]) -> tuple[StrainRow, ...]:
    """A row a condenser, strain and gate or pair of gates, with its first example; frequent ones first."""
    groups: dict[tuple[str, Strain, str, Strained], list[str]] = defaultdict(list)
    for row in rows:
        for rounds in _items(row.body):
            for strain, gates, finding in _strains(rounds):
                groups[row.condenser, strain, gates, finding.get("strain", "")].append(
                    brief(f"{row.task}: {finding['reason']}", LONGEST)
                )
    ranked = sorted(groups.items(), key=lambda entry: (entry[0][:2], -len(entry[1]), entry[0][2:]))
    return tuple(
        StrainRow(
            condenser=condenser,
            strain=strain,
            named=named,
            gates=gates,
            items=len(examples),
            example=examples[0],
        )
        for (condenser, strain, gates, named), examples in ranked
    )


def _items(body: Mapping[str, Any]) -> Iterator[Rounds]:
    for own in group_by(body["findings"], lambda finding: finding["item"]).values():
        rounds: Rounds = [{} for _ in range(1 + max(finding["round"] for finding in own))]
        for finding in own:
            rounds[finding["round"]][finding["gate"]] = finding
        yield rounds


def _strains(rounds: Rounds) -> Iterator[tuple[Strain, str, Mapping[str, Any]]]:
    # a draft that lacks its form is seen by the gates once it has it
    first = {gate: finding for each in reversed(rounds) for gate, finding in each.items()}
    last = rounds[-1]
    for gate, finding in first.items():
        if finding["finding"] == "NOT_APPLICABLE":
            yield "does not apply", gate, finding
    for gate, finding in last.items():
        if len(rounds) > 1 and all(gate in each and each[gate]["finding"] in FLAGS for each in rounds):
            yield "never satisfied", gate, finding
    pulls: dict[tuple[str, str], Mapping[str, Any]] = {}
    for before, after in pairwise(rounds):
        flags = [
            {gate for gate, finding in each.items() if finding["finding"] in FLAGS}
            for each in (before, after)
        ]
        for ended in flags[0] - flags[1]:
            for begun in (flags[1] - flags[0]) & before.keys():
                pulls[ended, begun] = after[begun]
    for pair in sorted(pulls):
        if pair < pair[::-1] and pair[::-1] in pulls:
            yield "pull against each other", ", ".join(pair), pulls[pair]


def people_rows(ledger: LedgerStore) -> tuple[PeopleRow, ...]:
    """One row a backbone and condenser whose drafts waited for a person, and one a person by name, sorted."""
    groups = group_by(asked_drafts(ledger), lambda draft: (draft.backbone, draft.condenser))
    decided = {name: decisions(ledger, name or None) for name in ("", *reviewers(ledger))}
    return tuple(
        _review_rows((*place, name), groups[place], decided[name])
        for place in sorted(groups)
        for name in sorted(decided)
    )


def _review_rows(
    place: tuple[str, str, str], drafts: list[DraftForReview], decided: Mapping[str, ReviewDecision]
) -> PeopleRow:
    made = [(draft, decided[draft.id]) for draft in drafts if draft.id in decided]
    hows = Counter(decision.how for _, decision in made)
    times = [decision.seconds for _, decision in made if decision.seconds is not None]
    verdicts = [({finding.finding for finding in draft.findings}, finding.how) for draft, finding in made]
    # the gates alone would revise a draft that one of them flags, and let another stay
    pairs = [
        ("stays" if findings.isdisjoint(FLAGS) else "changes", "stays" if how == "accept" else "changes")
        for findings, how in verdicts
        if findings and "ERROR" not in findings
    ]
    agreed, low, high = kappa(pairs)
    return PeopleRow(
        backbone=place[0],
        condenser=place[1],
        by=place[2],
        drafts=len(drafts),
        accepted=hows["accept"],
        edited=hows["edit"],
        rejected=hows["reject"],
        blind=sum(decision.blind for _, decision in made),
        median_seconds=median(times) if times else None,
        compared=len(pairs),
        kappa=agreed,
        low=low,
        high=high,
        reasons=tuple(decision.reason for _, decision in made if decision.reason),
    )
