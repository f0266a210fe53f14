"""The paired-difference plot: every task's difference, sorted, a panel a contrast, as inline SVG."""

from collections.abc import Sequence
from itertools import accumulate
from math import ceil
from typing import Any, NamedTuple

from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.lookup import subject
from loadbearing.reports.figures.forest import axis_label
from loadbearing.reports.figures.svg import BAND, INK, RULE, SOFT, TONE, inline_svg, tick_label
from loadbearing.reports.model.rows import DifferenceRow
from loadbearing.reports.text.reading import condition_name

# inches
_WIDTH, _ACROSS, _TALL, _HEAD, _FOOT = 9.0, 3, 2.1, 0.4, 0.5
_LEFT, _RIGHT, _APART, _ABOVE, _TICK = 0.54, 0.09, 0.26, 0.5, 0.04
_AIR = 1.08
Places = list[tuple[float, float]]


class _Panel(NamedTuple):
    """Where one panel stands in the figure, and how its values become inches."""

    left: float
    middle: float
    across: float
    scale: float

    def at(self, share: float, value: float) -> tuple[float, float]:
        """Of a share of the tasks and a difference."""
        return self.left + share * self.across, self.middle + value * self.scale

    def line(self, value: float) -> Places:
        return [self.at(0, value), self.at(1, value)]


def paired_svg(rows: Sequence[DifferenceRow], margin: float) -> str:
    """Draw each contrast's tasks from the most negative to the most positive difference, mean as a line."""
    height = ceil(len(rows) / _ACROSS) * _TALL + _FOOT - 0.2
    most = max((abs(value) for row in rows for value, _ in row.values), default=1.0) or 1.0
    panels = [_panel(number, height, most) for number, _ in enumerate(rows)]

    def fill(figure: Any) -> None:
        # one pair of axes in inches for all panels: a pair for each takes most of a report's time
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, height))
        axes.set_axis_off()
        _areas(axes, rows, panels, min(margin, _AIR * most))
        _lines(axes, rows, panels, most)
        for panel, row in zip(panels, rows, strict=True):
            for value in (-most, 0, most):
                x, y = panel.at(0, value)
                how = {"color": SOFT, "fontsize": 8, "ha": "right", "va": "center"}
                axes.text(x - 2 * _TICK, y, tick_label(value), **how)
            what = f"{subject(row)}, {condition_name(row.condition)}"
            x, y = panel.at(0, _AIR * most)
            axes.text(x, y + 0.07, f"{brief(row.backbone, 34)}\n{brief(what, 40)}", fontsize=8, va="bottom")
        foot = f"{axis_label(rows)}, one bar a task, sorted; line: mean; shaded: within the margin"
        axes.text(_WIDTH / 2, 0.06, foot, color=SOFT, fontsize=8, ha="center")

    label = f"Differences of each task, sorted, in {len(rows)} small panels. The data follow."
    return inline_svg((_WIDTH, height), fill, f"paired {(rows, margin)!r}", label)


def _panel(number: int, height: float, most: float) -> _Panel:
    down, beside = divmod(number, _ACROSS)
    across = (_WIDTH - _LEFT - _RIGHT - (_ACROSS - 1) * _APART) / _ACROSS
    tall = _TALL - _ABOVE
    middle = height - _HEAD - down * _TALL - tall / 2
    return _Panel(_LEFT + beside * (across + _APART), middle, across, tall / (2 * _AIR * most))


def _areas(axes: Any, rows: Sequence[DifferenceRow], panels: Sequence[_Panel], margin: float) -> None:
    """The margin; and what is above zero in one colour, what is below in another."""
    from matplotlib.collections import PolyCollection

    bands = [[*panel.line(-margin), *reversed(panel.line(margin))] for panel in panels]
    axes.add_collection(PolyCollection(bands, facecolor=BAND, linewidth=0, zorder=0))
    for tone, above in ((TONE["effect"], True), (TONE["harm"], False)):
        bars = [_bars(row, panel, above) for row, panel in zip(rows, panels, strict=True)]
        axes.add_collection(PolyCollection(bars, facecolor=tone, linewidth=0, zorder=1))


def _bars(row: DifferenceRow, panel: _Panel, above: bool) -> Places:
    """The outline of the bars on one side of zero, along all tasks."""
    edges = [0.0, *accumulate(count / row.total for _, count in row.values)]
    heights = [value if (value > 0) == above else 0.0 for value, _ in row.values]
    tops = zip(heights, edges, edges[1:], strict=False)
    outline = [panel.at(edge, value) for value, low, high in tops for edge in (low, high)]
    return [panel.at(0, 0), *outline, panel.at(edges[-1], 0)]


def _lines(axes: Any, rows: Sequence[DifferenceRow], panels: Sequence[_Panel], most: float) -> None:
    """Zero, the means, and the vertical axes with a tick at zero and at both ends."""
    from matplotlib.collections import LineCollection

    frames = [[panel.at(0, -_AIR * most), panel.at(0, _AIR * most)] for panel in panels]
    ends = [panel.at(0, value) for panel in panels for value in (-most, 0, most)]
    frames += [[(x - _TICK, y), (x, y)] for x, y in ends]
    means = [panel.line(row.mean) for row, panel in zip(rows, panels, strict=True)]
    axes.add_collection(LineCollection(frames, color=RULE, linewidth=0.8, zorder=2))
    axes.add_collection(LineCollection([p.line(0) for p in panels], color=SOFT, linewidth=0.9, zorder=2))
    axes.add_collection(LineCollection(means, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=3))
