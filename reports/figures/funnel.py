"""The funnel: of the items that an arm retrieved, how many were shown, fired, acted upon, and mattered."""

from math import ceil
from typing import Any

from loadbearing.reports.base.escape import brief
from loadbearing.reports.base.lookup import in_order
from loadbearing.reports.figures.svg import SERIES, SHAPES, arm_legend, inline_svg
from loadbearing.reports.model.exposure import FunnelRow
from loadbearing.reports.model.results import Results

STAGES = ("retrieved", "shown", "fired", "acted", "mattered")
# inches
_WIDTH, _ACROSS, _TALL, _LEGEND = 9.0, 3, 2.4, 0.7


def shares(row: FunnelRow) -> list[float]:
    """Each stage as a share of the items retrieved."""
    return [getattr(row, stage) / row.retrieved for stage in STAGES]


def funnel_svg(results: Results) -> str:
    """Draw a line an arm over the stages, told by its shape and colour, a panel a backbone."""
    panels = in_order(results.backbones, (row.backbone for row in results.funnel))
    arms = in_order(results.arms, (row.arm for row in results.funnel))
    down = ceil(len(panels) / _ACROSS)
    height = down * _TALL + _LEGEND

    def fill(figure: Any) -> None:
        figure.subplots_adjust(0.07, 0.45 / height, 0.99, 1 - _LEGEND / height, 0.12, 0.45)
        grid = figure.subplots(down, _ACROSS, sharey=True, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, backbone in zip(grid.flat, panels, strict=False):
            axes.set_title(brief(backbone, 34), fontsize=8.5, loc="left")
            axes.set(ylim=(-0.03, 1.05), xlim=(-0.3, len(STAGES) - 0.7))
            axes.set_xticks(range(len(STAGES)), labels=STAGES)
            axes.spines[["top", "right"]].set_visible(False)
            for row in (row for row in results.funnel if row.backbone == backbone):
                place = arms.index(row.arm)
                shape, color = SHAPES[place % len(SHAPES)], SERIES[place % len(SERIES)]
                axes.plot(
                    range(len(STAGES)), shares(row), marker=shape, ms=4, lw=1.1, color=color, clip_on=False
                )
        grid.flat[0].set_ylabel("share of retrieved items")
        arm_legend(figure, arms, SERIES)

    told = f"How far the items of {len(arms)} arms went, as falling lines. The data follow."
    return inline_svg((_WIDTH, height), fill, f"funnel {results.funnel!r}", told)
