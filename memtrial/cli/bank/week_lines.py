"""The weeks of a bank as lines, as CSV and as JSON."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, fields

from memtrial.memory.bank.confidence.weekly_metrics import WeekMetrics
from memtrial.outcomes.spreadsheet import write_csv


def week_lines(weeks: Sequence[WeekMetrics]) -> list[str]:
    """Two lines a week: what was done and how it ended, and what was learnt and used."""
    lines = []
    for week in weeks:
        price = [_words(week.steps_a_success, "steps"), _words(week.seconds_a_success, "s")]
        solved = "" if week.success is None else f" of which {week.success:.0%} succeeded"
        spent = " and ".join(filter(None, price))
        each = f", at {spent} each" if spent else ""
        lines.append(f"{week.week}  {week.runs} runs, {week.judged} judged{solved}{each}")
        rate = "" if week.new_items_a_100 is None else f" ({week.new_items_a_100:.3g} a hundred runs)"
        used = ""
        if week.shown_a_run is not None and week.cited_a_run is not None:
            used = f"; {week.shown_a_run:.2f} shown and {week.cited_a_run:.2f} cited a run"
        lines.append(f"  {week.new_items} new items{rate}, {week.active_items} active at its end{used}")
    return lines or ["nothing has happened to this bank yet"]


def _words(figure: float | None, unit: str) -> str:
    return "" if figure is None else f"{figure:.1f} {unit}"


def describe_week(week: WeekMetrics) -> dict[str, object]:
    """The same for programs; a week is its Monday."""
    return asdict(week) | {"week": week.week.isoformat()}


def put_week_table(weeks: Sequence[WeekMetrics]) -> None:
    """The weeks as CSV on standard output; what is not known is an empty cell."""
    heads = [field.name for field in fields(WeekMetrics)]
    rows = ([week.week.isoformat(), *list(asdict(week).values())[1:]] for week in weeks)
    write_csv(sys.stdout, heads, rows)
