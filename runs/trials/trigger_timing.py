"""Whether items came up at their moments, held against the path that the world knows to solve the task."""

from collections.abc import Sequence
from typing import NamedTuple

from loadbearing.episodes.react import Episode
from loadbearing.perturbations.advice.known_actions import same_action
from loadbearing.runs.trials.adherence import Told


class Timing(NamedTuple):
    """Counts of one trial's items that tell to do something.

    Args:
        fired: items that came up, in a shadow or not.
        false_fires: of these, those that told no action that the path called for just then.
        moments: items that told an action when the path called for it.
        missed: of these, those that had not come up by then.
    """

    fired: int = 0
    false_fires: int = 0
    moments: int = 0
    missed: int = 0


def timing_of(told: Sequence[Told], path: Sequence[str], episode: Episode) -> Timing:
    """The counts; 0 where the world states no path. It calls for a step once those before that are done."""
    if not path:
        return Timing()
    called, left = [], list(path)
    for step in episode.steps:
        called.append(left[0] if left else "")
        if left and step.action.strip(" .").casefold() == left[0].casefold():
            del left[0]
    actions: dict[int, list[str]] = {}
    for one in told:
        if one.fires is not None:
            actions.setdefault(one.fires, []).append(one.action)
    fired = {one.item: one.step for one in reversed(episode.firings)}
    counts = [0, 0, 0, 0]
    for item, said in actions.items():
        right = [at for at, due in enumerate(called) if any(same_action(due, one) for one in said)]
        at = fired.get(item)
        counts[0] += at is not None
        counts[1] += at is not None and at not in right
        counts[2] += bool(right)
        counts[3] += bool(right) and (at is None or at > right[0])
    return Timing(*counts)
