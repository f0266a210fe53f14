"""The outlines of the marks of figures, as SVG paths around the origin."""

from math import cos, pi, sin, sqrt
from types import MappingProxyType

_SLANTED = ((-2, -4), (0, -2), (2, -4), (4, -2), (2, 0), (4, 2))
_UPRIGHT = ((-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1))
"""Half of a slanted cross, and of an upright one; the other half is the same turned round."""
_INNER = 0.381966
"""How far the inner corners of a five-pointed star are from its middle, of its outer ones."""


def _both_halves(half: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return (*half, *((-x, -y) for x, y in half))


_OUTLINES = MappingProxyType(
    {
        "s": ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)),
        "^": ((0.0, -0.5), (0.5, 0.5), (-0.5, 0.5)),
        "v": ((0.0, 0.5), (-0.5, -0.5), (0.5, -0.5)),
        "D": ((0.0, -sqrt(0.5)), (sqrt(0.5), 0.0), (0.0, sqrt(0.5)), (-sqrt(0.5), 0.0)),
        "P": tuple((x / 6, y / 6) for x, y in _both_halves(_UPRIGHT)),
        "X": tuple((x / 8, y / 8) for x, y in _both_halves(_SLANTED)),
        "*": tuple(
            (share * sin(turn * pi / 5), -share * cos(turn * pi / 5))
            for turn, share in enumerate((0.5, 0.5 * _INNER) * 5)
        ),
    }
)
"""Corners, the mark being about 1 wide, y downwards; a circle has none."""


def outline_of(shape: str, size: float) -> str:
    """The path of a mark that is `size` points wide.

    Args:
        shape: o, s, ^, v, D, P, X or *, which are matplotlib's names for them.
    """
    if shape == "o":
        radius = size / 2
        turn = f"a {radius:g} {radius:g} 0 1 0"
        return f"M {-radius:g} 0 {turn} {size:g} 0 {turn} {-size:g} 0 z"
    corners = " L ".join(f"{round(x * size, 3):g} {round(y * size, 3):g}" for x, y in _OUTLINES[shape])
    return f"M {corners} z"
