"""Costs of conditions: paired by task, errors and unknown costs left out."""

from dataclasses import replace

import pytest

from memtrial.ledger.rows import TrialRow
from memtrial.views.evidence.cost_ratios import compare_condition_costs

ROW = TrialRow(
    key="", backbone="own/a", arm="memory", condition="intact", task="", family="", repeat=0,
    status="success", score=1.0, cause="", slot="", empty_slot=False, record="",
)  # fmt: skip


def rows(condition: str, tokens: list[int], usd: list[float | None]) -> list[TrialRow]:
    return [
        replace(ROW, condition=condition, task=str(number), input_tokens=count, usd=price)
        for number, (count, price) in enumerate(zip(tokens, usd, strict=True))
    ]


def test_the_intact_one_is_a_multiple_of_each_other_condition() -> None:
    trials = [
        *rows("filler", [100, 200, 400], [0.01, 0.02, None]),
        *rows("intact", [200, 400, 800], [0.03, 0.06, 0.5]),
        *rows("without", [50, 100, 200], [0.01, 0.02, 0.04]),
    ]
    lost = replace(trials[0], task="9", status="error", input_tokens=9_000_000, score=None)
    costs = compare_condition_costs([*trials, lost, replace(lost, condition="intact")], 0.05)
    assert [cost.condition for cost in costs] == ["without", "intact", "filler"]
    without, intact, filler = costs
    assert (filler.n_trials, filler.tokens, filler.usd) == (3, pytest.approx(700 / 3), None)
    assert (intact.versus_tokens, intact.versus_usd) == (None, None)
    assert without.versus_tokens is not None
    assert (without.versus_tokens.ratio, without.versus_tokens.n_tasks) == (pytest.approx(4), 3)
    assert filler.versus_tokens is not None
    assert filler.versus_tokens.ratio == pytest.approx(2)
    assert filler.versus_usd is not None
    assert (filler.versus_usd.n_tasks, filler.versus_usd.ratio) == (2, pytest.approx(3))


def test_repeats_of_a_task_count_as_one_task_and_one_unknown_cost_leaves_it_out() -> None:
    again = [
        replace(row, repeat=1, input_tokens=4 * row.input_tokens) for row in rows("intact", [100, 0], [0, 0])
    ]
    trials = [
        *rows("intact", [100, 100], [0, 0]), *again,
        *rows("without", [100, 100], [0, 0]), *rows("without", [100, 100], [0, 0]),
    ]  # fmt: skip
    without, _ = compare_condition_costs(trials, 0.05)
    assert (without.versus_tokens, without.versus_usd) == (None, None), "a task alone is no sample"
    third = [replace(row, task="2") for row in (trials[0], trials[2], trials[4], trials[6])]
    without, _ = compare_condition_costs([*trials, *third], 0.05)
    assert without.versus_tokens is not None
    assert (without.versus_tokens.n_tasks, without.versus_tokens.ratio) == (2, pytest.approx(2))


def test_each_arm_is_held_against_the_same_trials_without_memory_in_any_order() -> None:
    bare = [replace(row, arm="none") for row in rows("without", [100, 200], [None, None])]
    short = rows("intact", [200, 400], [None, None])
    long = [replace(row, arm="tome", input_tokens=3 * row.input_tokens) for row in short]
    twice = [replace(row, input_tokens=2 * row.input_tokens) for row in bare]
    others = [replace(row, backbone="own/b") for row in (*twice, *short)]
    trials = [*long, *bare, *short, *others]
    costs = compare_condition_costs(trials, 0.05)
    assert [(cost.backbone, cost.arm, cost.condition) for cost in costs] == [
        (backbone, arm, condition)
        for backbone, arm in (("own/a", "memory"), ("own/a", "tome"), ("own/b", "memory"))
        for condition in ("without", "intact")
    ]
    ratios = [cost.versus_tokens.ratio for cost in costs if cost.versus_tokens]
    assert ratios == [pytest.approx(2), pytest.approx(6), pytest.approx(1)]


def test_the_order_of_trials_changes_no_digit() -> None:
    trials = [
        replace(row, repeat=repeat, input_tokens=row.input_tokens * factor)
        for repeat, factor in enumerate((1, 7, 223, 9, 77))
        for name in ("without", "filler", "intact", "counter")
        for row in rows(name, [100 + 3 * len(name), 41, 701], [0.1, 0.2, 0.7])
    ]
    costs = compare_condition_costs(trials, 0.05)
    assert [cost.condition for cost in costs] == ["without", "intact", "counter", "filler"]
    for turn in range(1, len(trials)):
        assert compare_condition_costs(trials[turn:] + trials[:turn], 0.05) == costs
