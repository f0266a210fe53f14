"""The utility × drop plane: does the memory help, and does its content carry it? A panel a condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadbearing.analysis.result import Estimate
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.lookup import in_order
from loadbearing.reports.base.numbers import is_known
from loadbearing.reports.figures.plane_points import Point, plane_points
from loadbearing.reports.figures.svg import (
    BAND,
    INK,
    PAPER,
    RULE,
    SERIES,
    SHAPES,
    SOFT,
    inline_svg,
    tick_label,
)
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name
from loadbearing.reports.text.verdict_glossary import verdict_word

# inches
_WIDTH, _ACROSS, _LEFT, _GAP = 9.0, 3, 0.62, 0.3
_PANEL, _TALL, _TITLE, _BELOW, _HEADING = 2.55, 2.0, 0.24, 0.3, 0.36
_KEY, _KEY_TALL, _FOOT = 3.3, 1.2, 0.3
_LEGEND_ROWS = 4

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Panel:
    """One small plane; `top` is its upper edge in inches from the top of the figure, `left` from the left."""

    condition: str
    left: float
    top: float
    points: tuple[Point, ...]


def plane_svg(results: Results) -> str:
    """Draw the plane: rows of panels for each backbone, one panel a condition, the same axes everywhere.

    Args:
        results: what `results.json` holds. Every panel holds a point an arm, told by shape and colour, with
            both intervals; it is hollow where the verdict on the drop is an open question.
    """
    points, margin = plane_points(results), results.margin
    panels, headings, height = _layout(points, results.conditions)
    arms = {arm: place for place, arm in enumerate(in_order(results.arms, (point.arm for point in points)))}

    def fill(figure: Any) -> None:
        spans = _span(points, "utility", margin), _span(points, "drop", margin)
        _key(figure, height, margin)
        _legend(figure, height, arms)
        for top, backbone in headings:
            _write(figure, height, (0.0, top + 0.22), shortened(one_line(backbone), 90), weight="bold")
        for panel in panels:
            _panel(figure, height, panel, spans, margin, arms)

    return inline_svg((_WIDTH, height), fill, f"plane {(points, margin)!r}", _label(points))


def _label(points: Sequence[Point]) -> str:
    return (
        f"Utility and drop of {len(points)} cells as points with intervals, in small panels. The data follow."
    )


def _look(place: int) -> tuple[str, str]:
    """Shape and colour; the 9th arm has the first shape in the second colour."""
    return SHAPES[place % len(SHAPES)], SERIES[(place + place // len(SHAPES)) % len(SERIES)]


def _layout(
    points: Sequence[Point], order: Sequence[str]
) -> tuple[list[_Panel], list[tuple[float, str]], float]:
    """Panels, the backbones' headings with their tops, and the height of the figure, in inches."""
    panels: list[_Panel] = []
    headings: list[tuple[float, str]] = []
    top = _KEY_TALL + 0.75
    for backbone in dict.fromkeys(point.backbone for point in points):
        headings.append((top, backbone))
        top += _HEADING
        own = [point for point in points if point.backbone == backbone]
        conditions = in_order(order, (point.condition for point in own))
        for at, condition in enumerate(conditions):
            across, down = at % _ACROSS, at // _ACROSS
            left = _LEFT + across * (_PANEL + _GAP)
            below = top + down * (_TITLE + _TALL + _BELOW)
            members = tuple(point for point in own if point.condition == condition)
            panels.append(_Panel(condition, left, below + _TITLE, members))
        top += -(-len(conditions) // _ACROSS) * (_TITLE + _TALL + _BELOW) + 0.1
    return panels, headings, top + _FOOT


def _span(points: Sequence[Point], axis: str, margin: float) -> Span:
    """A range that holds every point and interval, the margin and zero, with some air."""
    rows: list[Estimate] = [getattr(point, axis) for point in points]
    seen = [value for row in rows for value in (row.estimate, row.low, row.high) if is_known(value)]
    least = max(2.0 * margin, 0.1)
    low, high = min([*seen, -least]), max([*seen, least])
    air = 0.05 * (high - low)
    return low - air, high + air


def _axes(figure: Any, height: float, left: float, top: float, size: Span) -> Any:
    wide, tall = size
    axes = figure.add_axes((left / _WIDTH, (height - top - tall) / height, wide / _WIDTH, tall / height))
    axes.patch.set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(RULE)
    axes.set_axisbelow(True)
    return axes


def _lines(axes: Any, margin: float) -> None:
    """Zero, the band within the margin on both axes, and its edges."""
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=1)
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    if margin > 0:
        axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
        axes.axhspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
        for draw in (axes.axvline, axes.axhline):
            draw(margin, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1)
            draw(-margin, color=SOFT, linewidth=0.6, linestyle=(0, (1, 2)), zorder=1)


