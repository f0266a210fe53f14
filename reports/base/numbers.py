"""Numbers as a reader sees them: rounded once, in one way, with a word where there is none."""

from math import isfinite
from typing import TypeGuard

from loadbearing.analysis.result import Estimate

MISSING = "n/a"
_SMALLEST_P = 0.0001


def signed(value: float | None) -> str:
    """A difference of scores, with its sign: `+0.312`."""
    if not is_known(value):
        return MISSING
    text = f"{value:+.3f}"
    return text.replace("-", "\u2212") if float(text) else "0.000"


def plain(value: float | None) -> str:
    """A mean or a ratio: `0.312`; whole numbers that are counts stay whole."""
    if not is_known(value):
        return MISSING
    return str(value) if isinstance(value, int) else f"{value:.3f}".replace("-", "\u2212")


def share(value: float | None) -> str:
    """A share in [0, 1] as per cent: `31.2 %`."""
    return f"{100 * value:.1f} %" if is_known(value) else MISSING


def probability(value: float | None) -> str:
    """A p-value with four decimals, and never a flat zero."""
    if not is_known(value):
        return MISSING
    return f"< {_SMALLEST_P}" if value < _SMALLEST_P else f"{value:.4f}"


def count(value: float | None) -> str:
    """A count with thousands set apart: `12,345`."""
    return f"{value:,}" if is_known(value) else MISSING


def dollars(value: float | None) -> str:
    """US dollars; a price that is not known is not zero."""
    return f"${value:,.4f}" if is_known(value) else "unknown"


def interval(row: Estimate | None) -> str:
    """Estimate and interval of a row: `+0.312 [+0.221, +0.403]`."""
    if row is None or not is_known(row.estimate):
        return "no estimate"
    return f"{signed(row.estimate)} {ends(row.low, row.high)}"


def span(one: tuple[float, float, float] | None) -> str:
    """A value and its interval, without signs: `0.312 [0.221, 0.403]`."""
    return MISSING if one is None else f"{plain(one[0])} [{plain(one[1])}, {plain(one[2])}]"


def ends(low: float | None, high: float | None) -> str:
    """An interval alone: `[+0.221, +0.403]`."""
    return f"[{signed(low)}, {signed(high)}]" if is_known(low) and is_known(high) else "[no interval]"


def is_known(value: object) -> TypeGuard[float]:
    """Whether there is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
