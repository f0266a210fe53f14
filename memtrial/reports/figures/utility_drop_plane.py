"""The utility × drop plane: does the memory help, and does its content carry it? A panel a condition."""

from typing import Any

from memtrial.analysis.result import Estimate
from memtrial.console.escape import brief
from memtrial.outcomes.reserved_names import ALL, WITHOUT
from memtrial.reports.figures.svg import BAND, RULE, SOFT, Mark, draw_marks, limits, of_arm, panels_svg
from memtrial.reports.text.reading import condition_name
from memtrial.reports.text.verdict_glossary import TONES, verdict_word
from memtrial.views.lookup import find, in_order, of_estimand
from memtrial.views.numbers import is_known
from memtrial.views.rows.results import Results

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
    least = max(2.0 * results.margin, 0.1)
    across, upwards = (limits([pair[side] for pair in points], least, air=0.05) for side in (0, 1))

    def fill(axes: Any, number: int) -> None:
        axes.set(xlim=across, ylim=upwards, xlabel="utility", ylabel="drop")
        draw_frame(axes, results.margin)
        marks = []
        for gain, drop in points:
            if (drop.backbone, drop.condition) == panels[number]:
                entry, (shape, _) = verdict_word(drop.verdict), of_arm(arms.index(drop.arm))
                ends = (gain.low, gain.high), (drop.low, drop.high)
                look = (shape, TONES[entry.tone], entry.tone != "open")
                marks.append(Mark((gain.estimate, drop.estimate), look, *ends))
        draw_marks(axes, marks, width=1.0)

    titles = [f"{brief(name, 34)}\n{brief(condition_name(kind), 34)}" for name, kind in panels]
    description = f"Utility and drop of {len(points)} cells as points with intervals, in small panels."
    return panels_svg(
        titles, arms, (SOFT,), 2.8, fill, f"plane {points!r}", f"{description} The data follow."
    )


def draw_frame(axes: Any, margin: float) -> None:
    """Zero, the margin as a band, and from where on an effect is larger than the margin."""
    for line, band in ((axes.axvline, axes.axvspan), (axes.axhline, axes.axhspan)):
        line(0, color=RULE, linewidth=0.8, zorder=1)
        band(-margin, margin, color=BAND, linewidth=0, zorder=0)
        line(margin, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
