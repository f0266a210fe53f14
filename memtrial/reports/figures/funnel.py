"""The funnel: of the items that an arm retrieved, how many were shown, fired, acted upon, and mattered."""

from memtrial.console.escape import brief
from memtrial.reports.figures.drawing.figure_drawing import MarkLook
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.svg import SERIES, Panels, of_arm, panels_svg
from memtrial.views.lookup import in_order
from memtrial.views.rows.results import Results

STAGES = ("retrieved", "shown", "fired", "acted", "mattered")


def funnel_svg(results: Results) -> str:
    """Draw a line an arm over the stages, told by its shape and colour, a panel a backbone."""
    panels = in_order(results.backbones, (row.backbone for row in results.funnel))
    arms = in_order(results.arms, (row.arm for row in results.funnel))

    def fill(area: PlotArea, number: int) -> None:
        for row in (row for row in results.funnel if row.backbone == panels[number]):
            shape, color = of_arm(arms.index(row.arm))
            shares = [getattr(row, stage) / row.retrieved for stage in STAGES]
            area.lines([list(enumerate(shares))], color, 1.1)
            area.marks(enumerate(shares), MarkLook(shape, 4.0, color, color))

    description = f"How far the items of {len(arms)} arms went, as falling lines. The data follow."
    titles = [brief(backbone, 34) for backbone in panels]
    drawn = Panels(
        titles,
        2.4,
        (-0.3, len(STAGES) - 0.7),
        (-0.03, 1.05),
        ("", "share of retrieved items"),
        tuple(enumerate(STAGES)),
    )
    return panels_svg(drawn, arms, SERIES, fill, f"funnel {results.funnel!r}", description)
