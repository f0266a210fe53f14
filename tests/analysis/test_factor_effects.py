"""Main effects of crossed arms: those of the linear model, and nothing where arms are not crossed."""

from itertools import combinations, product

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.factor_effects import find_uncrossed, interactions, main_effects
from memtrial.analysis.result import Estimate
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow, Outcomes

DAMAGES = ("corrupt_invert", "counter")
CUBE = (
    ("injection", ("prepend", "trigger")),
    ("gates", ("seed", "all")),
    ("review", ("gates", "human")),
)
EIGHT = {"".join(row): row for row in product(*(levels for _, levels in CUBE))}
"""Forks A, B and C, fully crossed."""
LIFTS = {"trigger": 0.2, "all": 0.1, "human": -0.05}
"""What a level adds to the intact score; damage takes away what the trigger and the gates add."""


def outcomes(levels, n_tasks=40, repeats=3, seed=4):
    """Trials of all arms, whose chance of success is the sum of the lifts of their levels."""
    rng, rows = np.random.default_rng(seed), []
    for task in range(n_tasks):
        ease = rng.uniform(-0.1, 0.1)
        chances = {WITHOUT: 0.4 + ease}
        for arm, row in levels.items():
            gain = sum(LIFTS.get(level, 0.0) for level in row)
            chances |= {(arm, "intact"): 0.5 + ease + gain}
            chances |= {(arm, name): 0.4 + ease + LIFTS["human"] * ("human" in row) for name in DAMAGES}
        rows += [
            OutcomeRow("m", *cell, f"t{task:03d}", "", repeat, float(rng.random() < chance))
            for cell, chance in chances.items()
            for repeat in range(repeats)
        ]
    return Outcomes(tuple(rows))


def plan(factors, levels):
    return AnalysisPlan(
        tuple(levels), DAMAGES, positive_control=None, rules=AnalysisRules(flips=499), factors=factors,
        levels=tuple(levels.items()),
    )  # fmt: skip


def rows_of(factors, levels, seed=4) -> tuple[Outcomes, dict[tuple[str, str], Estimate]]:
    played = outcomes(levels, seed=seed)
    found = analyse(played, plan(factors, levels)).estimates
    return played, {(row.arm, row.condition): row for row in found if row.estimand == "factorial"}


def coded(levels, factors):
    """A column a factor, in effect coding: -1 at the first level, +1 at the second; shape (n_arms, n)."""
    firsts = [own[0] for _, own in factors]
    rows = (zip(row, firsts, strict=True) for row in levels.values())
    return np.array([[-1.0 if level == first else 1.0 for level, first in row] for row in rows])


def test_in_a_crossed_design_of_eight_arms_main_effects_are_those_of_the_linear_model():
    import statsmodels.api as sm
    from scipy.stats import ttest_1samp

    played, found = rows_of(CUBE, EIGHT)
    table, signs = played.cells("m"), coded(EIGHT, CUBE)
    pairs = [signs[:, one] * signs[:, other] for one, other in combinations(range(3), 2)]
    whole = np.column_stack([signs, *pairs, signs.prod(axis=1)])
    for outcome in ("intact", *DAMAGES):
        # of each task in each arm, shape (n_tasks, 8)
        values = np.column_stack([table.mean((arm, "intact")) for arm in EIGHT])
        if outcome != "intact":
            values = values - np.column_stack([table.mean((arm, outcome)) for arm in EIGHT])
        for number, (factor, (first, second)) in enumerate(CUBE):
            row = found[f"{factor}: {second} − {first}", outcome]
            high, low = (values[:, signs[:, number] == sign].mean(axis=1) for sign in (1, -1))
            assert row.estimate == pytest.approx((high - low).mean())
            assert row.p == pytest.approx(ttest_1samp(high - low, 0.0).pvalue)
            for columns in (signs, whole):
                model = sm.OLS(values.mean(axis=0), sm.add_constant(columns)).fit()
                assert row.estimate == pytest.approx(2 * model.params[1 + number])
            assert row.low < row.estimate < row.high
    mains = [row for row in found.values() if row.family == "factorial effects"]
    assert len(mains) == 9
    assert all(row.p_adjusted >= row.p for row in mains)
    words = {name: found[name, "counter"].verdict for name, _ in found}
    assert words["injection: trigger − prepend"] == "raises"
    assert words["review: human − gates"] != "raises"
    means = np.array([float(table.mean((arm, "intact")).mean()) for arm in EIGHT])
    crossed = found["injection × gates", "intact"]
    assert crossed.estimate == pytest.approx(2 * sm.OLS(means, whole).fit().params[3])
    assert crossed.family == "interactions of factors"


