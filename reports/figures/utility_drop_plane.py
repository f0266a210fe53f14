"""The utility × drop plane: does the memory help, and does its content carry it? A panel a condition."""

from math import ceil
from typing import Any

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL, WITHOUT
from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.lookup import find, in_order, of_estimand
from loadbearing.reports.base.numbers import is_known
from loadbearing.reports.figures.svg import (
    BAND,
    RULE,
    SHAPES,
    SOFT,
    TONE,
    arm_legend,
    inline_svg,
    limits,
    mark,
)
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name
from loadbearing.reports.text.verdict_glossary import verdict_word

# inches
_WIDTH, _ACROSS, _TALL, _LEGEND = 9.0, 3, 2.8, 0.7

Point = tuple[Estimate, Estimate]
"""The rows of `estimates` that give the utility and the drop."""


def plane_points(results: Results) -> list[Point]:
    """Every drop that has an estimate, with its arm's utility, by backbone and else in the run's order.

    The drop under `without` is the utility once more and has no point; means over backbones have none either.
    """
    points = []
    for drop in of_estimand(results, "drop"):
        gain = find(results, "utility", drop.backbone, drop.arm)
        if gain is None or drop.condition == WITHOUT or drop.backbone == ALL:
            continue
        if is_known(drop.estimate) and is_known(gain.estimate):
            points.append((gain, drop))
    return points


def plane_svg(results: Results) -> str:
    """Draw a point an arm with both intervals, told by its shape, in the colour of the verdict on the drop.

    A panel for each backbone and condition, the same axes everywhere; a point is hollow where the verdict is
    an open question.
    """
    points = plane_points(results)
    panels = list(dict.fromkeys((drop.backbone, drop.condition) for _, drop in points))
    arms = in_order(results.arms, (drop.arm for _, drop in points))
    down = ceil(len(panels) / _ACROSS)
    height = down * _TALL + _LEGEND
    least = max(2.0 * results.margin, 0.1)
    across, upwards = (limits([point[side] for point in points], least, air=0.05) for side in (0, 1))

    def fill(figure: Any) -> None:
        figure.subplots_adjust(0.07, 0.55 / height, 0.99, 1 - _LEGEND / height, 0.12, 0.4)
        grid = figure.subplots(down, _ACROSS, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, (backbone, condition) in zip(grid.flat, panels, strict=False):
            name = brief(condition_name(condition), 34)
            axes.set_title(f"{brief(backbone, 34)}\n{name}", fontsize=8.5, loc="left")
            axes.set(xlim=across, ylim=upwards, xlabel="utility", ylabel="drop")
            axes.label_outer(remove_inner_ticks=False)
            _frame(axes, results.margin)
            for gain, drop in points:
                if (drop.backbone, drop.condition) == (backbone, condition):
                    _point(axes, gain, drop, SHAPES[arms.index(drop.arm) % len(SHAPES)])
        arm_legend(figure, arms, (SOFT,))

    told = f"Utility and drop of {len(points)} cells as points with intervals, in small panels."
    return inline_svg((_WIDTH, height), fill, f"plane {points!r}", f"{told} The data follow.")


def _frame(axes: Any, margin: float) -> None:
    """Zero, the band within the margin on both axes, and its upper edges."""
    for line, band in ((axes.axvline, axes.axvspan), (axes.axhline, axes.axhspan)):
        line(0, color=RULE, linewidth=0.8, zorder=1)
        band(-margin, margin, color=BAND, linewidth=0, zorder=0)
        line(margin, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)


def _point(axes: Any, gain: Estimate, drop: Estimate, shape: str) -> None:
    entry = verdict_word(drop.verdict)
    color = TONE[entry.tone]
    if is_known(gain.low) and is_known(gain.high):
        axes.hlines(drop.estimate, gain.low, gain.high, color=color, linewidth=1.0, zorder=2)
    if is_known(drop.low) and is_known(drop.high):
        axes.vlines(gain.estimate, drop.low, drop.high, color=color, linewidth=1.0, zorder=2)
    if is_known(gain.estimate) and is_known(drop.estimate):
        mark(axes, (gain.estimate, drop.estimate), shape, color, entry.tone != "open")
