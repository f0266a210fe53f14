"""Runs that a bank holds, of tasks like the one in hand: what a new run is compared with.

Source: seeds/000 ("attempts for same/similar tasks", `similar_to=ctx`), which states no measure and no bound.
"""

from dataclasses import replace

import numpy as np

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank.events.episode_queries import JudgedEpisode, get_episode, list_labelled
from memtrial.memory.bank.events.kept_episode import read_trajectory
from memtrial.memory.bank.index.vector_index import cosines
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank

LIKE = 0.5
"""The cosine of two tasks' texts, less what all have in common, from which on they are alike."""
NEAREST = 4
"""Earlier runs that are looked at, the nearest ones, whatever came of them."""


def find_opposite(bank: ReasoningBank, run: Trajectory, held_as: str = "") -> tuple[LabelledRun, ...]:
    """Earlier runs that ended otherwise, among those of the tasks most like this one, the nearest last.

    Args:
        held_as: the id of the run's episode, where the bank has it already.
    """
    judged = list_labelled(bank.log, bank.settings.project, held_as)
    if not judged:
        return ()
    vectors = bank.embed_queries([run.query, *(held.query for held in judged)])
    near = cosines(vectors[0], vectors[1:])
    alike = [place for place in np.argsort(-near, kind="stable")[:NEAREST] if near[place] >= LIKE]
    opposite = [judged[place] for place in reversed(alike) if judged[place].label != run.outcome]
    return tuple(labelled_of(get_episode(bank.log, held.episode_id)) for held in opposite)


def labelled_of(held: JudgedEpisode) -> LabelledRun:
    """A run of the bank's own, with the outcome of its last verdict."""
    run = read_trajectory(held.episode)
    ended = replace(run, outcome=held.label) if held.label else run
    return LabelledRun(ended, held.judge, held.confidence)
