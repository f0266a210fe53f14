"""Shares, tests, agreement and correction of failure modes, against formulas, R and enumeration."""

from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import chi2

from memtrial.analysis.failures.agreement import agreement, kappa
from memtrial.analysis.failures.shares import CODES, MODES, correct_shares, powered_mean, shares_of
from memtrial.analysis.failures.solved_without import (
    CATEGORIES,
    compare_rates,
    count_moves,
    fisher_freeman_halton,
    flow,
    stuart_maxwell,
)
from memtrial.judges.failure_coder import MODES as CODED

TABLES = [default_rng(seed).integers(0, 15, size=(4, 4)) for seed in range(10)]
tables = pytest.mark.parametrize("table", TABLES, ids=range(10))


def test_one_set_of_modes() -> None:
    assert CODES == CODED


@tables
def test_goodman_is_its_formula(table: np.ndarray) -> None:
    counts, n = table[0] + 1, int(table[0].sum() + 4)
    found = shares_of(dict(zip(CODES, counts.tolist(), strict=True)))
    a = chi2.ppf(1 - 0.05 / 4, 1)
    for mode, count in zip(CODES, counts, strict=True):
        reach = sqrt(a * (a + 4 * count * (n - count) / n))
        assert found.low[mode] == pytest.approx((a + 2 * count - reach) / (2 * (n + a)))
        assert found.high[mode] == pytest.approx((a + 2 * count + reach) / (2 * (n + a)))
        assert found.shares[mode] == count / n


def test_the_papers_first_row_and_nothing() -> None:
    found = shares_of({"distraction": 14, "reliance": 10, "premature": 7})
    assert [round(found.low[mode] or 0, 4) for mode in MODES] == [0.2624, 0.1635, 0.098]
    assert [round(one, 4) for one in found.sison_glaz["distraction"]] == [0.2903, 0.6493]
    nothing = shares_of(dict.fromkeys(MODES, 0))
    assert (nothing.n, nothing.low["reliance"]) == (0, None)
    assert not shares_of({"reliance": 0.5, "other": 1.5}).sison_glaz


@tables
def test_stuart_maxwell_is_its_quadratic_form(table: np.ndarray) -> None:
    gap = (table.sum(axis=1) - table.sum(axis=0))[:3]
    spread = -(table + table.T)
    np.fill_diagonal(spread, table.sum(axis=0) + table.sum(axis=1) - 2 * np.diag(table))
    statistic = gap @ np.linalg.inv(spread[:3, :3]) @ gap
    found = stuart_maxwell(table.astype(float))
    assert found is not None
    assert (found.statistic, found.freedom) == (pytest.approx(statistic), 3)
    assert found.p == pytest.approx(chi2.sf(statistic, 3))


def test_stuart_maxwell_as_in_r_and_where_there_is_no_test() -> None:
    # R, coin::mh_test on the vision of 7477 women: chi-squared 11.957, df 3, p 0.00753
    vision = np.array(
        [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492.0]]
    )
    found = stuart_maxwell(vision)
    assert found is not None
    assert (round(found.statistic, 3), found.freedom, round(found.p, 5)) == (11.957, 3, 0.00753)
    assert stuart_maxwell(np.diag([5.0, 3.0])) is None
    apart = np.zeros((4, 4))
    apart[0, 1], apart[2, 3] = 3, 4  # two pairs of categories between which nothing moves
    assert stuart_maxwell(apart) is None
    unmoved = np.array([[3.0, 5.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 9.0]])
    two = stuart_maxwell(unmoved)
    assert two is not None
    assert two.statistic == pytest.approx(16 / 6)


