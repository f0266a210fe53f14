"""Effects of gates above the rows of an UpSet plot, and beside them the utility of each subset, as SVG."""

from collections.abc import Sequence
from typing import Any

from loadbearing.analysis.result import Estimate
from loadbearing.reports.base.escape import brief
from loadbearing.reports.figures import svg
from loadbearing.reports.model.gate_ablation import Ablation

# inches
_LEFT, _COLUMN, _GAP, _ROW, _TALL, _TOP, _BOTTOM = 1.9, 0.26, 0.75, 0.22, 2.3, 0.42, 0.12


def effects_svg(found: Ablation, backbone: str, utilities: Sequence[Estimate]) -> str:
    """Left: each effect with its interval, below it the gates that it is of. Right: each subset's utility.

    Args:
        utilities: of the arms of the ablation; those of another backbone are left out.
    """
    effects = [one for one in found.effects if one.backbone == backbone]
    outcomes = list(dict.fromkeys((one.outcome, one.condition) for one in effects))
    terms = list(dict.fromkeys(one.factors for one in effects))
    gains = {row.arm: row for row in utilities if row.backbone == backbone and row.arm in found.subsets}
    factors = list(found.factors)
    widths = (_COLUMN * (len(terms) + 1), _COLUMN * (len(found.subsets) + 1))
    width, height = _LEFT + widths[0] + _GAP + widths[1] + 0.1, _TOP + _TALL + _ROW * len(factors) + _BOTTOM

    def panel(figure: Any, left: float, wide: float, columns: Sequence[tuple[str, ...]], title: str) -> Any:
        low = _BOTTOM + _ROW * len(factors)
        above = figure.add_axes((left / width, low / height, wide / width, _TALL / height))
        above.set_xlim(-1, len(columns))
        above.set_xticks([])
        above.spines[["top", "right", "bottom"]].set_visible(False)
        above.axhline(0, color=svg.SOFT, linewidth=0.9, zorder=1)
        above.set_title(title, fontsize=8, color=svg.SOFT, loc="left")
        below = figure.add_axes((left / width, _BOTTOM / height, wide / width, _ROW * len(factors) / height))
        below.set_xlim(-1, len(columns))
        below.set_ylim(len(factors) - 0.5, -0.5)
        below.set_axis_off()
        for x, on in enumerate(columns):
            rows = [factors.index(name) for name in on]
            below.scatter([x] * len(factors), range(len(factors)), s=16, color=svg.BAND, zorder=1)
            below.scatter([x] * len(rows), rows, s=16, color=svg.INK, zorder=3)
            if len(rows) > 1:
                below.vlines(x, min(rows), max(rows), color=svg.INK, linewidth=1.2, zorder=2)
        return above, below

    def fill(figure: Any) -> None:
        above, below = panel(figure, _LEFT, widths[0], terms, "effect, intervals hold together")
        for y, name in enumerate(factors):
            below.text(-1.2, y, brief(name, 26), ha="right", va="center", fontsize=8, color=svg.INK)
        place = {kind: at for at, kind in enumerate(outcomes)}
        for one in effects:
            at = place[one.outcome, one.condition]
            x = terms.index(one.factors) + (at - (len(outcomes) - 1) / 2) * 0.6 / len(outcomes)
            svg.point(above, (x, one.effect), (*svg.of_arm(at), one.away), up=(one.low, one.high))
        beside, subsets = _LEFT + widths[0] + _GAP, list(found.subsets.values())
        right, _ = panel(figure, beside, widths[1], subsets, "utility of each subset, interval by interval")
        for x, arm in enumerate(found.subsets):
            if (row := gains.get(arm)) is not None:
                svg.point(right, (x, row.estimate), (*svg.of_arm(0), True), up=(row.low, row.high))
        several = len({damage for _, damage in outcomes}) > 2
        names = [f"{kind}, {damage}" if several and kind != "utility" else kind for kind, damage in outcomes]
        svg.arm_legend(figure, names, svg.SERIES)

    data = repr((found.effects, backbone, found.subsets, [repr(row) for row in gains.values()]))
    told = f"Effects of {len(factors)} gates with intervals above the gates they are of. The data follow."
    return svg.inline_svg((width, height), fill, data, told)
