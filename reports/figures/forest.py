"""Forest plots: every estimate with its interval, its verdict and the margin, as inline SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.base.lookup import is_pair
from loadbearing.reports.base.numbers import interval, is_known
from loadbearing.reports.figures.svg import BAND, INK, PAPER, RULE, SOFT, TONE, inline_svg, tick_label
from loadbearing.reports.text.comparison_readings import against_reference
from loadbearing.reports.text.verdict_entry import printed
from loadbearing.reports.text.verdict_glossary import verdict_word

AXES: Mapping[str, str] = MappingProxyType(
    {
        "utility": "score with memory − score without",
        "drop": "score with intact text − score with damaged text",
        "contrast": "drop of the treatment − drop of the control",
        "retention": "drop − a share of the utility",
        "content": "drop − the same damage's drop on an irrelevant slot",
        "beyond placebo": "drop − drop of a rewording that keeps the meaning",
        "instructed": "score when told to follow the items − score when they are damaged, or without memory",
        "factorial": "effect of a factor on the intact score, or on the drop",
        "dose": "score for one true item more among distractors",
        "follow": "share that does as told − share that does so when told otherwise",
    }
)
"""What the horizontal axis measures, by estimand."""

# inches
_WIDTH, _ROW, _GAP, _TOP, _BOTTOM = 9.0, 0.23, 0.12, 0.42, 0.62
_LEFT, _RIGHT, _NUMBERS, _WORD = 2.75, 5.95, 6.1, 7.95
_TOGETHER = "all backbones: their mean inside each task"
_LABEL = 20  # characters of a condition
_TALL = 24  # rows beyond which the axis is repeated on top


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the figure, `y` rows below the top: a backbone's heading, or an estimate."""

    y: float
    backbone: str
    group: str
    label: str
    row: Estimate | None


def forest_svg(estimates: Sequence[Estimate], margin: float) -> str:
    """Draw estimates as a forest plot, grouped by backbone and arm, in the order given.

    Args:
        estimates: rows of `estimates`, of one estimand for a sensible axis; numbers may be None.
        margin: half-width of the shaded band, in points of score; 0 where it is not known.

    Returns:
        an `<svg>` element without prolog, the same bytes for the same input. Text stays text; colours are
        CSS variables (`--ink`, `--soft`, `--rule`, `--band`, `--paper`, `--tone-*`) with values for white
        paper. It names no file, font or address.
    """
    lines, height = _layout(estimates)
    return _draw(estimates, lines, height, margin)


def describe(estimates: Sequence[Estimate]) -> str:
    """The figure in one sentence, for those who do not see it."""
    if not estimates:
        return "Forest plot without estimates."
    words = Counter(row.verdict for row in estimates)
    counted = ", ".join(f"{n} {printed(word)}" for word, n in words.items())
    kinds = " and ".join(dict.fromkeys(row.estimand for row in estimates))
    return f"Forest plot, {kinds}: {len(estimates)} estimates with intervals; {counted}. The data follow."


def _layout(rows: Sequence[Estimate]) -> tuple[list[_Line], float]:
    """Place the lines, in units of a row; returns them and the height they take."""
    lines: list[_Line] = []
    y, backbone, group = 0.0, None, None
    for row in rows:
        if row.backbone != backbone:
            backbone, group = row.backbone, None
            y += 0.7 if lines else 0.0
            name = _TOGETHER if backbone == ALL else backbone
            lines.append(_Line(y, name, "", "", None))
            y += 1.1
        arm, against = _labels(row)
        if group is not None and arm != group and row.estimand != "utility":
            y += _GAP / _ROW
        lines.append(_Line(y, backbone, "" if arm == group else arm, against, row))
        group = arm
        y += 1.0
    return lines, max(y, 1.0)


def _labels(row: Estimate) -> tuple[str, str]:
    arm, condition, against = row.arm, row.condition, is_pair(row)
    if row.estimand in ("utility", "dose") or (row.estimand == "follow" and against):
        return (f"{arm} − {row.versus}" if against else arm), ""
    said = condition if row.share is None else f"{row.share:.0%} {condition}"
    return (f"{arm} − {row.versus}" if against else arm), said


