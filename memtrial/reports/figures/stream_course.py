"""The course of an evolution: success, or its lift, along the stream, a panel an arm, as inline SVG."""

from collections.abc import Sequence
from typing import Any, Literal

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.views.numbers import is_known
from memtrial.views.rows.evolution_rows import EvolutionResults, StreamPart

What = Literal["success", "lift"]
_LOOKS = (svg.SHAPES[0], svg.SERIES[0]), (svg.SHAPES[1], svg.SERIES[4])
"""Shape and colour of an arm, and of the one without memory beside it."""
_TALL = 1.75
"""Inches of a panel."""


def course_arms(results: EvolutionResults, backbone: str, what: What) -> tuple[str, ...]:
    """The arms of a backbone that have a panel: those with a value; the reference has none of its own."""
    reference = reference_of_parts(results)
    own = (part for part in results.parts if part.backbone == backbone and part.arm != reference)
    return tuple(dict.fromkeys(part.arm for part in own if is_known(_values(part, what)[0])))


def reference_of_parts(results: EvolutionResults) -> str | None:
    """The arm that lifts are against; None where there is none."""
    return next((arm.name for arm in results.arms if arm.mode == "vanilla"), None)


def course_svg(results: EvolutionResults, backbone: str, what: What = "success") -> str:
    """Draw means over streams as points in the middle of their parts, intervals as lines.

    Of success the arm without memory stands in each panel, hollow and dashed; of the lift the margin is
    shaded. All backbones have the same axes.
    """
    arms, reference = course_arms(results, backbone, what), reference_of_parts(results)
    low, high = _range(results, what)

    def fill(axes: Any, number: int) -> None:
        axes.set(xlim=(0, results.tasks + 1), ylim=(low, high), xlabel="task of the stream", ylabel=what)
        axes.spines[["top", "right"]].set_visible(False)
        if what == "lift":
            axes.axhspan(-results.margin, results.margin, color=svg.BAND, linewidth=0, zorder=0)
            axes.axhline(0, color=svg.SOFT, linewidth=0.9, zorder=1)
        elif reference is not None:
            _draw(axes, _of(results, backbone, reference), what, beside=True)
        _draw(axes, _of(results, backbone, arms[number]), what, beside=False)

    names = ("the arm", f"{reference}, beside it") if what == "success" and reference else ("the arm",)
    description = (
        f"{what.capitalize()} of {len(arms)} arms along the stream, in small panels: means over streams with"
        " intervals. The data follow."
    )
    data = repr((what, backbone, results.parts, results.margin))
    titles = [brief(arm, 34) for arm in arms]
    return svg.panels_svg(titles, names, [color for _, color in _LOOKS], _TALL, fill, data, description)


def _range(results: EvolutionResults, what: What) -> tuple[float, float]:
    """The ends of the upright axis, with some air."""
    known = [value for part in results.parts for value in _values(part, what) if is_known(value)]
    least = results.margin if what == "lift" else 0.0
    low, high = min([-least, *known]), max([least, *known])
    air = 0.06 * ((high - low) or 1.0)
    return low - air, high + air


def _of(results: EvolutionResults, backbone: str, arm: str) -> list[StreamPart]:
    return [part for part in results.parts if (part.backbone, part.arm) == (backbone, arm)]


def _draw(axes: Any, parts: Sequence[StreamPart], what: What, beside: bool) -> None:
    """A line through the means; two arms stand a little aside of each other."""
    shape, color = _LOOKS[beside]
    shift = 0.12 if beside else -0.12
    marks, line = [], []
    for part in parts:
        value, low, high = _values(part, what)
        x = (part.first + part.last) / 2 + shift * (part.last - part.first + 1)
        marks.append(svg.Mark((x, value), (shape, color, not beside), up=(low, high)))
        if is_known(value):
            line.append((x, value))
    svg.stroke(axes, [line], color, 1.3, ls="--" if beside else "-")
    svg.draw_marks(axes, marks, width=1.0, size=4.5)


def _values(part: StreamPart, what: What) -> tuple[float | None, float | None, float | None]:
    if what == "lift":
        return part.lift, part.lift_low, part.lift_high
    return part.success, part.success_low, part.success_high
