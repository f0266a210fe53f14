"""Runs that a bank holds, of tasks like the one in hand: what a new run is compared with.

What all tasks of a bank share says nothing of which are alike: under hashed words tasks of the workshop at
different machines have cosines of .49 to .81, those at one machine .65 to .93. It is therefore taken away
first, as the mean of their vectors; tasks that have no more than that in common then have cosines about 0,
whatever the embedder is and however the tasks are worded.

Source: seeds/000 ("attempts for same/similar tasks", `similar_to=ctx`), which states neither a measure nor a
bound; the mean taken away as in J. Mu and P. Viswanath, All-but-the-Top (2018).
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
"""The cosine of two tasks' texts, without what all have in common, from which on they are alike."""
NEAREST = 4
"""Earlier runs that are looked at, the nearest ones, whatever came of them."""


def find_opposite(bank: ReasoningBank, run: Trajectory, held_as: str = "") -> tuple[LabelledRun, ...]:
    """Earlier runs that ended otherwise, among the nearest of the tasks like this one, the nearest last.

    Texts that are copies of each other, as `ConsolidationPolicy.duplicate_from` has it of items, are alike
    also in a bank that holds nothing else.

    Args:
        held_as: the id of the run's episode, where the bank has it already.
    """
    judged = list_labelled(bank.log, bank.settings.project, held_as)
    if not judged:
        return ()
    texts = [run.query, *(held.query for held in judged)]
    vectors = bank.embed_queries(texts)
    # a text counts once, however often it stands there
    own = vectors - bank.embed_queries(tuple(dict.fromkeys(texts))).mean(axis=0)
    near = cosines(vectors[0], vectors[1:])
    like = (cosines(own[0], own[1:]) >= LIKE) | (near >= bank.settings.policy.duplicate_from)
    alike = [place for place in np.argsort(-near, kind="stable")[:NEAREST] if like[place]]
    opposite = [judged[place] for place in reversed(alike) if judged[place].label != run.outcome]
    return tuple(labelled_of(get_episode(bank.log, held.episode_id)) for held in opposite)


def labelled_of(held: JudgedEpisode) -> LabelledRun:
    """A run of the bank's own, with the outcome of its last verdict."""
    run = read_trajectory(held.episode)
    ended = replace(run, outcome=held.label) if held.label else run
    return LabelledRun(ended, held.judge, held.confidence)
