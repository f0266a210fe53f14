"""False fires and misses: what came up is held against the step that the world's path called for."""

from types import SimpleNamespace
from typing import Any

import pytest

from memtrial.agents.slot import Firing
from memtrial.agents.trajectory import Step
from memtrial.runs.trials.adherence import Timing, ToldAction, timing_of

PATH = ("wait", "pull the lever", "sign off the press")


def episode(done: tuple[str, ...], fired: dict[int, int]) -> Any:
    steps = tuple(Step("so", action, "seen") for action in done)
    firings = tuple(Firing(step, item, "cue", False) for item, step in fired.items())
    return SimpleNamespace(steps=steps, firings=firings)


@pytest.mark.parametrize(
    ("told", "done", "fired", "counts"),
    [
        ("pull the lever", ("wait", "tug the chain", "pull the lever"), {0: 1}, Timing(1, 0, 1, 0)),
        ("pull the lever", ("wait", "tug the chain", "pull the lever"), {0: 2}, Timing(1, 0, 1, 1)),  # late
        ("pull the lever", ("wait", "tug the chain"), {0: 0}, Timing(1, 1, 1, 0)),  # early
        ("pull the lever", ("wait", "pull the lever"), {}, Timing(0, 0, 1, 1)),  # never
        ("pull the lever", ("sing", "sing"), {}, Timing(0, 0, 0, 0)),  # its moment never came
        ("tug the chain", ("wait", "pull the lever"), {0: 1}, Timing(1, 1, 0, 0)),  # wrong advice
        ("tug the chain", ("wait", "pull the lever"), {}, Timing(0, 0, 0, 0)),
        ("sign off the press", ("wait", "Pull the lever.", "dance"), {0: 2}, Timing(1, 0, 1, 0)),
    ],
)
def test_a_firing_is_right_when_the_path_calls_for_what_its_item_tells(told, done, fired, counts):
    assert timing_of((ToldAction(told, 0, False),), PATH, episode(done, fired)) == counts


def test_what_no_trigger_speaks_of_and_a_world_without_a_path_count_for_nothing():
    played = episode(("wait",), {0: 0})
    assert timing_of((ToldAction("wait", None, True),), PATH, played) == Timing()
    assert timing_of((ToldAction("wait", 0, False),), (), played) == Timing()


def test_an_item_counts_once_whatever_many_actions_it_tells():
    told = (
        ToldAction("wait", 0, False),
        ToldAction("pull the lever", 0, False),
        ToldAction("wait", 1, False),
    )
    assert timing_of(told, PATH, episode(("wait", "pull the lever"), {0: 0, 1: 1})) == Timing(2, 1, 2, 1)
