"""What memory costs beside what it does: the intact memory as a multiple of each other condition."""

from memtrial.reports.text.memory_answer import MARGIN, write_ratio
from memtrial.reports.text.text_table import Column, TextTable, fields, tabulate
from memtrial.views import numbers
from memtrial.views.lookup import by_backbone
from memtrial.views.rows.results import Results


def ratio_table(results: Results) -> TextTable:
    """A row a condition of each arm; conditions whose requests nobody saw have none."""
    return tabulate(
        "Tokens and dollars of a mean trial, and how many times as much the intact memory uses as this one: "
        "paired by task, the geometric mean with its unadjusted interval. The words hold for all conditions "
        f"of an arm at once (Bonferroni): more, less, as much (shown to be within {MARGIN}), or open.",
        by_backbone(results, (row for row in results.cost_ratios if row.tokens)),
        *fields("backbone", "arm", "condition", "n_trials: trials"),
        Column("tokens", "number", lambda row: numbers.count(round(row.tokens))),
        *fields("usd: cost"),
        Column("intact uses, in tokens", "number", lambda row: write_ratio(row.versus_tokens)),
        Column("in cost", "number", lambda row: write_ratio(row.versus_usd)),
    )
