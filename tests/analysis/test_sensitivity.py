"""Sensitivity readings: against R, statsmodels and general formulas, and at the edge of their domain."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.inference.interval import t_interval, unit_sample
from memtrial.analysis.inference.sign_flip import flip_test
from memtrial.analysis.sensitivity.method import (
    MethodEstimate,
    WeightedCell,
    gee_logit,
    keep_scored,
    mcnemar,
    one_scale_only,
    these_tasks,
)
from memtrial.analysis.sensitivity.method_panel import cluster_bootstrap, cr2, missing_bounds, readings
from memtrial.outcomes.outcomes import CellTable, Outcomes

SEED = 20_241
DROPS_APART = (1, -1, -1, 1)


def drawn(rng, n, repeats, chances, weights, missing=0.0):
    """Cells of Bernoulli trials on shared tasks of different ease."""
    ease = rng.uniform(-0.15, 0.15, (n, 1)) * np.ones((1, repeats))
    cells = []
    for chance, weight in zip(chances, weights, strict=True):
        scores = rng.binomial(1, np.clip(chance + ease, 0, 1)).astype(float)
        scores[rng.random(scores.shape) < missing] = np.nan
        cells.append(played(weight, scores))
    return cells


def played(weight, scores):
    """A cell in which every trial was played; those without a score are errors."""
    return WeightedCell(weight, scores, np.full(len(scores), scores.shape[1]))


def per_task(cells):
    """The contrast of each task; NaN where one of the cells has no score."""
    means = [cell.totals / np.where(cell.trials > 0, cell.trials, np.nan) for cell in cells]
    return sum(cell.weight * mean for cell, mean in zip(cells, means, strict=True))


def students_t(d, alpha):
    """Student's t on the task contrasts, tasks taken as independent."""
    from statsmodels.stats.weightstats import DescrStatsW

    sample = DescrStatsW(d)
    low, high = sample.tconfint_mean(alpha=alpha)
    return MethodEstimate("t", float(d.mean()), float(low), float(high), float(sample.ttest_mean(0.0)[1]))


def fixed_trials():
    """The table of the R commands below, shape (12 tasks, 4 cells, 2 repeats)."""
    task, cell, repeat = np.meshgrid(np.arange(12), np.arange(4), np.arange(2), indexing="ij")
    return ((7 * task + 3 * cell + 5 * repeat + task * cell) % 11 < np.array([9, 4, 5, 4])[cell]).astype(
        float
    )


# -- linear model -------------------------------------------------------------------------------------

# x <- expand.grid(repetition = 0:1, cell = 0:3, task = 0:11)
# x$y <- as.numeric((7*x$task + 3*x$cell + 5*x$repetition + x$task*x$cell) %% 11 < c(9, 4, 5, 4)[x$cell + 1])
# x$treated <- as.numeric(x$cell %in% c(0, 1)); x$intact <- as.numeric(x$cell %in% c(0, 2))
# m <- lm(y ~ treated * intact, data = x)
# library(clubSandwich)                                # R 4.2.2, clubSandwich 0.5.8
# coef_test(m, vcov = "CR2", cluster = x$task); conf_int(m, vcov = "CR2", cluster = x$task)
# coef_test(m, vcov = "CR2", cluster = x$task %/% 5); conf_int(m, vcov = "CR2", cluster = x$task %/% 5)
CLUB_SANDWICH = {
    1: (0.375, 11.0, 0.00153711497898013, 0.17753295912475056, 0.57246704087524869),
    5: (0.375, 1.6896551724137934, 0.0798270151080762, -0.1281963203004198, 0.8781963203004191),
}


