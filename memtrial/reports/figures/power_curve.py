"""The power curve: power by tasks, a line for each number of repeats, as inline SVG and as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from memtrial.outcomes.count_words import how_many
from memtrial.reports.figures.svg import INK, PAPER, SOFT, inline_svg, of_arm
from memtrial.views.numbers import count, plain

_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The power of so many tasks and repeats."""

    repeats: int
    tasks: int
    power: float


Curve = Sequence[CurvePoint]


def power_curve_svg(curve: Curve, effect: float, wanted: float, tasks: int) -> str:
    """Draw the curves, told apart by shape, by dashes and by their label, not by colour alone."""

    def fill(figure: Any) -> None:
        axes = figure.add_axes((0.1, 0.17, 0.72, 0.72))
        axes.spines[["top", "right"]].set_visible(False)
        axes.set(xscale="log", ylim=(0, 1.02), xlabel="tasks", ylabel="power")
        axes.axhline(wanted, color=SOFT, linewidth=0.8, linestyle=(0, (2, 2)))
        axes.axvline(tasks, color=SOFT, linewidth=0.8, linestyle=(0, (2, 2)))
        for number, repeats in enumerate(dict.fromkeys(point.repeats for point in curve)):
            points = [point for point in curve if point.repeats == repeats]
            shape, color = of_arm(number)
            how = {
                "color": color,
                "ls": _DASHES[number % len(_DASHES)],
                "marker": shape,
                "mfc": PAPER,
                "ms": 4.5,
            }
            places = zip(*((point.tasks, point.power) for point in points), strict=True)
            axes.plot(*places, linewidth=1.4, label=how_many(repeats, "repeat"), **how)
        if curve:
            least, most = min(point.tasks for point in curve), max(point.tasks for point in curve)
            # round numbers: 1, 2 and 5 of each power of ten
            every = (digit * 10**power for power in range(7) for digit in (1, 2, 5))
            ticks = [tick for tick in every if least <= tick <= most] or [least]
            axes.set_xlim(least * 0.95, most * 1.05)
            axes.set_xticks(ticks, labels=[f"{tick:,}" for tick in ticks])
            axes.set_xticks([], minor=True)
            axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8.5)
        title = f"A contrast of {effect:.2f}; dotted: power {wanted:.2f}, the plan's {tasks:,} tasks"
        axes.set_title(title, color=INK, fontsize=9, loc="left")

    description = f"Power to show a contrast of {effect:.2f}, by tasks and repeats. The data follow."
    return inline_svg((7.2, 3.9), fill, repr((curve, effect, wanted, tasks)), description)


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
