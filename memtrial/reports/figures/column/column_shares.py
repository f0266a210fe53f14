"""Shares in one column: how far the items went, and by which mode tasks failed."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from memtrial.outcomes.spreadsheet import Value
from memtrial.reports.figures import svg
from memtrial.reports.figures.column.column_figure import SMALL, TEXT, WIDTH, ColumnFigure, fit
from memtrial.reports.figures.column.column_panels import LINES, PanelSet, panel_figures, panel_title
from memtrial.reports.figures.funnel import STAGES
from memtrial.reports.figures.stacked_shares import modes_of
from memtrial.views.lookup import in_order
from memtrial.views.rows.failure_rows import FailureRow
from memtrial.views.rows.results import Results

_GREYS = ("#3a3a3a", "#8a8a8a", "#c9c9c9", "#ffffff")
_HATCHES = ("", "////", "....", "")
_KEYS = ("backbone", "domain", "arm", "condition")
# inches
_BAR_LEFT, _BAR_RIGHT, _ROW, _TOP, _BOTTOM = 0.06, 3.1, 0.32, 0.24, 0.3
MOST_BARS = 26
"""Bars that a page has room for; more go into a second figure."""


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


def mode_figures(name: str, rows: Sequence[FailureRow]) -> Iterator[ColumnFigure]:
    """A bar a cell, stacked by failure mode in greys and hatches, its name above it."""
    drawn = [row for row in rows if row.n]
    if not drawn:
        return
    modes = modes_of(drawn)
    names = _names(drawn)
    heads = (*_KEYS, "n", "mode", "count", "share", "low", "high")
    about = "Failures on tasks that are solved without memory, by mode."
    parts = [drawn[start : start + MOST_BARS] for start in range(0, len(drawn), MOST_BARS)]
    for number, part in enumerate(parts, 1):
        data: list[tuple[Value, ...]] = [
            (*_place(row), row.n, mode, row.counts.get(mode), *_share(row, mode))
            for row in part
            for mode in modes
        ]
        yield ColumnFigure(
            name if len(parts) == 1 else f"{name}-{number}",
            about,
            heads,
            tuple(data),
            _TOP + len(part) * _ROW + _BOTTOM,
            partial(_fill_bars, rows=part, names=names, modes=modes),
        )


def _share(row: FailureRow, mode: str) -> tuple[float | None, float | None, float | None]:
    return row.shares.get(mode), row.low.get(mode), row.high.get(mode)


def _place(row: FailureRow) -> tuple[str, ...]:
    return row.backbone, row.domain, row.arm, row.condition


def _names(rows: Sequence[FailureRow]) -> dict[tuple[str, ...], str]:
    """By its place what tells a row from the others; the whole place where it is alone."""
    places = list(map(_place, rows))
    apart = [part for part in range(len(_KEYS)) if len({place[part] for place in places}) > 1]
    return {
        place: " ".join(filter(None, (place[part] for part in apart or range(len(_KEYS)))))
        for place in places
    }


def mode_looks(modes: Sequence[str]) -> list[dict[str, Any]]:
    """Grey and hatch of each mode."""
    return [
        {"facecolor": _GREYS[n % len(_GREYS)], "edgecolor": svg.INK, "hatch": _HATCHES[n % len(_HATCHES)]}
        for n in range(len(modes))
    ]


def _fill_bars(
    figure: Any,
    foot: float,
    rows: Sequence[FailureRow],
    names: Mapping[tuple[str, ...], str],
    modes: Sequence[str],
) -> None:
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
        count = f"(n = {row.n:g})"
        label = f"{fit(names[_place(row)], 52 - len(count))} {count}"
        axes.text(0, y - 0.26, label, fontsize=TEXT, va="center")
        start = 0.0
        for mode, look in zip(modes, looks, strict=True):
            share = row.shares.get(mode) or 0.0
            axes.barh(y + 0.18, share, left=start, height=0.44, linewidth=0.5, **look)
            start += share
    patches = [Patch(label=mode, linewidth=0.5, **look) for mode, look in zip(modes, looks, strict=True)]
    figure.legend(
        handles=patches, loc="upper left", bbox_to_anchor=(0.0, 1.0), ncols=len(modes), frameon=False,
        fontsize=SMALL, handlelength=1.2, handletextpad=0.4, columnspacing=0.9, borderaxespad=0.1,
    )  # fmt: skip
