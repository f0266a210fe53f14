"""The plane of utility and drop in one column."""

from collections.abc import Iterator
from typing import Any

from memtrial.reports.figures import svg
from memtrial.reports.figures.column.column_figure import ColumnFigure
from memtrial.reports.figures.column.column_panels import PanelSet, panel_figures, panel_title
from memtrial.reports.figures.utility_drop_plane import draw_frame, plane_points
from memtrial.reports.text.reading import condition_name
from memtrial.reports.text.verdict_glossary import TONES, verdict_word
from memtrial.views.lookup import in_order
from memtrial.views.rows.results import Results

_HEADS = (
    "backbone", "condition", "arm", "utility", "utility_low", "utility_high",
    "drop", "drop_low", "drop_high", "verdict_on_drop",
)  # fmt: skip


def plane_figures(results: Results) -> Iterator[ColumnFigure]:
    """A panel a backbone and condition; an arm is told by its shape, an open verdict by a hollow one."""
    points = plane_points(results)
    if not points:
        return
    panels = list(dict.fromkeys((drop.backbone, drop.condition) for _, drop in points))
    arms = in_order(results.arms, (drop.arm for _, drop in points))
    least = max(2.0 * results.margin, 0.1)
    across, upwards = (svg.limits([pair[side] for pair in points], least, air=0.06) for side in (0, 1))
    parts = [[pair for pair in points if (pair[1].backbone, pair[1].condition) == panel] for panel in panels]

    def fill(axes: Any, number: int) -> None:
        axes.set(xlim=across, ylim=upwards, xlabel="utility", ylabel="drop")
        axes.locator_params(nbins=5)
        draw_frame(axes, results.margin)
        marks = []
        for gain, drop in parts[number]:
            word, (shape, _) = verdict_word(drop.verdict), svg.of_arm(arms.index(drop.arm))
            look = (shape, TONES[word.tone], word.tone != "open")
            ends = (gain.low, gain.high), (drop.low, drop.high)
            marks.append(svg.Mark((gain.estimate, drop.estimate), look, *ends))
        svg.draw_marks(axes, marks, width=0.8, size=4.2)

    titles = tuple(panel_title(backbone, condition_name(condition)) for backbone, condition in panels)
    about = "Utility and drop of every arm with their intervals; hollow: the verdict on the drop is open."
    data = [
        [
            (
                *(drop.backbone, drop.condition, drop.arm),
                *(gain.estimate, gain.low, gain.high),
                *(drop.estimate, drop.low, drop.high, drop.verdict),
            )
            for gain, drop in part
        ]
        for part in parts
    ]
    yield from panel_figures(PanelSet("plane", about, _HEADS, titles, arms, False, fill), data)
