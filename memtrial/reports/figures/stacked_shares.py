"""Shares of failure modes: a stacked bar a row, and the interval of each share beside it."""

from collections.abc import Sequence
from typing import Any

from memtrial.analysis.failures.shares import OTHER
from memtrial.console.escape import brief
from memtrial.reports.figures.svg import INK, PAPER, SERIES, SHAPES, SOFT, inline_svg
from memtrial.views.numbers import is_known
from memtrial.views.rows.failure_rows import FailureRow

_WIDTH, _ROW, _EDGES = 9.0, 0.42, 1.1  # inches
_GREY = 4
_HATCHES = ("", "///", "...", "xx")


def stacked_svg(rows: Sequence[FailureRow]) -> str:
    """Draw the rows with failures, one at least; modes are told apart by hatching and shape, too."""
    drawn = [row for row in rows if row.n]
    modes = modes_of(drawn)
    names = _names(drawn)

    def fill(figure: Any) -> None:
        height = figure.get_size_inches()[1]
        tall = 1 - _EDGES / height
        bars = figure.add_axes((0.33, 0.5 / height, 0.3, tall))
        ends = figure.add_axes((0.67, 0.5 / height, 0.3, tall))
        for axes in (bars, ends):
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.set(xlim=(0, 1), ylim=(len(drawn) - 0.5, -0.5))
            axes.set_xticks([0, 0.5, 1], labels=["0", "50 %", "100 %"])
            axes.set_yticks([])
        bars.set_yticks(
            range(len(drawn)), labels=[f"{n} ({row.n:g})" for n, row in zip(names, drawn, strict=True)]
        )
        bars.set_title("shares", color=INK, fontsize=9, loc="left")
        ends.set_title("with intervals of 95 %", color=INK, fontsize=9, loc="left")
        for level_of_row, row in enumerate(drawn):
            start = 0.0
            for number, mode in enumerate(modes):
                color = SERIES[_GREY if mode == OTHER else number]
                share = row.shares.get(mode) or 0.0
                look = {"color": color, "edgecolor": PAPER, "hatch": _HATCHES[number % len(_HATCHES)]}
                bars.barh(
                    level_of_row,
                    share,
                    left=start,
                    height=0.62,
                    linewidth=0.5,
                    label=mode if not level_of_row else None,
                    **look,
                )
                start += share
                level = level_of_row + (number - (len(modes) - 1) / 2) * 0.18
                low, high = row.low.get(mode), row.high.get(mode)
                if is_known(low) and is_known(high):
                    ends.plot([low, high], [level, level], color=SOFT, linewidth=1)
                if mode in row.shares:
                    ends.plot([share], [level], marker=SHAPES[number], ms=4, color=color, ls="none")
        bars.legend(loc="upper left", bbox_to_anchor=(-1.1, 1 + 0.55 / height / tall), ncols=4, frameon=False)

    description = f"Shares of failure modes with intervals, {len(drawn)} rows. The table follows."
    return inline_svg((_WIDTH, len(drawn) * _ROW + _EDGES), fill, repr(drawn), description)


def modes_of(rows: Sequence[FailureRow]) -> list[str]:
    """The modes of all rows: published ones have no `other`."""
    return list(dict.fromkeys(mode for row in rows for mode in row.counts))


def _names(rows: Sequence[FailureRow]) -> list[str]:
    places = [(row.backbone, row.domain, row.arm, row.condition) for row in rows]
    apart = [part for part in range(4) if len({place[part] for place in places}) > 1]
    return [brief(" ".join(place[part] for part in apart), 44) for place in places]
