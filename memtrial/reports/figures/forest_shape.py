"""The frame of a forest plot: how large it is, and where its lines, texts and axis stand."""

from typing import NamedTuple

from memtrial.reports.figures.drawing.figure_drawing import Drawing
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.svg import SOFT, difference_axis


class ForestShape(NamedTuple):
    """In inches: `left` and `right` are the ends of the axis, `row` is the height of a line."""

    left: float
    right: float = 5.95
    row: float = 0.23
    top: float = 0.3
    bottom: float = 0.62
    width: float = 9.0

    def size(self, lines: float) -> tuple[float, float]:
        """Of a figure with so many lines."""
        return self.width, self.top + lines * self.row + self.bottom

    def begin(self, drawing: Drawing, lines: float, span: tuple[float, float], margin: float) -> PlotArea:
        """The axis of differences, and above it a unit a line from the top."""
        box = (self.left, self.bottom, self.right - self.left, lines * self.row)
        area = PlotArea(drawing, box, span, (lines - 0.5, -0.5))
        difference_axis(area, margin)
        return area

    def label(self, area: PlotArea, label: str) -> None:
        """Below the numbers of the axis."""
        area.label_below(label, SOFT, 6.0)
