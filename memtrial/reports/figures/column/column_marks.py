"""What stands in figures of a column, drawn by matplotlib: differences, margins, points with intervals."""

from collections.abc import Iterable, Sequence
from typing import Any

from memtrial.reports.figures.svg import BAND, PAPER, RULE, SOFT, Mark, Segment, tick_label
from memtrial.views.numbers import is_known


def draw_differences(axes: Any, span: tuple[float, float], margin: float) -> None:
    """A horizontal axis of differences alone, with zero and the margin as a band."""
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.set_xlim(*span)
    ticks = [tick for tick in axes.get_xticks() if span[0] <= tick <= span[1]]
    axes.set_xticks(ticks, labels=list(map(tick_label, ticks)))
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=SOFT, linewidth=0.9, zorder=1)


def plot_marks(axes: Any, marks: Iterable[Mark], width: float = 1.2, size: float = 6.0) -> None:
    """Draw them, the intervals as lines of that width, the points of that size (both in points of print).

    What looks alike is one artist, as each takes time.
    """
    from matplotlib.lines import Line2D

    intervals: dict[str, list[Segment]] = {}
    points: dict[tuple[str, str, bool], list[tuple[float, float]]] = {}
    for mark in marks:
        if mark.intervals:
            intervals.setdefault(mark.look[1], []).extend(mark.intervals)
        x, y = mark.place
        if is_known(x) and is_known(y):
            points.setdefault(mark.look, []).append((x, y))
    for color, lines in intervals.items():
        _stroke(axes, lines, color, width)
    for (shape, color, filled), places in points.items():
        how: dict[str, Any] = {"marker": shape, "ms": size, "mec": color, "mfc": color if filled else PAPER}
        axes.add_line(Line2D(*zip(*places, strict=True), ls="none", zorder=3, clip_on=False, **how))


def _stroke(axes: Any, lines: Sequence[Segment], color: str, width: float) -> None:
    """Lines, each from end to end: `hlines` does the same, and takes three times as long."""
    from matplotlib.collections import LineCollection

    axes.add_collection(LineCollection(lines, colors=color, linewidths=width, zorder=2), autolim=False)


def draw_margin(axes: Any, margin: float) -> None:
    """Zero, the margin as a band, and from where on an effect is larger than the margin."""
    for line, band in ((axes.axvline, axes.axvspan), (axes.axhline, axes.axhspan)):
        line(0, color=RULE, linewidth=0.8, zorder=1)
        band(-margin, margin, color=BAND, linewidth=0, zorder=0)
        line(margin, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
