"""The effect of each section with its interval and its word, as inline SVG."""

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.figures.drawing.figure_drawing import Drawing, TextLook
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

    def fill(drawing: Drawing) -> None:
        span = svg.limits(rows, max(1.5 * results.margin, 0.1))
        area = _SHAPE.begin(drawing, len(rows), span, results.margin)
        measured = "score where it stands − score where it does not"
        band = f"shaded: within the margin, ±{results.margin:.2f}; * from the screening"
        _SHAPE.label(area, f"{measured}\n{band}")
        for y, row in enumerate(rows):
            color = TONES[LOOKS[row.word][1]]
            area.write(0.0, y, brief(f"{row.number} {row.name}", 38), TextLook(svg.INK))
            star = "" if row.stage == "confirmation" else " *"
            numbers = f"{with_sign(row.estimate)} {ends(row.low, row.high)}{star}"
            area.write(_NUMBERS, y, numbers, TextLook(svg.INK, 8.5))
            area.write(_WORD, y, row.word, TextLook(color, 8.5, bold=True))
        svg.draw_marks(area, (_mark(y, row) for y, row in enumerate(rows)), width=1.5)

    description = f"Forest plot of the effects of {len(rows)} sections with intervals. The data follow."
    return svg.inline_svg(_SHAPE.size(len(rows)), fill, repr(("sections", rows, results.margin)), description)


def _mark(y: float, row: SectionRow) -> svg.Mark:
    shape, tone = LOOKS[row.word]
    return svg.Mark((row.estimate, y), (shape, TONES[tone], tone != "open"), across=(row.low, row.high))