@pytest.mark.parametrize("seed", range(10))
def test_fisher_freeman_halton_is_the_enumeration(seed: int) -> None:
    table = default_rng(seed).integers(1, 6, size=(2, 3))
    rows, columns = table.sum(axis=1), table.sum(axis=0)

    def chance(first: tuple[int, ...]) -> Fraction:
        """Of a table with this first row and the same margins."""
        ways = np.prod([comb(int(total), one) for total, one in zip(columns, first, strict=True)])
        return Fraction(int(ways), comb(int(columns.sum()), int(rows[0])))

    firsts = product(*(range(total + 1) for total in columns))
    every = {first: chance(first) for first in firsts if sum(first) == rows[0]}
    seen = every[tuple(table[0].tolist())]
    exact = float(sum(one for one in every.values() if one <= seen))
    found = fisher_freeman_halton(table, default_rng(1))
    assert found is not None
    assert found.exact_p == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 9_999) + 2e-4)


def test_job_satisfaction_as_in_r() -> None:
    # R, fisher.test on the table of its help page: p = 0.7827
    job = np.array([[1, 2, 1, 0], [3, 3, 6, 1], [10, 10, 14, 9], [6, 7, 12, 11]])
    found = fisher_freeman_halton(job, default_rng(0))
    assert found is not None
    assert found.exact_p == pytest.approx(0.7827, abs=0.015)
    again = fisher_freeman_halton(np.vstack([job, np.zeros((1, 4))]), default_rng(0))
    assert again == found  # an empty row is none
    assert fisher_freeman_halton(job[:1], default_rng(0)) is None


def test_single_cases_are_tested_too() -> None:
    # SciPy gives the p-value of such a table in an array
    found = fisher_freeman_halton(np.array([[1, 1, 0], [0, 0, 1]]), default_rng(0))
    assert found is not None
    assert found.exact_p == 1.0


@tables
def test_kappa_and_alpha_are_their_formulas(table: np.ndarray) -> None:
    pairs = [(i, j) for i, j in product(range(4), range(4)) for _ in range(table[i, j])]
    codes = {
        rater: {str(at): CODES[pair[side]] for at, pair in enumerate(pairs)}
        for side, rater in enumerate("ab")
    }
    from sklearn.metrics import cohen_kappa_score

    found = agreement(codes, {}, default_rng(0))
    n = table.sum()
    agreed = np.trace(table) / n
    expected = float(table.sum(axis=1) @ table.sum(axis=0)) / n**2
    assert found.kappa is not None
    assert found.alpha is not None
    assert found.kappa[0] == pytest.approx((agreed - expected) / (1 - expected))
    assert found.kappa[0] == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
    both = table.sum(axis=1) + table.sum(axis=0)
    differing = 1 - float(both @ (both - 1)) / (2 * n * (2 * n - 1))
    assert found.alpha[0] == pytest.approx(1 - (1 - agreed) / differing)
    assert found.kappa[1] < found.kappa[0] < found.kappa[2]
    assert found.alpha[1] < found.alpha[0] < found.alpha[2]
    assert sum(count for *_, count in found.confusion) == n


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([], None),
        ([("other", "other")] * 3, None),  # one label alone
        ([("other", "other"), ("reliance", "other")], None),
        ([("other", "other"), ("reliance", "reliance")] * 5, 1.0),
        ([("other", "reliance"), ("reliance", "other")] * 5, -1.0),
    ],
)
def test_kappa_at_its_edges(pairs: list[tuple[str, str]], value: float | None) -> None:
    assert kappa(pairs) == (value, value, value)
    codes = {rater: {str(at): one[side] for at, one in enumerate(pairs)} for side, rater in enumerate("ab")}
    found = agreement(codes, {}, default_rng(0))
    assert (found.kappa is None) == (value is None)
    assert found.cases == len(pairs)


def test_agreement_with_gaps_and_without_variety() -> None:
    codes = {"a": {"1": "other", "2": "reliance"}, "b": {"1": "other", "3": "other"}, "c": {"2": "reliance"}}
    found = agreement(codes, {"1": "t", "2": "t"}, default_rng(0))
    assert (found.cases, found.kappa, found.confusion) == (2, None, (("other", "other", 1),))
    assert found.alpha is not None
    assert found.alpha[0] == 1.0
    assert found.word == "firm"
    same = agreement({"a": {"1": "other"}, "b": {"1": "other"}}, {}, default_rng(0))
    assert same.alpha is None
    assert same.word.startswith("nothing")


