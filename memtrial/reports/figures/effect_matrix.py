"""Effects of gates above the rows of an UpSet plot, as SVG."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.views.rows.ablation_results import Ablation

# inches
_LEFT, _COLUMN, _ROW, _TALL, _TOP, _BOTTOM = 1.9, 0.26, 0.22, 2.3, 0.42, 0.12


def effects_svg(ablation: Ablation, backbone: str) -> str:
    """Each effect on one backbone with its interval, and below it the gates that it is of."""
    effects = [effect for effect in ablation.effects if effect.backbone == backbone and not effect.of_mode]
    outcomes = list(dict.fromkeys((effect.outcome, effect.condition) for effect in effects))
    terms = list(dict.fromkeys(effect.factors for effect in effects))
    factors = list(ablation.factors)
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
        marks = []
        for effect in effects:
            number = outcomes.index((effect.outcome, effect.condition))
            middle = terms.index(effect.factors) + (number - (len(outcomes) - 1) / 2) * 0.6 / len(outcomes)
            look = (*svg.of_arm(number), effect.away)
            marks.append(svg.Mark((middle, effect.effect), look, up=(effect.low, effect.high)))
        svg.draw_marks(above, marks)
        svg.arm_legend(figure, names, svg.SERIES)

    description = (
        f"Effects of {len(factors)} gates with intervals above the gates they are of. The data follow."
    )
    return svg.inline_svg((width, height), fill, repr((ablation.effects, backbone)), description)
