"""Small panels in one column, two in a row, with the legend of shapes above them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from memtrial.outcomes.spreadsheet import Value
from memtrial.reports.figures import svg
from memtrial.reports.figures.column.column_figure import SMALL, WIDTH, ColumnFigure, cells_of, fit

# inches
_TALL, _LEGEND_LINE, _LEFT, _RIGHT, _BOTTOM, _BETWEEN = 1.45, 0.13, 0.5, 3.24, 0.47, 0.14
_TITLE, _PER_CELL, _LEAST = 0.3, 0.056, 0.3
_LONGEST, _TITLE_CELLS = 24, 23
MOST_PANELS = 8
"""Panels of one figure, as many as a page has room for."""
LINES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)), (0, (6, 2, 1, 2)))
"""How lines of series are told apart without colour."""


@dataclass(frozen=True, slots=True)
class PanelSet:
    """What all panels of a figure share.

    Args:
        name, about, heads: as of a ColumnFigure.
        titles: of each panel, two lines at most; several panels or one.
        arms: named in the legend by shape, in the order of `svg.SHAPES`.
        lined: series are lines, told apart in the legend, too.
        fill: draws the panel of a number.
    """

    name: str
    about: str
    heads: tuple[str, ...]
    titles: tuple[str, ...]
    arms: tuple[str, ...]
    lined: bool
    fill: Callable[[Any, int], None]


def panel_figures(panels: PanelSet, rows: Sequence[Sequence[tuple[Value, ...]]]) -> Iterator[ColumnFigure]:
    """One figure, or several where there are more panels than a page has room for; `rows`: of each panel."""
    several = len(panels.titles) > MOST_PANELS
    for part, first in enumerate(range(0, len(panels.titles), MOST_PANELS), 1):
        numbers = range(first, min(first + MOST_PANELS, len(panels.titles)))
        down = ceil(len(numbers) / 2)
        top = 0.06 + _LEGEND_LINE * len(_legend_lines(panels.arms)) + _TITLE
        yield ColumnFigure(
            f"{panels.name}-{part}" if several else panels.name,
            panels.about,
            panels.heads,
            tuple(row for number in numbers for row in rows[number]),
            top + down * _TALL + (down - 1) * _TITLE + _BOTTOM,
            partial(_fill, panels=panels, numbers=numbers),
        )


def _fill(figure: Any, _: float, panels: PanelSet, numbers: range) -> None:
    inches = figure.get_size_inches()[1]
    across = min(len(numbers), 2)
    down = ceil(len(numbers) / across)
    top = inches - 0.06 - _LEGEND_LINE * len(_legend_lines(panels.arms)) - _TITLE
    wide = (_RIGHT - _LEFT - _BETWEEN * (across - 1)) / across
    for place, number in enumerate(numbers):
        line, beside = divmod(place, across)
        left, low = _LEFT + beside * (wide + _BETWEEN), top - line * (_TALL + _TITLE) - _TALL
        axes = figure.add_axes((left / WIDTH, low / inches, wide / WIDTH, _TALL / inches))
        axes.set_title(panels.titles[number], fontsize=SMALL, loc="left", pad=3)
        panels.fill(axes, number)
        if beside:
            axes.set_ylabel("")
            axes.tick_params(labelleft=False)
        if line < down - 1 and place + across < len(numbers):
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
        axes.xaxis.labelpad = axes.yaxis.labelpad = 1.5
    _write_legend(figure, panels)


def _legend_lines(arms: Sequence[str]) -> list[list[tuple[int, str, float]]]:
    """Lines of the legend: of each arm its place, its name, and how many inches from the left."""
    lines: list[list[tuple[int, str, float]]] = [[]]
    x = 0.06
    for place, arm in enumerate(arms):
        name = fit(arm, _LONGEST)
        needed = _LEAST + _PER_CELL * cells_of(name)
        if lines[-1] and x + needed > WIDTH:
            lines.append([])
            x = 0.06
        lines[-1].append((place, name, x))
        x += needed
    return lines


def _write_legend(figure: Any, panels: PanelSet) -> None:
    from matplotlib.lines import Line2D

    inches = figure.get_size_inches()[1]
    for number, line in enumerate(_legend_lines(panels.arms)):
        y = 1 - (0.09 + number * _LEGEND_LINE) / inches
        for place, name, x in line:
            shape, color = svg.of_arm(place) if panels.lined else (svg.of_arm(place)[0], svg.SOFT)
            how: dict[str, Any] = {"marker": shape, "ms": 3.6, "color": color, "lw": 0.9}
            how["ls"] = LINES[place % len(LINES)] if panels.lined else "none"
            ends = (
                ((x / WIDTH, (x + 0.14) / WIDTH), (y, y)) if panels.lined else (((x + 0.07) / WIDTH,), (y,))
            )
            figure.add_artist(Line2D(*ends, markevery=[0], **how))
            figure.text((x + 0.19) / WIDTH, y, name, fontsize=SMALL, va="center")


def panel_title(*lines: str) -> str:
    """The title of a panel, each line cut to its width."""
    return "\n".join(fit(line, _TITLE_CELLS) for line in lines)
