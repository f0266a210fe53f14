"""How often the agent did what its intact memory advises, and what `counter` advises in its place.

What is done at once counts 1, what is done later a little less, what is never done nothing: a reader that
first tries on its own, and then reads, is none that ignores its memory (STATISTICS 0e.2), and one that does
at once what others come to in the end reads more than they.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, exchangeable
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.runs.trials.adherence import ToldAction, scenes


class DoneActs(NamedTuple):
    """How soon something was done, from 1 (at once) to 0 (never); None where no item says such a thing.

    Args:
        told: of what the intact memory tells to do, over the turns at which the agent acted.
        avoided: of what it tells to avoid, over the same turns.
        other: of what `counter` tells to do in its place, over all turns.
    """

    told: float | None = None
    avoided: float | None = None
    other: float | None = None


def find_other_actions(
    told_actions: Sequence[ToldAction], countered: Slot | None, known: Repertoire
) -> tuple[ToldAction, ...]:
    """What the slot under `counter` tells to do, each where what it stands for applies; none without a slot.

    What the intact memory tells as well is no other action.
    """
    if countered is None:
        return ()
    by_item: dict[int, list[ToldAction]] = {}
    for action in told_actions:
        if action.do:
            by_item.setdefault(action.item, []).append(action)
    others = []
    for position, intact in by_item.items():
        item = countered.items[position] if position < len(countered.items) else ""
        instead = [advice for advice in exchangeable(item, known)[:MOST_ADVISED] if advice.do]
        for number, advice in enumerate(instead):
            if not any(same_action(advice.action, action.action) for action in told_actions):
                others.append(replace(intact[min(number, len(intact) - 1)], action=advice.action))
    return tuple(others)


def score_acts(
    told_actions: Sequence[ToldAction], other_actions: Sequence[ToldAction], episode: Episode
) -> DoneActs:
    """How soon each was done where it applied; 0.0 where no such turn came (intention to treat).

    A turn that was lost to a reply nobody could read, or to an action that the world does not take, is no
    turn at which what is told was left undone: to stumble is not to heed. It does count for the other
    action, so that to stumble cannot raise its share. Source: STATISTICS 0e.1.
    """
    to_do, to_avoid = ([action for action in told_actions if action.do is wanted] for wanted in (True, False))
    return DoneActs(
        _score_soonness(to_do, episode, lost=False),
        _score_soonness(to_avoid, episode, lost=False),
        _score_soonness(other_actions, episode, lost=True),
    )


_HALF_AFTER = 10
"""Turns at which something due is left undone, after which doing it counts half. Chosen on simulated
participants of known disposition, readers that try on their own first among them."""


def _score_soonness(wanted: Sequence[ToldAction], episode: Episode, lost: bool) -> float | None:
    """How soon each of the actions was done that was due at all, on average; `lost`: turns without an action
    count. A turn at which another one of them is done leaves none undone."""
    if not wanted:
        return None
    undone: dict[ToldAction, int] = {}
    soonness: dict[ToldAction, float] = {}
    for _, step, due in scenes(wanted, episode):
        left = [action for action in due if action not in soonness]
        done = [action for action in left if same_action(step.action, action.action)]
        for action in left:
            undone[action] = undone.get(action, 0) + (not done and (lost or not step.fault))
        soonness |= {action: _HALF_AFTER / (_HALF_AFTER + undone[action]) for action in done}
    return sum(soonness.values()) / len(undone) if undone else 0.0
