"""The paired-difference plot: every task's difference, sorted, a panel a contrast, as inline SVG."""

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from memtrial.console.escape import brief
from memtrial.reports.figures.forest import axis_label
from memtrial.reports.figures.svg import BAND, INK, RULE, SOFT, Ends, inline_svg, stroke, tick_label
from memtrial.reports.text.reading import condition_name
from memtrial.reports.text.verdict_glossary import TONES
from memtrial.views.lookup import subject
from memtrial.views.rows.evidence_rows import DifferenceRow

# inches: the figure; a panel, and from one to the next
_WIDTH, _ACROSS, _LEFT, _HIGH, _WIDE, _RIGHT, _DOWN = 9.0, 3, 0.54, 1.6, 2.617, 2.877, 2.1
_AIR = 1.08


def paired_svg(rows: Sequence[DifferenceRow], margin: float) -> str:
    """Draw each contrast's tasks from the most negative to the most positive difference, mean as a line."""
    height = ceil(len(rows) / _ACROSS) * _DOWN + 0.3
    most = max((abs(value) for row in rows for value, _ in row.values), default=1.0) or 1.0
    scale = _HIGH / (2 * _AIR * most)
    band = min(margin, _AIR * most) * scale

    def fill(figure: Any) -> None:
        # one pair of axes in inches for all panels: a pair for each takes most of a report's time
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, height))
        axes.set_axis_off()
        sides, zeros, means = (list[list[Ends]]() for _ in range(3))
        for number, row in enumerate(rows):
            down, beside = divmod(number, _ACROSS)
            left, zero = _LEFT + beside * _RIGHT, height - 0.4 - down * _DOWN - _HIGH / 2
            right = left + _WIDE
            values, counts = np.array(row.values).T
            edges = left + _WIDE * np.array([0.0, *np.cumsum(counts) / counts.sum()])
            axes.fill_between((left, right), zero - band, zero + band, color=BAND, linewidth=0, zorder=0)
            for tone, side in ((TONES["effect"], np.maximum), (TONES["harm"], np.minimum)):
                bars = zero + scale * side(values, 0)
                axes.stairs(bars, edges, baseline=zero, fill=True, facecolor=tone, linewidth=0, zorder=1)
            mean = zero + scale * row.mean
            sides.append([(left, zero - _HIGH / 2), (left, zero + _HIGH / 2)])
            zeros.append([(left, zero), (right, zero)])
            means.append([(left, mean), (right, mean)])
            for value in (-most, 0, most):
                how = {"color": SOFT, "fontsize": 8, "ha": "right", "va": "center"}
                axes.text(left - 0.08, zero + scale * value, tick_label(value), **how)
            what = (
                f"{brief(row.backbone, 34)}\n{brief(f'{subject(row)}, {condition_name(row.condition)}', 40)}"
            )
            axes.text(left, zero + _HIGH / 2 + 0.07, what, fontsize=8, va="bottom")
        stroke(axes, sides, RULE, 0.8)
        stroke(axes, zeros, SOFT, 0.9)
        stroke(axes, means, INK, 1.2, z=3, ls="--")
        foot = f"{axis_label(rows)}, one bar a task, sorted; line: mean; shaded: within the margin"
        axes.text(_WIDTH / 2, 0.06, foot, color=SOFT, fontsize=8, ha="center")

    label = f"Differences of each task, sorted, in {len(rows)} small panels. The data follow."
    return inline_svg((_WIDTH, height), fill, f"paired {(rows, margin)!r}", label)
