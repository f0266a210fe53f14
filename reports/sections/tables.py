"""Tables of what was found: estimates, worst cases, means, damage, advice, firings, condensers, digests."""

from __future__ import annotations

from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, in_order, is_pair, of_estimand, reference_of
from loadbearing.reports.figures.utility_drop_plane import plane_points
from loadbearing.reports.model.play import ManipulationRow
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name, phrases_of
from loadbearing.reports.text.table import ARM, BACKBONE, CONDITION, Column, Table, number, tabulate, text


def counted(*fields: str) -> tuple[Column, ...]:
    """Columns of counts, headed by the names of their fields."""
    return tuple(number(field, numbers.count) for field in fields)


def confidence(results: Results) -> str:
    """The level of the intervals, in words."""
    return f"{100 * (1 - results.alpha):g} % confidence"


def estimates(results: Results, estimand: str) -> Table:
    """All that was computed about one estimand, a row an estimate."""
    found = of_estimand(results, estimand)
    at_once = Column("at once", "number", lambda row: numbers.ends(row.low_family, row.high_family))
    columns = [
        BACKBONE,
        ARM,
        *([text("versus", "name")] if any(map(is_pair, found)) else []),
        *([CONDITION] if estimand not in ("utility", "dose") else []),
        *([number("share", numbers.share, "of the utility")] if estimand == "retention" else []),
        number("estimate", numbers.signed),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        *([at_once] if any(numbers.is_known(row.low_family) for row in found) else []),
        text("verdict", "verdict"),
        *(number(field, numbers.probability) for field in ("p", "p_adjusted", "p_equivalence")),
        number("n_tasks", numbers.count, "tasks"),
        number("n_clusters", numbers.count, "clusters"),
        number("n_missing", numbers.count, "missing"),
        *([number("same_text", numbers.share, "same damaged text")] if estimand == "contrast" else []),
        text("reason", "remark"),
    ]
    return tabulate(
        f"Every row: {phrases_of(results).by_arm or estimand}. Interval: {confidence(results)}, for that row "
        "alone; at once: for all rows of its family together. The verdict rests on p adjusted (within the "
        "family) and on p equivalence (against an effect at or beyond the margin).",
        found,
        *columns,
    )


def plane(results: Results) -> Table:
    """The points of the figure of utility and drop."""
    return tabulate(
        f"Every point with its intervals ({confidence(results)}).",
        plane_points(results),
        Column("backbone", "name", lambda point: point[1].backbone),
        Column("arm", "name", lambda point: point[1].arm),
        Column("condition", "name", lambda point: condition_name(point[1].condition)),
        Column("utility", "number", lambda point: numbers.interval(point[0])),
        Column("drop", "number", lambda point: numbers.interval(point[1])),
        Column("verdict on the drop", "verdict", lambda point: point[1].verdict),
    )


def worst_cases(results: Results) -> Table:
    """What the estimates would have been, had every error spoken against them or for them."""
    compared = bool(reference_of(results))
    return tabulate(
        "Worst-case bounds: the estimate if every error had spoken against it, and if every one had spoken "
        "for it.",
        by_backbone(results, (row for row in results.estimates if row.n_errors)),
        BACKBONE,
        *([] if compared else [text("estimand", "name")]),
        Column("of", "name", lambda row: f"{row.arm} − {row.versus}"),
        *([] if compared else [CONDITION]),
        number("n_errors", numbers.count, "errors"),
        number("estimate", numbers.signed),
        number("worst_low", numbers.signed, "all against"),
        number("worst_high", numbers.signed, "all for"),
        text("verdict", "verdict"),
    )


def cell_means(results: Results) -> Table:
    """Mean score of every cell, conditions across."""

    def mean(name: str) -> Column:
        return Column(condition_name(name), "number", lambda line: line[1].get(name, ""))

    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in results.cells:
        lost = f", {how_many(cell.n_errors, 'error')}" if cell.n_errors else ""
        shown = f"{numbers.plain(cell.score)} ({numbers.count(cell.n_trials)}{lost})"
        lines.setdefault((cell.backbone, cell.arm), {})[cell.condition] = shown
    names = in_order((WITHOUT, INTACT, *results.conditions), (cell.condition for cell in results.cells))
    return tabulate(
        "Mean score of each cell, with its number of trials. Errors are counted apart and are in no mean.",
        lines.items(),
        Column("backbone", "name", lambda line: line[0][0]),
        Column("arm", "name", lambda line: line[0][1]),
        *map(mean, names),
    )


def manipulation(results: Results) -> Table:
    """What the damage did to the text, a row an arm and condition."""
    found = results.manipulation
    excuse = Column("not applicable because", "remark", _excuses)
    measured = ("words_changed", "content_words_left", "length_ratio", "flips")
    return tabulate(
        "Means over the slots to which the damage applies, against the intact text. An applicable damage "
        "that failed its check would have stopped the run before the first trial.",
        found,
        *(ARM, CONDITION),
        number("n", numbers.count, "slots"),
        *counted("applicable", "passed"),
        *(number(field, numbers.plain) for field in measured),
        *([excuse] if any(map(_excuses, found)) else []),
    )


def _excuses(row: ManipulationRow) -> str:
    why = "; ".join(row.not_applicable_because)
    return f"Not applicable to the others: {why}" if why else ""


def decision(results: Results) -> Table:
    """What a judge said that slots advise, intact and damaged."""
    return tabulate(
        "A judge that knew neither arm nor damage was asked what a sample of slots advises at the start of "
        "the task. Changed: of the slots whose intact text advises an action, those whose damaged text "
        "advises another one or none. Changed by itself: the same intact text, asked about once more. Damage "
        "that leaves most as they were, or a placebo that changes most, makes the condition untestable.",
        results.decision,
        *(BACKBONE, ARM, CONDITION),
        number("asked", numbers.count, "slots"),
        number("advising", numbers.count, "advise an action"),
        *counted("changed"),
        Column("changed by itself", "number", lambda row: f"{row.twice_changed:,} of {row.twice:,}"),
        number("faults", numbers.count, "not read"),
        text("reason", "remark"),
    )


def firings(results: Results) -> Table:
    """How often a trigger let an item in, and how often it would have."""
    return tabulate(
        "Share of trials with at least one firing: shown to the agent, or only logged (shadow).",
        results.firings,
        *(BACKBONE, ARM, CONDITION),
        number("shown", numbers.share),
        number("shadow", numbers.share),
    )


def condensation(results: Results) -> Table:
    """What the condensers made of the traces, and what the gates did."""
    return tabulate(
        "Counts; all but draws and traces are sums over the draws, which are banks of the same traces. "
        "Flagged: drafts with a WARN or FAIL; dropped: items that still failed after the last "
        "revision; faults: items left out because a gate could not be asked, which is no verdict on them.",
        results.condensation,
        BACKBONE,
        text("condenser", "name"),
        *counted("draws", "traces", "items", "drafts", "flagged", "passed_after_revision", "dropped"),
        *counted("faults"),
    )


def digests(results: Results) -> Table:
    """What pins the run: name and hash."""
    return tabulate(
        "Content hashes of what determined this run.",
        results.digests.items(),
        Column("name", "name", lambda entry: entry[0]),
        Column("digest", "text", lambda entry: entry[1]),
    )
