"""The tables of a report, one function a section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reports import numerals
from reports.rows import Results, Row, of_estimand, rows
from reports.table import Column, Kind, Table, tabulate


def estimates(results: Results, estimand: str) -> Table:
    """All that was computed about one estimand, a row an estimate."""
    found = of_estimand(results, estimand)
    columns = [
        _text("backbone", "name"),
        _text("arm", "name"),
        *([_text("versus", "name")] if estimand == "contrast" else []),
        *([_text("condition", "name")] if estimand != "utility" else []),
        _column("estimate", numerals.signed),
        ("interval", "number", numerals.ends),
        _text("verdict", "verdict"),
        _column("p", numerals.probability),
        _column("p_adjusted", numerals.probability, "p adjusted"),
        _column("p_equivalence", numerals.probability, "p equivalence"),
        _column("n_tasks", numerals.count, "tasks"),
        _column("n_clusters", numerals.count, "clusters"),
        _column("n_missing", numerals.count, "missing"),
    ]
    if estimand == "contrast":
        columns.append(_column("same_text", numerals.share, "same damaged text"))
    columns.append(_text("reason", "remark"))
    return tabulate(
        f"Every {estimand}. Interval: {confidence(results)}, for that row alone; the verdict rests on "
        "p adjusted (within the family of this table) and on p equivalence (against an effect at or beyond "
        "the margin).",
        found,
        *columns,
    )


def worst_cases(results: Results) -> Table:
    """What the estimates would have been, had every error spoken against them or for them."""
    touched = [row for row in rows(results, "estimates") if row.get("n_errors")]
    return tabulate(
        "Worst-case bounds: the estimate if every error had spoken against it, and if every one had spoken "
        "for it.",
        touched,
        _text("backbone", "name"),
        _text("estimand", "name"),
        ("of", "name", lambda row: f"{row.get('arm')} − {row.get('versus')}"),
        _text("condition", "text"),
        _column("n_errors", numerals.count, "errors"),
        _column("estimate", numerals.signed),
        _column("worst_low", numerals.signed, "all against"),
        _column("worst_high", numerals.signed, "all for"),
        _text("verdict", "verdict"),
    )


def cell_means(results: Results) -> Table:
    """Mean score of every cell, conditions across."""
    cells = rows(results, "cells")
    seen = dict.fromkeys(str(cell.get("condition")) for cell in cells)
    order = ("without", "intact", *(results.get("conditions") or ()))
    conditions = [name for name in dict.fromkeys((*order, *seen)) if name in seen]
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        key = (str(cell.get("backbone")), str(cell.get("arm")))
        lines.setdefault(key, {})[str(cell.get("condition"))] = _cell(cell)
    return Table(
        "Mean score of each cell, with its number of trials. Errors are counted apart and are in no mean.",
        (Column("backbone", "name"), Column("arm", "name"), *(Column(name) for name in conditions)),
        tuple((*key, *(line.get(name, "") for name in conditions)) for key, line in lines.items()),
    )


def manipulation(results: Results) -> Table:
    """What the damage did to the text, a row an arm and condition."""
    found = rows(results, "manipulation")
    excuse: Filling = ("not applicable because", "remark", _excuses)
    return tabulate(
        "Means over the slots to which the damage applies, against the intact text. An applicable damage "
        "that failed its check would have "
        "stopped the run before the first trial.",
        found,
        _text("arm", "name"),
        _text("condition", "name"),
        _column("n", numerals.count, "slots"),
        _column("applicable", numerals.share_or_count),
        _column("passed", numerals.share_or_count),
        _column("words_changed", numerals.plain, "words changed"),
        _column("content_words_left", numerals.plain, "content words left"),
        _column("length_ratio", numerals.plain, "length ratio"),
        _column("flips", numerals.plain),
        *([excuse] if any(map(_excuses, found)) else []),
    )


def empty_slots(results: Results) -> Table:
    """How often an arm had nothing to show."""
    return _by_arm(
        results,
        "empty_slots",
        "Share of intact trials whose record held no item. They are played and counted like the others "
        "(intention to treat).",
        ("share", numerals.share),
    )


def firings(results: Results) -> Table:
    """How often a trigger let an item in, and how often it would have."""
    return tabulate(
        "Share of trials with at least one firing: shown to the agent, or only logged (shadow).",
        rows(results, "firings"),
        _text("backbone", "name"),
        _text("arm", "name"),
        _text("condition", "name"),
        _column("shown", numerals.share),
        _column("shadow", numerals.share),
    )


def condensation(results: Results) -> Table:
    """What the condensers made of the traces, and what the gates did."""
    counts = ("traces", "items", "drafts", "flagged", "passed_after_revision", "dropped", "faults")
    return tabulate(
        "Counts. Flagged: drafts with a WARN or FAIL; dropped: items that still failed after the last "
        "revision; faults: items left out because a gate could not be asked, which is no verdict on them.",
        rows(results, "condensation"),
        _text("backbone", "name"),
        _text("condenser", "name"),
        *(_column(key, numerals.count, key.replace("_", " ")) for key in counts),
    )


def errors(results: Results) -> Table:
    """Infrastructure errors, apart from all means."""
    return _by_arm(
        results,
        "errors",
        "Trials that the infrastructure lost. They are in no mean; an agent's own failures are scores.",
        ("errors", numerals.count),
    )


def cost(results: Results) -> Table:
    """Calls, tokens and dollars of each arm."""
    return _by_arm(
        results,
        "cost",
        "Model calls by arm. Cached calls were answered from an earlier identical call.",
        *_fields(("calls", "cached", "input_tokens", "output_tokens"), numerals.count),
        ("usd", lambda entry: numerals.dollars(_get(entry, "usd"))),
    )


def digests(results: Results) -> Table:
    """What pins the run: name and hash."""
    entries = (results.get("digests") or {}).items()
    return tabulate(
        "Content hashes of what determined this run.",
        ({"name": name, "digest": digest} for name, digest in entries),
        _text("name", "name"),
        _text("digest", "text"),
    )


def confidence(results: Results) -> str:
    """The level of the intervals, in words."""
    alpha = results.get("alpha")
    return f"{100 * (1 - alpha):g} % confidence" if numerals.is_known(alpha) else "1 − alpha confidence"


Filling = tuple[str, Kind, Callable[[Row], str]]


def _column(key: str, show: Callable[[Any], str], head: str = "") -> Filling:
    return head or key, "number", lambda row: show(row.get(key))


def _text(key: str, kind: Kind) -> Filling:
    return key, kind, lambda row: "" if row.get(key) is None else str(row[key])


def _excuses(row: Row) -> str:
    why = "; ".join(map(str, row.get("not_applicable_because") or ()))
    return f"Not applicable to the others: {why}" if why else ""


def _cell(cell: Row) -> str:
    trials, lost = numerals.count(cell.get("n_trials")), cell.get("n_errors")
    note = f"{trials}, {lost} {'error' if lost == 1 else 'errors'}" if lost else trials
    return f"{numerals.plain(cell.get('score'))} ({note})"


def _get(entry: Any, key: str) -> Any:
    return entry.get(key) if isinstance(entry, Mapping) else None


def _fields(
    keys: tuple[str, ...], show: Callable[[Any], str]
) -> tuple[tuple[str, Callable[[Any], str]], ...]:
    def filling(key: str) -> Callable[[Any], str]:
        return lambda entry: show(_get(entry, key))

    return tuple((key.replace("_", " "), filling(key)) for key in keys)


def _by_arm(results: Results, key: str, caption: str, *columns: tuple[str, Callable[[Any], str]]) -> Table:
    entries = (results.get(key) or {}).items()
    return Table(
        caption,
        (Column("arm", "name"), *(Column(head) for head, _ in columns)),
        tuple((str(arm), *(fill(entry) for _, fill in columns)) for arm, entry in entries),
    )
