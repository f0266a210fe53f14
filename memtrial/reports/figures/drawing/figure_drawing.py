"""A figure as it is written: texts, lines, areas and marks in inches, which SVG has in points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from memtrial.reports.figures.drawing.marker_shapes import outline_of

Place = tuple[float, float]
"""Inches from the lower left corner, across and upwards."""
Anchor = Literal["start", "middle", "end"]
Level = Literal["base", "middle", "top", "bottom"]
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_RISE, _FALL, _LEADING = 0.76, 0.208, 1.2
"""Of a font's size: its letters above and below the line they stand on, and from one line to the next."""


class TextLook(NamedTuple):
    """How a text is set; `anchor` and `level` say which of its points stands at its place.

    Args:
        size: in points.
        turned: by a quarter, to be read from below upwards.
    """

    color: str
    size: float = 9.0
    anchor: Anchor = "start"
    level: Level = "middle"
    bold: bool = False
    turned: bool = False


class MarkLook(NamedTuple):
    """A mark `size` points wide; one that is not filled has the colour of the paper inside."""

    shape: str
    size: float
    edge: str
    inside: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure, to which parts are added; what comes later lies above.

    Args:
        width, height: in inches.
        salt: begins all ids, as several figures share a page.
    """

    width: float
    height: float
    salt: str
    _parts: list[str] = field(default_factory=list)
    _defined: dict[str, str] = field(default_factory=dict)

    def whole(self, label: str) -> str:
        """The `<svg>` element; the page's letters are used, and `label` says what it shows."""
        wide, high = number_text(72 * self.width), number_text(72 * self.height)
        defined = "\n".join(definition.replace("#", name, 1) for definition, name in self._defined.items())
        head = f'<svg role="img" aria-label={quoteattr(label)} xmlns="http://www.w3.org/2000/svg"'
        head += ' xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" stroke-linejoin="round"'
        head += f' font-family="{_FONT}" width="{wide}pt" height="{high}pt" viewBox="0 0 {wide} {high}">'
        return "\n".join([head, f"<defs>\n{defined}\n</defs>", *self._parts, "</svg>"])

    def points(self, place: Place) -> str:
        """A place as SVG counts: points from the upper left corner."""
        return f"{number_text(72 * place[0])} {number_text(72 * (self.height - place[1]))}"

    def define(self, definition: str) -> str:
        """The id of a mark, pattern or clip that is written once; its first `#` becomes the id."""
        return self._defined.setdefault(definition, f"f{self.salt}-{len(self._defined) + 1}")

    def text(self, place: Place, text: str, look: TextLook) -> None:
        """Write a text, each of its lines below the other."""
        lines = text.split("\n")
        down = (len(lines) - 1) * _LEADING
        first = {"base": 0.0, "top": _RISE, "bottom": -_FALL - down, "middle": (_RISE - _FALL - down) / 2}
        x, y = 72 * place[0], 72 * (self.height - place[1])
        weight = "; font-weight: bold" if look.bold else ""
        anchor = "" if look.anchor == "start" else f"; text-anchor: {look.anchor}"
        style = f"font-size: {look.size:g}px{weight}{anchor}; fill: {look.color}"
        for number, line in enumerate(lines):
            below = look.size * (first[look.level] + number * _LEADING)
            here = (x + below, y) if look.turned else (x, y + below)
            turn = (
                f' transform="rotate(-90 {number_text(here[0])} {number_text(here[1])})"'
                if look.turned
                else ""
            )
            self._parts.append(
                f'<text x="{number_text(here[0])}" y="{number_text(here[1])}"{turn} style="{style}">'
                f"{escape(line)}</text>"
            )

    def lines(
        self, lines: Iterable[Sequence[Place]], color: str, width: float, dashes: str = "", clip: str = ""
    ) -> None:
        """Draw lines, each from place to place, `width` points wide.

        Args:
            dashes: how long each is and the gap behind it, in points; none where the line is whole.
            clip: the id of what it is cut to.
        """
        dashed = f"; stroke-dasharray: {dashes}" if dashes else ""
        style = f"fill: none; stroke: {color}; stroke-width: {width:g}{dashed}"
        paths = "".join(f'<path d="M {" L ".join(map(self.points, line))}"/>' for line in lines)
        self._parts.append(f'<g{_clipped(clip)} style="{style}">{paths}</g>')

    def area(self, corners: Sequence[Place], fill: str, clip: str = "") -> None:
        """Fill the area between these corners with a colour, or with what `url(#id)` names."""
        path = " L ".join(map(self.points, corners))
        self._parts.append(f'<path d="M {path} z"{_clipped(clip)} style="fill: {fill}"/>')

    def marks(self, places: Iterable[Place], look: MarkLook) -> None:
        """Draw the same mark at each of these places."""
        mark = self.define(f'<path id="#" d="{outline_of(look.shape, look.size)}"/>')
        style = f"fill: {look.inside}; stroke: {look.edge}"
        for place in places:
            x, y = self.points(place).split()
            self._parts.append(f'<use xlink:href="#{mark}" x="{x}" y="{y}" style="{style}"/>')


def number_text(value: float) -> str:
    """A coordinate: four decimals, none of them zeros at the end."""
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _clipped(clip: str) -> str:
    return f' clip-path="url(#{clip})"' if clip else ""
