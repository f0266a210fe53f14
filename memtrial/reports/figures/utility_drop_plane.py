"""The utility × drop plane: does the memory help, and does its content carry it? A panel a condition."""

from memtrial.analysis.result import Estimate
from memtrial.console.escape import brief
from memtrial.outcomes.reserved_names import ALL, WITHOUT
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.svg import (
    BAND,
    RULE,
    SOFT,
    Mark,
    Panels,
    draw_marks,
    limits,
    of_arm,
    panels_svg,
)
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

    def fill(area: PlotArea, number: int) -> None:
        _mark_margin(area, results.margin)
        marks = []
        for gain, drop in points:
            if (drop.backbone, drop.condition) == panels[number]:
                entry, (shape, _) = verdict_word(drop.verdict), of_arm(arms.index(drop.arm))
                ends = (gain.low, gain.high), (drop.low, drop.high)
                look = (shape, TONES[entry.tone], entry.tone != "open")
                marks.append(Mark((gain.estimate, drop.estimate), look, *ends))
        draw_marks(area, marks, width=1.0)

    titles = [f"{brief(name, 34)}\n{brief(condition_name(kind), 34)}" for name, kind in panels]
    description = f"Utility and drop of {len(points)} cells as points with intervals, in small panels."
    panels_of = Panels(titles, 2.8, across, upwards, ("utility", "drop"), sides="bltr")
    return panels_svg(panels_of, arms, (SOFT,), fill, f"plane {points!r}", f"{description} The data follow.")


def _mark_margin(area: PlotArea, margin: float) -> None:
    """Zero, the margin as a band, and from where on an effect is larger than the margin."""
    area.fill_across(-margin, margin, BAND)
    area.fill_upwards(-margin, margin, BAND)
    for cross in (area.cross_upwards, area.cross_over):
        cross(0, RULE, 0.8)
        cross(margin, SOFT, 0.9, "3.6 1.8")
