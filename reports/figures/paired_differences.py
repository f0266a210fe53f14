"""The paired-difference plot: every task's difference, sorted, a panel a contrast, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil
from typing import Any

from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.lookup import by_backbone, subject
from loadbearing.reports.base.numbers import share, signed
from loadbearing.reports.figures.svg import BAND, INK, RULE, SOFT, TONE, inline_svg, tick_label
from loadbearing.reports.model.results import Results
from loadbearing.reports.model.rows import DifferenceRow
from loadbearing.reports.text.comparison_readings import against_reference, reference_of
from loadbearing.reports.text.reading import condition_name
from loadbearing.reports.text.table import CONDITION, Table, tabulate, text

# inches
_WIDTH, _ACROSS, _LEFT, _GAP = 9.0, 3, 0.5, 0.3
_TALL, _TITLE, _BELOW, _FOOT = 1.45, 0.42, 0.22, 0.34

NAMES = {
    "utility": "score with memory − score without",
    "drop": "score with intact text − score with damaged text",
    "contrast": "drop of the treatment − drop of the control",
}


def paired_svg(results: Results, estimand: str) -> str:
    """Draw each contrast's tasks from the most negative to the most positive difference, mean as a line.

    Args:
        results: what `results.json` holds; `differences` is drawn, on one axis for all panels.
        estimand: utility, drop or contrast.
    """
    found, band = differences_of(results, estimand), results.margin
    lines = ceil(len(found) / _ACROSS) or 1
    panel = (_WIDTH - _LEFT - 0.1 - _GAP * (_ACROSS - 1)) / _ACROSS
    height = lines * (_TITLE + _TALL + _BELOW) + _FOOT
    most = max((abs(value) for row in found for value, _ in row.values), default=1.0) or 1.0

    def fill(figure: Any) -> None:
        for place, row in enumerate(found):
            line, column = divmod(place, _ACROSS)
            left = _LEFT + column * (panel + _GAP)
            top = line * (_TITLE + _TALL + _BELOW) + _TITLE
            spot = (left / _WIDTH, 1 - (top + _TALL) / height, panel / _WIDTH, _TALL / height)
            axes = figure.add_axes(spot)
            _panel(axes, row, most, band, first=column == 0)
        what = against_reference(found) or NAMES[estimand]
        foot = f"{what}, one bar a task, sorted; line: mean; shaded: within the margin"
        figure.text(0.5, 0.06 / height, foot, color=SOFT, fontsize=8, ha="center", parse_math=False)

    label = f"Differences of each task, sorted, in {len(found)} small panels. The data follow."
    return inline_svg((_WIDTH, height), fill, f"paired {estimand} {(found, band)!r}", label)


def differences_of(results: Results, estimand: str) -> tuple[DifferenceRow, ...]:
    """The rows of `differences` with this estimand, by backbone."""
    return by_backbone(results, (row for row in results.differences if row.estimand == estimand))


def paired_table(results: Results, estimand: str) -> Table:
    """How many tasks gain, stay and lose, a row a contrast."""
    return tabulate(
        "How the tasks fall: share with a positive difference, with none, and with a negative one, and the "
        "mean. Every value stands in results.json, under differences.",
        differences_of(results, estimand),
        text("backbone", "name"),
        ("of", "name", subject),
        *([] if reference_of(results) else [CONDITION]),
        ("tasks", "number", lambda row: f"{_total(row):.0f}"),
        ("positive", "number", lambda row: share(_share(row, 1))),
        ("none", "number", lambda row: share(_share(row, 0))),
        ("negative", "number", lambda row: share(_share(row, -1))),
        ("mean", "number", lambda row: signed(_mean(row))),
    )


def _total(row: DifferenceRow) -> float:
    return float(sum(count for _, count in row.values))


def _mean(row: DifferenceRow) -> float:
    return float(sum(value * count for value, count in row.values) / _total(row))


def _share(row: DifferenceRow, sign: int) -> float:
    hit = sum(count for value, count in row.values if (value > 0) - (value < 0) == sign)
    return float(hit / _total(row))


def _panel(axes: Any, row: DifferenceRow, most: float, margin: float, first: bool) -> None:
    axes.patch.set_visible(False)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color(RULE)
    axes.set_xlim(0, 1)
    axes.set_ylim(-1.08 * most, 1.08 * most)
    axes.set_xticks([])
    axes.set_yticks([-most, 0, most], labels=[tick_label(t) for t in (-most, 0, most)] if first else [""] * 3)
    axes.tick_params(axis="y", colors=SOFT, labelsize=8, length=3)
    if margin > 0:
        axes.axhspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    edges = [0.0, *accumulate(count / _total(row) for _, count in row.values)]
    _bars(axes, row.values, edges)
    axes.axhline(0, color=SOFT, linewidth=0.9, zorder=2)
    axes.axhline(_mean(row), color=INK, linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
    names = (
        shortened(one_line(row.backbone), 34),
        f"{subject(row)}, {condition_name(row.condition)}",
    )
    for line, name in enumerate(reversed(names)):
        axes.annotate(
            shortened(one_line(name), 40),
            (0, 1),
            (0, 4 + 11 * line),
            xycoords="axes fraction",
            textcoords="offset points",
            color=SOFT if line else INK,
            fontsize=8,
            parse_math=False,
            annotation_clip=False,
        )


def _bars(axes: Any, values: Sequence[Sequence[float]], edges: Sequence[float]) -> None:
    """One rectangle a run of equal tasks: what is above zero in one colour, what is below in another."""
    for (value, _), left, right in zip(values, edges, edges[1:], strict=False):
        tone = TONE["effect"] if value > 0 else TONE["harm"]
        if value:
            axes.fill_between((left, right), 0.0, value, color=tone, linewidth=0, zorder=1)