@pytest.mark.parametrize("tasks_a_cluster", CLUB_SANDWICH)
def test_cr2_of_task_contrasts_is_r_s_cr2_of_the_model_on_trials(tasks_a_cluster):
    d = fixed_trials().mean(axis=2) @ np.array(DROPS_APART)
    estimate, df, p, low, high = CLUB_SANDWICH[tasks_a_cluster]
    got = cr2(d, np.arange(12) // tasks_a_cluster, 0.05)
    assert (got.estimate, got.p, got.low, got.high) == pytest.approx((estimate, p, low, high), abs=1e-12)
    assert f"{df:.1f} degrees of freedom" in got.note


def general_cr2(y, x, weights, groups):
    """CR2 and Satterthwaite by the general matrices, for any design: estimate, standard error, df."""
    bread = np.linalg.inv(x.T @ x)
    hat, beta = x @ bread @ x.T, bread @ x.T @ y
    residual_maker, total, directions = np.eye(len(y)) - hat, 0.0, []
    for name in np.unique(groups):
        mine = np.flatnonzero(groups == name)
        values, vectors = np.linalg.eigh(np.eye(len(mine)) - hat[np.ix_(mine, mine)])
        root = vectors @ np.diag([v**-0.5 if v > 1e-9 else 0.0 for v in values]) @ vectors.T
        pull = root @ x[mine] @ bread @ weights
        total += float(pull @ (y - x @ beta)[mine]) ** 2
        directions.append(residual_maker[:, mine] @ pull)
    inner = np.array(directions) @ np.array(directions).T
    return weights @ beta, np.sqrt(total), np.trace(inner) ** 2 / (inner**2).sum()


def test_cr2_is_the_general_formula_for_clusters_of_any_size():
    from scipy.stats import t

    rng = np.random.default_rng(SEED)
    units = np.repeat(np.arange(9), rng.integers(1, 7, 9))
    cells = drawn(rng, len(units), 3, (0.7, 0.4, 0.5, 0.5), DROPS_APART)
    scores = np.stack([cell.scores for cell in cells])
    x = np.kron(np.eye(4), np.ones((len(units) * 3, 1)))
    groups = np.tile(np.repeat(units, 3), 4)
    estimate, se, df = general_cr2(scores.ravel(), x, np.array(DROPS_APART, dtype=float), groups)
    got = cr2(per_task(cells), units, 0.1)
    half = t.isf(0.05, df) * se
    assert (got.estimate, got.low, got.high) == pytest.approx((estimate, estimate - half, estimate + half))
    assert got.p == pytest.approx(2 * t.sf(abs(estimate) / se, df))


def test_one_task_a_cluster_is_student_and_cr1_of_statsmodels_is_near():
    import statsmodels.api as sm

    d = np.random.default_rng(SEED).normal(0.1, 0.4, 60)
    plain, robust = students_t(d, 0.05), cr2(d, np.arange(60), 0.05)
    assert (plain.low, plain.high, plain.p) == pytest.approx((robust.low, robust.high, robust.p))
    kwds = {"groups": np.arange(60)}
    fit = sm.OLS(d, np.ones(60)).fit(cov_type="cluster", cov_kwds=kwds, use_t=True)
    assert robust.p == pytest.approx(float(fit.pvalues[0]), abs=1e-9)


def test_cr2_keeps_its_error_with_few_uneven_clusters_and_student_does_not():
    rng = np.random.default_rng(SEED)
    units = np.repeat(np.arange(12), [1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 15])
    robust, plain = [], []
    for _ in range(300):
        d = rng.normal(0, 0.3, 12)[units] + rng.normal(0, 0.2, 60)
        robust.append(cr2(d, units, 0.05).p <= 0.05)
        plain.append(students_t(d, 0.05).p <= 0.05)
    assert 0.01 < np.mean(robust) < 0.08
    assert np.mean(plain) > 0.3


# -- GEE ----------------------------------------------------------------------------------------------


def closed_form_gee(cells, units):
    """Estimate and Mancl-DeRouen error under independence, where both have closed forms.

    With N_c trials of mean p_c in a cell, n_gc and s_gc the trials and the sum of scores of cluster g there:
    V = sum_g (sum_c w_c (s_gc - n_gc p_c) / ((1 - n_gc / N_c) N_c p_c (1 - p_c)))^2.
    """
    labels, unit = np.unique(units, return_inverse=True)
    estimate, apart = 0.0, np.zeros(len(labels))
    for cell in cells:
        trials, totals = np.bincount(unit, cell.trials), np.bincount(unit, cell.totals)
        n, p = trials.sum(), totals.sum() / trials.sum()
        estimate += cell.weight * np.log(p / (1 - p))
        apart += cell.weight * (totals - trials * p) / ((1 - trials / n) * n * p * (1 - p))
    return estimate, np.sqrt((apart**2).sum())


@pytest.mark.parametrize(("size", "bounded"), [(1, False), (3, False), (1, True)])
def test_gee_with_independence_is_its_closed_form(size, bounded):
    from scipy.stats import norm

    rng = np.random.default_rng(SEED)
    cells = drawn(rng, 30, 3, (0.7, 0.4, 0.5, 0.5), DROPS_APART, missing=0.05)
    if bounded:
        cells = [played(c.weight, (c.scores + rng.uniform(0, 1, c.scores.shape)) / 2) for c in cells]
    units = np.arange(30) // size
    estimate, se = closed_form_gee(*keep_scored(cells, units))
    got = gee_logit(*keep_scored(cells, units), 0.05)
    half = norm.isf(0.025) * se
    assert (got.estimate, got.low, got.high) == pytest.approx((estimate, estimate - half, estimate + half))
    assert got.p == pytest.approx(2 * norm.sf(abs(estimate) / se))
    assert got.scale == "log-odds"


def test_gee_estimate_is_r_s_interaction_under_either_working_correlation():
    # library(geepack); coef(geeglm(y ~ treated * intact, id = task, data = x, family = binomial,
    #     corstr = "exchangeable"))                     # 1.77649199710, with "independence" as well
    y = fixed_trials()
    cells = [played(weight, y[:, at]) for at, weight in enumerate(DROPS_APART)]
    assert gee_logit(cells, np.arange(12), 0.05).estimate == pytest.approx(1.77649199710, abs=1e-10)


def test_a_cell_of_only_failures_has_no_odds_and_says_so():
    cells = [played(1, np.ones((20, 2))), played(-1, np.tile([0.0, 1.0], (20, 1)))]
    got = gee_logit(cells, np.arange(20), 0.05)
    assert (got.low, got.high, got.p) == (None, None, None)
    assert got.note.startswith("not estimable: a cell holds only")


# -- scale --------------------------------------------------------------------------------------------


def test_log_odds_cover_the_truth_and_a_drop_from_a_height_is_larger_there():
    rng = np.random.default_rng(SEED)

    def logit(p):
        return np.log(p / (1 - p))

    truth, inside = logit(0.7) - logit(0.5), []
    for _ in range(200):
        # every task has the same chance, so that the mean's log-odds are known
        cells = [played(w, rng.binomial(1, p, (50, 2)) * 1.0) for p, w in ((0.7, 1), (0.5, -1))]
        got = gee_logit(cells, np.arange(50), 0.05)
        inside.append(got.low <= truth <= got.high)
    assert 0.88 < np.mean(inside) < 0.99
    apart = drawn(rng, 2_000, 5, (0.84, 0.74, 0.6, 0.5), DROPS_APART)
    points, odds = cr2(per_task(apart), np.arange(2_000), 0.05), gee_logit(apart, np.arange(2_000), 0.05)
    assert one_scale_only(points, odds) == "holds on one scale only: in log-odds, not in points of score"


@pytest.mark.parametrize(
    ("points", "odds", "word"),
    [((0.1, 0.3), (0.2, 0.9), ""), ((0.1, 0.3), (-0.2, 0.9), "in points of score, not"),
     ((0.1, 0.3), (-0.9, -0.2), "opposite sign"), ((-0.1, 0.3), (-0.2, 0.9), ""),
     ((-0.1, 0.3), (0.2, 0.9), "in log-odds, not"), ((0.1, 0.3), (None, None), "")],
)  # fmt: skip
def test_scales_that_disagree_are_named(points, odds, word):
    def reading(ends):
        middle = None if ends[0] is None else sum(ends) / 2
        return MethodEstimate("m", middle, *ends, None)

    said = one_scale_only(reading(points), reading(odds))
    assert word in said if word else not said


# -- tasks as they are, McNemar -----------------------------------------------------------------------


def test_the_interval_for_these_tasks_is_the_formula_and_covers_their_own_mean():
    from scipy.stats import t

    rng = np.random.default_rng(SEED)
    cells = drawn(rng, 40, 3, (0.6, 0.4), (1, -1))
    w2 = (cells[0].scores - cells[1].scores).var(axis=1, ddof=1)
    se = np.sqrt((w2 / (3 * 40**2)).sum())
    df = w2.sum() ** 2 / (w2**2 / 2).sum()
    got = these_tasks(cells, 0.05)
    assert got.high - got.low == pytest.approx(2 * t.isf(0.025, df) * se)
    # effects that differ between tasks: a part of what the primary interval has to cover
    inside, widths = [], []
    chance = rng.uniform(0.1, 0.9, (2, 60))
    for _ in range(300):
        scores = rng.binomial(1, chance[:, :, None], (2, 60, 3)) * 1.0
        repeated = [played(1, scores[0]), played(-1, scores[1])]
        got, primary = these_tasks(repeated, 0.05), students_t(per_task(repeated), 0.05)
        inside.append(got.low <= (chance[0] - chance[1]).mean() <= got.high)
        widths.append((got.high - got.low) / (primary.high - primary.low))
    assert 0.91 < np.mean(inside) < 0.985
    assert np.mean(widths) < 0.85


@pytest.mark.parametrize(("b", "c", "same"), [(9, 2, 30), (5, 5, 3), (0, 6, 1), (0, 0, 8), (41, 20, 60)])
def test_mcnemar_is_the_binomial_test(b, c, same):
    from scipy.stats import binomtest

    first = np.array([1.0] * b + [0.0] * c + [1.0] * same)[:, None]
    second = np.array([0.0] * b + [1.0] * c + [1.0] * same)[:, None]
    n = b + c + same
    # the order of the cells is without influence
    exact = mcnemar([played(-1, second), played(1, first)], np.arange(n))
    assert exact is not None
    expected = binomtest(b, b + c).pvalue if b + c else 1.0
    assert exact.p == pytest.approx(expected)
    assert exact.note == f"discordant tasks: b = {b}, c = {c}"
    assert exact.estimate == pytest.approx((b - c) / n)
    flipped = flip_test(first - second, np.arange(n), 9_999, np.random.default_rng(1))
    assert exact.p == pytest.approx(flipped.p[0], abs=0.02 if b + c > 13 else 1e-9)


def test_mcnemar_is_not_for_repeats_shared_clusters_or_scores_between():
    rng = np.random.default_rng(SEED)
    one = drawn(rng, 12, 1, (0.6, 0.4), (1, -1))
    assert mcnemar(one, np.arange(12)) is not None
    assert mcnemar(one, np.arange(12) // 2) is None
    assert mcnemar(drawn(rng, 12, 2, (0.6, 0.4), (1, -1)), np.arange(12)) is None
    assert mcnemar([one[0], played(-1, one[1].scores / 2)], np.arange(12)) is None
    assert mcnemar([*one, *drawn(rng, 12, 1, (0.5, 0.5), (-1, 1))], np.arange(12)) is None


# -- missing trials -----------------------------------------------------------------------------------


def test_extreme_imputation_bounds_the_estimate_of_the_full_table():
    rng = np.random.default_rng(SEED)
    full = drawn(rng, 40, 3, (0.6, 0.4, 0.5, 0.5), DROPS_APART)
    holed = [played(c.weight, np.where(rng.random((40, 3)) < 0.1, np.nan, c.scores)) for c in full]
    lost = sum(int(np.isnan(c.scores).sum()) for c in holed)
    against, favour = missing_bounds(holed, np.arange(40), 3, 0.05)
    truth = per_task(full).mean()
    assert against.estimate < truth < favour.estimate
    assert favour.estimate - against.estimate == pytest.approx(lost / 3 / 40)
    assert against.note == f"{lost} missing trials"
    ones = [np.where(np.isnan(c.scores), c.weight < 0, c.scores) for c in holed]
    worst = per_task([played(c.weight, s) for c, s in zip(holed, ones, strict=True)])
    expected = t_interval(unit_sample(worst, np.arange(40), 3, (-1.0, 1.0)), 0.05)
    assert (against.low, against.high) == pytest.approx(expected)


def test_nothing_missing_is_nothing_to_impute_and_an_unplayed_repeat_is_not_missing():
    cells = drawn(np.random.default_rng(SEED), 10, 2, (0.6, 0.4), (1, -1))
    assert missing_bounds(cells, np.arange(10), 2, 0.05) == ()
    shorter = cells[1].scores.copy()
    shorter[:, 1] = np.nan
    once = WeightedCell(-1, shorter, np.ones(10, dtype=np.int64))
    assert missing_bounds([cells[0], once], np.arange(10), 2, 0.05) == ()
    for cell in cells:
        cell.scores[3], cell.rows[3] = np.nan, 0  # a task that nobody played
    assert missing_bounds(cells, np.arange(10), 2, 0.05) == ()


# -- the panel ----------------------------------------------------------------------------------------

PLAN = AnalysisPlan(("a",), ("damage",))
CELLS = (("a", "intact"), ("a", "damage"))
DROP = Contrast("drop", "a", "intact", "damage", tuple(zip(CELLS, (1.0, -1.0), strict=True)))


def table_of(cells, units) -> CellTable:
    """One table of both cells' trials."""
    shape = (2, *cells[0].scores.shape)
    cell, task, repeat = (np.broadcast_to(at, shape).ravel() for at in np.ogrid[tuple(map(slice, shape))])
    columns = {
        "backbone": ["b"] * cell.size,
        "arm": ["a"] * cell.size,
        "condition": [CELLS[one][1] for one in cell],
        "task": [f"task {one}" for one in task],
        "cluster": [f"cluster {units[one]}" for one in task],
        "repeat": repeat,
        "score": np.stack([one.scores for one in cells]).ravel(),
    }
    return Outcomes(pl.DataFrame(columns)).cells("b")


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 9), repeats=st.integers(1, 3), size=st.integers(1, 9), seed=st.integers(0, 2**20),
    missing=st.sampled_from([0.0, 0.3, 1.0]), chance=st.sampled_from([0.0, 0.5, 1.0]),
)  # fmt: skip
def test_every_table_has_finite_numbers_or_a_reason(n, repeats, size, seed, missing, chance):
    rng = np.random.default_rng(seed)
    cells = drawn(rng, n, repeats, (chance, 0.5), (1, -1), missing)
    shown = readings(DROP, table_of(cells, np.arange(n) // size), PLAN, 0)
    if np.isnan(per_task(cells)).all():
        assert shown == ()
        return
    assert len({reading.method for reading in shown}) == len(shown) >= 4
    for reading in shown:
        numbers = [x for x in (reading.estimate, reading.low, reading.high, reading.p) if x is not None]
        assert np.isfinite(numbers).all()
        assert (reading.low is None) == (reading.high is None)
        assert reading.p is not None or reading.low is not None or "not estimable" in reading.note
        if reading.low is not None and reading.method != "bootstrap, percentile":
            assert reading.low <= reading.high


def test_methods_agree_on_a_plain_table_and_another_contrast_has_other_draws():
    rng = np.random.default_rng(SEED)
    cells = drawn(rng, 150, 3, (0.6, 0.45), (1, -1))
    d, units = per_task(cells), np.arange(150)
    table = table_of(cells, units)
    by_name = {reading.method: reading for reading in readings(DROP, table, PLAN, 0)}
    low, high = t_interval(unit_sample(d, units, 3, (-1.0, 1.0)), 0.05)
    for method in ("linear model, CR2", "bootstrap, percentile"):
        assert (by_name[method].low, by_name[method].high) == pytest.approx((low, high), abs=0.012)
    for other in readings(DROP, table, PLAN, 1):
        same = other == by_name[other.method]
        assert same == (other.method != "bootstrap, percentile")
    assert cluster_bootstrap(d, units, 0.05, 999, rng).p < 0.05
