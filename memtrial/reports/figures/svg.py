"""Figures as SVG inside a page: what they share, colours, marks, axes and legends; the page sets the font."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from typing import NamedTuple, Protocol

from memtrial.console.escape import brief
from memtrial.reports.figures.drawing.figure_drawing import Drawing, MarkLook, TextLook
from memtrial.reports.figures.drawing.plot_area import PlotArea, Tick
from memtrial.reports.figures.drawing.round_ticks import name_ticks, place_ticks
from memtrial.views.numbers import is_known, with_sign

INK, SOFT, RULE, BAND, PAPER = "#1c2127", "#57606a", "#d5dae1", "#e9ecf1", "#ffffff"
SERIES = ("#0072b2", "#b84a00", "#007a5a", "#9c3d8a", "#444b54", "#7a5c00", "#c0265e", "#3d5a80")
"""Colours of arms on white paper: blue, vermilion, green, purple, grey, ochre, rose, slate. Told from each
other by the colour-blind in most pairs; shapes tell all of them."""
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("", "5 2", "6 2 1 2", "1 2")
"""Of lines that colour alone would tell apart: points of a dash and of the gap behind it."""
Ends = tuple[float | None, float | None]
Segment = tuple[tuple[float, float], tuple[float, float]]


def inline_svg(size: tuple[float, float], fill: Callable[[Drawing], None], data: str, label: str) -> str:
    """Draw a figure as an `<svg>` element without prolog, the same bytes for the same input.

    Text stays text; no file or address is named.

    Args:
        size: width and height in inches.
        fill: draws, in the colours of this file.
        data: what is drawn, as text: ids are made of its digest, as several figures share a page.
        label: the figure in a sentence, for those who do not see it.
    """
    drawing = Drawing(*size, sha256(data.encode()).hexdigest()[:8])
    fill(drawing)
    return drawing.whole(label)


class OnAxis(Protocol):
    """An estimate with its interval."""

    @property
    def estimate(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def limits(rows: Sequence[OnAxis], least: float, air: float = 0.04) -> tuple[float, float]:
    """A range that holds every interval, zero and `least` either way, with some air."""
    seen = [value for row in rows for value in (row.estimate, row.low, row.high) if is_known(value)]
    low, high = min([*seen, -least]), max([*seen, least])
    if low == high:
        low, high = low - 0.5, high + 0.5
    return low - air * (high - low), high + air * (high - low)


def difference_axis(area: PlotArea, margin: float, most: int = 9) -> None:
    """A horizontal axis of differences alone, with zero and the margin as a band.

    Args:
        most: round numbers, about.
    """
    area.fill_across(max(-margin, area.across[0]), min(margin, area.across[1]), BAND)
    area.cross_upwards(0, SOFT, 0.9)
    area.frame("b", RULE)
    numbers = place_ticks(*area.across, min(most, int(area.box[2] * 72 / 24)))
    area.tick_below([(number, tick_label(number)) for number in numbers], SOFT)


def tick_label(value: float) -> str:
    """A number on an axis: signed, without trailing zeros."""
    text = with_sign(value)
    return "0" if text == "0.000" else text.rstrip("0").rstrip(".")


class Mark(NamedTuple):
    """A point where its two numbers are known, with its intervals across and upwards.

    `look` is shape, colour and whether it is filled: open questions are hollow.
    """

    place: tuple[float | None, float | None]
    look: tuple[str, str, bool]
    across: Ends = (None, None)
    up: Ends = (None, None)

    @property
    def intervals(self) -> list[Segment]:
        """Those whose ends are known, each from end to end."""
        (x, y), (left, right), (low, high) = self.place, self.across, self.up
        ends: list[Segment] = []
        if is_known(left) and is_known(right) and is_known(y):
            ends.append(((left, y), (right, y)))
        if is_known(low) and is_known(high) and is_known(x):
            ends.append(((x, low), (x, high)))
        return ends


def draw_marks(area: PlotArea, marks: Iterable[Mark], width: float = 1.2, size: float = 6.0) -> None:
    """Draw them, the intervals as lines of that width, the points of that size (both in points of print)."""
    known = list(marks)
    for mark in known:
        if mark.intervals:
            area.lines(mark.intervals, mark.look[1], width)
    for mark in known:
        x, y = mark.place
        if is_known(x) and is_known(y):
            shape, color, filled = mark.look
            area.marks([(x, y)], MarkLook(shape, size, color, color if filled else PAPER))


@dataclass(frozen=True, slots=True)
class Panels:
    """Small panels, three in a row, that share their axes.

    Args:
        titles: one a panel.
        tall: inches of a panel.
        across, upwards: the numbers at the ends of the axes.
        labels: what these measure.
        ticks: of the axis across, where they are not round numbers.
        sides: that each panel has, as `PlotArea.frame` has them.
    """

    titles: Sequence[str]
    tall: float
    across: tuple[float, float]
    upwards: tuple[float, float]
    labels: tuple[str, str]
    ticks: tuple[Tick, ...] | None = None
    sides: str = "bl"


def panels_svg(
    panels: Panels, arms: Sequence[str], colors: Sequence[str],
    fill: Callable[[PlotArea, int], None], data: str, label: str,
) -> str:  # fmt: skip
    """Draw them below the legend of the arms; `fill` draws one, by its number."""
    down = ceil(len(panels.titles) / 3)
    top = 0.7 + legend_height(arms, 9.0)
    height = down * panels.tall + top
    # as matplotlib would place them, whose gaps are shares of a panel
    wide = 9.0 * 0.92 / (3 + 2 * 0.12)
    high = (height - top - 0.5) / (down + (down - 1) * 0.42)
    round_numbers = place_ticks(*panels.across, min(9, int(wide * 3)))
    below = panels.ticks or tuple(zip(round_numbers, name_ticks(round_numbers), strict=True))
    numbers = place_ticks(*panels.upwards, min(9, int(high * 4.5)))
    beside = tuple(zip(numbers, name_ticks(numbers), strict=True))

    def draw(drawing: Drawing) -> None:
        for number, title in enumerate(panels.titles):
            row, column = divmod(number, 3)
            box = (9.0 * 0.07 + column * 1.12 * wide, height - top - (row + 1) * high - row * 0.42 * high)
            area = PlotArea(drawing, (*box, wide, high), panels.across, panels.upwards)
            fill(area, number)
            area.frame(panels.sides, RULE)
            # the last panel of each column has the numbers, though the row below may be short
            lowest, first = number + 3 >= len(panels.titles), column == 0
            area.tick_below(below if lowest else _bare(below), SOFT, panels.labels[0] if lowest else "")
            area.tick_left(beside if first else _bare(beside), SOFT, panels.labels[1] if first else "")
            area.title(title, TextLook(INK, 8.5))
        arm_legend(drawing, arms, colors)

    return inline_svg((9.0, height), draw, data, label)


def _bare(ticks: Sequence[Tick]) -> list[Tick]:
    """Without their numbers."""
    return [(value, "") for value, _ in ticks]


def of_arm(place: int) -> tuple[str, str]:
    """Shape and colour of the arm, or of the series, at this place."""
    return SHAPES[place % len(SHAPES)], SERIES[place % len(SERIES)]


_LEGEND_LEFT, _LEGEND_LINE, _LONGEST_NAME = 0.1, 0.17, 22
"""Inches, inches, characters."""


def legend_height(arms: Sequence[str], width: float) -> float:
    """Inches that the legend needs below its first line, in a figure `width` inches wide."""
    return max(line for _, line in legend_places(arms, width)) * _LEGEND_LINE if arms else 0.0


def arm_legend(drawing: Drawing, arms: Sequence[str], colors: Sequence[str]) -> None:
    """The shapes and colours of the arms at the top, in as many lines as the width asks for."""
    for place, (arm, (x, line)) in enumerate(zip(arms, legend_places(arms, drawing.width), strict=True)):
        shape, color = SHAPES[place % len(SHAPES)], colors[place % len(colors)]
        y = drawing.height - 0.16 - line * _LEGEND_LINE
        drawing.marks([(x + 0.06, y)], MarkLook(shape, 5.0, color, color))
        drawing.text((x + 0.16, y), brief(arm, _LONGEST_NAME), TextLook(INK, 8.0))


def legend_places(arms: Sequence[str], width: float) -> list[tuple[float, int]]:
    """Of each arm in the legend, how many inches from the left, and in which line."""
    places, x, line = [], _LEGEND_LEFT, 0
    for arm in arms:
        needed = 0.34 + 0.0755 * len(brief(arm, _LONGEST_NAME))
        if x > _LEGEND_LEFT and x + needed > width:
            x, line = _LEGEND_LEFT, line + 1
        places.append((x, line))
        x += needed
    return places
