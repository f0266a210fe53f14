"""Shares in one column: how far the items went, and by which mode tasks failed."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from memtrial.outcomes.spreadsheet import Value
from memtrial.reports.figures import svg
from memtrial.reports.figures.column.column_figure import SMALL, TEXT, WIDTH, ColumnFigure, fit
from memtrial.reports.figures.column.column_panels import LINES, PanelSet, panel_figures, panel_title
from memtrial.reports.figures.funnel import STAGES
from memtrial.views.lookup import in_order
from memtrial.views.rows.failure_rows import FailureRow
from memtrial.views.rows.results import Results

_GREYS = ("#3a3a3a", "#8a8a8a", "#c9c9c9", "#ffffff")
_HATCHES = ("", "////", "....", "")
_KEYS = ("backbone", "domain", "arm", "condition")
# inches
_BAR_LEFT, _BAR_RIGHT, _ROW, _TOP, _BOTTOM = 0.06, 3.1, 0.32, 0.24, 0.3


def funnel_figures(results: Results) -> Iterator[ColumnFigure]:
    """Of the retrieved items the share that was shown, fired, acted upon and mattered: a panel a backbone."""
    if not results.funnel:
        return
    backbones = in_order(results.backbones, (row.backbone for row in results.funnel))
    arms = in_order(results.arms, (row.arm for row in results.funnel))
    parts = [[row for row in results.funnel if row.backbone == name] for name in backbones]

    def fill(axes: Any, number: int) -> None:
        axes.set(ylim=(-0.03, 1.05), xlim=(-0.3, len(STAGES) - 0.7), ylabel="share of retrieved")
        axes.set_xticks(range(len(STAGES)), labels=[stage[:9] for stage in STAGES], rotation=40, ha="right")
        axes.spines[["top", "right"]].set_visible(False)
        for row in parts[number]:
            place = arms.index(row.arm)
            shape, color = svg.of_arm(place)
            shares = [getattr(row, stage) / row.retrieved for stage in STAGES]
            how = {"marker": shape, "ms": 3.2, "lw": 0.9, "color": color, "ls": LINES[place % len(LINES)]}
            axes.plot(range(len(STAGES)), shares, clip_on=False, **how)

    data = [
        [(row.backbone, row.arm, *(getattr(row, stage) for stage in STAGES)) for row in part]
        for part in parts
    ]
    about = "Share of the retrieved items that was shown, fired, acted upon, and mattered."
    heads = ("backbone", "arm", *STAGES)
    titles = tuple(map(panel_title, backbones))
    yield from panel_figures(PanelSet("funnel", about, heads, titles, arms, True, fill), data)


def mode_figures(rows: Sequence[FailureRow]) -> Iterator[ColumnFigure]:
    """A bar a cell, stacked by failure mode in greys and hatches, its name above it."""
    drawn = [row for row in rows if row.n]
    if not drawn:
        return
    modes = list(drawn[0].counts)
    heads = (*_KEYS, "n", "mode", "count", "share", "low", "high")
    data: list[tuple[Value, ...]] = [
        (*_place(row), row.n, mode, row.counts[mode], row.shares[mode], row.low[mode], row.high[mode])
        for row in drawn
        for mode in modes
    ]
    about = "Failures on tasks that are solved without memory, by mode."
    height = _TOP + len(drawn) * _ROW + _BOTTOM
    yield ColumnFigure(
        "modes", about, heads, tuple(data), height, partial(_fill_bars, rows=drawn, modes=modes)
    )


def _place(row: FailureRow) -> tuple[str, ...]:
    return row.backbone, row.domain, row.arm, row.condition


def mode_looks(modes: Sequence[str]) -> list[dict[str, Any]]:
    """Grey and hatch of each mode."""
    return [
        {"facecolor": _GREYS[n % len(_GREYS)], "edgecolor": svg.INK, "hatch": _HATCHES[n % len(_HATCHES)]}
        for n in range(len(modes))
    ]


def _fill_bars(figure: Any, foot: float, rows: Sequence[FailureRow], modes: Sequence[str]) -> None:
    from matplotlib.patches import Patch

    inches = figure.get_size_inches()[1]
    box = (_BAR_LEFT / WIDTH, (foot + _BOTTOM) / inches, (_BAR_RIGHT - _BAR_LEFT) / WIDTH)
    axes = figure.add_axes((*box, len(rows) * _ROW / inches))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xticks([0, 0.5, 1], labels=["0", "50 %", "100 %"])
    axes.set_yticks([])
    looks = mode_looks(modes)
    for y, row in enumerate(rows):
        name = " ".join(filter(None, _place(row)))
        axes.text(0, y - 0.26, fit(f"{name} (n = {row.n:g})", 54), fontsize=TEXT, va="center")
        start = 0.0
        for mode, look in zip(modes, looks, strict=True):
            share = row.shares[mode] or 0.0
            axes.barh(y + 0.18, share, left=start, height=0.44, linewidth=0.5, **look)
            start += share
    patches = [Patch(label=mode, linewidth=0.5, **look) for mode, look in zip(modes, looks, strict=True)]
    figure.legend(
        handles=patches, loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=len(modes), frameon=False,
        fontsize=SMALL, handlelength=1.2, handletextpad=0.4, columnspacing=0.9, borderaxespad=0.1,
    )  # fmt: skip
