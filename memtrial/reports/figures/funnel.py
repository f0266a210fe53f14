"""The funnel: of the items that an arm retrieved, how many were shown, fired, acted upon, and mattered."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures.svg import SERIES, of_arm, panels_svg
from memtrial.views.lookup import in_order
from memtrial.views.rows.results import Results

STAGES = ("retrieved", "shown", "fired", "acted", "mattered")


def funnel_svg(results: Results) -> str:
    """Draw a line an arm over the stages, told by its shape and colour, a panel a backbone."""
    panels = in_order(results.backbones, (row.backbone for row in results.funnel))
    arms = in_order(results.arms, (row.arm for row in results.funnel))

    def fill(axes: Any, number: int) -> None:
        axes.set(ylim=(-0.03, 1.05), xlim=(-0.3, len(STAGES) - 0.7), ylabel="share of retrieved items")
        axes.set_xticks(range(len(STAGES)), labels=STAGES)
        axes.spines[["top", "right"]].set_visible(False)
        for row in (row for row in results.funnel if row.backbone == panels[number]):
            shape, color = of_arm(arms.index(row.arm))
            how = {"marker": shape, "ms": 4, "lw": 1.1, "color": color, "clip_on": False}
            shares = [getattr(row, stage) / row.retrieved for stage in STAGES]
            axes.plot(range(len(STAGES)), shares, **how)

    description = f"How far the items of {len(arms)} arms went, as falling lines. The data follow."
    titles = [brief(backbone, 34) for backbone in panels]
    return panels_svg(titles, arms, SERIES, 2.4, fill, f"funnel {results.funnel!r}", description)
