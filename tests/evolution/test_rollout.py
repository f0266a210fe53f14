"""Which of several tries is handed in, and how tries differ."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.trajectory import Step
from memtrial.evolution.rollout import Rollout, choose_best
from memtrial.evolution.rollout_variants import list_tools, vary_rollouts
from memtrial.evolution.scaled_task import share_calls
from memtrial.judges.verdict_words import Label
from tests.support.event_bank import make_trajectory


def tried(index: int, label: Label, sure: float | None = None, steps: int = 2) -> Rollout:
    run = replace(make_trajectory(), steps=tuple(Step("", f"act {n}", "") for n in range(steps)))
    return Rollout(index, run, label, sure)


@pytest.mark.parametrize(
    ("rollouts", "best"),
    [
        ([tried(0, "failure"), tried(1, "success")], 1),
        ([tried(0, "failure"), tried(1, "")], 1),
        ([tried(0, ""), tried(1, "success", 0.1)], 1),
        ([tried(0, "success", 0.6), tried(1, "success", 0.9)], 1),
        ([tried(0, "success", None), tried(1, "success", 0.4)], 0),
        ([tried(0, "failure", 0.9), tried(1, "failure", 0.6)], 1),
        ([tried(0, "success", 0.6, 3), tried(1, "success", 0.6, 2)], 1),
        ([tried(0, "success", 0.6), tried(1, "success", 0.6)], 0),
        ([tried(1, "success"), tried(0, "success")], 1),
    ],
)
def test_the_best_is_chosen_by_label_confidence_steps_and_index(rollouts: list[Rollout], best: int) -> None:
    assert choose_best(rollouts) is rollouts[best]


def test_the_judge_chooses_and_not_the_world() -> None:
    lost = replace(tried(1, "success"), trajectory=replace(make_trajectory(), outcome="failure"))
    assert choose_best([tried(0, "failure"), lost]) is lost
    assert not lost.solved
    assert lost.judged.outcome == "success"


def test_tries_vary_in_three_kinds_and_each_is_a_draw_of_its_own() -> None:
    variants = vary_rollouts(7, ("seed", "temperature", "decomposition"))
    assert [variant.kind for variant in variants[1:]] == ["seed", "temperature", "decomposition"] * 2
    assert [variant.index for variant in variants] == list(range(7))
    assert [variant.temperature is not None for variant in variants] == [False, False, True, False] * 1 + [
        False, True, False,
    ]  # fmt: skip
    hints = [variant.hint for variant in variants if variant.hint]
    assert len(hints) == len(set(hints)) == 2
    assert len({variant.temperature for variant in variants if variant.kind == "temperature"}) == 2


def test_tries_vary_by_the_tools_of_a_world() -> None:
    tools = list_tools(("turn the valve", "Turn the crank", "tap it", "B"), ("pour OBJ",))
    assert tools == ("turn", "tap")
    assert list_tools((), ("pour OBJ into OBJ", "focus on OBJ", "look around", "OBJ")) == (
        "pour", "focus on", "look around",
    )  # fmt: skip
    variants = vary_rollouts(4, ("tools",), tools)
    assert [variant.tool for variant in variants] == ["", "turn", "tap", "turn"]
    assert all(f'"{variant.tool}"' in variant.hint for variant in variants[1:])
    # what no world names leaves another draw
    assert [variant.kind for variant in vary_rollouts(3, ("tools",))] == ["seed"] * 3


def test_four_tries_say_by_what_each_differs() -> None:
    variants = vary_rollouts(5, ("seed", "temperature", "decomposition", "tools"), ("turn",))
    words = [variant.words for variant in variants]
    assert len(set(words)) == 5
    assert [word.partition(":")[0] for word in words] == [
        "draw 0",
        "draw 1",
        "draw 2 at temperature 1",
        "draw 3 by a hint",
        "draw 4 with turn first",
    ]


@given(st.integers(0, 100), st.integers(1, 20))
def test_requests_are_shared_out_whole(most: int, n: int) -> None:
    shares = share_calls(most, n)
    assert sum(share or 0 for share in shares) == most
    assert max(shares) - min(shares) <= 1  # type: ignore[type-var, operator]
