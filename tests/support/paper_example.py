"""Results with a row of everything that a paper's figures and tables show, under names hard to print."""

from collections.abc import Iterator, Sequence
from functools import cache

from memtrial.analysis.result import Analysis, Estimate
from memtrial.ledger.accounts import Answering
from memtrial.views.rows.ablation_results import Ablation, GateEffect, SharedBanks
from memtrial.views.rows.evidence_rows import FunnelRow
from memtrial.views.rows.factor_rows import FactorRow
from memtrial.views.rows.failure_rows import FailureModes, FailureRow
from memtrial.views.rows.play_rows import Attrition
from memtrial.views.rows.results import Results
from tests.support.report_example import estimate_row

BACKBONES = ("simulated/reader?uptake=0.9", "simulated/skimmer")
ARMS = ("control", "artifact", "activation")
CONDITIONS = ("filler", "corrupt_invert", "irrelevant_swap")
MODES = ("distraction", "reliance", "premature", "other")
HARD = ("an_arm_with_a_name_that_is_far_too_long_for_its_place", "[artifact] 50 % & more", "*star_{}~^\\")
CJK = ("記憶のある腕", "[記憶]", "*先排序")


def _gate_effect(*factors: str, outcome: str = "utility") -> GateEffect:
    return GateEffect(
        gate=" × ".join(factors), factors=factors, backbone=BACKBONES[0], outcome=outcome,
        condition="without", n_tasks=40, n_clusters=40, effect=0.05, low=0.01, high=0.09, p=0.01,
        p_adjusted=0.02, shapley=None, shapley_low=None, shapley_high=None, unchanged=False, detectable=0.1,
    )  # fmt: skip


def _failures(arm: str) -> FailureRow:
    counts = dict(zip(MODES, (14, 10, 7, 2), strict=True))
    shares = {mode: count / 33 for mode, count in counts.items()}
    ends = dict.fromkeys(MODES, 0.1), dict.fromkeys(MODES, 0.6)
    return FailureRow(
        backbone=BACKBONES[0], arm=arm, n=33, counts=counts, shares=shares, low=ends[0],
        high=ends[1], sison_glaz={}, rates={},
    )  # fmt: skip


def _estimates(backbone: str, arms: Sequence[str]) -> Iterator[Estimate]:
    words = dict(zip(CONDITIONS, ("load-bearing", "inert", "inconclusive"), strict=True))
    for n, arm in enumerate(arms):
        ends = {"estimate": 0.1 * n, "low": 0.1 * n - 0.05, "high": 0.1 * n + 0.2, "p_adjusted": 0.01}
        where = {"backbone": backbone, **ends}
        yield estimate_row(
            "utility", arm, verdict="helps", versus="none", **{**where, "condition": "without"}
        )
        for condition, word in words.items():
            yield estimate_row("drop", arm, verdict=word, **{**where, "condition": condition})
            for share in (0.25, 0.5, 0.75):
                more = {**where, "condition": condition, "share": share}
                yield estimate_row("retention", arm, verdict="inconclusive", **more)
        if n:
            more = {**where, "condition": "filler", "versus": arms[0]}
            yield estimate_row("contrast", arm, verdict="untestable", **more)


@cache
def paper_example(arms: tuple[str, ...] = ARMS) -> Results:
    """Two backbones, three arms, three kinds of damage; made by hand, as numbers do not matter here."""
    estimates = tuple(row for backbone in BACKBONES for row in _estimates(backbone, arms))
    analysis = Analysis(estimates, {}, {}, ())
    factors = tuple(
        FactorRow(
            factor="gates", levels=("seed", "all"), outcome=outcome, backbone=BACKBONES[0], n_tasks=80,
            n_clusters=80, estimate=0.2, low=0.1, high=0.3, p=0.001, p_adjusted=0.004, verdict="raises",
        )
        for outcome in ("score", "counter")
    )  # fmt: skip
    funnel = tuple(
        FunnelRow(backbone=backbone, arm=arm, retrieved=40, shown=30, fired=20, acted=10, mattered=5, cited=2)
        for backbone in BACKBONES
        for arm in arms
    )
    effects = _gate_effect("A"), _gate_effect("A", "B"), _gate_effect("A", outcome="distraction")
    ablation = Ablation(
        told="all", factors={"A": ("a",), "B": ("b",)}, subsets={}, effects=effects, cost={}, gate_calls=30,
        sharing=SharedBanks(banks=1, different=1, episodes=1, shared=0), notes=(),
    )  # fmt: skip
    rows = tuple(map(_failures, arms[:2]))
    models = tuple(Answering(name, f"{name}-2026", 1_234, (0.7,), 0) for name in BACKBONES)
    return Results(
        name="paper", question="", seed=20_260, simulated=True, control="control: embedded equivalent",
        world="workshop", outcome="success", status="exploratory", backbones=BACKBONES,
        arms=("none", *arms), conditions=("without", *CONDITIONS), tasks=60, repeats=3, margin=0.1,
        alpha=0.05, cluster="record", effects=dict.fromkeys(CONDITIONS, "meaning"),
        verdicts=analysis.verdicts, utility=analysis.utility, estimates=estimates,
        hypotheses=analysis.hypotheses(("filler",)),
        factors=factors, funnel=funnel, ablation=ablation, models=models,
        failure_modes=FailureModes(cases=66, coded=66, rows=rows), errors={"control": 2},
        attrition={"control": Attrition(trials=360, planned=360, errors=2, share=2 / 360, causes={})},
        agent_failures={}, empty_slots={}, notes=(), cost={}, digests={"spec": "0f" * 32, "bank": "a1" * 32},
        reproduce=(),
    )  # fmt: skip