def test_another_factor_takes_no_part_where_the_crossing_has_holes():
    factors = (("injection", ("prepend", "trigger", "state")), ("gates", ("none", "seed", "all")))
    arms = ("prepend none", "prepend seed", "trigger seed", "prepend all", "trigger all")
    levels = {arm: tuple(arm.split()) for arm in arms}
    injection, seed_all = main_effects(factors, levels)
    assert (injection.factor, injection.levels) == ("injection", ("prepend", "trigger"))
    assert injection.weights == {
        "prepend seed": -0.5, "prepend all": -0.5, "trigger seed": 0.5, "trigger all": 0.5,
    }  # fmt: skip
    assert (seed_all.factor, seed_all.levels) == ("gates", ("seed", "all"))
    missing = {(hole.factor, hole.levels): hole for hole in find_uncrossed(factors, levels)}
    assert missing["injection", ("prepend", "trigger")].lacking == (("trigger", "none"),)
    assert missing["gates", ("none", "all")].lacking == (("trigger", "none"),)
    assert missing["gates", ("none", "all")].strata == 1
    (name, weights), *more = interactions(factors, levels)
    assert name == "injection (trigger − prepend) × gates (all − seed)"
    assert weights == {
        "prepend seed": 0.5, "prepend all": -0.5, "trigger seed": -0.5, "trigger all": 0.5,
    }  # fmt: skip
    assert not more


STANDARD = {
    "control": ("prepend", "none", "native"),
    "artifact": ("prepend", "seed", "theory"),
    "activation": ("trigger", "seed", "theory"),
}
FORKS = (("injection", ("prepend", "trigger")), ("gates", ("none", "seed")), ("schema", ("native", "theory")))


def test_two_arms_are_no_crossing_and_the_missing_ones_are_named():
    assert not main_effects(FORKS, STANDARD)
    missing = {hole.factor: hole for hole in find_uncrossed(FORKS, STANDARD)}
    assert missing["injection"].lacking == (("trigger", "none", "native"),)
    assert missing["injection"].strata == 1
    assert missing["schema"].strata == 0
    assert missing["gates"].lacking[0] == ("prepend", "seed", "native")
    assert not list(find_uncrossed(CUBE, EIGHT))


def test_factors_that_change_only_together_are_told_together():
    crossed = STANDARD | {"native by trigger": ("trigger", "none", "native")}
    injection, made = main_effects(FORKS, crossed)
    assert injection.factor == "injection"
    assert (made.factor, made.levels) == ("gates + schema", ("none + native", "seed + theory"))
    assert made.weights == {"control": -0.5, "native by trigger": -0.5, "artifact": 0.5, "activation": 0.5}
    # an arm that tells them apart leaves no word for both
    apart = crossed | {"theory without gates": ("prepend", "none", "theory")}
    assert [effect.factor for effect in main_effects(FORKS, apart)] == ["injection"]


def test_arms_made_alike_share_the_weight_of_their_cell():
    twins = EIGHT | {"twin": EIGHT["prependseedgates"]}
    weights = main_effects(CUBE, twins)[0].weights
    assert weights["twin"] == weights["prependseedgates"] == -1 / 8
    assert sum(weights.values()) == pytest.approx(0)
