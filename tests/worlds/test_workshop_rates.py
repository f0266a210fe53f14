"""How often known agents succeed in the workshop: the rates its calibration rests on."""

import asyncio
from functools import cache

import numpy as np
import pytest
from numpy.random import default_rng

from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.arm import PREPEND
from memtrial.models.client.client import Caller
from memtrial.prompts.templates import cue_line
from memtrial.worlds.workshop.world import Workshop
from tests.support.scripted import simulated_client

SEEDS = range(6)
N_TEST = 200


@cache
def world(seed: int) -> Workshop:
    return Workshop(seed, 0, N_TEST)


def played(model: str, seeds: range, n: int, lesson: bool) -> float:
    """Share of successes of a participant in the real agent loop."""
    client = simulated_client()

    async def episodes() -> list[bool]:
        won = []
        for seed in seeds:
            one = world(seed)
            for task in one.tasks("test")[:n]:
                slot = Slot(cue_line(), (one.ground_truth(task).lesson,)) if lesson else NOTHING
                # the models' draws hang on the prompt alone, and two worlds may pose the same one
                episode = await play(ReAct(), one, task, Caller(client, model, None, seed), PREPEND(slot, ()))
                won.append(episode.outcome.success)
        return won

    return float(np.mean(asyncio.run(episodes())))


def explored(seed: int, again: bool) -> list[bool]:
    """An agent that picks uniformly, among all actions or among those not tried yet."""
    one, rng, won = world(seed), default_rng([seed, again]), []
    for task in one.tasks("test"):
        for _ in range(3):
            state, tried = one.reset(task), set()
            for _ in range(one.step_limit(task)):
                fresh = [action for action in state.actions if again or action not in tried]
                action = str(rng.choice(fresh or list(state.actions)))
                tried.add(action)
                state = one.step(action)
                if state.done:
                    break
            won.append(one.outcome().success)
    return won


@pytest.mark.parametrize("again", [True, False], ids=["with replacement", "without"])
def test_who_explores_at_random_succeeds_in_30_to_45_percent(again):
    won = [success for seed in SEEDS for success in explored(seed, again)]
    assert np.std(won) / len(won) ** 0.5 < 0.01
    assert 0.30 <= np.mean(won) <= 0.45


def test_who_ignores_memory_succeeds_in_30_to_45_percent():
    assert 0.30 <= played("simulated/ignorer", SEEDS, N_TEST, lesson=False) <= 0.45


def test_who_reads_the_true_lesson_succeeds():
    assert played("simulated/reader", range(2), N_TEST, lesson=True) >= 0.95


def test_a_lesson_that_nobody_reads_does_not_help():
    assert 0.30 <= played("simulated/ignorer", SEEDS, N_TEST, lesson=True) <= 0.45
