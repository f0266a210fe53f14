"""The frame of a forest plot: how large it is, and where its lines, texts and axis stand."""

from typing import Any, NamedTuple


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

    def begin(self, figure: Any, lines: float) -> tuple[Any, dict[str, Any]]:
        """The axes, a unit a line from the top, and how a text is set: inches across, its line upwards."""
        from matplotlib.transforms import blended_transform_factory

        width, inches = self.size(lines)
        across = (self.right - self.left) / width
        box = (self.left / width, self.bottom / inches, across, lines * self.row / inches)
        axes = figure.add_axes(box)
        axes.set_ylim(lines - 0.5, -0.5)
        axes.set_yticks([])
        place = blended_transform_factory(figure.dpi_scale_trans, axes.transData)
        return axes, {"transform": place, "va": "center", "clip_on": False}
