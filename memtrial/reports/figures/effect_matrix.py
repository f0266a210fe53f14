"""Effects of gates above the rows of an UpSet plot, as SVG."""

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.figures.drawing.figure_drawing import Drawing, MarkLook, TextLook
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.drawing.round_ticks import name_ticks, place_ticks
from memtrial.views.numbers import is_known
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
    ends = (end for effect in effects for end in (effect.effect, effect.low, effect.high) if is_known(end))
    known = [0.0, *ends]
    air = 0.05 * ((max(known) - min(known)) or 1.0)
    span = (min(known) - air, max(known) + air)
    rows, wide = _ROW * len(factors), _COLUMN * (len(terms) + 1)
    width = max(_LEFT + wide + 0.1, 5.0)
    height = _TOP + svg.legend_height(names, width) + _TALL + rows + _BOTTOM

    def fill(drawing: Drawing) -> None:
        across = (-1.0, float(len(terms)))
        above = PlotArea(drawing, (_LEFT, _BOTTOM + rows, wide, _TALL), across, span)
        above.frame("l", svg.RULE)
        above.cross_over(0, svg.SOFT, 0.9)
        above.title("effect, intervals hold together", TextLook(svg.SOFT, 8.0))
        numbers = place_ticks(*span, 9)
        above.tick_left(list(zip(numbers, name_ticks(numbers), strict=True)), svg.SOFT)
        below = PlotArea(drawing, (_LEFT, _BOTTOM, wide, rows), across, (len(factors) - 0.5, -0.5))
        dot = MarkLook("o", 4.0, svg.BAND, svg.BAND)
        for x, on in enumerate(terms):
            places = [factors.index(name) for name in on]
            below.marks([(x, y) for y in range(len(factors)) if y not in places], dot)
            below.lines([[(x, min(places)), (x, max(places))]], svg.INK, 1.2)
            below.marks([(x, y) for y in places], dot._replace(edge=svg.INK, inside=svg.INK))
        for y, name in enumerate(factors):
            below.write(_LEFT - 0.05, y, brief(name, 26), TextLook(svg.INK, 8.0, "end"))
        marks = []
        for effect in effects:
            number = outcomes.index((effect.outcome, effect.condition))
            middle = terms.index(effect.factors) + (number - (len(outcomes) - 1) / 2) * 0.6 / len(outcomes)
            look = (*svg.of_arm(number), effect.away)
            marks.append(svg.Mark((middle, effect.effect), look, up=(effect.low, effect.high)))
        svg.draw_marks(above, marks)
        svg.arm_legend(drawing, names, svg.SERIES)

    description = (
        f"Effects of {len(factors)} gates with intervals above the gates they are of. The data follow."
    )
    return svg.inline_svg((width, height), fill, repr((ablation.effects, backbone)), description)
