"""Worlds by spec."""

from __future__ import annotations

from loadbearing.environments.workshop import Workshop
from loadbearing.environments.world import World
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.world import load_world
from loadbearing.runs.spec.sections import PluginWorldSpec, ScienceWorldSpec
from loadbearing.runs.spec.spec import Spec


def open_world(spec: Spec) -> World:
    """A new world; one instance plays one episode at a time.

    Raises:
        SpecFault: the world is not installed, has no such tasks, or cannot be loaded.
    """
    asked = spec.environment
    if isinstance(asked, PluginWorldSpec):
        return load_world(asked.world, asked.settings, spec.seed)
    if isinstance(asked, ScienceWorldSpec):
        from loadbearing.environments.scienceworld import Choice, ScienceWorld

        try:
            return ScienceWorld(
                Choice(
                    tasks=asked.tasks,
                    n_train=asked.train,
                    n_test=asked.test,
                    seed=spec.seed,
                    step_limit=asked.step_limit,
                    simplifications=asked.simplifications,
                    held_out=asked.held_out,
                )
            )
        except ValueError as fault:
            raise SpecFault(str(fault)) from fault
    return Workshop(spec.seed, asked.train, asked.test, asked.families)
