"""Any agent on trial from Python: a callable, its tasks, and the memory whose content is in question."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from memtrial.api.given_spec import spec_of
from memtrial.api.run import RunOptions, play_out
from memtrial.commands.command_spec import CommandSpec
from memtrial.console.display import Display, progress_of
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.models.client.types import OWN
from memtrial.outcomes.reserved_names import INTACT, PLACEBO
from memtrial.plugins.code_identity import identity_of, place_of
from memtrial.plugins.function_agent import FunctionAgent, takes_ask
from memtrial.plugins.given_memory import GivenMemory, read_memory
from memtrial.plugins.load_plugin import parameters_of
from memtrial.plugins.own_agent import load_command
from memtrial.plugins.proxied_command import CommandAgent
from memtrial.protocols import Agent
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.given_parts import GivenParts
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.arm_spec import GIVEN, OF_GIVEN
from memtrial.runs.spec.option_values import SEEDS, refuse_options, settle
from memtrial.runs.spec.spec import Spec
from memtrial.views.rows.results import Results
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import Outcome, Task, Usage

__all__ = ["Outcome", "TrialOptions", "Usage", "trial"]

ARM = "memory"
"""The arm of a memory that was given without a name."""
ANYWHERE = ("corrupt_invert", "counter")
SWAP, GENERIC = "irrelevant_swap", "irrelevant_generic"
BESIDE = ("filler", PLACEBO, "oddity+corrupt_invert")
STATEFUL = (
    "One object of the agent played every trial: what it keeps from one to the next is not taken back. Give"
    " its class, and each trial has a fresh one."
)
WORD = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """How a trial of an agent is carried out.

    Args:
        out: the run folder; logs/<name>_s<seed> unless given. The same call again goes on in it.
        name: of the run and of the agent, in tables; the callable's own unless given.
        version: a word that changes whenever the agent does, where its source does not tell.
        repeats: trials of each cell and task.
        limit: play so many blocks of a task and stop; None for all.
        max_connections: trials that are played at a time.
        budget: US dollars that calls through `ask`, and those that the agent reports, may cost.
        injection: how memory reaches the agent: `prepend` is all of it as `memory.text`; by `trigger` or
            `state`, an item comes up when `memory.at(state)` is asked in its moment.
        conditions: kinds of damage; by default those that ask for the content, with their controls.
        primary: the conditions whose contrasts are the hypotheses.
        pairs: `TREATMENT:CONTROL` of the arms that are compared; by default the first with each other.
        margin: a smaller effect counts as none, in points of score.
        cluster: the unit of inference, task or family.
        judge: a model that reads what a model writes of the damage.
        perturber: a model that writes it, in the place of the one behind `ask`.
        lock: fix the plan and its analysis before the first trial.
        clean: remove the folder first and begin anew.
        retry_errors: play trials again that ended as errors.
        report: write report.html and report.md, too; see `memtrial.RunOptions`.
    """

    out: Path | None = None
    name: str = ""
    version: str = ""
    seed: int = 0
    repeats: int = 1
    limit: int | None = None
    max_connections: int = 1
    budget: float | None = None
    injection: str = "prepend"
    conditions: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    margin: float = 0.1
    alpha: float = 0.05
    cluster: str = "task"
    judge: str | None = None
    perturber: str | None = None
    lock: bool = False
    clean: bool = False
    retry_errors: bool = False
    report: bool = True

    def __post_init__(self) -> None:
        settle(self, {"seed": SEEDS, "repeats": (1, 1000), "max_connections": (1, 512)})


@without_loop
def trial(
    agent: Callable[..., Any] | CommandSpec,
    tasks: object,
    memory: object = None,
    model: str | None = None,
    options: TrialOptions = TrialOptions(),
    display: Display | None = None,
) -> Results:
    """Put an agent's memory on trial: play every arm and condition in randomised blocks, and analyse.

    Args:
        agent: called as `(task, memory)` or `(task, memory, ask)`, plain or async; it returns a score from 0
            to 1, True or False, or an Outcome. A class is made anew for each trial. A command in any language
            is given as what `memtrial.command_agent` makes.
        tasks: a list of texts or rows, a frame, the path of a file or of a data set's folder, or samples of
            Inspect; see `memtrial/worlds/given/task_rows.py`.
        memory: a text, a list of texts or items, the `Path` of a text file, a memory store, or a function of
            the task; or a mapping from the names of arms to these.
        model: the model behind `ask`, which also writes damage where it is a real one.
        display: shows progress; unless given a bar in a notebook, and nothing elsewhere.

    Raises:
        SpecFault: something given does not fit, or the folder holds another trial; nothing was written.
        RunFault: it cannot go on, or stopped before the first trial.
    """
    refuse_options(options, TrialOptions, "options")
    arms, posed = _read_arms(memory, options.version), read_tasks(tasks)
    command = agent if isinstance(agent, CommandSpec) else None
    own = _read_agent(agent, options) if command is None else _read_command(command, options)
    spec = describe_trial(own.name, posed, arms, model, options)
    if command is not None:
        spec = spec.model_copy(update={"agent": command})
    stateful = command is None and not (
        inspect.isclass(agent) or inspect.isroutine(agent) or _is_factory(agent)
    )
    world = GivenTasks(posed)
    given = GivenParts(
        agent=None if command is not None else lambda: own,
        world=lambda: world,  # it holds nothing of an episode
        memories=arms,
        digests={
            "the agent": own.digests[0],
            "the tasks": world.digest,
            **{f"memory {name}": arm.digest for name, arm in arms.items()},
        },
        notes=(STATEFUL,) if stateful else (),
    )
    experiment = check_spec(spec, given=given)
    asked = RunOptions(options.out, options.clean, options.limit, options.retry_errors, report=options.report)
    end = play_out(experiment, asked, progress_of(display), options.lock)
    if end.results is None:
        raise RunFault(f"no trial was played: {end.ending.why or end.ending.how}")
    return end.results


def _read_arms(memory: object, version: str) -> dict[str, GivenMemory]:
    """The memory of each arm, by its name."""
    if memory is None or (isinstance(memory, Mapping) and not memory):
        raise SpecFault("memory is what is put on trial: give a text, items, a file, a store or a function")
    named = memory if isinstance(memory, Mapping) else {ARM: memory}
    arms: dict[str, GivenMemory] = {}
    for name, value in named.items():
        with refused(SpecFault, prefix=f"memory {name!r}: "):
            arms[name] = read_memory(value, version)
    return arms


def _read_agent(agent: Any, options: TrialOptions) -> Agent:
    """The callable as an agent of ours; a SpecFault where it is none, or nothing tells what it is."""
    if not callable(agent):
        raise SpecFault(f"an agent is a callable, (task, memory) -> score; got {type(agent).__name__}")
    makes = inspect.isclass(agent) or _is_factory(agent)
    with refused(SpecFault, prefix="agent: "):
        takes_ask(agent() if makes else agent)
    place = place_of(agent)
    name = options.name or WORD.sub("-", place.rpartition(":")[2])
    return FunctionAgent(
        agent if makes else lambda: agent, place, name, (identity_of(agent, options.version),)
    )


def _read_command(command: CommandSpec, options: TrialOptions) -> CommandAgent:
    """A command as an agent, under the name that was asked for."""
    agent = load_command(command, options.seed)
    digest = sha256(f"{agent.digests[0]} {options.version}".encode()).hexdigest()
    return replace(agent, name=options.name or agent.name, digests=(digest,))


def _is_factory(agent: Any) -> bool:
    """A function that needs no argument makes the agent of a trial."""
    named = parameters_of(agent).values()
    return inspect.isfunction(agent) and all(one.default is not one.empty for one in named)


def describe_trial(
    own: str,
    tasks: tuple[Task, ...],
    arms: Mapping[str, GivenMemory],
    model: str | None,
    options: TrialOptions,
) -> Spec:
    """The trial as a spec, in which what was handed over is named so; `own` is the agent's name."""
    first, *others = arms
    if options.conditions == (INTACT,):
        others = []  # without damage there are no drops to compare
    pairs = [pair.split(":") for pair in options.pairs] or [[first, name] for name in others]
    analysis: dict[str, Any] = {
        "outcome": "score",
        "margin": options.margin,
        "alpha": options.alpha,
        "cluster": options.cluster,
        "pairs": pairs,
    }
    roles = {"judge": options.judge, "perturber": options.perturber}
    raw: dict[str, Any] = {
        "name": options.name or f"trial-{own}",
        "question": "Does the content of this memory carry weight in what the agent does?",
        "seed": options.seed,
        "environment": {"world": GIVEN},
        "agent": GIVEN,
        "backbone": model or f"{OWN}/{own}",
        "roles": {role: name for role, name in roles.items() if name},
        "arms": [
            "none",
            *({"name": name, "memory": f"{OF_GIVEN}{name}", "injection": options.injection} for name in arms),
        ],
        "conditions": options.conditions or _default_conditions(tasks, arms.values()),
        "repeats": options.repeats,
        "analysis": analysis | ({"primary": options.primary} if options.primary else {}),
        "budget": {} if options.budget is None else {"max_cost_usd": options.budget},
        "engine": {"workers": options.max_connections, "max_connections": options.max_connections},
    }
    return spec_of(raw)


def _default_conditions(tasks: tuple[Task, ...], arms: Any) -> tuple[str, ...]:
    """With another family's memory in its place where memories differ by task; else with platitudes."""
    families = {task.family for task in tasks} - {""}
    swapped = len(families) > 1 and not any(arm.fixed for arm in arms)
    return (*ANYWHERE, SWAP if swapped else GENERIC, *BESIDE)
