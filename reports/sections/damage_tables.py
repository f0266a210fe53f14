"""Tables of the damage: what it did to the texts, and what a judge says that they advise."""

from loadbearing.reports.base import numbers
from loadbearing.reports.model.play import ManipulationRow
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.table import Column, Table, fields, tabulate


def manipulation(results: Results) -> Table:
    """What the damage did to the text, a row an arm and condition."""
    excuse = Column("not applicable because", "remark", _excuses)
    rows = results.manipulation
    caption = (
        "Means over the slots to which the damage applies, against the intact text. An applicable damage "
        "that failed its check would have stopped the run before the first trial."
    )
    if any(row.roles for row in rows):
        caption += " When, what, why, form: share of the words in that role that were touched."
    if distant := any(row.fluency_distance is not None for row in rows):
        caption += (
            " Fluency distance: bits per word by which the damaged text reads more oddly than the intact "
            "one, to a small model of this run's texts."
        )
    return tabulate(
        caption,
        rows,
        *fields("arm", "condition", "n: slots", "applicable", "passed"),
        *fields("words_changed", "content_words_left", "length_ratio", "flips"),
        *(
            _touched(role)
            for role in ("when", "what", "why", "form")
            if any(role in row.roles for row in rows)
        ),
        *(fields("fluency_distance") if distant else ()),
        *([Column("written by", "text", _authors)] if any(row.written_by for row in rows) else []),
        *([excuse] if any(map(_excuses, rows)) else []),
    )


def _touched(role: str) -> Column:
    return Column(role, "number", lambda row: numbers.share(row.roles[role]) if role in row.roles else "")


def _authors(row: ManipulationRow) -> str:
    return ", ".join(f"{name} {numbers.count(n)}" for name, n in row.written_by.items())


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
        *fields("backbone", "arm", "condition", "asked: slots", "advising: advise an action", "changed"),
        Column("changed by itself", "number", lambda row: f"{row.twice_changed:,} of {row.twice:,}"),
        *fields("faults: not read", "reason"),
    )