def test_the_corrected_share_is_right_where_the_coded_one_is_not() -> None:
    covered, errors = 0, []
    for seed in range(200):
        rng = default_rng(seed)
        truth = rng.choice(4, size=600, p=[0.5, 0.25, 0.15, 0.1])
        said = np.where(rng.random(600) < 0.25, 0, truth)  # every fourth is called distraction
        labelled = rng.choice(600, size=120, replace=False)
        people = [(CODES[truth[at]], CODES[said[at]]) for at in labelled]
        found = correct_shares([CODES[at] for at in said], people)[0]
        covered += found.low <= (truth == 0).mean() <= found.high
        errors.append((found.coded - 0.5, found.estimate - 0.5, (found.matrix or 0) - 0.5))
    coded, powered, matrix = np.mean(errors, axis=0)
    assert coded > 0.1
    assert abs(powered) < 0.01
    assert abs(matrix) < 0.02
    assert covered >= 184
    assert correct_shares(["other"], [("other", "other")]) == ()


def test_power_tuning_is_the_regression_estimator() -> None:
    rng = default_rng(3)
    guess = rng.random(50)
    y, every = 0.5 * guess + rng.normal(0, 0.1, 50), np.concatenate([guess, rng.random(400)])
    slope = np.polyfit(guess, y, 1)[0]
    mean, error = powered_mean(y, guess, every)
    assert mean == pytest.approx(y.mean() + slope * (every.mean() - guess.mean()))
    left = (y - slope * guess).var(ddof=1) / 50 + slope**2 * every.var() / 450
    assert error == pytest.approx(sqrt(left))


def test_harm_less_gain_is_the_loss_and_chance_is_unbiased() -> None:
    rng = default_rng(0)
    p = rng.beta(0.5, 0.5, size=4_000)
    without, solved = rng.binomial(3, p) / 3, rng.binomial(3, p) / 3
    found = flow(without, solved, np.full(4_000, 3.0), np.arange(4_000), 0.05)
    assert found.harm - found.gain == pytest.approx(without.mean() - solved.mean())
    # the paper's first row: E[p (1 - p)] of Beta(.5, .5) is 1/8
    assert found.chance == pytest.approx(1 / 8, abs=0.006)
    excess = found.excess_harm
    assert excess is not None
    assert excess.low is not None
    assert excess.high is not None
    assert excess.low < 0 < excess.high
    once = flow(without[:9], solved[:9], np.ones(9), np.arange(9), 0.05)
    assert (once.chance, once.excess_harm) == (None, None)


def test_arms_are_compared_on_the_same_base() -> None:
    rng = default_rng(5)
    n = 80
    base = rng.choice([0.0, 0.5, 1.0], size=n)
    base[0] = np.nan
    same = rng.dirichlet(np.ones(5), size=n)
    other = np.roll(same, 1, axis=0)
    other[:, 2] += other[:, 1]  # what was distraction is reliance
    other[:, 1] = 0
    pairs = [(base, same, same.copy()), (base, other, same)]
    first, second = compare_rates(pairs, np.arange(n), 2, (0.05, 999), rng)
    assert [one.estimate for one in first] == [0.0] * 4
    assert second[0].estimate < -0.1
    assert second[1].estimate > 0.1
    assert second[1].p_adjusted is not None
    assert second[1].p is not None
    assert second[1].p <= second[1].p_adjusted <= 0.05
    kept = ~np.isnan(base)
    table = count_moves(base[kept], other[kept], same[kept])
    assert table.sum() == pytest.approx(base[kept].sum())
    assert table.shape == (len(CATEGORIES),) * 2
    rates = (table.sum(axis=1) - table.sum(axis=0)) / table.sum()
    assert [one.estimate for one in second] == pytest.approx(rates[1:].tolist())
