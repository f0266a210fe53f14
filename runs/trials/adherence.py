"""What intact memory tells, whether that was done where it first applies, and whether items came up then."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Step
from memtrial.arms.arm import Arm
from memtrial.memory.language.sentences import quotes
from memtrial.memory.words import content_words
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, Advised, exchangeable, exclusions
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.worlds.world import Task

Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class ToldAction:
    """One action that intact memory tells to do or to avoid, and when it applies.

    Args:
        fires: position of the item whose firing shows that it applies, in a shadow or not; None where no
            Trigger speaks of it.
        reads: it applies as well where what the text itself asks for stands there.
        when: content words that must stand in the task or the observation then, a set for each condition.
        unless: content words where it does not apply, by its sentence, Scope or Description.
        shows: the same of what is quoted there, which the last observation must show: a task's own text may
            hold all of its words.
        do: False where it is to be avoided.
    """

    action: str
    fires: int | None
    reads: bool
    when: tuple[Stems, ...] = ()
    unless: tuple[Stems, ...] = ()
    item: int = 0
    shows: tuple[Stems, ...] = ()
    do: bool = True

    def applies(self, scene: Stems, state: Stems, fired: bool) -> bool:
        """Whether it applies: `state` are the words of the last observation, `scene` also the task's."""
        asked = fired or (self.reads and all(map(scene.issuperset, self.when)))
        return asked and not (
            any(map(scene.issuperset, self.unless)) or any(map(state.issuperset, self.shows))
        )


def find_told_actions(arm: Arm, slots: ArmSlots, task: Task, known: Repertoire) -> tuple[ToldAction, ...]:
    """What the arm's intact memory tells to do in a task; of an item that only tells to avoid, what to avoid.

    A theory item with a Trigger applies once that fired. Any other applies once the theory item of the same
    records that tells the same action fired in a shadow, or where the condition of its own sentence stands in
    the task or the observation, whichever comes first; without a condition from the start. None applies where
    its sentence, Scope or Description says that it does not.

    Args:
        known: what the world accepts; where something is known, nothing else is an action.
    """
    shown = slots.of(arm, task)
    own = {watched_item.item for watched_item in shown.watched}
    by_trigger = arm.injection.by_trigger
    shadow: list[tuple[int, str]] = []
    if not own and not by_trigger:
        # the theory items that are watched where nothing enters by Trigger
        slot = slots.shown[slots.watching, task.id].slot if slots.watching else Slot()
        watched = {watched_item.item for watched_item in slots.shadow[task.id]}
        for position, item in enumerate(slot.items):
            if position in watched:
                shadow += [(position, advice.action) for advice in exchangeable(item, known)[:MOST_ADVISED]]
    actions = []
    for position, item in enumerate(shown.slot.items):
        for advice in exchangeable(item, known)[:MOST_ADVISED]:
            same = (place for place, action in shadow if same_action(action, advice.action))
            fires = position if position in own else next(same, None)
            # by trigger, an item without one never comes up
            reads = not by_trigger and position not in own
            actions.append(tell(position, item, advice, fires, reads))
    return tuple(actions)


def tell(position: int, item: str, advice: Advised, fires: int | None, reads: bool) -> ToldAction:
    """One action that an item advises, and when it applies; `fires` and `reads` as in `ToldAction`."""
    ends = (*advice.unless, *exclusions(item))
    plain, quoted = (
        _stems(end for end in ends if bool(quotes(end)) == is_quoted) for is_quoted in (False, True)
    )
    when = _stems(advice.when)
    return ToldAction(advice.action, fires, reads, when, plain, position, quoted, advice.do)


def score_following(told_actions: Sequence[ToldAction], episode: Episode) -> float | None:
    """1.0 if the agent did what is told at the first state where something told applies, else 0.0.

    0.0 as well where no such state came: the agent is counted as it was meant to be (intention to treat).
    None where nothing is told to be done.
    """
    to_do = [action for action in told_actions if action.do]
    if not to_do:
        return None
    for _, step, due in scenes(to_do, episode):
        if due:
            return float(any(same_action(step.action, action.action) for action in due))
    return 0.0


def scenes(
    told_actions: Sequence[ToldAction], episode: Episode
) -> Iterator[tuple[int, Step, list[ToldAction]]]:
    """Each turn, counted from 0, with what was done and what of the told applied before it."""
    fired: dict[int | None, float] = {firing.item: firing.step for firing in reversed(episode.firings)}
    state = episode.start
    for number, step in enumerate(episode.steps if told_actions else ()):
        shown, scene = _shown_words(state), _scene_words(state, episode.task.query)
        due = [
            action
            for action in told_actions
            if action.applies(scene, shown, number >= fired.get(action.fires, math.inf))
        ]
        yield number, step, due
        # a reply that could not be read changed nothing
        state = state if step.fault == "format" else step.observation


@lru_cache(maxsize=4096)  # the same task, and its first observation, stand in many episodes
def _shown_words(text: str) -> Stems:
    return frozenset(content_words(text))


@lru_cache(maxsize=4096)
def _scene_words(state: str, query: str) -> Stems:
    return _shown_words(state) | _shown_words(query)


def _stems(conditions: Iterable[str]) -> tuple[Stems, ...]:
    """Of each condition the content words of what it quotes, or else of all of it."""
    stems_of_conditions = (
        frozenset(content_words(" ".join(quotes(condition)) or condition)) for condition in conditions
    )
    return tuple(stems for stems in stems_of_conditions if stems)


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


def timing_of(told_actions: Sequence[ToldAction], path: Sequence[str], episode: Episode) -> Timing:
    """The counts; 0 where the world states no path. It calls for a step once those before that are done."""
    if not path:
        return Timing()
    called, left = [], list(path)
    for step in episode.steps:
        called.append(left[0] if left else "")
        if left and step.action.strip(" .").casefold() == left[0].casefold():
            del left[0]
    actions: dict[int, list[str]] = {}
    for told_action in told_actions:
        if told_action.do and told_action.fires is not None:
            actions.setdefault(told_action.fires, []).append(told_action.action)
    fired = {firing.item: firing.step for firing in reversed(episode.firings)}
    counts = [0, 0, 0, 0]
    for item, due_actions in actions.items():
        right = [
            turn for turn, due in enumerate(called) if any(same_action(due, action) for action in due_actions)
        ]
        came_up = fired.get(item)
        counts[0] += came_up is not None
        counts[1] += came_up is not None and came_up not in right
        counts[2] += bool(right)
        counts[3] += bool(right) and (came_up is None or came_up > right[0])
    return Timing(*counts)