def _panel(
    figure: Any,
    height: float,
    panel: _Panel,
    spans: tuple[Span, Span],
    margin: float,
    arms: Mapping[str, int],
) -> None:
    axes = _axes(figure, height, panel.left, panel.top, (_PANEL, _TALL))
    axes.set_xlim(*spans[0])
    axes.set_ylim(*spans[1])
    axes.locator_params(nbins=5)
    axes.tick_params(colors=SOFT, labelsize=7.5, length=2.5)
    for ticks, limits, place in (
        (axes.get_xticks(), spans[0], axes.set_xticks),
        (axes.get_yticks(), spans[1], axes.set_yticks),
    ):
        inside = [tick for tick in ticks if limits[0] <= tick <= limits[1]]
        place(inside, labels=[tick_label(tick) for tick in inside])
    first = panel.left == _LEFT
    axes.tick_params(labelleft=first)
    if first:
        axes.set_ylabel("drop", color=SOFT, fontsize=8, labelpad=2)
    axes.set_xlabel("utility", color=SOFT, fontsize=8, labelpad=1)
    _lines(axes, margin)
    name = shortened(one_line(condition_name(panel.condition)), 34)
    _write(figure, height, (panel.left, panel.top - 0.07), name, fontsize=8.5)
    for point in panel.points:
        _point(axes, point, arms[point.arm])


def _point(axes: Any, point: Point, place: int) -> None:
    shape, color = _look(place)
    x, y = point.utility.estimate, point.drop.estimate
    if _has_ends(point.utility):
        axes.hlines(y, point.utility.low, point.utility.high, color=color, linewidth=1.0, zorder=2)
    if _has_ends(point.drop):
        axes.vlines(x, point.drop.low, point.drop.high, color=color, linewidth=1.0, zorder=2)
    if x is not None and y is not None:
        _mark(axes, x, y, shape, color, verdict_word(point.drop.verdict).filled)


def _has_ends(row: Estimate) -> bool:
    return is_known(row.low) and is_known(row.high)


def _mark(axes: Any, x: float, y: float, shape: str, color: str, filled: bool = True) -> None:
    axes.plot(
        [x],
        [y],
        marker=shape,
        markersize=6.5 if filled else 6.0,
        markerfacecolor=color if filled else PAPER,
        markeredgecolor=PAPER if filled else color,
        markeredgewidth=0.7 if filled else 1.3,
        linestyle="none",
        zorder=3,
        clip_on=False,
    )


def _key(figure: Any, height: float, margin: float) -> None:
    """An empty plane with the names of its regions."""
    axes = _axes(figure, height, _LEFT, 0.3, (_KEY, _KEY_TALL))
    axes.set_xlim(-1, 1)
    axes.set_ylim(-1, 1)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("utility: with memory − without", color=SOFT, fontsize=7.5, labelpad=2)
    axes.set_ylabel("drop: intact − damaged", color=SOFT, fontsize=7.5, labelpad=2)
    for draw in (axes.axvline, axes.axhline):
        draw(0, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)))
    regions = {
        (0.5, 0.5): "useful and\nload-bearing",
        (0.5, -0.5): "useful and inert:\nplacebo",
        (-0.5, 0.5): "used,\nno net benefit",
        (-0.5, -0.5): "no signal\nor ignored",
    }
    for (x, y), name in regions.items():
        axes.text(x, y, name, color=INK, fontsize=8, ha="center", va="center", linespacing=1.25)
    edge = f"dashed: the margin, +{margin:.2f}" if margin > 0 else "no margin was recorded"
    _write(figure, height, (_LEFT, 0.2), f"How to read a panel ({edge})", fontsize=8.5, color=SOFT)


def _legend(figure: Any, height: float, arms: Mapping[str, int]) -> None:
    left = _LEFT + _KEY + 0.45
    axes = _axes(figure, height, left, 0.3, (_WIDTH - left, _KEY_TALL))
    axes.set_axis_off()
    axes.set_xlim(0, _WIDTH - left)
    axes.set_ylim(_KEY_TALL, 0)
    _write(
        figure,
        height,
        (left, 0.2),
        "Arms; bars are intervals; hollow: the verdict is open",
        fontsize=8.5,
        color=SOFT,
    )
    columns = -(-len(arms) // _LEGEND_ROWS)
    step = (_WIDTH - left) / max(columns, 2)
    for arm, place in arms.items():
        x, y = 0.1 + step * (place // _LEGEND_ROWS), 0.16 + 0.26 * (place % _LEGEND_ROWS)
        _mark(axes, x, y, *_look(place))
        name = shortened(one_line(arm), max(int(step / 0.075), 6))
        axes.text(x + 0.15, y, name, color=INK, fontsize=8.5, va="center", parse_math=False)
    if not arms:
        axes.text(0, 0.2, "Nothing was estimated.", color=SOFT)


def _write(
    figure: Any, height: float, foot: tuple[float, float], text: str, fontsize: float = 9.0,
    color: str = INK, weight: str = "normal",
) -> None:  # fmt: skip
    """Text whose foot is so many inches from the left and from the top."""
    left, top = foot
    figure.text(
        left / _WIDTH, 1 - top / height, text, fontsize=fontsize, color=color, weight=weight, parse_math=False
    )
