"""Failure modes as outcomes of an ablation: rates per task of the base set, against plain arithmetic."""

from itertools import product

import numpy as np
import pytest

from memtrial.analysis.failures.shares import MODES
from memtrial.api.ablate import active
from memtrial.ledger.rows import Status, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.protocol.run_cells import analysis_plan, outcome_table
from memtrial.reports.sections.ablation_tables import effects_table, modes_line, modes_table
from memtrial.views.evidence.ablation_rows import ablation_rows
from memtrial.views.evidence.mode_rates import failed_pairs
from memtrial.views.rows.ablation_results import Ablation
from tests.support.plans import run_plan
from tests.support.verb_ledger import trial

SUBSETS = {"gates-0": (), "gates-A": ("A",), "gates-B": ("B",), "gates-AB": ("A", "B")}
READER, TASKS, REPEATS = "simulated/reader", 24, 2
Ending = tuple[Status, str]


def ending(arm: str, task: int, repeat: int) -> Ending:
    """A failure and its mode, or a success: A prevents distraction, B only makes failures premature."""
    on, turn = SUBSETS[arm], (task + repeat) % 8
    if turn in (0, 1, 2) and "A" not in on:
        return "failure", "distraction"
    if turn in (3, 4):
        return "failure", "premature" if "B" in on else ""
    return ("failure", "") if turn == 5 else ("success", "")


def without(task: int, repeat: int) -> Status:
    """Every sixth task is never solved without memory, every fourth every second time."""
    if task % 6 == 5 or (task % 4 == 3 and repeat == 1):
        return "failure"
    return "success"


@pytest.fixture(scope="module")
def plan() -> RunPlan:
    arms = ("none", *SUBSETS)
    return run_plan(
        backbones=[READER], arms=list(arms), gate_factors={"A": ["a"], "B": ["b"]}, repeats=REPEATS,
        gate_subsets={arm: list(on) for arm, on in SUBSETS.items()}, conditions=[], primary=[], clusters={},
        levels={arm: [arm, "prepend"] for arm in SUBSETS}, flips=499,
    )  # fmt: skip


@pytest.fixture(scope="module")
def trials() -> list[TrialRow]:
    places = list(product(range(TASKS), range(REPEATS)))
    rows = [trial(READER, ("none", "without"), f"t{t:02d}", r, without(t, r)) for t, r in places]
    for arm in SUBSETS:
        rows += [trial(READER, (arm, "intact"), f"t{t:02d}", r, ending(arm, t, r)[0]) for t, r in places]
    return rows


def ablated(plan: RunPlan, trials: list[TrialRow], coded: bool) -> Ablation:
    codes = {
        pair.case: {"mode": mode, "fault": ""}
        for pair in failed_pairs(trials)
        if (mode := ending(pair.failed.arm, int(pair.failed.task[1:]), pair.failed.repeat)[1])
    }
    found = ablation_rows(
        plan, analysis_plan(plan), outcome_table(trials, plan), trials, (), (),
        ("by hand", codes) if coded else None,
    )  # fmt: skip
    assert found is not None
    return found


def test_effects_on_modes_are_differences_of_rates_over_the_tasks_solved_without(plan, trials):
    found = ablated(plan, trials, True)
    base = np.array([np.mean([without(t, r) == "success" for r in range(REPEATS)]) for t in range(TASKS)])
    rates = {
        (arm, mode): np.array(
            [np.mean([ending(arm, t, r)[1] == mode for r in range(REPEATS)]) for t in range(TASKS)]
        )
        for arm, mode in product(SUBSETS, MODES)
    }
    modes = [effect for effect in found.effects if effect.of_mode]
    assert {(effect.gate, effect.outcome) for effect in modes} == set(product("AB", MODES))
    for effect in modes:
        sides = [
            [rates[arm, effect.outcome] for arm, on in SUBSETS.items() if (effect.gate in on) is there]
            for there in (True, False)
        ]
        with_it, without_it = (np.mean(side, axis=0) for side in sides)
        assert effect.effect == pytest.approx(np.average(with_it - without_it, weights=base))
        assert effect.n_tasks == int((base > 0).sum())
        assert effect.condition == "intact"
    shown = {(effect.gate, effect.outcome): effect for effect in modes}
    prevented = shown["A", "distraction"]
    assert prevented.away
    assert prevented.effect < 0
    assert prevented.p_adjusted < 0.01
    assert shown["A", "reliance"].unchanged
    assert not shown["A", "premature"].away
    assert prevented.low <= prevented.effect <= prevented.high
    table = modes_table(found, False)
    assert len(table.rows) == len(modes)
    assert "A prevents distraction (−0.3" in modes_line(found)
    assert "by hand" in " ".join(found.notes)


def test_coding_failures_changes_no_other_effect(plan, trials):
    coded, bare = ablated(plan, trials, True), ablated(plan, trials, False)
    assert [effect for effect in coded.effects if not effect.of_mode] == list(bare.effects)
    assert any("not coded" in note for note in bare.notes)
    assert not modes_table(bare, False).rows
    assert modes_line(bare) == ""
    assert active(coded) == active(bare) == ("A",), "nor which gates a second run switches"
    assert effects_table(coded, False).rows == effects_table(bare, False).rows
