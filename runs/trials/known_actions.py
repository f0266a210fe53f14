"""What a world accepts, as far as it says: actions it lists on short walks, and forms that its rules list."""

from __future__ import annotations

import re

from loadbearing.environments.world import Task, World
from loadbearing.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from loadbearing.perturbations.composite import JOINT
from loadbearing.perturbations.counter import Counter
from loadbearing.runs.setup.design import Design

STEPS = 4
"""Of one walk: a panel may come alight only after some waiting."""
_FORM = re.compile(r"^[^\S\n]*+[-*] (?P<form>[a-z][a-z0-9 ]*+(?:[A-Z]{2}[a-zA-Z0-9 ]*+)?+)$", re.MULTILINE)


def known_to(design: Design, world: World, tasks: tuple[Task, ...]) -> Repertoire:
    """What the world accepts, where the design asks for it; it may be slow to say, or raise WorldFault."""
    asked = any(Counter().name in name.split(JOINT) for name in design.conditions)
    return repertoire_of(world, tasks) if asked else NOTHING_KNOWN


def repertoire_of(world: World, tasks: tuple[Task, ...]) -> Repertoire:
    """What the world accepts; nothing known where it lists no actions and its rules no forms.

    A task of each template is begun, and the first action that the world lists is done a few times; only the
    lists are used. A world that lists none in the first task is taken to list none anywhere.

    Raises:
        WorldFault: the world broke.
    """
    forms = tuple(dict.fromkeys(match["form"].strip() for match in _FORM.finditer(world.rules)))
    lists: dict[tuple[str, ...], None] = {}
    for task in {task.template: task for task in reversed(tasks)}.values():
        state = world.reset(task)
        if state.actions is None:
            break
        for _ in range(STEPS):
            if not state.actions:
                break
            lists[state.actions] = None
            if state.done:
                break
            state = world.step(state.actions[0])
    return Repertoire(tuple(lists), forms)
