"""How many processes damage and play the trials of a run: several where models and world answer here."""

from memtrial.commands.command_spec import CommandSpec
from memtrial.faults import SpecFault
from memtrial.judges.success import ORACLE
from memtrial.models.client.types import provider_of
from memtrial.plugins.plugin_names import plugins_of
from memtrial.runs.setup.given_parts import NOTHING_GIVEN
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.setup.processes.processor_count import count_processors

WORTH = 5_000
"""Trials for which one more process is begun, where nobody says how many; it takes a second or two of
processor time to begin, and that many trials some seven, of which two are damage."""

HANDED_OVER = "objects that Python code handed over are in this process alone"


def count_processes(experiment: Experiment, n_trials: int) -> int:
    """Processes for a run of so many trials; 1: they are played in this one.

    Unless the spec says how many: as many as there are processors, where there are enough trials; one where
    models are asked elsewhere, or code of the user's is played.
    """
    engine = experiment.spec.engine
    if engine.processes is not None:
        return engine.processes
    if (
        engine.max_environments is not None
        or _obstacle(experiment)
        or plugins_of(experiment.spec.model_dump())
    ):
        return 1
    return max(1, min(count_processors(), n_trials // WORTH))


def refuse_processes(experiment: Experiment, shared: bool) -> None:
    """The trials can be played, or the worlds held, by as many processes as the spec asks for; else
    SpecFault.

    Args:
        shared: workers of other machines play the same run.
    """
    engine, given = experiment.spec.engine, experiment.given
    if engine.max_environments is not None and given.world is not None:
        raise SpecFault(
            f"engine.max_environments: {engine.max_environments} needs a world that another process can open;"
            f" {HANDED_OVER}: leave it out"
        )
    asked = engine.processes
    if asked is None or asked == 1:
        return
    obstacle = "--ledger shares the blocks among workers of their own" if shared else _obstacle(experiment)
    if obstacle:
        raise SpecFault(
            f"engine.processes: {asked} needs trials that any process can play; {obstacle}: leave it out"
        )


def _obstacle(experiment: Experiment) -> str:
    """Why other processes cannot play the trials of this experiment; empty where they can."""
    spec, given = experiment.spec, experiment.given
    if spec.mode == "stream":
        return "in mode: stream each task is shown what came before"
    grader = spec.roles.grader
    asked = (*spec.backbone, *([grader] if grader not in (None, ORACLE) else []))
    if elsewhere := [model for model in asked if provider_of(model) != "simulated"]:
        return f"{elsewhere[0]} is not simulated, and whoever waits for it needs no processor"
    if isinstance(spec.agent, CommandSpec):
        return "a command is a process of its own"
    if given != NOTHING_GIVEN:
        return HANDED_OVER
    if spec.engine.max_environments is not None:
        return "engine.max_environments puts worlds into processes, and trials are played in this one"
    return ""
