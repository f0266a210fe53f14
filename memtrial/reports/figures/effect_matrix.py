"""Effects of gates above the rows of an UpSet plot, as SVG."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.views.rows.ablation_results import Ablation

# inches
_LEFT, _COLUMN, _ROW, _TALL, _TOP, _BOTTOM = 1.9, 0.26, 0.22, 2.3, 0.42, 0.12


def effects_svg(found: Ablation, backbone: str) -> str:
    """Each effect on one backbone with its interval, and below it the gates that it is of."""
    effects = [one for one in found.effects if one.backbone == backbone]
    outcomes = list(dict.fromkeys((one.outcome, one.condition) for one in effects))
    terms = list(dict.fromkeys(one.factors for one in effects))
    factors = list(found.factors)
    several = len({damage for _, damage in outcomes}) > 2
    names = [f"{kind}, {damage}" if several and kind != "utility" else kind for kind, damage in outcomes]
    rows, wide = _ROW * len(factors), _COLUMN * (len(terms) + 1)
    width = max(_LEFT + wide + 0.1, 5.0)
    height = _TOP + svg.legend_height(names, width) + _TALL + rows + _BOTTOM

    def fill(figure: Any) -> None:
        above = figure.add_axes((_LEFT / width, (_BOTTOM + rows) / height, wide / width, _TALL / height))
        above.set_xlim(-1, len(terms))
        above.set_xticks([])
        above.spines[["top", "right", "bottom"]].set_visible(False)
        above.axhline(0, color=svg.SOFT, linewidth=0.9, zorder=1)
        above.set_title("effect, intervals hold together", fontsize=8, color=svg.SOFT, loc="left")
        below = figure.add_axes((_LEFT / width, _BOTTOM / height, wide / width, rows / height))
        below.set_xlim(-1, len(terms))
        below.set_ylim(len(factors) - 0.5, -0.5)
        below.set_axis_off()
        for x, on in enumerate(terms):
            places = [factors.index(name) for name in on]
            below.scatter([x] * len(factors), range(len(factors)), s=16, color=svg.BAND, zorder=1)
            below.scatter([x] * len(places), places, s=16, color=svg.INK, zorder=3)
            below.vlines(x, min(places), max(places), color=svg.INK, linewidth=1.2, zorder=2)
        for y, name in enumerate(factors):
            below.text(-1.2, y, brief(name, 26), ha="right", va="center", fontsize=8, color=svg.INK)
        for one in effects:
            at = outcomes.index((one.outcome, one.condition))
            middle = terms.index(one.factors) + (at - (len(outcomes) - 1) / 2) * 0.6 / len(outcomes)
            svg.point(above, (middle, one.effect), (*svg.of_arm(at), one.away), up=(one.low, one.high))
        svg.arm_legend(figure, names, svg.SERIES)

    told = f"Effects of {len(factors)} gates with intervals above the gates they are of. The data follow."
    return svg.inline_svg((width, height), fill, repr((found.effects, backbone)), told)
