"""A pair of axes in a figure: numbers across and upwards, with their ticks and labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

from memtrial.reports.figures.drawing.figure_drawing import Drawing, MarkLook, Place, TextLook, number_text

Ends = tuple[float, float]
Tick = tuple[float, str]
_TICK, _BESIDE, _NUMBERS, _LETTER = 3 / 72, 6.5 / 72, 8.0, 0.6
"""Inches of a tick, and from an axis to its numbers; points of these, and how wide one is of its height."""


@dataclass(frozen=True, slots=True)
class PlotArea:
    """Where numbers stand.

    Args:
        box: left, bottom, width and height in inches.
        across, upwards: the numbers at the ends; those upwards may fall.
        by_power: whether numbers across stand by their logarithms.
    """

    drawing: Drawing
    box: tuple[float, float, float, float]
    across: Ends
    upwards: Ends
    by_power: bool = False

    def x(self, value: float) -> float:
        """Inches from the left of the figure."""
        value, (first, last) = self._scaled(value), map(self._scaled, self.across)
        return self.box[0] + self.box[2] * (value - first) / (last - first)

    def y(self, value: float) -> float:
        """Inches above the foot of the figure."""
        first, last = self.upwards
        return self.box[1] + self.box[3] * (value - first) / (last - first)

    def _scaled(self, value: float) -> float:
        return log10(value) if self.by_power else value

    def place(self, x: float, y: float) -> Place:
        """In inches."""
        return self.x(x), self.y(y)

    def write(self, inches: float, line: float, text: str, look: TextLook) -> None:
        """Write beside a number upwards, so many inches from the left of the figure."""
        self.drawing.text((inches, self.y(line)), text, look)

    @property
    def _clip(self) -> str:
        """What is drawn ends where the area does."""
        left, bottom, width, height = (72 * number for number in self.box)
        top = 72 * self.drawing.height - bottom - height
        numbers = zip(("x", "y", "width", "height"), (left, top, width, height), strict=True)
        rect = " ".join(f'{name}="{number_text(number)}"' for name, number in numbers)
        return self.drawing.define(f'<clipPath id="#"><rect {rect}/></clipPath>')

    def lines(self, lines: Iterable[Sequence[Ends]], color: str, width: float, dashes: str = "") -> None:
        """Draw lines, each from point to point, as far as the area reaches."""
        places = [[self.place(*point) for point in line] for line in lines]
        self.drawing.lines(places, color, width, dashes, self._clip)

    def cross_upwards(self, value: float, color: str, width: float, dashes: str = "") -> None:
        """Draw a line from the foot to the top."""
        self.lines([[(value, self.upwards[0]), (value, self.upwards[1])]], color, width, dashes)

    def cross_over(self, value: float, color: str, width: float, dashes: str = "") -> None:
        """Draw a line from the left to the right."""
        self.lines([[(self.across[0], value), (self.across[1], value)]], color, width, dashes)

    def fill_across(self, low: float, high: float, color: str) -> None:
        """Shade what lies between two numbers across."""
        self.fill((low, high), self.upwards, color)

    def fill_upwards(self, low: float, high: float, color: str) -> None:
        """Shade what lies between two numbers upwards."""
        self.fill(self.across, (low, high), color)

    def fill(self, across: Ends, upwards: Ends, color: str) -> None:
        """Fill a rectangle."""
        (left, right), (low, high) = across, upwards
        corners = ((left, low), (right, low), (right, high), (left, high))
        self.drawing.area([self.place(*corner) for corner in corners], color, self._clip)

    def marks(self, points: Iterable[Ends], look: MarkLook) -> None:
        """Draw the same mark at each point; at the edge it is not cut."""
        self.drawing.marks([self.place(*point) for point in points], look)

    def frame(self, sides: str, color: str) -> None:
        """Draw the sides that are named: of `bottom`, `left`, `top` and `right` the first letters."""
        left, bottom, width, height = self.box
        right, top = left + width, bottom + height
        ends = {
            "b": ((left, bottom), (right, bottom)),
            "l": ((left, bottom), (left, top)),
            "t": ((left, top), (right, top)),
            "r": ((right, bottom), (right, top)),
        }
        self.drawing.lines([ends[side] for side in sides], color, 0.8)

    def tick_below(self, ticks: Sequence[Tick], color: str, label: str = "", pad: float = 4.0) -> None:
        """Write the numbers of the axis across, and below them what it measures.

        Args:
            pad: points between the two.
        """
        foot = self.box[1]
        self.drawing.lines(
            [[(self.x(value), foot), (self.x(value), foot - _TICK)] for value, _ in ticks], color, 0.8
        )
        look = TextLook(color, _NUMBERS, "middle", "top")
        for value, name in ticks:
            self.drawing.text((self.x(value), foot - _BESIDE), name, look)
        if label:
            self.label_below(label, color, pad)

    def label_below(self, label: str, color: str, pad: float = 4.0, at_right: bool = False) -> None:
        """Write what the axis across measures."""
        left, foot, width, _ = self.box
        look = TextLook(color, 8.0, "end" if at_right else "middle", "top")
        place = left + width if at_right else left + width / 2
        self.drawing.text((place, foot - _BESIDE - (pad + 8.8) / 72), label, look)

    def tick_left(
        self, ticks: Sequence[Tick], color: str, label: str = "", ink: str = "", length: float = _TICK
    ) -> None:
        """Write the numbers, or the names, of the axis upwards, and beside them what it measures.

        Args:
            ink: of the names, where they are not of the ticks' colour.
            length: of a tick, in inches.
        """
        left, foot, _, height = self.box
        if length:
            self.drawing.lines(
                [[(left, self.y(value)), (left - length, self.y(value))] for value, _ in ticks], color, 0.8
            )
        look = TextLook(ink or color, _NUMBERS, "end", "middle")
        for value, name in ticks:
            self.drawing.text((left - length - 3.5 / 72, self.y(value)), name, look)
        if label:
            wide = max((len(name) for _, name in ticks), default=0) * _LETTER * _NUMBERS
            place = left - _BESIDE - (wide + 4.0) / 72, foot + height / 2
            self.drawing.text(place, label, TextLook(color, 8.0, "middle", "bottom", turned=True))

    def title(self, text: str, look: TextLook) -> None:
        """Write a title above the area, from its left end."""
        left, foot, _, height = self.box
        self.drawing.text((left, foot + height + 6 / 72), text, look._replace(level="bottom"))
