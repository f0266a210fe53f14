"""Whether the agent did what its intact memory tells, at the first state where that applies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from loadbearing.arms.arm import Arm
from loadbearing.environments.world import Task
from loadbearing.episodes.react import Episode
from loadbearing.episodes.slot import Slot
from loadbearing.memory.words import content_words
from loadbearing.perturbations.advice.advised_action import MOST_TOLD, Advised, advised, exclusions
from loadbearing.perturbations.advice.known_actions import Repertoire, same_action
from loadbearing.perturbations.language.sentences import quotes
from loadbearing.runs.prepare.slots import ArmSlots

Stems = frozenset[str]


@dataclass(frozen=True, slots=True)
class Told:
    """One action that intact memory tells, and when it applies.

    Args:
        fires: position of the item whose firing shows that it applies, in a shadow or not; None where no
            Trigger speaks of it.
        reads: it applies as well where what the text itself asks for stands there.
        when: content words that must stand in the task or the observation then, a set for each condition.
        unless: content words where it does not apply, by its sentence, Scope or Description.
    """

    action: str
    fires: int | None
    reads: bool
    when: tuple[Stems, ...] = ()
    unless: tuple[Stems, ...] = ()

    def applies(self, scene: Stems, fired: bool) -> bool:
        """Whether it applies where these content words stand; what asks for nothing applies everywhere."""
        asked = fired or (self.reads and all(one <= scene for one in self.when))
        return asked and not any(one <= scene for one in self.unless)


def told_of(arm: Arm, slots: ArmSlots, task: Task, known: Repertoire) -> tuple[Told, ...]:
    """What the arm's intact memory tells to do in a task.

    A theory item with a Trigger applies once that fired. Any other applies once the theory item of the same
    records that tells the same action fired in a shadow, or where the condition of its own sentence stands in
    the task or the observation, whichever comes first; without a condition from the start. None applies where
    its sentence, Scope or Description says that it does not.

    Args:
        known: what the world accepts; where something is known, nothing else is an action.
    """
    shown = slots.of(arm, task)
    own = {one.item for one in shown.watched}
    by_trigger = arm.injection.watches
    shadow = [] if own or by_trigger else list(_shadow(slots, task, known))
    told = []
    for position, item in enumerate(shown.slot.items):
        for one in advised(item, known)[:MOST_TOLD]:
            same = [at for at, action in shadow if same_action(action, one.action)]
            fires = position if position in own else next(iter(same), None)
            # by trigger, an item without one never comes up
            told.append(_told(one, item, fires, reads=not by_trigger and position not in own))
    return tuple(told)


def followed(told: Iterable[Told], episode: Episode) -> float | None:
    """1.0 if the agent did what is told at the first state where something told applies, else 0.0.

    0.0 as well where no such state came: the agent is counted as it was meant to be (intention to treat).
    None where nothing is told.
    """
    every = tuple(told)
    if not every:
        return None
    fired = {firing.item: firing.step for firing in reversed(episode.firings)}
    scenes = tuple(_scenes(episode))
    reached = {one: step for one in every if (step := _first(one, scenes, fired)) is not None}
    if not reached:
        return 0.0
    first = min(reached.values())
    done = episode.steps[first].action
    return float(any(step == first and same_action(done, one.action) for one, step in reached.items()))


def _first(told: Told, scenes: Sequence[Stems], fired: dict[int, int]) -> int | None:
    """The turn at which it first applies; None where it never does."""
    since = fired.get(told.fires, len(scenes)) if told.fires is not None else len(scenes)
    turns = enumerate(scenes)
    return next((number for number, scene in turns if told.applies(scene, number >= since)), None)


def _scenes(episode: Episode) -> Iterator[Stems]:
    """The content words before the agent at each turn; a reply that could not be read changed nothing."""
    state = episode.start
    for step in episode.steps:
        yield frozenset(content_words(f"{episode.task.query}\n{state}"))
        state = state if step.fault == "format" else step.observation


def _shadow(slots: ArmSlots, task: Task, known: Repertoire) -> Iterator[tuple[int, str]]:
    """Positions and actions of the theory items that are watched where nothing enters by Trigger."""
    slot = slots.shown[slots.watching, task.id].slot if slots.watching else Slot()
    watched = {one.item for one in slots.shadow[task.id]}
    for position, item in enumerate(slot.items):
        if position in watched:
            yield from ((position, one.action) for one in advised(item, known)[:MOST_TOLD])


def _told(one: Advised, item: str, fires: int | None, reads: bool) -> Told:
    when, unless = (
        tuple(filter(None, map(_stems, texts))) for texts in (one.when, (*one.unless, *exclusions(item)))
    )
    return Told(one.action, fires, reads, when, unless)


def _stems(condition: str) -> Stems:
    """The content words of what a condition quotes, or else of all of it."""
    return frozenset(content_words(" ".join(quotes(condition)) or condition))
