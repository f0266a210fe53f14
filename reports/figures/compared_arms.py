"""The small figure of the first screen: the compared arms, a line a backbone and condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.lookup import in_order, of_estimand
from loadbearing.reports.base.numbers import is_known
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
from loadbearing.reports.text.comparison_readings import against_reference
from loadbearing.reports.text.verdict_glossary import verdict_word

# inches
_WIDTH, _LEFT, _ROW, _BOTTOM, _TOP = 5.2, 1.75, 0.3, 0.5, 0.34
_MOST = 12
"""Lines; more are left to the figures below."""
_AXES = {
    "drop": "drop of the score when the text is damaged",
    "utility": "score with memory − score without",
}


def compared(results: Results) -> tuple[Estimate, ...]:
    """The drops of the arms that are compared; without hypotheses all drops, without drops all utilities."""
    drops = [row for row in of_estimand(results, "drop") if row.backbone != ALL]
    arms = {name for one in results.hypotheses for name in (one.treatment, one.control)}
    primary = {one.condition for one in results.hypotheses}
    told = [row for row in drops if row.arm in arms and row.condition in primary]
    gains = [row for row in of_estimand(results, "utility") if row.backbone != ALL]
    return tuple(row for row in told or drops or gains if is_known(row.estimate))


def compared_svg(results: Results) -> str:
    """Draw them: an arm is told by shape and colour; a point is hollow where the verdict is open."""
    rows = compared(results)
    lines = list(dict.fromkeys((row.backbone, row.condition) for row in rows))[:_MOST]
    arms = in_order(results.arms, (row.arm for row in rows))
    size = max(_ROW, 0.11 * len(arms) + 0.06)
    height = _TOP + size * len(lines) + _BOTTOM
    estimand = rows[0].estimand if rows else "drop"

    def fill(figure: Any) -> None:
        axes = figure.add_axes(
            (_LEFT / _WIDTH, _BOTTOM / height, 1 - (_LEFT + 0.08) / _WIDTH, size * len(lines) / height)
        )
        _frame(axes, rows, results.margin)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        labels = [_label(lines, at, estimand) for at in range(len(lines))]
        axes.set_yticks(range(len(lines)), labels=labels, fontsize=8, color=INK, parse_math=False)
        for row in rows:
            if (row.backbone, row.condition) in lines:
                place, line = arms.index(row.arm), lines.index((row.backbone, row.condition))
                _point(axes, row, line + (place - (len(arms) - 1) / 2) * 0.8 / len(arms), place)
        what = against_reference(rows) or _AXES[estimand]
        note = f"{what}; shaded: ±{results.margin:.2f}"
        axes.set_xlabel(note, color=SOFT, fontsize=8, labelpad=3, parse_math=False)
        _legend(figure, height, arms)

    told = f"The compared arms beside each other: {len(rows)} estimates with intervals."
    return inline_svg((_WIDTH, height), fill, f"compared {rows!r}", told)


def _label(lines: Sequence[tuple[str, str]], at: int, estimand: str) -> str:
    """The condition; before it the backbone, where that is another than above."""
    backbone, condition = lines[at]
    name = one_line(backbone).rpartition("/")[2]
    new = not at or lines[at - 1][0] != backbone
    if estimand == "utility":
        return shortened(name, 26)
    return f"{shortened(name, 12)}  {shortened(condition, 15)}" if new else shortened(condition, 15)


def _frame(axes: Any, rows: Sequence[Estimate], margin: float) -> None:
    seen = [value for row in rows for value in (row.estimate, row.low, row.high) if is_known(value)]
    low, high = min([*seen, -1.5 * margin]), max([*seen, 1.5 * margin])
    axes.set_xlim(low - 0.03 * (high - low), high + 0.03 * (high - low))
    axes.patch.set_visible(False)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(RULE)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", colors=SOFT, labelsize=8, length=3)
    axes.locator_params(axis="x", nbins=6)
    ticks = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, labels=[tick_label(tick) for tick in ticks])
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=SOFT, linewidth=0.9, zorder=1)


def _point(axes: Any, row: Estimate, y: float, place: int) -> None:
    color, filled = SERIES[place % len(SERIES)], verdict_word(row.verdict).filled
    if is_known(row.low) and is_known(row.high):
        axes.hlines(y, row.low, row.high, color=color, linewidth=1.2, zorder=2)
    axes.plot(
        [row.estimate],
        [y],
        marker=SHAPES[place % len(SHAPES)],
        markersize=5,
        markeredgecolor=color,
        markerfacecolor=color if filled else PAPER,
        linestyle="none",
        zorder=3,
    )


def _legend(figure: Any, height: float, arms: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    x, y = 0.02, 1 - 0.16 / height
    for place, arm in enumerate(arms):
        name = shortened(one_line(arm), 22)
        shape, color = SHAPES[place % len(SHAPES)], SERIES[place % len(SERIES)]
        mark = Line2D((x + 0.012,), (y,), linestyle="none", markersize=5, marker=shape, color=color)
        figure.add_artist(mark)
        figure.text(x + 0.03, y, name, color=INK, fontsize=8, va="center", parse_math=False)
        x += 0.065 + 0.0145 * len(name)
