"""Main effects of the factors of the arms with their intervals, as inline SVG."""

from memtrial.analysis.estimands.factor_effects import SCORE
from memtrial.console.escape import brief
from memtrial.outcomes.reserved_names import ALL
from memtrial.reports.figures import svg
from memtrial.reports.figures.drawing.figure_drawing import Drawing, TextLook
from memtrial.reports.figures.drawing.plot_area import PlotArea
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

    def fill(drawing: Drawing) -> None:
        span = svg.limits(rows, max(1.5 * results.margin, 0.1))
        area = _SHAPE.begin(drawing, len(lines), span, results.margin)
        band = f"shaded: within the margin, ±{results.margin:.2f}"
        _SHAPE.label(area, f"main effect, in points of score\n{band}")
        for y, line in enumerate(lines):
            if isinstance(line, str):
                area.write(0.0, y, brief(line, _LONGEST_HEAD), TextLook(svg.INK, bold=True))
            else:
                _write_effect(area, y, line)
        marks = (_mark(y, line) for y, line in enumerate(lines) if not isinstance(line, str))
        svg.draw_marks(area, marks, width=1.5)

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


def _write_effect(area: PlotArea, y: float, row: FactorRow) -> None:
    entry = verdict_word(row.verdict)
    color = TONES[entry.tone]
    outcome = "intact score" if row.outcome == SCORE else f"drop, {row.outcome}"
    area.write(0.15, y, brief(outcome, _LONGEST_OUTCOME), TextLook(svg.INK))
    area.write(_NUMBERS, y, f"{with_sign(row.estimate)} {ends(row.low, row.high)}", TextLook(svg.INK, 8.5))
    area.write(_WORD, y, brief(printed_word(row.verdict), 15), TextLook(color, 8.5, bold=True))


def _mark(y: float, row: FactorRow) -> svg.Mark:
    entry = verdict_word(row.verdict)
    look = (entry.marker, TONES[entry.tone], entry.tone != "open")
    return svg.Mark((row.estimate, y), look, across=(row.low, row.high))
