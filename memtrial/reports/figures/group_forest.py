"""Effects by group of tasks: as measured, and drawn towards their mean, as inline SVG."""

from collections.abc import Sequence
from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.figures.forest_shape import ForestShape
from memtrial.reports.text.reading import condition_name
from memtrial.views.numbers import ends, with_sign
from memtrial.views.rows.group_rows import GroupRow

# inches
_SHAPE = ForestShape(left=3.1, right=6.6)
_NUMBERS = 6.75
_LONGEST_HEAD, _LONGEST_GROUP = 100, 38
MOST_DRAWN = 80
"""Groups in one figure; the table has all."""


def groups_svg(rows: Sequence[GroupRow], margin: float) -> str:
    """Draw each utility and drop as a heading, and below it its groups, at least one."""
    lines = _lay_lines(rows)

    def fill(figure: Any) -> None:
        axes, how = _SHAPE.begin(figure, len(lines))
        svg.difference_axis(axes, (-1.0, 1.0), margin)
        band = f"shaded: within the margin, ±{margin:.2f}"
        axes.set_xlabel(
            f"filled: drawn to the mean, with its interval; hollow: as measured\n{band}", labelpad=6
        )
        for y, line in enumerate(lines):
            if isinstance(line, str):
                axes.text(0.0, y, brief(line, _LONGEST_HEAD), weight="bold", **how)
            else:
                axes.text(0.15, y, brief(line.heading or line.group, _LONGEST_GROUP), color=svg.INK, **how)
                numbers = f"{with_sign(line.shrunk)} {ends(line.low_shrunk, line.high_shrunk)}"
                axes.text(_NUMBERS, y, numbers, fontsize=8.5, **how)
        svg.draw_marks(axes, (mark for y, line in enumerate(lines) for mark in _mark(y, line)), width=1.5)

    description = f"Forest plot of {len(rows)} effects by group with intervals. The data follow."
    return svg.inline_svg(_SHAPE.size(len(lines)), fill, repr(("groups", tuple(rows), margin)), description)


def _lay_lines(rows: Sequence[GroupRow]) -> list[str | GroupRow]:
    lines: list[str | GroupRow] = []
    for row in rows[:MOST_DRAWN]:
        what = "utility" if row.estimand == "utility" else f"drop, {condition_name(row.condition)}"
        head = f"{row.arm}: {what} ({row.backbone})"
        if head not in lines:
            lines.append(head)
        lines.append(row)
    return lines


def _mark(y: float, line: str | GroupRow) -> list[svg.Mark]:
    if isinstance(line, str) or line.shrunk is None or line.low_shrunk is None or line.high_shrunk is None:
        return []
    return [
        svg.Mark((line.estimate, y), ("o", svg.SOFT, False)),
        svg.Mark((line.shrunk, y), ("o", svg.INK, True), across=(line.low_shrunk, line.high_shrunk)),
    ]
