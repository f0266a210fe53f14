"""What more tries at a task are worth, with memory and without, as inline SVG (REQUIREMENTS F-42)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memtrial.analysis.result import Estimate
from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.views.numbers import is_known
from memtrial.views.rows.evolution_rows import EvolutionResults, EvolvedArm

_TALL = 2.3
"""Inches of a panel."""
_WAYS = {"parallel": "k tries", "sequential": "r passes"}
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class LiftOfTries:
    """The lift of one arm by how often it tries; of the reference itself it is 0, without an interval.

    Args:
        line: the way of trying and learning, whose arms a line joins.
    """

    line: str
    tries: int
    estimate: float
    low: float | None = None
    high: float | None = None


def lifts_by_tries(results: EvolutionResults, backbone: str) -> tuple[LiftOfTries, ...]:
    """The lifts against an arm that tries once without memory, of ways that try more than once.

    The line of a way begins at the arm of one try that learns as it does, where there is one.
    """
    arms = {arm.name: arm for arm in results.arms}
    reference = next((one.reference for one in results.comparisons if arms[one.reference].tries == 1), "")
    if not reference or arms[reference].learns:
        return ()
    rows = {
        row.arm: row
        for compared in results.comparisons
        for row in compared.estimates
        if compared.reference == reference and row.backbone == backbone and is_known(row.estimate)
    }
    ways = dict.fromkeys((arm.mode, arm.learn) for arm in results.arms if arm.tries > 1)
    lifts = (
        _lift(f"{_WAYS.get(mode, mode)}, {learn}", arm, rows.get(arm.name), reference)
        for mode, learn in ways
        for arm in sorted(results.arms, key=lambda arm: arm.tries)
        if arm.learn == learn and (arm.tries == 1 or arm.mode == mode)
    )
    return tuple(lift for lift in lifts if lift is not None)


def _lift(line: str, arm: EvolvedArm, row: Estimate | None, reference: str) -> LiftOfTries | None:
    if arm.name == reference:
        return LiftOfTries(line, 1, 0.0)
    if row is None or row.estimate is None:
        return None
    return LiftOfTries(line, arm.tries, row.estimate, row.low, row.high)


def tries_svg(results: EvolutionResults) -> str:
    """Draw a panel a backbone, a line a way; ways are told by shape, dashes and colour."""
    by_backbone = {backbone: lifts_by_tries(results, backbone) for backbone in results.backbones}
    drawn = {backbone: lifts for backbone, lifts in by_backbone.items() if lifts}
    every = [lift for lifts in drawn.values() for lift in lifts]
    lines = list(dict.fromkeys(lift.line for lift in every))
    low, high = svg.limits(every, max(1.5 * results.margin, 0.1))
    most = max((lift.tries for lift in every), default=1)

    def fill(axes: Any, number: int) -> None:
        axes.set(
            xlim=(0.5, most + 0.5),
            ylim=(low, high),
            xlabel="tries at a task",
            ylabel="lift",
        )
        axes.set_xticks(range(1, most + 1) if most <= 8 else sorted({lift.tries for lift in every}))
        axes.spines[["top", "right"]].set_visible(False)
        axes.axhspan(-results.margin, results.margin, color=svg.BAND, linewidth=0, zorder=0)
        axes.axhline(0, color=svg.SOFT, linewidth=0.9, zorder=1)
        for place, line in enumerate(lines):
            own = [lift for lift in list(drawn.values())[number] if lift.line == line]
            _draw_line(axes, own, place, (place - (len(lines) - 1) / 2) * 0.3 / len(lines))

    titles = [brief(backbone, 34) for backbone in drawn]
    description = f"The lift of {len(every)} arms by the number of tries, with intervals. The data follow."
    colors = [svg.of_arm(place)[1] for place in range(len(lines))]
    return svg.panels_svg(
        titles, lines, colors, _TALL, fill, repr(("tries", every, results.margin)), description
    )


def _draw_line(axes: Any, lifts: Sequence[LiftOfTries], place: int, aside: float) -> None:
    shape, color = svg.of_arm(place)
    places = [(lift.tries + aside, lift.estimate) for lift in lifts]
    if len(places) > 1:
        svg.stroke(axes, [places], color, 1.3, ls=_DASHES[place % len(_DASHES)])
    marks = (
        svg.Mark((lift.tries + aside, lift.estimate), (shape, color, True), up=(lift.low, lift.high))
        for lift in lifts
    )
    svg.draw_marks(axes, marks, width=1.0, size=4.8)
