"""Numbers as a reader sees them: rounded once, in one way, with a word where there is none."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from math import isfinite
from typing import TYPE_CHECKING, TypeGuard

from memtrial.analysis.drawn_p import is_least, state_p

if TYPE_CHECKING:
    from memtrial.analysis.result import Estimate

MISSING, NO_INTERVAL = "n/a", "[no interval]"
_SMALLEST_P = 0.0001


def with_sign(value: float | None) -> str:
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


def probability(value: float | None, least: float | None = None) -> str:
    """A p-value with four decimals, and never a flat zero: `0.0371`, `< 0.0001`, `≤ 0.0050`.

    Args:
        least: the least p that its draws can show; None where it does not rest on draws.
    """
    if not is_known(value):
        return MISSING
    if is_least(value, least):
        # rounded upwards, as it is a bound
        return f"≤ {Decimal(repr(value)).quantize(Decimal(str(_SMALLEST_P)), ROUND_CEILING)}"
    return f"< {_SMALLEST_P}" if value < _SMALLEST_P else f"{value:.4f}"


def equation(value: float | None, draws: int = 0) -> str:
    """A p-value in a sentence: `p = 0.0371`, `p < 0.0001`, `p ≤ 0.01 (the least that 99 draws can show)`.

    Args:
        draws: on which it rests, as (b + 1) / (draws + 1); 0 where it rests on none.
    """
    if draws and is_known(value):
        return state_p(value, draws)
    shown = probability(value)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


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
    return f"{with_sign(row.estimate)} {ends(row.low, row.high)}"


def span(ends: tuple[float, float, float] | None) -> str:
    """A value and its interval, without signs: `0.312 [0.221, 0.403]`."""
    return MISSING if ends is None else f"{plain(ends[0])} [{plain(ends[1])}, {plain(ends[2])}]"


def ends(low: float | None, high: float | None) -> str:
    """An interval alone: `[+0.221, +0.403]`."""
    return f"[{with_sign(low)}, {with_sign(high)}]" if is_known(low) and is_known(high) else NO_INTERVAL


def is_known(value: object) -> TypeGuard[float]:
    """Whether there is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
