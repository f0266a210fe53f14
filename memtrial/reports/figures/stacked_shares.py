"""Shares of failure modes: a stacked bar a row, and the interval of each share beside it."""

from collections.abc import Sequence

from memtrial.analysis.failures.shares import OTHER
from memtrial.console.escape import brief
from memtrial.reports.figures.drawing.figure_drawing import Drawing, TextLook
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.svg import (
    INK,
    PAPER,
    RULE,
    SERIES,
    SHAPES,
    SOFT,
    Mark,
    draw_marks,
    inline_svg,
    legend_places,
)
from memtrial.views.rows.failure_rows import FailureRow

# inches: the figure, a row and the room around all; the bars and the intervals, from the left and across
_WIDTH, _ROW, _EDGES, _BARS, _ENDS, _WIDE = 9.0, 0.42, 1.1, 2.97, 6.03, 2.7
_GREY = 4
_HATCHES = (
    "",
    "M -1 1 L 1 -1 M 0 6 L 6 0 M 5 7 L 7 5",
    "M 1 1.5 L 2 1.5 M 4 4.5 L 5 4.5",
    "M 0 6 L 6 0 M 0 0 L 6 6",
)
"""Strokes on a tile of six points."""


def stacked_svg(rows: Sequence[FailureRow]) -> str:
    """Draw the rows with failures, one at least; modes are told apart by hatching and shape, too."""
    drawn = [row for row in rows if row.n]
    modes = modes_of(drawn)
    names = _names(drawn)

    height = len(drawn) * _ROW + _EDGES
    levels = (len(drawn) - 0.5, -0.5)

    def fill(drawing: Drawing) -> None:
        bars, ends = (
            PlotArea(drawing, (left, 0.5, _WIDE, len(drawn) * _ROW), (0.0, 1.0), levels)
            for left in (_BARS, _ENDS)
        )
        for area, title in ((bars, "shares"), (ends, "with intervals of 95 %")):
            area.frame("b", RULE)
            area.tick_below(((0.0, "0"), (0.5, "50 %"), (1.0, "100 %")), SOFT)
            area.title(title, TextLook(INK, 9.0))
        labels = [f"{n} ({row.n:g})" for n, row in zip(names, drawn, strict=True)]
        bars.tick_left(list(enumerate(labels)), SOFT)
        fills = [_hatched(drawing, number, mode) for number, mode in enumerate(modes)]
        for level, row in enumerate(drawn):
            start = 0.0
            for number, mode in enumerate(modes):
                share = row.shares.get(mode) or 0.0
                bars.fill((start, start + share), (level - 0.31, level + 0.31), fills[number])
                start += share
                beside = level + (number - (len(modes) - 1) / 2) * 0.18
                mark = Mark(
                    (row.shares.get(mode), beside),
                    (SHAPES[number % len(SHAPES)], _color(number, mode), True),
                    across=(row.low.get(mode), row.high.get(mode)),
                )
                draw_marks(ends, [mark], width=1.0, size=4.0)
        for (x, line), mode, look in zip(legend_places(modes, _WIDTH), modes, fills, strict=True):
            y = height - 0.16 - line * 0.17
            corners = ((x, y - 0.05), (x + 0.12, y - 0.05), (x + 0.12, y + 0.05), (x, y + 0.05))
            drawing.area(corners, look)
            drawing.text((x + 0.17, y), mode, TextLook(INK, 8.0))

    description = f"Shares of failure modes with intervals, {len(drawn)} rows. The table follows."
    return inline_svg((_WIDTH, height), fill, repr(drawn), description)


def _color(number: int, mode: str) -> str:
    return SERIES[_GREY if mode == OTHER else number % len(SERIES)]


def _hatched(drawing: Drawing, number: int, mode: str) -> str:
    """What an area of this mode is filled with: its colour, and strokes of the paper's."""
    color, strokes = _color(number, mode), _HATCHES[number % len(_HATCHES)]
    if not strokes:
        return color
    tile = '<pattern id="#" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6"'
    tile += f' style="fill: {color}"/><path d="{strokes}" style="fill: none; stroke: {PAPER}"/></pattern>'
    return f"url(#{drawing.define(tile)})"


def modes_of(rows: Sequence[FailureRow]) -> list[str]:
    """The modes of all rows: published ones have no `other`."""
    return list(dict.fromkeys(mode for row in rows for mode in row.counts))


def _names(rows: Sequence[FailureRow]) -> list[str]:
    places = [(row.backbone, row.domain, row.arm, row.condition) for row in rows]
    apart = [part for part in range(4) if len({place[part] for place in places}) > 1]
    return [brief(" ".join(place[part] for part in apart), 44) for place in places]
