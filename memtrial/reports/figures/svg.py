"""Figures as SVG inside a page: matplotlib draws, the page sets the font."""

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from io import StringIO
from math import ceil
from typing import Any, NamedTuple, Protocol
from xml.sax.saxutils import quoteattr

from memtrial.console.escape import brief
from memtrial.views.numbers import is_known, with_sign

INK, SOFT, RULE, BAND, PAPER = "#1c2127", "#57606a", "#d5dae1", "#e9ecf1", "#ffffff"
SERIES = ("#0072b2", "#b84a00", "#007a5a", "#9c3d8a", "#444b54", "#7a5c00", "#c0265e", "#3d5a80")
"""Colours of arms on white paper: blue, vermilion, green, purple, grey, ochre, rose, slate. Told from each
other by the colour-blind in most pairs; shapes tell all of them."""
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
_STYLE = {
    "axes.titley": 1.0,  # above the axes: no figure is laid out to find a place for titles
    "svg.fonttype": "none", "svg.hashsalt": "memtrial", "font.size": 9, "text.parse_math": False,
    "text.color": INK, "axes.facecolor": "none", "axes.edgecolor": RULE, "axes.labelcolor": SOFT,
    "axes.labelsize": 8, "xtick.color": SOFT, "xtick.labelsize": 8, "xtick.major.size": 3,
    "ytick.color": SOFT, "ytick.labelsize": 8, "ytick.major.size": 3,
}  # fmt: skip
Ends = tuple[float | None, float | None]
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def inline_svg(size: tuple[float, float], fill: Callable[[Any], None], data: str, label: str) -> str:
    """Draw a figure as an `<svg>` element without prolog, the same bytes for the same input.

    Text stays text; no file, font or address is named.

    Args:
        size: width and height in inches.
        fill: draws on matplotlib's figure, in the colours of this file.
        data: what is drawn, as text: ids are made of its digest, as several figures share a page.
        label: the figure in a sentence, for those who do not see it.
    """
    import matplotlib
    from matplotlib.figure import Figure

    buffer = StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # glyphs only measure here; the reader's browser has the fonts
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()  # a user's style sheet is no part of the result
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=size)
        figure.patch.set_visible(False)
        fill(figure)
        nothing = {"Date": None, "Creator": None, "Type": None, "Format": None}
        figure.savefig(buffer, format="svg", metadata=nothing)
    salt = sha256(data.encode()).hexdigest()[:8]
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].rstrip()
    svg = _without(svg, "<metadata>", "</metadata>")
    # its style rule speaks of `*`, which in a page is everything
    svg = _without(svg, '<style type="text/css">', "</style>")
    # only inside tags: what the run calls its things is left as it is
    svg = re.sub(r"<[^<>]*>", lambda tag: _retouch(tag[0], salt), svg)
    return svg.replace("<svg", f'<svg role="img" aria-label={quoteattr(label)} stroke-linejoin="round"', 1)


def _without(svg: str, opening: str, closing: str) -> str:
    """The file without its one element of this kind and the blanks before it."""
    head, opened, rest = svg.partition(opening)
    return head.rstrip() + rest.partition(closing)[2] if opened else svg


def _retouch(tag: str, salt: str) -> str:
    """One tag with ids of its own and the reader's font."""
    # several figures share a page: ids have to differ, and references follow them
    if 'id="' in tag:
        tag = re.sub(r'\bid="', f'id="f{salt}-', tag)
    if "#" in tag:
        tag = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>f{salt}-", tag)
    if "DejaVu" not in tag:
        return tag
    return re.sub(r"(?<![\w-])(font[\w-]*+: [^;:\"']*+)'DejaVu Sans'[^;\"]*+", rf"\g<1>{_FONT}", tag)


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
    return low - air * (high - low), high + air * (high - low)


def difference_axis(axes: Any, span: tuple[float, float], margin: float) -> None:
    """A horizontal axis of differences alone, with zero and the margin as a band."""
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.set_xlim(*span)
    ticks = [tick for tick in axes.get_xticks() if span[0] <= tick <= span[1]]
    axes.set_xticks(ticks, labels=list(map(tick_label, ticks)))
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=SOFT, linewidth=0.9, zorder=1)


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
    def intervals(self) -> list[tuple[Ends, Ends]]:
        """Those whose ends are known, each from end to end."""
        (x, y), (left, right), (low, high) = self.place, self.across, self.up
        ends: list[tuple[Ends, Ends]] = []
        if is_known(left) and is_known(right) and is_known(y):
            ends.append(((left, y), (right, y)))
        if is_known(low) and is_known(high) and is_known(x):
            ends.append(((x, low), (x, high)))
        return ends


