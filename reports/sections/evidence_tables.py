"""Tables of what stands beside the verdicts: the same contrasts by other methods, divergence of actions."""

from __future__ import annotations

from loadbearing.analysis.sensitivity.trial_methods import THESE_TASKS
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import Results, Row, by_backbone, rows, subject
from loadbearing.reports.text.comparison_readings import reference_of
from loadbearing.reports.text.table import CONDITION, Table, number, tabulate, text


def sensitivity(results: Results) -> Table:
    """The same contrasts by other methods, a row a method."""
    return tabulate(
        "Each row is one contrast by one method; none of these decides. A row without numbers says why.",
        by_backbone(results, rows(results, "sensitivity")),
        text("backbone", "name"),
        *([] if reference_of(results) else [text("estimand", "name")]),
        ("of", "name", subject),
        *([] if reference_of(results) else [CONDITION]),
        text("method", "text"),
        number("estimate", numbers.signed),
        ("interval", "number", numbers.ends),
        number("p", numbers.probability),
        text("note", "remark"),
    )


def disagreements(results: Results) -> tuple[str, ...]:
    """Contrasts on which another method finds an effect where the sign flip finds none, or the reverse.

    By each row's own p, at alpha, before any adjustment for the family. What holds for these tasks only
    answers another question and is left out.
    """
    alpha = results.get("alpha")
    if not numbers.is_known(alpha):
        return ()
    found = []
    keys = ("estimand", "backbone", "arm", "versus", "condition")
    others: dict[tuple[str, ...], list[Row]] = {}
    for row in rows(results, "sensitivity"):
        if numbers.is_known(row.get("p")) and row.get("method") != THESE_TASKS:
            others.setdefault(tuple(str(row.get(key)) for key in keys), []).append(row)
    for estimate in rows(results, "estimates"):
        said = others.get(tuple(str(estimate.get(key)) for key in keys), [])
        p = estimate.get("p")
        apart = [row for row in said if numbers.is_known(p) and (row["p"] <= alpha) != (p <= alpha)]
        if apart:
            named = ", ".join(f"{row['method']} ({numbers.probability(row['p'])})" for row in apart)
            what = f"{estimate['estimand']} of {subject(estimate)}, {estimate['condition']}"
            what = f"{estimate['backbone']}, {subject(estimate) if reference_of(results) else what}"
            found.append(f"{what}: sign flip {numbers.probability(p)}; otherwise {named}.")
    return tuple(found)


def divergence(results: Results) -> Table:
    """How far damage moves what the agent does, a row a damaged cell."""
    return tabulate(
        "Edit distance between the actions of episodes on one task: across intact and damaged memory, and "
        "between two intact episodes (A/A). Delta is what damage adds to the distance that chance makes. It "
        "says whether the text moves the agent, not whether it helps.",
        by_backbone(results, rows(results, "divergence")),
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
