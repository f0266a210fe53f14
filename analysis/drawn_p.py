"""P-values that rest on draws: at the least that the draws can show, such a p is a bound and no figure."""

from decimal import Decimal

from memtrial.outcomes.count_words import how_many

_ROUNDING = 1e-9


def is_least(p: float, least: float | None) -> bool:
    """Whether p is the least that its draws can show; `least` is None where p does not rest on draws."""
    return least is not None and p <= least * (1 + _ROUNDING)


def state_p(p: float, draws: int) -> str:
    """A drawn p-value in a sentence: `p = 0.037`, or `p ≤ 0.01 (the least that 99 draws can show)`.

    Args:
        p: (b + 1) / (draws + 1), where b draws reach what was observed.
    """
    figure = f"{Decimal(f'{p:.3g}'):f}"
    if is_least(p, 1 / (draws + 1)):
        return f"p ≤ {figure} (the least that {how_many(draws, 'draw')} can show)"
    return f"p = {figure}"
