"""What an ablation prints of effects that it did not see: the least they may cost, and what it could see."""

from memtrial.reports.sections.ablation_tables import effects_table, interactions_line
from memtrial.views.rows.ablation_results import Ablation, GateEffect, SharedBanks


def effect(*factors: str, low: float, high: float, detectable: float | None = 0.2) -> GateEffect:
    estimate, calls = (low + high) / 2, 30 if len(factors) == 1 else None
    per_point = [None if calls is None or end <= 0 else calls / (100 * end) for end in (estimate, high, low)]
    return GateEffect(
        gate=" × ".join(factors), factors=factors, backbone="m", outcome="utility", condition="without",
        n_tasks=40, n_clusters=40, effect=estimate, low=low, high=high, p=0.5, p_adjusted=0.5, shapley=None,
        shapley_low=None, shapley_high=None, unchanged=False, detectable=detectable,
        calls_per_point=per_point[0], calls_per_point_low=per_point[1], calls_per_point_high=per_point[2],
    )  # fmt: skip


def found(*effects: GateEffect) -> Ablation:
    sharing = SharedBanks(banks=1, different=1, episodes=1, shared=0)
    factors = {name: (name,) for one in effects for name in one.factors}
    return Ablation(
        told="all", factors=factors, subsets={}, effects=effects, cost={}, gate_calls=30, sharing=sharing,
        notes=(),
    )  # fmt: skip


def test_calls_a_point_have_no_middle_where_the_effect_may_be_none():
    table = effects_table(found(effect("A", low=-0.05, high=0.09), effect("B", low=0.02, high=0.05)), False)
    open_effect, shown_effect = (row[-1] for row in table.rows)
    assert open_effect == "at least 3.3"
    assert shown_effect == "8.6 [6.0, 15]"


def test_interactions_that_were_not_seen_come_with_the_size_that_would_have_been():
    pairs = (effect("A", "B", low=-0.1, high=0.1, detectable=0.14), effect("A", "C", low=-0.2, high=0.2))
    line = interactions_line(found(effect("A", low=0.1, high=0.2), *pairs))
    assert line == (
        "0 of 2 interactions are away from 0. With 80 % power this run shows one of 0.20 (in its narrowest"
        " row, of 0.14); smaller ones are not ruled out."
    )
    assert interactions_line(found(effect("A", low=0.1, high=0.2))) == "No interaction is told."
    unknown = interactions_line(found(effect("A", "B", low=-0.1, high=0.1, detectable=None)))
    assert unknown.endswith("What this design can see is not known.")
