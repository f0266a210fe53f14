"""The small figure of the first screen: the compared arms, a line a backbone and condition."""

from collections.abc import Sequence
from typing import Any

from memtrial.analysis.result import Estimate
from memtrial.console.escape import brief, one_line, shorten
from memtrial.outcomes.reserved_names import ALL
from memtrial.reports.figures import svg
from memtrial.reports.figures.forest import axis_label
from memtrial.reports.text.verdict_glossary import verdict_word
from memtrial.views.lookup import in_order, of_estimand
from memtrial.views.numbers import is_known
from memtrial.views.rows.results import Results

# inches
_WIDTH, _LEFT, _ROW, _BOTTOM, _TOP = 4.1, 1.68, 0.24, 0.5, 0.34
_SIGN = 0.062
"""Inches of a sign of a label, on average; a longer label takes room from the axis."""
_MOST = 12
"""Lines; more are left to the figures below."""


def compared_estimates(results: Results) -> tuple[Estimate, ...]:
    """The drops of the arms that are compared; without hypotheses all drops, without drops all utilities."""
    drops = [row for row in of_estimand(results, "drop") if row.backbone != ALL]
    arms = {name for hypothesis in results.hypotheses for name in (hypothesis.treatment, hypothesis.control)}
    primary = {hypothesis.condition for hypothesis in results.hypotheses}
    compared_estimates = [row for row in drops if row.arm in arms and row.condition in primary]
    gains = [row for row in of_estimand(results, "utility") if row.backbone != ALL]
    return tuple(row for row in compared_estimates or drops or gains if is_known(row.estimate))


def compared_svg(results: Results) -> str:
    """Draw them."""
    return draw_compared(compared_estimates(results), results.arms, results.margin)


def draw_compared(rows: Sequence[Estimate], order: Sequence[str], margin: float, what: str = "") -> str:
    """Draw estimates: an arm is told by shape and colour; a point is hollow where the verdict is open.

    Args:
        order: of the arms.
        what: the axis measures; empty: what the estimates say.
    """
    lines = list(dict.fromkeys((row.backbone, row.condition) for row in rows))[:_MOST]
    arms = in_order(order, (row.arm for row in rows))
    size = max(_ROW, 0.07 * len(arms) + 0.04)
    labels = _labels(lines, rows)
    left = max(_LEFT, 0.12 + _SIGN * max(map(len, labels), default=0))
    height = _TOP + svg.legend_height(arms, _WIDTH) + size * len(lines) + _BOTTOM

    def fill(figure: Any) -> None:
        box = (left / _WIDTH, _BOTTOM / height, 1 - (left + 0.2) / _WIDTH, size * len(lines) / height)
        axes = figure.add_axes(box)
        axes.locator_params(axis="x", nbins=5)
        svg.difference_axis(axes, svg.limits(rows, 1.5 * margin, air=0.03), margin)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_yticks(range(len(lines)), labels=labels, color=svg.INK)
        marks = []
        for row in rows:
            if (row.backbone, row.condition) in lines:
                place, line = arms.index(row.arm), lines.index((row.backbone, row.condition))
                y = line + (place - (len(arms) - 1) / 2) * 0.8 / len(arms)
                look = (*svg.of_arm(place), verdict_word(row.verdict).tone != "open")
                marks.append(svg.Mark((row.estimate, y), look, across=(row.low, row.high)))
        svg.draw_marks(axes, marks, size=4.8)
        drops = rows[0].estimand == "drop"
        measured = what or ("drop of the score when the text is damaged" if drops else axis_label(rows))
        axes.set_xlabel(f"{measured}; shaded: ±{margin:.2f}", labelpad=3, loc="right")
        svg.arm_legend(figure, arms, svg.SERIES)

    description = f"The compared arms beside each other: {len(rows)} estimates with intervals."
    return svg.inline_svg((_WIDTH, height), fill, f"compared {tuple(rows)!r}", description)


def _labels(lines: list[tuple[str, str]], rows: Sequence[Estimate]) -> list[str]:
    """The conditions; before each the backbone, where that is another than above."""
    labels, above = [], ""
    for backbone, condition in lines:
        name = one_line(backbone).rpartition("/")[2]
        if rows[0].estimand == "utility":
            labels.append(shorten(name, 26))
        else:
            new = "" if backbone == above else f"{shorten(name, 18)}  "
            labels.append(f"{new}{brief(condition, 18)}")
        above = backbone
    return labels
