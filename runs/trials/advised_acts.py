"""How often the agent did what its intact memory advises, and what `counter` advises in its place.

All turns of an episode count at which an item applies: a reader that first tries on its own, and then reads,
is none that ignores its memory (STATISTICS 0e.2). What was done is not asked for again.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Slot
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, exchangeable
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.runs.trials.adherence import ToldAction, scenes


class DoneShares(NamedTuple):
    """Shares of the turns at which an item applies; None where no item says such a thing.

    Args:
        told: at which what the intact memory tells to do was done, of the turns at which the agent acted.
        avoided: at which what it tells to avoid was done, of the same turns.
        other: at which what `counter` tells to do in its place was done, of all of them.
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
) -> DoneShares:
    """The three shares; 0.0 where no such turn came (intention to treat).

    A turn that was lost to a reply nobody could read, or to an action that the world does not take, is no
    turn at which what is told was left undone: to stumble is not to heed. It does count for the other
    action, so that to stumble cannot raise its share. Source: STATISTICS 0e.1.
    """
    to_do, to_avoid = ([action for action in told_actions if action.do is wanted] for wanted in (True, False))
    return DoneShares(
        _share(to_do, episode, lost=False),
        _share(to_avoid, episode, lost=False),
        _share(other_actions, episode, lost=True),
    )


def _share(wanted: Sequence[ToldAction], episode: Episode, lost: bool) -> float | None:
    """Share of turns at which one of the actions was due and done; `lost`: turns without an action count."""
    if not wanted:
        return None
    turns = hits = 0
    finished: set[ToldAction] = set()
    for _, step, due in scenes(wanted, episode):
        left = [action for action in due if action not in finished]
        done = [action for action in left if same_action(step.action, action.action)]
        finished.update(done)
        if left and (done or lost or not step.fault):
            turns += 1
            hits += bool(done)
    return hits / turns if turns else 0.0
