"""The paired-difference plot: every task's difference, sorted, a panel a contrast, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil
from typing import Any

from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.lookup import subject
from loadbearing.reports.figures.forest import axis_label
from loadbearing.reports.figures.svg import BAND, INK, SOFT, TONE, inline_svg, tick_label
from loadbearing.reports.model.rows import DifferenceRow
from loadbearing.reports.text.reading import condition_name

# inches
_WIDTH, _ACROSS, _TALL, _FOOT = 9.0, 3, 2.1, 0.3


def paired_svg(rows: Sequence[DifferenceRow], margin: float) -> str:
    """Draw each contrast's tasks from the most negative to the most positive difference, mean as a line."""
    down = ceil(len(rows) / _ACROSS)
    height = down * _TALL + _FOOT
    most = max((abs(value) for row in rows for value, _ in row.values), default=1.0) or 1.0

    def fill(figure: Any) -> None:
        figure.subplots_adjust(0.06, (_FOOT + 0.2) / height, 0.99, 1 - 0.4 / height, 0.1, 0.35)
        grid = figure.subplots(down, _ACROSS, squeeze=False)
        for axes in grid.flat[len(rows) :]:
            axes.set_axis_off()
        for axes, row in zip(grid.flat, rows, strict=False):
            axes.spines[["top", "right", "bottom"]].set_visible(False)
            axes.set(xlim=(0, 1), ylim=(-1.08 * most, 1.08 * most), xticks=[])
            axes.set_yticks([-most, 0, most], labels=[tick_label(one) for one in (-most, 0, most)])
            what = f"{subject(row)}, {condition_name(row.condition)}"
            axes.set_title(f"{brief(row.backbone, 34)}\n{brief(what, 40)}", fontsize=8, loc="left")
            _bars(axes, row, margin)
        foot = f"{axis_label(rows)}, one bar a task, sorted; line: mean; shaded: within the margin"
        figure.text(0.5, 0.06 / height, foot, color=SOFT, fontsize=8, ha="center")

    label = f"Differences of each task, sorted, in {len(rows)} small panels. The data follow."
    return inline_svg((_WIDTH, height), fill, f"paired {(rows, margin)!r}", label)


def _bars(axes: Any, row: DifferenceRow, margin: float) -> None:
    """What is above zero in one colour, what is below in another."""
    axes.axhspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    edges = [0.0, *accumulate(count / row.total for _, count in row.values)]
    for tone, above in ((TONE["effect"], True), (TONE["harm"], False)):
        heights = [value if (value > 0) == above else 0.0 for value, _ in row.values]
        axes.stairs(heights, edges, fill=True, color=tone, linewidth=0, zorder=1)
    axes.axhline(0, color=SOFT, linewidth=0.9, zorder=2)
    axes.axhline(row.mean, color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
