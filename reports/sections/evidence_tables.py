"""Tables of what stands beside the verdicts: the same contrasts by other methods, divergence of actions."""

from __future__ import annotations

from loadbearing.analysis.result import Estimate
from loadbearing.analysis.sensitivity.trial_methods import THESE_TASKS
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, subject
from loadbearing.reports.model.results import Results
from loadbearing.reports.model.rows import BankRow, SensitivityRow
from loadbearing.reports.text.comparison_readings import reference_of
from loadbearing.reports.text.table import CONDITION, Column, Table, number, tabulate, text


def sensitivity(results: Results) -> Table:
    """The same contrasts by other methods, a row a method."""
    return tabulate(
        "Each row is one contrast by one method; none of these decides. A row without numbers says why.",
        by_backbone(results, results.sensitivity),
        text("backbone", "name"),
        *([] if reference_of(results) else [text("estimand", "name")]),
        ("of", "name", subject),
        *([] if reference_of(results) else [CONDITION]),
        text("method", "text"),
        number("estimate", numbers.signed),
        ("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        number("p", numbers.probability),
        text("note", "remark"),
    )


def disagreements(results: Results) -> tuple[str, ...]:
    """Contrasts on which another method finds an effect where the sign flip finds none, or the reverse.

    By each row's own p, at alpha, before any adjustment for the family. What holds for these tasks only
    answers another question and is left out.
    """
    others: dict[tuple[str, ...], list[SensitivityRow]] = {}
    for row in results.sensitivity:
        if numbers.is_known(row.p) and row.method != THESE_TASKS:
            others.setdefault(_place(row), []).append(row)
    found = []
    for estimate in results.estimates:
        p = estimate.p
        if not numbers.is_known(p):
            continue
        shown = p <= results.alpha
        apart = [row for row in others.get(_place(estimate), []) if (_p(row) <= results.alpha) != shown]
        if apart:
            named = ", ".join(f"{row.method} ({numbers.probability(row.p)})" for row in apart)
            what = f"{estimate.estimand} of {subject(estimate)}, {estimate.condition}"
            what = f"{estimate.backbone}, {subject(estimate) if reference_of(results) else what}"
            found.append(f"{what}: sign flip {numbers.probability(p)}; otherwise {named}.")
    return tuple(found)


def _place(row: Estimate | SensitivityRow) -> tuple[str, ...]:
    return row.estimand, row.backbone, row.arm, row.versus, row.condition


def _p(row: SensitivityRow) -> float:
    return 1.0 if row.p is None else row.p


def divergence(results: Results) -> Table:
    """How far damage moves what the agent does, a row a damaged cell."""
    return tabulate(
        "Edit distance between the actions of episodes on one task: across intact and damaged memory, and "
        "between two intact episodes (A/A). Delta is what damage adds to the distance that chance makes. It "
        "says whether the text moves the agent, not whether it helps.",
        by_backbone(results, results.divergence),
        text("backbone", "name"),
        text("arm", "name"),
        CONDITION,
        number("n_tasks", numbers.count, "tasks"),
        number("delta", numbers.signed),
        number("across", numbers.plain),
        number("aa", numbers.plain, "A/A"),
        number("p", numbers.probability),
        number("p_adjusted", numbers.probability, "p adjusted"),
        number("placebo_p", numbers.probability, "p beyond placebo"),
        text("word", "text"),
    )


def heterogeneity(results: Results) -> Table:
    """Whether the backbones differ, a row a contrast."""
    return tabulate(
        "Whether the contrast is the same on every backbone: Hotelling's T² on the differences inside tasks. "
        "Exploratory, each p alone.",
        results.heterogeneity,
        text("estimand", "name"),
        ("of", "name", subject),
        CONDITION,
        number("statistic", numbers.plain, "T²"),
        number("p", numbers.probability),
        text("note", "remark"),
    )


def banks(results: Results) -> Table:
    """The spread between banks, a row a contrast."""
    return tabulate(
        "Each repeat was played with a bank of its own. The verdicts speak of these banks; the last interval "
        "is for other draws of the condenser and other tasks, and with few banks it is wide.",
        by_backbone(results, results.banks),
        text("backbone", "name"),
        text("estimand", "name"),
        ("of", "name", subject),
        CONDITION,
        ("by bank", "number", _by_bank),
        number("sd", numbers.plain, "SD between banks"),
        number("p", numbers.probability, "p alike"),
        number("estimate", numbers.signed),
        ("other banks and tasks", "number", lambda row: numbers.ends(row.low_both, row.high_both)),
    )


def _by_bank(row: BankRow) -> str:
    return " ".join(numbers.signed(value) for value in row.by_draw)


def families(results: Results) -> Table:
    """Every family of tests: how large, what fell, what it may claim."""
    found = results.multiplicity
    if found is None:
        return Table("Nothing was tested.", (Column("family", "name"),), ())
    return tabulate(
        f"Tests of one family share alpha {found.alpha:g}; looks at the primary family: {found.looks}."
        f" Gatekeeping is {found.gatekeeping}. Outside all families, and unadjusted:"
        f" {', '.join(found.exploratory)}.",
        found.families,
        text("name", "name", "family"),
        text("role", "text"),
        text("order", "text"),
        text("claim", "text"),
        number("tested", str, "tests"),
        number("rejected", str),
        text("adjusted_by", "text"),
    )
