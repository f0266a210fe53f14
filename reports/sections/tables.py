"""The tables of a report, one function a section."""

from __future__ import annotations

from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, in_order, is_pair, of_estimand
from loadbearing.reports.figures.plane_points import plane_points
from loadbearing.reports.model.monitoring import AdviceRow
from loadbearing.reports.model.play import CellRow, ManipulationRow
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.comparison_readings import reference_of
from loadbearing.reports.text.labels import phrases_of
from loadbearing.reports.text.reading import condition_name
from loadbearing.reports.text.table import CONDITION, Column, Filling, Table, number, tabulate, text


def estimates(results: Results, estimand: str) -> Table:
    """All that was computed about one estimand, a row an estimate."""
    found = of_estimand(results, estimand)
    columns = [
        text("backbone", "name"),
        text("arm", "name"),
        *([text("versus", "name")] if any(map(is_pair, found)) else []),
        *([CONDITION] if estimand not in ("utility", "dose") else []),
        *([number("share", numbers.share, "of the utility")] if estimand == "retention" else []),
        number("estimate", numbers.signed),
        ("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        *([_AT_ONCE] if any(numbers.is_known(row.low_family) for row in found) else []),
        text("verdict", "verdict"),
        number("p", numbers.probability),
        number("p_adjusted", numbers.probability),
        number("p_equivalence", numbers.probability),
        number("n_tasks", numbers.count, "tasks"),
        number("n_clusters", numbers.count, "clusters"),
        number("n_missing", numbers.count, "missing"),
    ]
    if estimand == "contrast":
        columns.append(number("same_text", numbers.share, "same damaged text"))
    columns.append(text("reason", "remark"))
    phrases = phrases_of(results)
    named = phrases.by_arm if phrases.comparison else estimand
    return tabulate(
        f"Every row: {named}. Interval: {confidence(results)}, for that row alone; at once: for all rows "
        "of its family together. The verdict rests on p adjusted (within the family) and on p equivalence "
        "(against an effect at or beyond the margin).",
        found,
        *columns,
    )


_AT_ONCE: Filling = (
    "at once",
    "number",
    lambda row: numbers.ends(row.low_family, row.high_family),
)


def plane(results: Results) -> Table:
    """What stands in the utility × drop plane, a row a point."""
    return Table(
        f"Every point with its intervals ({confidence(results)}). The region is where the point lies; the "
        "verdicts rest on tests.",
        (
            *(Column(head, "name") for head in ("backbone", "arm", "condition")),
            *(Column(head) for head in ("utility", "drop")),
            Column("verdict on the drop", "verdict"),
            Column("region", "text"),
        ),
        tuple(
            (
                point.backbone,
                point.arm,
                condition_name(point.condition),
                numbers.interval(point.utility),
                numbers.interval(point.drop),
                point.drop.verdict,
                point.region,
            )
            for point in plane_points(results)
        ),
    )


def worst_cases(results: Results) -> Table:
    """What the estimates would have been, had every error spoken against them or for them."""
    touched = by_backbone(results, (row for row in results.estimates if row.n_errors))
    return tabulate(
        "Worst-case bounds: the estimate if every error had spoken against it, and if every one had spoken "
        "for it.",
        touched,
        text("backbone", "name"),
        *([] if reference_of(results) else [text("estimand", "name")]),
        ("of", "name", lambda row: f"{row.arm} − {row.versus}"),
        *([] if reference_of(results) else [CONDITION]),
        number("n_errors", numbers.count, "errors"),
        number("estimate", numbers.signed),
        number("worst_low", numbers.signed, "all against"),
        number("worst_high", numbers.signed, "all for"),
        text("verdict", "verdict"),
    )


def cell_means(results: Results) -> Table:
    """Mean score of every cell, conditions across."""
    seen = [cell.condition for cell in results.cells]
    conditions = in_order((WITHOUT, INTACT, *results.conditions), seen)
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in results.cells:
        lines.setdefault((cell.backbone, cell.arm), {})[cell.condition] = _cell(cell)
    return Table(
        "Mean score of each cell, with its number of trials. Errors are counted apart and are in no mean.",
        (
            Column("backbone", "name"),
            Column("arm", "name"),
            *(Column(condition_name(name)) for name in conditions),
        ),
        tuple((*key, *(line.get(name, "") for name in conditions)) for key, line in lines.items()),
    )


def manipulation(results: Results) -> Table:
    """What the damage did to the text, a row an arm and condition."""
    found = results.manipulation
    excuse: Filling = ("not applicable because", "remark", _excuses)
    return tabulate(
        "Means over the slots to which the damage applies, against the intact text. An applicable damage "
        "that failed its check would have "
        "stopped the run before the first trial.",
        found,
        text("arm", "name"),
        CONDITION,
        number("n", numbers.count, "slots"),
        number("applicable", numbers.share_or_count),
        number("passed", numbers.share_or_count),
        number("words_changed", numbers.plain, "words changed"),
        number("content_words_left", numbers.plain, "content words left"),
        number("length_ratio", numbers.plain, "length ratio"),
        number("flips", numbers.plain),
        *([excuse] if any(map(_excuses, found)) else []),
    )


def decision(results: Results) -> Table:
    """What a judge said that slots advise, intact and damaged."""
    return tabulate(
        "A judge that knew neither arm nor damage was asked what a sample of slots advises at the start of "
        "the task. Changed: of the slots whose intact text advises an action, those whose damaged text "
        "advises another one or none. Changed by itself: the same intact text, asked about once more. Damage "
        "that leaves most as they were, or a placebo that changes most, makes the condition untestable.",
        results.decision,
        text("backbone", "name"),
        text("arm", "name"),
        CONDITION,
        number("asked", numbers.count, "slots"),
        number("advising", numbers.count, "advise an action"),
        number("changed", numbers.count),
        ("changed by itself", "number", _by_itself),
        number("faults", numbers.count, "not read"),
        text("reason", "remark"),
    )


def _by_itself(row: AdviceRow) -> str:
    return f"{numbers.count(row.twice_changed)} of {numbers.count(row.twice)}"


def firings(results: Results) -> Table:
    """How often a trigger let an item in, and how often it would have."""
    return tabulate(
        "Share of trials with at least one firing: shown to the agent, or only logged (shadow).",
        results.firings,
        text("backbone", "name"),
        text("arm", "name"),
        CONDITION,
        number("shown", numbers.share),
        number("shadow", numbers.share),
    )


def condensation(results: Results) -> Table:
    """What the condensers made of the traces, and what the gates did."""
    counts = ("draws", "traces", "items", "drafts", "flagged", "passed_after_revision", "dropped", "faults")
    return tabulate(
        "Counts; all but draws and traces are sums over the draws, which are banks of the same traces. "
        "Flagged: drafts with a WARN or FAIL; dropped: items that still failed after the last "
        "revision; faults: items left out because a gate could not be asked, which is no verdict on them.",
        results.condensation,
        text("backbone", "name"),
        text("condenser", "name"),
        *(number(key, numbers.count, key.replace("_", " ")) for key in counts),
    )


def digests(results: Results) -> Table:
    """What pins the run: name and hash."""
    return Table(
        "Content hashes of what determined this run.",
        (Column("name", "name"), Column("digest", "text")),
        tuple(results.digests.items()),
    )


def confidence(results: Results) -> str:
    """The level of the intervals, in words."""
    return f"{100 * (1 - results.alpha):g} % confidence"


def _excuses(row: ManipulationRow) -> str:
    why = "; ".join(row.not_applicable_because)
    return f"Not applicable to the others: {why}" if why else ""


def _cell(cell: CellRow) -> str:
    trials, lost = numbers.count(cell.n_trials), cell.n_errors
    note = f"{trials}, {how_many(lost, 'error')}" if lost else trials
    return f"{numbers.plain(cell.score)} ({note})"