def draw_marks(axes: Any, marks: Iterable[Mark], width: float = 1.2, size: float = 6.0) -> None:
    """Draw them, the intervals as lines of that width, the points of that size (both in points of print).

    What looks alike is one artist, as each takes time.
    """
    from matplotlib.lines import Line2D

    intervals: dict[str, list[tuple[Ends, Ends]]] = {}
    points: dict[tuple[str, str, bool], list[Ends]] = {}
    for mark in marks:
        if mark.intervals:
            intervals.setdefault(mark.look[1], []).extend(mark.intervals)
        if is_known(mark.place[0]) and is_known(mark.place[1]):
            points.setdefault(mark.look, []).append(mark.place)
    for color, lines in intervals.items():
        stroke(axes, lines, color, width)
    for (shape, color, filled), places in points.items():
        how: dict[str, Any] = {"marker": shape, "ms": size, "mec": color, "mfc": color if filled else PAPER}
        axes.add_line(Line2D(*zip(*places, strict=True), ls="none", zorder=3, clip_on=False, **how))


def stroke(
    axes: Any, lines: Sequence[Sequence[Ends]], color: str, width: float, z: int = 2, ls: str = "-"
) -> None:
    """Lines, each from end to end: `hlines` does the same, and takes three times as long."""
    from matplotlib.collections import LineCollection

    drawn = LineCollection(lines, colors=color, linewidths=width, zorder=z, linestyles=ls)  # type: ignore[arg-type]
    axes.add_collection(drawn, autolim=False)


def panels_svg(
    titles: Sequence[str], arms: Sequence[str], colors: Sequence[str], tall: float,
    fill: Callable[[Any, int], None], data: str, label: str,
) -> str:  # fmt: skip
    """Small panels `tall` inches high, three in a row on the same axes; `fill` draws one, by its number."""
    down = ceil(len(titles) / 3)
    top = 0.7 + legend_height(arms, 9.0)
    height = down * tall + top

    def draw(figure: Any) -> None:
        figure.subplots_adjust(0.07, 0.5 / height, 0.99, 1 - top / height, 0.12, 0.42)
        grid = figure.subplots(down, 3, sharex=True, sharey=True, squeeze=False)
        for axes in grid.flat[len(titles) :]:
            axes.set_axis_off()
        for number, (axes, title) in enumerate(zip(grid.flat, titles, strict=False)):
            axes.set_title(title, fontsize=8.5, loc="left")
            fill(axes, number)
            # the last panel of each column has the numbers, though the row below may be short
            if (lowest := number + 3 >= len(titles)) is False:
                axes.set_xlabel("")
            if number % 3:
                axes.set_ylabel("")
            axes.tick_params(labelbottom=lowest, labelleft=number % 3 == 0)
        arm_legend(figure, arms, colors)

    return inline_svg((9.0, height), draw, data, label)


def of_arm(place: int) -> tuple[str, str]:
    """Shape and colour of the arm, or of the series, at this place."""
    return SHAPES[place % len(SHAPES)], SERIES[place % len(SERIES)]


_LEGEND_LEFT, _LEGEND_LINE, _LONGEST_NAME = 0.1, 0.17, 22
"""Inches, inches, characters."""


def legend_height(arms: Sequence[str], width: float) -> float:
    """Inches that the legend needs below its first line, in a figure `width` inches wide."""
    return max(line for _, line in _legend_places(arms, width)) * _LEGEND_LINE if arms else 0.0


def arm_legend(figure: Any, arms: Sequence[str], colors: Sequence[str]) -> None:
    """The shapes and colours of the arms at the top, in as many lines as the width asks for."""
    from matplotlib.lines import Line2D

    width, height = figure.get_size_inches()
    for place, (arm, (x, line)) in enumerate(zip(arms, _legend_places(arms, width), strict=True)):
        shape, color = SHAPES[place % len(SHAPES)], colors[place % len(colors)]
        y = 1 - (0.16 + line * _LEGEND_LINE) / height
        point = ((x + 0.06) / width,), (y,)
        figure.add_artist(Line2D(*point, linestyle="none", markersize=5, marker=shape, color=color))
        figure.text((x + 0.16) / width, y, brief(arm, _LONGEST_NAME), fontsize=8, va="center")


def _legend_places(arms: Sequence[str], width: float) -> list[tuple[float, int]]:
    """Of each arm in the legend, how many inches from the left, and in which line."""
    places, x, line = [], _LEGEND_LEFT, 0
    for arm in arms:
        needed = 0.34 + 0.0755 * len(brief(arm, _LONGEST_NAME))
        if x > _LEGEND_LEFT and x + needed > width:
            x, line = _LEGEND_LEFT, line + 1
        places.append((x, line))
        x += needed
    return places
