"""Effects of subsets where the truth is set: Shapley identities, recovery, equal data."""

from itertools import combinations

import numpy as np
import pytest

from memtrial.analysis.analyse import SubsetEffect, subset_effects
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.subset_effects import SubsetCells
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.ablate import subsets
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow, Outcomes
from memtrial.outcomes.reserved_names import ALL

DAMAGE = "corrupt_invert"


def design(factors: str) -> SubsetCells:
    return SubsetCells(tuple(factors), {"".join(run) or "0": run for run in subsets(tuple(factors))})


def value(weights: dict[str, float] | None, v: dict[str, float]) -> float:
    assert weights is not None
    return sum(weight * v[arm] for arm, weight in weights.items())


def plan(cells: SubsetCells) -> AnalysisPlan:
    return AnalysisPlan(tuple(cells.on), (DAMAGE,), positive_control=None, rules=AnalysisRules(flips=999))


def played(
    cells: SubsetCells, chance, n: int = 60, seed: int = 1, backbones: tuple[str, ...] = ("m",)
) -> tuple[SubsetEffect, ...]:
    """Effects where a cell's chance of success is `chance(factors on, damaged)`; arm none has 0.3."""
    rng, rows = np.random.default_rng(seed), []
    for backbone in backbones:
        for task in range(n):
            luck = rng.random()  # equal chances meet equal luck: their cells hold the same data
            rows.append(OutcomeRow(backbone, *WITHOUT, f"t{task}", "", 0, float(luck < 0.3)))
            for arm, on in cells.on.items():
                for condition in ("intact", DAMAGE):
                    won = float(luck < chance(on, condition != "intact"))
                    rows.append(OutcomeRow(backbone, arm, condition, f"t{task}", "", 0, won))
    return subset_effects(Outcomes(tuple(rows)), cells, plan(cells))


def the(found, factors: str, outcome: str, backbone: str = "m") -> SubsetEffect:
    (one,) = [
        one
        for one in found
        if (one.factors, one.outcome, one.row.backbone) == (tuple(factors), outcome, backbone)
    ]
    return one


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_shapley_values_sum_to_all_less_none_and_agree_with_odd_order_terms(k):
    cells = design("ABCD"[:k])
    rng = np.random.default_rng(k)
    v = {arm: float(x) for arm, x in zip(cells.on, rng.random(2**k), strict=True)}
    phi = {name: value(cells.shapley(name), v) for name in cells.factors}
    assert sum(phi.values()) == pytest.approx(v["ABCD"[:k]] - v["0"], abs=1e-12)
    for name in cells.factors:
        odd = [t for n in (1, 3) for t in combinations(cells.factors, n) if name in t]
        # an effect is twice beta
        assert phi[name] == pytest.approx(sum(value(cells.effect(term), v) / len(term) for term in odd))
    for weights in (cells.shapley("A"), cells.effect(("A",))):
        assert weights is not None
        assert sum(weights.values()) == pytest.approx(0)


def test_in_the_half_shapley_values_are_those_of_all_subsets_where_no_three_interact():
    cells = design("ABCDE")
    gain = dict(zip("ABCDE", (0.2, 0.1, 0.0, -0.05, 0.3), strict=True))

    def v(on: tuple[str, ...]) -> float:
        return sum(gain[name] for name in on) + 0.08 * ("A" in on and "B" in on)

    told = {arm: v(on) for arm, on in cells.on.items()}
    phi = {name: value(cells.shapley(name), told) for name in "ABCDE"}
    assert phi == pytest.approx(gain | {"A": 0.24, "B": 0.14})
    assert value(cells.effect(("A", "B")), told) == pytest.approx(0.04)
    assert design("ABCDEF").shapley("A") is None, "a screening tells no Shapley value"


def test_set_effects_are_found_and_a_factor_that_changes_nothing_is_told_from_one_that_is_not_seen():
    cells = design("ABC")
    # B does nothing at all; A lifts the score, C makes the damage worse
    found = played(cells, lambda on, hurt: 0.3 + 0.3 * ("A" in on) - (0.2 + 0.3 * ("C" in on)) * hurt)
    gain, nothing, worse = the(found, "A", "utility"), the(found, "B", "utility"), the(found, "C", "drop")
    assert gain.row.p_adjusted is not None
    assert worse.row.p_adjusted is not None
    assert max(gain.row.p_adjusted, worse.row.p_adjusted) < 0.01
    assert gain.row.estimate == pytest.approx(0.3, abs=0.15)
    assert nothing.unchanged
    assert not gain.unchanged
    low, high = nothing.row.low_family, nothing.row.high_family
    assert low is not None
    assert high is not None
    assert low < 0 == nothing.row.estimate < high, "equal data are no certainty"
    assert gain.shapley is not None
    assert gain.shapley.estimate == pytest.approx(gain.row.estimate), "nothing interacts with A"


def test_retention_is_the_drop_less_half_of_the_utility_and_interactions_have_no_shapley_value():
    found = played(design("AB"), lambda on, hurt: 0.4 + 0.2 * ("A" in on) - 0.1 * hurt * len(on))
    for term in ("A", "B", "AB"):
        gain, drop, kept = (the(found, term, kind).row.estimate for kind in ("utility", "drop", "retention"))
        assert kept == pytest.approx(drop - 0.5 * gain)
    assert the(found, "AB", "drop").shapley is None


def test_several_backbones_come_with_their_mean():
    found = played(design("A"), lambda on, hurt: 0.3 + 0.4 * len(on) - 0.1 * hurt, backbones=("m", "n"))
    one, two, mean = (the(found, "A", "utility", name) for name in ("m", "n", ALL))
    assert mean.row.estimate == pytest.approx((one.row.estimate + two.row.estimate) / 2)
    assert None not in (one.shapley, two.shapley, mean.shapley)


def test_the_family_wise_error_and_the_coverage_of_shapley_values_hold():
    cells, runs = design("ABC"), 60
    wrong = missed = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        tasks = rng.beta(2, 2, 40)
        rows = [
            OutcomeRow("m", arm, condition, f"t{at}", "", 0, float(rng.random() < hard))
            for at, hard in enumerate(tasks)
            for arm, condition in (WITHOUT, *((arm, c) for arm in cells.on for c in ("intact", DAMAGE)))
        ]
        found = subset_effects(Outcomes(tuple(rows)), cells, plan(cells))
        wrong += min(one.row.p_adjusted or 1.0 for one in found) <= 0.05
        credit = the(found, "A", "utility").shapley
        assert credit is not None
        missed += not (credit.low or 0) <= 0 <= (credit.high or 0)
    # three standard errors above .05 at 60 experiments
    assert max(wrong, missed) / runs <= 0.134


def test_an_effect_of_the_detectable_size_is_seen_in_four_of_five_experiments():
    size, n_experiments = 0.12, 30

    def chance(on: tuple[str, ...], hurt: bool) -> float:
        # half of it on either side of the interaction, so that no main effect takes part
        return 0.5 + (size if len(on) != 1 else -size) / 2

    seen = [the(played(design("AB"), chance, seed=seed), "AB", "utility") for seed in range(n_experiments)]
    assert np.mean([effect.detectable for effect in seen]) == pytest.approx(size, abs=0.01)
    share = np.mean([effect.row.low_family > 0 for effect in seen])
    assert 0.6 <= share <= 0.95, share