def _draw(rows: Sequence[Estimate], lines: Sequence[_Line], height: float, margin: float) -> str:
    from matplotlib.transforms import blended_transform_factory

    inches = _TOP + height * _ROW + _BOTTOM

    def fill(figure: Any) -> None:
        axes = figure.add_axes(
            (_LEFT / _WIDTH, _BOTTOM / inches, (_RIGHT - _LEFT) / _WIDTH, height * _ROW / inches)
        )
        axes.patch.set_visible(False)
        low, high = _limits(rows, margin)
        axes.set_xlim(low, high)
        axes.set_ylim(height - 0.5, -0.5)
        _frame(axes, rows, margin, tall=len(rows) > _TALL)
        at = blended_transform_factory(figure.dpi_scale_trans, axes.transData)
        for line in lines:
            _line(axes, line, at)
        if not rows:
            axes.text(_WIDTH / 2, 0, "Nothing was estimated.", transform=at, color=SOFT, ha="center")

    return inline_svg((_WIDTH, inches), fill, repr((rows, margin)), describe(rows))


def _limits(rows: Sequence[Estimate], margin: float) -> tuple[float, float]:
    """A range that holds every interval, the band and zero, with some air."""
    seen = [value for row in rows for value in (row.estimate, row.low, row.high) if is_known(value)]
    least = max(1.5 * margin, 0.1)
    low, high = min([*seen, -least]), max([*seen, least])
    air = 0.04 * (high - low)
    return low - air, high + air


def _frame(axes: Any, rows: Sequence[Estimate], margin: float, tall: bool) -> None:
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(RULE)
    axes.set_yticks([])
    axes.tick_params(axis="x", colors=SOFT, labelsize=8, length=3, top=tall, labeltop=tall)
    ticks = [tick for tick in axes.get_xticks() if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, labels=[tick_label(tick) for tick in ticks])
    if margin > 0:
        axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=SOFT, linewidth=0.9, zorder=1)
    kinds = dict.fromkeys(row.estimand for row in rows)
    what = AXES.get(next(iter(kinds)), "difference of scores") if len(kinds) == 1 else "difference of scores"
    what = against_reference(rows) or what
    band = f"shaded: within the margin, ±{margin:.2f}" if margin > 0 else "no margin was recorded"
    for line, text in enumerate((what, band)):
        axes.annotate(
            text,
            (0.5, 0),
            (0, -25 - 11 * line),
            xycoords="axes fraction",
            textcoords="offset points",
            color=SOFT,
            fontsize=8,
            ha="center",
            parse_math=False,
        )


def _line(axes: Any, line: _Line, at: Any) -> None:
    """Write and draw one line: labels left, point and interval in the middle, numbers and word right."""
    common = {"transform": at, "va": "center", "parse_math": False, "clip_on": False}
    if line.row is None:
        axes.text(0.0, line.y, shortened(one_line(line.backbone), 90), color=INK, weight="bold", **common)
        return
    row = line.row
    entry = verdict_word(row.verdict)
    color = TONE[entry.tone]
    if line.group:
        axes.text(
            0.15, line.y, shortened(one_line(line.group), 22 if line.label else 40), color=INK, **common
        )
    axes.text(_LEFT - 0.12, line.y, shortened(one_line(line.label), _LABEL), color=SOFT, ha="right", **common)
    axes.text(_NUMBERS, line.y, interval(row), color=INK, fontsize=8.5, **common)
    word = shortened(one_line(entry.printed), 15)
    axes.text(_WORD, line.y, word, color=color, weight="bold", fontsize=8.5, **common)
    if is_known(row.low) and is_known(row.high):
        axes.hlines(line.y, row.low, row.high, color=color, linewidth=1.5, zorder=2)
    if is_known(row.estimate):
        axes.plot(
            [row.estimate],
            [line.y],
            marker=entry.marker,
            markersize=6.5,
            markeredgecolor=color,
            markeredgewidth=1.2,
            markerfacecolor=color if entry.filled else PAPER,
            linestyle="none",
            zorder=3,
        )
