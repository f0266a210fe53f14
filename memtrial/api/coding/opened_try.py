"""A memory with the agent and the tasks that it is tried on, and such a trial as an experiment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from memtrial.api.coding.agent_choice import ChosenAgent, choose_agent
from memtrial.api.coding.memory_choice import MemoryChoice
from memtrial.api.coding.tasks import TaskList, begin_in_commits
from memtrial.api.coding.tasks import tasks as list_tasks
from memtrial.api.trial import TrialOptions, describe_trial
from memtrial.coding_trials.coding_agent import CodingAgent, TrialTerms
from memtrial.console.display import Display
from memtrial.faults import SpecFault, refused
from memtrial.models.client.keys import read_keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.types import OWN, ModelFault, provider_of
from memtrial.plugins.given_memory import GivenMemory
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.runs.run_folder.folder import folder_of
from memtrial.runs.setup.given_parts import GivenParts
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.spec.option_values import SEEDS, settle
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.given.world import GivenTasks

WORD = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class TryOptions:
    """How a memory is tried.

    Args:
        model: that the agent works with, in its own words.
        out: the run folder; logs/<name>_s<seed> unless given. The same call again goes on in it.
        repeats: trials of each condition and task.
        timeout_s: seconds for the agent in one trial; what takes longer has not solved its task.
        max_connections: trials that are played at a time.
        limit: play so many blocks, a task with all conditions each, and stop; None for all.
        budget: US dollars that the trials may cost.
        conditions: kinds of damage; by default those that ask for the content, with their controls.
        perturber: a model, as `anthropic/...`, that writes the damage, and that reads it unless `judge` does.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        margin: a smaller effect counts as none, in points of score.
        marks: what stands before and behind memory in the agent's requests, where `marker:FILE` is tried.
        clean: remove the folder first and begin anew.
        retry_errors: play trials again that ended as errors.
        environment: where keys and addresses stand; the process's own unless given.
        report: write report.html and report.md, too; see `memtrial.RunOptions`.
    """

    model: str = ""
    out: Path | None = None
    seed: int = 0
    repeats: int = 1
    timeout_s: float = 600.0
    max_connections: int = 1
    limit: int | None = None
    budget: float | None = None
    conditions: tuple[str, ...] = ()
    perturber: str | None = None
    judge: str | None = None
    base_urls: tuple[str, ...] = ()
    margin: float = 0.1
    marks: tuple[str, str] = ("[[memory]]", "[[/memory]]")
    clean: bool = False
    retry_errors: bool = False
    environment: Mapping[str, str] | None = None
    report: bool = True

    def __post_init__(self) -> None:
        settle(self, {"seed": SEEDS, "repeats": (1, 1000), "max_connections": (1, 64)})


def open_try(
    agent: str,
    memory: MemoryChoice,
    tasks: str,
    repo: Path,
    options: TryOptions,
    mining: MiningOptions,
    display: Display | None,
) -> tuple[ChosenAgent, TaskList]:
    """The agent with the memory, and the tasks, at least one. Raises as `try_agent`."""
    with refused(ModelFault):
        keys = read_keys(options.environment or os.environ, Path.cwd(), options.base_urls)
    memory = replace(memory, of_repository=begin_in_commits(tasks, repo))
    chosen = choose_agent(agent, memory, options.model, keys)
    listed = list_tasks(tasks, repo, mining, display)
    if not listed.tasks:
        raise SpecFault(f"{tasks} gives no task to be tried: {'; '.join(listed.lines())}")
    memory.refuse_unmarked(chosen.starter.carrier, listed.tasks)
    return chosen, listed


def open_agent(
    chosen: ChosenAgent, listed: TaskList, options: TryOptions, mining: MiningOptions, run: Path
) -> CodingAgent:
    """What plays the tasks, and keeps its work in the folder of a run."""
    prices = shipped_prices()
    terms = TrialTerms(options.timeout_s, mining.terms, chosen.upstreams, prices, options.budget, run)
    return CodingAgent(chosen.starter, {task.id: task for task in listed.tasks}, terms)


def name_try(chosen: ChosenAgent, memory: Path) -> str:
    """The name of the run."""
    return WORD.sub("-", f"try-{chosen.starter.name}-{memory.stem}")[:90].strip("-")


def describe_try(
    chosen: ChosenAgent,
    name: str,
    listed: TaskList,
    options: TryOptions,
    mining: MiningOptions,
    held: Mapping[str, GivenMemory],
) -> Experiment:
    """The trial as an experiment that is checked; `held` is the memory of each arm."""
    starter = chosen.starter
    posed = read_tasks(
        [{"id": task.id, "query": task.instructions, "digest": task.digest} for task in listed.tasks]
    )
    world = GivenTasks(posed)
    asked = TrialOptions(
        name=name,
        seed=options.seed,
        repeats=options.repeats,
        max_connections=options.max_connections,
        budget=options.budget,
        conditions=options.conditions,
        judge=options.judge or options.perturber,
        perturber=options.perturber,
        margin=options.margin,
    )
    plays = f"{starter.name}:{chosen.model}" if chosen.model else starter.name
    spec = describe_trial(starter.name, posed, held, f"{OWN}/{plays}", asked)
    agent = open_agent(chosen, listed, options, mining, folder_of(spec, options.out))
    checks = mining.terms
    boxed = bool(checks.sandbox.program)
    how = f"{options.timeout_s} {checks.timeout_s} {checks.pass_on} {checks.hide_tests} {boxed}"
    given = GivenParts(
        agent=lambda: agent,
        world=lambda: world,  # it holds nothing of an episode
        memories=held,
        digests={
            **starter.digests,
            "the tasks": world.digest,
            **{"the " + name: each.digest for name, each in held.items()},
            "how it is played": sha256(how.encode()).hexdigest(),
        },
        notes=listed.notes,
        simulated=chosen.simulated,
    )
    # the agent's own requests go through the proxy; these are of what writes and reads damage
    writers = {provider_of(model) for model in (options.perturber, options.judge) if model}
    urls = tuple(url for url in options.base_urls if url.partition("=")[0] in writers)
    return check_spec(spec, options.environment, urls, given=given)
