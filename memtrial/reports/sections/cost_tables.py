"""What memory costs beside what it does: the intact memory as a multiple of each other condition."""

from memtrial.reports.text.memory_answer import MARGIN, write_ratio
from memtrial.reports.text.text_table import Column, Listing, fields
from memtrial.views import numbers

COST_RATIOS = Listing(
    "cost_ratios",
    "Tokens and dollars of a mean trial, and how many times as much the intact memory uses as this one: "
    "paired by task, the geometric mean with its unadjusted interval. The words hold for all conditions of "
    f"an arm at once (Bonferroni): more, less, as much (shown to be within {MARGIN}), or open.",
    (
        *fields("backbone", "arm", "condition", "n_trials: trials"),
        Column("tokens", "number", lambda row: numbers.count(round(row.tokens)) if row.tokens else ""),
        Column("cost", "number", lambda row: numbers.dollars(row.usd) if row.tokens else ""),
        Column("intact uses, in tokens", "number", lambda row: write_ratio(row.versus_tokens)),
        Column("in cost", "number", lambda row: write_ratio(row.versus_usd)),
    ),
)
