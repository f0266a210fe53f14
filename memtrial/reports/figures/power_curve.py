"""The power curve: power by tasks, a line for each number of repeats, as inline SVG and as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from memtrial.outcomes.count_words import how_many
from memtrial.reports.figures.drawing.figure_drawing import Drawing, MarkLook, TextLook
from memtrial.reports.figures.drawing.plot_area import PlotArea
from memtrial.reports.figures.drawing.round_ticks import name_ticks
from memtrial.reports.figures.svg import DASHES, INK, PAPER, RULE, SOFT, inline_svg, of_arm
from memtrial.views.numbers import count, plain

# inches: the figure, the curves inside it, and the names of these to their right
_SIZE, _BOX, _KEY, _LINE = (7.2, 3.9), (0.72, 0.663, 5.184, 2.808), 6.02, 0.18


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The power of so many tasks and repeats."""

    repeats: int
    tasks: int
    power: float


Curve = Sequence[CurvePoint]


def power_curve_svg(curve: Curve, effect: float, wanted: float, tasks: int) -> str:
    """Draw the curves, told apart by shape, by dashes and by their label, not by colour alone."""

    numbers = [point.tasks for point in curve]
    least, most = min(numbers, default=tasks), max(numbers, default=tasks)
    # round numbers: 1, 2 and 5 of each power of ten
    every = (digit * 10**power for power in range(7) for digit in (1, 2, 5))
    ticks = [tick for tick in every if least <= tick <= most] or [least]
    powers = [share / 10 for share in range(0, 11, 2)]

    def fill(drawing: Drawing) -> None:
        area = PlotArea(drawing, _BOX, (least * 0.95, most * 1.05), (0.0, 1.02), by_power=True)
        area.cross_over(wanted, SOFT, 0.8, DASHES[-1])
        area.cross_upwards(tasks, SOFT, 0.8, DASHES[-1])
        area.frame("bl", RULE)
        area.tick_below([(tick, f"{tick:,}") for tick in ticks], SOFT, "tasks")
        area.tick_left(list(zip(powers, name_ticks(powers), strict=True)), SOFT, "power")
        drawn = list(dict.fromkeys(point.repeats for point in curve))
        for number, repeats in enumerate(drawn):
            shape, color = of_arm(number)
            dashes, mark = DASHES[number % len(DASHES)], MarkLook(shape, 4.5, color, PAPER)
            points = [(float(point.tasks), point.power) for point in curve if point.repeats == repeats]
            area.lines([points], color, 1.4, dashes)
            area.marks(points, mark)
            # its name at the right, in the middle of the height
            y = _BOX[1] + _BOX[3] / 2 + ((len(drawn) - 1) / 2 - number) * _LINE
            drawing.lines([[(_KEY, y), (_KEY + 0.26, y)]], color, 1.4, dashes)
            drawing.marks([(_KEY + 0.13, y)], mark)
            drawing.text((_KEY + 0.36, y), how_many(repeats, "repeat"), TextLook(INK, 8.5))
        title = f"A contrast of {effect:.2f}; dotted: power {wanted:.2f}, the plan's {tasks:,} tasks"
        area.title(title, TextLook(INK, 9.0))

    description = f"Power to show a contrast of {effect:.2f}, by tasks and repeats. The data follow."
    return inline_svg(_SIZE, fill, repr((curve, effect, wanted, tasks)), description)


def power_curve_page(curve: Curve, effect: float, wanted: float, tasks: int, sentences: Sequence[str]) -> str:
    """A page of its own: the figure, what it rests on (`said`), and its data."""
    data = (f"{point.repeats} × {count(point.tasks)}: {plain(point.power)}" for point in curve)
    notes = "\n".join(
        f"<p>{escape(sentence)}</p>"
        for sentence in (*sentences, f"Repeats × tasks: power. {'; '.join(data)}.")
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Power curve</title>\n'
        "</head>\n<body>\n"
        f"<h1>Power curve</h1>\n{power_curve_svg(curve, effect, wanted, tasks)}\n{notes}\n</body>\n</html>\n"
    )
