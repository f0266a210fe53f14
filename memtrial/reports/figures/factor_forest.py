"""Main effects of the factors of the arms with their intervals, as inline SVG."""

from typing import Any

from memtrial.analysis.estimands.factor_effects import SCORE
from memtrial.console.escape import brief
from memtrial.outcomes.reserved_names import ALL
from memtrial.reports.figures import svg
from memtrial.reports.figures.forest_shape import ForestShape
from memtrial.reports.text.verdict_glossary import TONES, printed_word, verdict_word
from memtrial.views.lookup import by_backbone
from memtrial.views.numbers import ends, with_sign
from memtrial.views.rows.factor_rows import FactorRow
from memtrial.views.rows.results import Results

# inches
_SHAPE = ForestShape(left=2.6)
_NUMBERS, _WORD = 6.1, 7.95
_LONGEST_HEAD, _LONGEST_OUTCOME = 100, 30
"""Characters of a heading, and of the name of an outcome."""


def factors_svg(results: Results) -> str:
    """Draw every main effect, an outcome a line, under its factor and backbone."""
    lines = _lines(results)
    rows = [line for line in lines if isinstance(line, FactorRow)]

    def fill(figure: Any) -> None:
        axes, how = _SHAPE.begin(figure, len(lines))
        svg.difference_axis(axes, svg.limits(rows, max(1.5 * results.margin, 0.1)), results.margin)
        axes.set_xlabel(
            f"main effect, in points of score\nshaded: within the margin, ±{results.margin:.2f}", labelpad=6
        )
        for y, line in enumerate(lines):
            if isinstance(line, str):
                axes.text(0.0, y, brief(line, _LONGEST_HEAD), weight="bold", **how)
            else:
                _write_effect(axes, y, line, how)
        marks = (_mark(y, line) for y, line in enumerate(lines) if not isinstance(line, str))
        svg.draw_marks(axes, marks, width=1.5)

    description = f"Forest plot of {len(rows)} main effects with intervals. The data follow."
    return svg.inline_svg(_SHAPE.size(len(lines)), fill, repr(("factors", rows, results.margin)), description)


def _lines(results: Results) -> list[str | FactorRow]:
    """Each factor on each backbone as a heading, and the effects below it."""
    lines: list[str | FactorRow] = []
    for row in by_backbone(results, results.factors):
        head = f"{row.factor}: {row.level_pair} ({'all backbones' if row.backbone == ALL else row.backbone})"
        if head not in lines:
            lines.append(head)
        lines.append(row)
    return lines


def _write_effect(axes: Any, y: float, row: FactorRow, how: dict[str, Any]) -> None:
    entry = verdict_word(row.verdict)
    color = TONES[entry.tone]
    outcome = "intact score" if row.outcome == SCORE else f"drop, {row.outcome}"
    axes.text(0.15, y, brief(outcome, _LONGEST_OUTCOME), color=svg.INK, **how)
    axes.text(_NUMBERS, y, f"{with_sign(row.estimate)} {ends(row.low, row.high)}", fontsize=8.5, **how)
    axes.text(_WORD, y, brief(printed_word(row.verdict), 15), color=color, weight="bold", fontsize=8.5, **how)


def _mark(y: float, row: FactorRow) -> svg.Mark:
    entry = verdict_word(row.verdict)
    look = (entry.marker, TONES[entry.tone], entry.tone != "open")
    return svg.Mark((row.estimate, y), look, across=(row.low, row.high))
