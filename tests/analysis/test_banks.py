"""Several banks: laws of the spread, an oracle, and coverage where the truth is set."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from memtrial.analysis.inference.bank_spread import BankSpread, spread_of_banks

Array = NDArray[np.float64]


def drawn(
    rng: Generator, n: int, banks: int, between: float, tasks: float = 0.2, noise: float = 0.5
) -> tuple[Array, float]:
    """A table of contrasts with a mean of 0.1, and the mean over banks on these very tasks."""
    of_tasks = rng.normal(0, tasks, (n, 1))
    table = 0.1 + of_tasks + rng.normal(0, between, (1, banks)) + rng.normal(0, noise, (n, banks))
    return table, 0.1 + float(of_tasks.mean())


def found(table: Array, **more: object) -> BankSpread:
    spread = spread_of_banks(table, **more)  # type: ignore[arg-type]
    assert spread is not None
    return spread


@pytest.mark.parametrize("shape", [(12, 2), (40, 3), (7, 6)])
def test_the_table_of_variance_is_that_of_statsmodels(shape: tuple[int, int]) -> None:
    import pandas as pd
    from scipy.stats import ttest_1samp
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    table, _ = drawn(default_rng(3), *shape, between=0.1)
    n, banks = shape
    long = pd.DataFrame(
        {"d": table.ravel(), "task": np.repeat(np.arange(n), banks), "bank": np.tile(np.arange(banks), n)}
    )
    anova = anova_lm(ols("d ~ C(task) + C(bank)", long).fit())
    spread = found(table)
    between = anova.loc["C(bank)", "mean_sq"] - anova.loc["Residual", "mean_sq"]
    assert spread.p == pytest.approx(anova.loc["C(bank)", "PR(>F)"], rel=1e-9)
    assert spread.sd == pytest.approx(np.sqrt(max(0, between) / n), rel=1e-9)
    low, high = ttest_1samp(table.mean(axis=0), 0).confidence_interval()
    assert (spread.low, spread.high) == pytest.approx((low, high), rel=1e-9)
    assert spread.by_draw == pytest.approx(tuple(table.mean(axis=0)))
    assert spread.estimate == pytest.approx(table.mean())


@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), banks=st.integers(2, 5), shift=st.floats(-1, 1))
def test_moving_every_score_moves_only_the_estimate(seed: int, n: int, banks: int, shift: float) -> None:
    table, _ = drawn(default_rng(seed), n, banks, 0.1)
    spread, moved = found(table), found(table + shift)
    assert moved.sd == pytest.approx(spread.sd, abs=1e-9)
    for name in ("estimate", "low", "high", "low_both", "high_both"):
        assert getattr(moved, name) == pytest.approx(getattr(spread, name) + shift, abs=1e-6)
    assert spread.low <= spread.estimate <= spread.high
    assert spread.low_both <= spread.estimate <= spread.high_both
    assert 0 <= spread.sd <= spread.sd_high


@given(seed=st.integers(0, 10**6))
def test_the_order_of_tasks_and_banks_does_not_matter(seed: int) -> None:
    rng = default_rng(seed)
    table, _ = drawn(rng, 9, 4, 0.1)
    mixed = found(table[rng.permutation(9)][:, rng.permutation(4)])
    assert mixed.sd == pytest.approx(found(table).sd)
    assert mixed.low_both == pytest.approx(found(table).low_both)


def test_a_task_without_a_number_for_every_bank_is_left_out() -> None:
    table, _ = drawn(default_rng(1), 10, 3, 0.1)
    holed = np.vstack([table, [[np.nan, 0.5, 0.5]]])
    assert found(holed) == found(table)
    assert found(holed).n_tasks == 10
    units = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    assert found(holed, units=units) == found(table, units=units[:-1])


def test_each_task_its_own_unit_is_the_default_and_shared_luck_widens() -> None:
    table, _ = drawn(default_rng(2), 30, 3, 0.0)
    assert found(table, units=np.arange(30) + 7) == found(table)
    alike = np.repeat(table[:10], 3, axis=0)
    wide, narrow = found(alike, units=np.repeat(np.arange(10), 3)), found(alike)
    assert wide.high_both - wide.low_both > narrow.high_both - narrow.low_both


@pytest.mark.parametrize("shape", [(10, 1), (1, 4), (0, 3), (5, 0)])
def test_one_bank_or_one_task_tells_no_spread(shape: tuple[int, int]) -> None:
    assert spread_of_banks(np.full(shape, 0.5)) is None
    assert spread_of_banks(np.full((4, 3), np.nan)) is None
    assert spread_of_banks(np.full((4, 3), 0.5), units=np.zeros(4, dtype=np.int64)) is None


def test_constant_scores_are_a_clear_result() -> None:
    spread = found(np.full((6, 3), 0.25))
    assert (spread.sd, spread.sd_high, spread.p) == (0, 0, 1)
    assert (spread.low, spread.high, spread.low_both, spread.high_both) == (0.25, 0.25, 0.25, 0.25)
    apart = found(np.tile([0.0, 0.5], (6, 1)))
    assert apart.p == 0
    assert apart.sd == pytest.approx(np.std([0, 0.5], ddof=1))


@pytest.mark.parametrize(
    ("n", "banks", "between"), [(60, 3, 0.0), (60, 3, 0.1), (120, 5, 0.05), (40, 2, 0.1)]
)
def test_the_intervals_cover_and_the_spread_is_unbiased(n: int, banks: int, between: float) -> None:
    rng, n_runs = default_rng(11), 600
    these = both = above = rejected = 0
    squares = []
    for _ in range(n_runs):
        table, on_these = drawn(rng, n, banks, between)
        spread = found(table)
        these += spread.low <= on_these <= spread.high
        both += spread.low_both <= 0.1 <= spread.high_both
        above += spread.sd_high >= between
        rejected += spread.p < 0.05
        means = np.var(spread.by_draw, ddof=1)
        squares.append(means)
    # 3.3 standard errors of 600 runs around .95
    assert these / n_runs == pytest.approx(0.95, abs=0.03)
    assert both / n_runs >= 0.92
    assert above / n_runs >= 0.92
    assert np.mean(squares) == pytest.approx(between**2 + 0.5**2 / n, rel=0.25)
    if between == 0:
        assert rejected / n_runs == pytest.approx(0.05, abs=0.03)
