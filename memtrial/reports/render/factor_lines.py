"""Main effects and forks in a few words, for a terminal."""

from collections.abc import Iterator

from memtrial.analysis.estimands.factor_effects import SCORE
from memtrial.outcomes.reserved_names import ALL
from memtrial.views.numbers import with_sign
from memtrial.views.rows.factor_rows import FactorRow
from memtrial.views.rows.results import Results

MOST_NAMED = 3
"""Effects that are named; the report has all."""
_SHOWN = ("raises", "lowers")


def factor_lines(results: Results) -> Iterator[str]:
    """What an inert artifact means, and which main effects are shown, a line each."""
    yield from results.forks
    rows = [row for row in results.factors if row.backbone != ALL]
    if not rows:
        return
    several = len(results.backbones) > 1
    named = [_name_effect(row, several) for row in rows if row.verdict in _SHOWN]
    more = f" and {n} more" if (n := len(named) - MOST_NAMED) > 0 else ""
    yield f"Factors: {'; '.join(named[:MOST_NAMED]) or 'no main effect is shown'}{more}."


def _name_effect(row: FactorRow, several: bool) -> str:
    outcome = "intact score" if row.outcome == SCORE else f"drop under {row.outcome}"
    where = f" on {row.backbone}" if several else ""
    return f"{row.factor} ({row.level_pair}) {row.verdict} the {outcome} {with_sign(row.estimate)}{where}"
