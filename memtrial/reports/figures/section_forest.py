"""The effect of each section with its interval and its word, as inline SVG."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.figures.forest_shape import ForestShape
from memtrial.reports.text.section_text import LOOKS
from memtrial.reports.text.verdict_glossary import TONES
from memtrial.views.numbers import ends, with_sign
from memtrial.views.rows.section_rows import SectionResults, SectionRow

# inches
_SHAPE = ForestShape(left=2.9, row=0.25)
_NUMBERS, _WORD = 6.1, 7.95


def sections_svg(results: SectionResults) -> str:
    """A line for each section, in the order of the file; what the screening alone tells is marked."""
    rows = results.sections

    def fill(figure: Any) -> None:
        axes, how = _SHAPE.begin(figure, len(rows))
        svg.difference_axis(axes, svg.limits(rows, max(1.5 * results.margin, 0.1)), results.margin)
        axes.set_xlabel(
            "score where it stands − score where it does not\n"
            f"shaded: within the margin, ±{results.margin:.2f}; * from the screening",
            labelpad=6,
        )
        for y, row in enumerate(rows):
            color = TONES[LOOKS[row.word][1]]
            axes.text(0.0, y, brief(f"{row.number} {row.name}", 38), color=svg.INK, **how)
            star = "" if row.stage == "confirmation" else " *"
            numbers = f"{with_sign(row.estimate)} {ends(row.low, row.high)}{star}"
            axes.text(_NUMBERS, y, numbers, fontsize=8.5, **how)
            axes.text(_WORD, y, row.word, color=color, weight="bold", fontsize=8.5, **how)
        svg.draw_marks(axes, (_mark(y, row) for y, row in enumerate(rows)), width=1.5)

    description = f"Forest plot of the effects of {len(rows)} sections with intervals. The data follow."
    return svg.inline_svg(_SHAPE.size(len(rows)), fill, repr(("sections", rows, results.margin)), description)


def _mark(y: float, row: SectionRow) -> svg.Mark:
    shape, tone = LOOKS[row.word]
    return svg.Mark((row.estimate, y), (shape, TONES[tone], tone != "open"), across=(row.low, row.high))
