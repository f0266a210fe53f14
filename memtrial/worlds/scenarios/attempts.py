"""Attempts at one task after another, by one who acts by habit except where a note tells otherwise.

A scripted agent, no model: it solves a variant if and only if its notes hold the lesson of every sign that
shows. After a failure it may note the one lesson of the first cause, which the world states: that is how a
failure is turned into memory here, without anybody who distils.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memtrial.worlds.scenarios.world import Scenarios
from memtrial.worlds.world import Proposition, Task

Notes = tuple[Proposition, ...]


@dataclass(frozen=True, slots=True)
class Attempts:
    """How often one task was tried.

    Args:
        n: attempts, the last one solved unless `solved` says otherwise.
        causes: why each of the others failed, in order.
    """

    task: Task
    n: int
    solved: bool
    causes: tuple[str, ...]


def follow_notes(observation: str, ways: tuple[str, ...], notes: Notes) -> str:
    """The way that a note gives for what is seen, else the first one, which is the habit."""
    seen = observation.lower()
    fitting = (note.action for note in notes if note.situation.lower() in seen and note.action in ways)
    return next(fitting, ways[0])


def attempt(world: Scenarios, task: Task, notes: Notes) -> Proposition | None:
    """Play a task once; the lesson of what went wrong first, None where it was solved."""
    state = world.reset(task)
    while not state.done:
        state = world.step(follow_notes(state.observation, state.actions or (), notes))
    report = world.report
    return report.cause.rule if report is not None and report.cause is not None else None


def count_attempts(
    world: Scenarios, tasks: Iterable[Task], keeps_notes: bool, most: int = 8
) -> tuple[Attempts, ...]:
    """Try each task until it is solved, `most` times at most, with one memory for all of them.

    Without notes nothing is carried from one attempt to the next.
    """
    notes: Notes = ()
    counted: list[Attempts] = []
    for task in tasks:
        causes: list[str] = []
        while len(causes) < most and (lesson := attempt(world, task, notes)) is not None:
            causes.append(world.outcome().cause)
            notes = (*notes, lesson) if keeps_notes else notes
        solved = len(causes) < most
        counted.append(Attempts(task, len(causes) + solved, solved, tuple(causes)))
    return tuple(counted)
