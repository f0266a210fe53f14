"""Half fractions: what they tell apart, what cancels in them, and that no text comes twice in a task."""

from itertools import combinations

import numpy as np
import pytest

from memtrial.analysis.screening.half_fractions import (
    FEWEST_PARTS,
    MOST_PARTS,
    PRIMES,
    build_hadamard,
    draw_halves,
    lay_out_few,
    tells_apart,
)
from memtrial.analysis.screening.part_screening import screen


@pytest.mark.parametrize("prime", [3, *PRIMES])
def test_the_columns_of_a_matrix_are_at_right_angles(prime: int) -> None:
    matrix = build_hadamard(prime)
    assert set(np.unique(matrix)) == {-1.0, 1.0}
    assert np.array_equal(matrix @ matrix.T, (prime + 1) * np.eye(prime + 1))
    assert (matrix[0] == 1.0).all()


@pytest.mark.parametrize("n_parts", range(FEWEST_PARTS, MOST_PARTS + 1))
def test_over_whole_matrices_no_part_stands_with_another_more_often_than_without(n_parts: int) -> None:
    order = next(prime + 1 for prime in PRIMES if prime + 1 >= n_parts)
    halves = draw_halves(order // 2, 4, n_parts, np.random.default_rng(n_parts))  # two matrices
    signs = np.where(halves, 1.0, -1.0).reshape(-1, n_parts)
    assert np.array_equal(signs.T @ signs, len(signs) * np.eye(n_parts))
    assert tells_apart(halves)
    for task in halves:
        texts = {tuple(half) for pair in task for half in (pair, ~pair)}
        assert len(texts) == 8, "a text that came twice would be played once for both"


def test_halves_are_drawn_anew_by_seed_and_the_same_by_the_same() -> None:
    first, again, other = (draw_halves(6, 2, 12, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert 0.3 < first.mean() < 0.7


def test_hardly_a_pair_is_the_whole_file_against_none() -> None:
    sizes = draw_halves(96, 4, 12, np.random.default_rng(4)).sum(axis=2)
    assert np.isin(sizes, (0, 12)).mean() < 0.02, "as the matrices are, one pair of twelve would be"


@pytest.mark.parametrize(("pairs", "parts"), [(3, 12), (4, 4), (4, 33)])
def test_what_cannot_be_drawn_is_refused(pairs: int, parts: int) -> None:
    with pytest.raises(ValueError, match="pairs of halves are drawn"):
        draw_halves(4, pairs, parts, np.random.default_rng(0))


@pytest.mark.parametrize("n_few", range(1, 9))
def test_few_parts_are_told_apart_within_a_task_and_the_first_text_holds_all(n_few: int) -> None:
    first = lay_out_few(n_few)
    signs = np.where(first, 1.0, -1.0)
    assert np.array_equal(signs.T @ signs, len(signs) * np.eye(n_few))
    assert first[0].all()
    texts = {tuple(half) for pair in first for half in (pair, ~pair)}
    assert len(texts) == 2 * len(first)


def test_effects_come_back_exactly_and_interactions_of_two_cancel() -> None:
    halves = draw_halves(12, 4, 12, np.random.default_rng(3))
    effects = np.linspace(-0.3, 0.3, 12)

    def score(standing: np.ndarray) -> np.ndarray:
        both = sum(
            0.05 * (standing[..., first] == standing[..., second])
            for first, second in combinations(range(6), 2)
        )
        return 0.2 + standing @ effects + both

    screened = screen(halves, np.stack([score(halves), score(~halves)], axis=2))
    assert screened is not None
    assert np.allclose(screened.effect, effects)
    assert screened.error.max() < 1e-9
    assert (screened.wider > 0.01).all(), "no error is zero"


def test_halves_that_do_not_tell_the_parts_apart_give_nothing() -> None:
    halves = draw_halves(3, 4, 12, np.random.default_rng(3))
    assert screen(halves, np.zeros((3, 4, 2))) is None, "twelve pairs for twelve parts leave no error"
    halves = draw_halves(6, 4, 12, np.random.default_rng(3))
    scores = np.zeros((6, 4, 2))
    scores[2:, :, 1] = np.nan
    assert screen(halves, scores) is None, "lost trials take their pairs with them"


def test_the_error_of_single_pairs_is_that_of_statsmodels() -> None:
    import statsmodels.api as sm

    halves = draw_halves(24, 1, 7, np.random.default_rng(5))
    scores = np.random.default_rng(6).random((24, 1, 2))
    screened = screen(halves, scores)
    assert screened is not None
    signs = np.where(halves, 1.0, -1.0)[:, 0]
    fitted = sm.OLS(scores[:, 0, 0] - scores[:, 0, 1], signs).fit(cov_type="HC2")
    assert np.allclose(screened.effect, fitted.params)
    assert np.allclose(screened.error, fitted.bse)
