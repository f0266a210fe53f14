"""The clean contrast of fork A: a secondary family after the hypotheses, which it leaves as they are."""

from dataclasses import replace

import numpy as np
import pytest

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.hypothesis_families import CHANNEL, HYPOTHESES, families
from memtrial.analysis.result import Estimate
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import WITHOUT, OutcomeRow, Outcomes

ARMS = ("control", "artifact", "activation")
CONDITIONS = ("corrupt_invert", "oddity+corrupt_invert", "counter", "filler")
DROPS = {"control": 0.0, "artifact": 0.1, "activation": 0.4}
PLAN = AnalysisPlan(
    ARMS, CONDITIONS, pairs=(("artifact", "control"), ("activation", "control")), positive_control=None,
    primary=("corrupt_invert", "counter"), rules=AnalysisRules(flips=499),
)  # fmt: skip
BY_CHANNEL = replace(PLAN, channel_pairs=(("activation", "artifact"),))


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    rng = np.random.default_rng(5)
    chances = {WITHOUT: 0.3} | {(arm, "intact"): 0.8 for arm in ARMS}
    for arm, lost in DROPS.items():
        chances |= {(arm, name): 0.8 - lost * (not name.startswith("oddity")) for name in CONDITIONS}
    return Outcomes(
        OutcomeRow("m", *cell, f"t{task}", "", repeat, float(rng.random() < chance))
        for task in range(60)
        for repeat in range(2)
        for cell, chance in chances.items()
    )


@pytest.fixture(scope="module")
def rows(outcomes: Outcomes) -> dict[str, list[Estimate]]:
    by_family: dict[str, list[Estimate]] = {}
    for row in analyse(outcomes, BY_CHANNEL).estimates:
        by_family.setdefault(row.family, []).append(row)
    return by_family


def test_the_hypotheses_and_what_their_guards_read_stay_as_they_are(outcomes, rows):
    bare = [row for row in analyse(outcomes, PLAN).estimates if row.family != "other contrasts"]
    own = [row for family, of_family in rows.items() for row in of_family if CHANNEL not in family]
    assert [row for row in own if row.family != "other contrasts"] == bare


def test_it_is_the_treatments_drop_less_that_of_the_same_memory_shown_at_once(outcomes, rows):
    table = outcomes.cells("m")
    for row in rows[CHANNEL]:
        apart = [table.mean((arm, "intact")) - table.mean((arm, row.condition)) for arm in ARMS[:0:-1]]
        assert (row.arm, row.versus) == ("activation", "artifact")
        assert row.estimate == pytest.approx(float((apart[0] - apart[1]).mean()))
    assert [row.condition for row in rows[CHANNEL]] == ["corrupt_invert", "counter"]
    assert {row.verdict for row in rows[CHANNEL]} == {"load-bearing"}
    others = [(row.arm, row.versus, row.condition) for row in rows["other contrasts"]]
    assert ("activation", "artifact", "filler") in others
    (content,) = rows[f"content effects, {CHANNEL}"]
    assert content.condition == "corrupt_invert"


def test_it_is_tested_second_and_is_no_declared_hypothesis(outcomes):
    analysis = analyse(outcomes, BY_CHANNEL)
    listed = {family.name: family for family in families(analysis.estimates, 0.05)}
    assert (listed[HYPOTHESES].role, listed[HYPOTHESES].order) == ("primary", 1)
    assert (listed[CHANNEL].role, listed[CHANNEL].order) == ("secondary", 2)
    declared = analysis.hypotheses(BY_CHANNEL.primary, BY_CHANNEL.channel_pairs)
    assert {(entry.treatment, entry.control) for entry in declared} == set(PLAN.pairs)
