"""A user's memory file on trial with the user's own coding agent, on tasks from the user's own repository."""

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from memtrial.api.coding.agent_choice import ChosenAgent, choose_agent
from memtrial.api.coding.played_rows import read_rows
from memtrial.api.coding.tasks import TaskList
from memtrial.api.coding.tasks import tasks as list_tasks
from memtrial.api.run import RunEnd, RunOptions, play_out
from memtrial.api.trial import ARM, TrialOptions, describe_trial
from memtrial.coding_trials.agent_starter import describe_task
from memtrial.coding_trials.coding_agent import CodingAgent, TrialTerms
from memtrial.coding_trials.work_records import read_work_records
from memtrial.console.display import Display
from memtrial.faults import RESUME, SpecFault, refused
from memtrial.memory.markdown import item_texts
from memtrial.models.client.keys import read_keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.types import OWN, ModelFault, provider_of
from memtrial.plugins.given_memory import GivenMemory, read_memory
from memtrial.reports.text.memory_answer import MemoryAnswer, answer_memory
from memtrial.reports.text.memory_words import MemoryWord, name_words
from memtrial.repositories.mining.exclusions import count_kinds
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.runs.engine.session import refuse_other
from memtrial.runs.forecast.applicable_damage import find_applicable
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.forecast.trial_forecast import Rehearsal, TrialForecast, spread_of
from memtrial.runs.run_folder.folder import folder_of
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.given_parts import GivenParts
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.spec.option_values import SEEDS, refuse_options, settle
from memtrial.views.rows.cost_rows import ConditionCost
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
        clean: remove the folder first and begin anew.
        retry_errors: play trials again that ended as errors.
        environment: where keys and addresses stand; the process's own unless given.
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
    clean: bool = False
    retry_errors: bool = False
    environment: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        settle(self, {"seed": SEEDS, "repeats": (1, 1000), "max_connections": (1, 64)})


@dataclass(frozen=True, slots=True)
class PreparedTry:
    """A trial that is checked and has not begun: nothing is spent.

    Args:
        memory: how the memory is called in sentences.
    """

    memory: str
    experiment: Experiment
    forecast: TrialForecast
    asked: RunOptions


@dataclass(frozen=True, slots=True)
class TryEnd:
    """How it ended.

    Args:
        costs: of each condition, with the intact one's as a multiple of it.
        answer: None where no trial was played.
        words: that hold of the memory, as `--fail-on` takes them; none of one that helps by its content.
    """

    run: RunEnd
    costs: tuple[ConditionCost, ...]
    answer: MemoryAnswer | None
    words: tuple[MemoryWord, ...]

    def as_json(self) -> dict[str, object]:
        """The same as plain values, without the results, which stand in results.json."""
        return {
            "sentence": self.answer.sentence if self.answer else None,
            "next_step": self.answer.next_step if self.answer else None,
            "words": list(self.words),
            "simulated": self.run.results is not None and self.run.results.simulated,
            "costs": [asdict(cost) for cost in self.costs],
            "ending": self.run.ending.how,
            "folder": str(self.run.folder),
        }


def try_agent(
    agent: str,
    memory: str | Path,
    tasks: str = "git:10",
    repo: Path = Path(),
    options: TryOptions = TryOptions(),
    mining: MiningOptions | None = None,
    display: Display | None = None,
) -> TryEnd:
    """Try a memory file: the agent works on each task without it, with it, and with it damaged.

    It begins at once; `prepare_try` says before what it comes to.

    Args:
        agent: the name of one that `memtrial agents` lists, or a command for a shell, as
            `"python agent.py {task_file}"`.
        memory: a text file, as CLAUDE.md.
        tasks: `git:N` or a folder of tasks, as `memtrial.tasks` takes them.
        repo: the repository, or a folder in it.
        mining: how tasks are taken and checked.

    Raises:
        SpecFault: something given does not fit, or the folder holds another trial; nothing was written.
        RunFault: it cannot go on.
    """
    return play_try(prepare_try(agent, memory, tasks, repo, options, mining, display), display)


@without_loop
def prepare_try(
    agent: str,
    memory: str | Path,
    tasks: str = "git:10",
    repo: Path = Path(),
    options: TryOptions = TryOptions(),
    mining: MiningOptions | None = None,
    display: Display | None = None,
) -> PreparedTry:
    """Check everything, find the tasks, and forecast; no model is asked. Raises as `try_agent`."""
    mining = mining or MiningOptions()
    chosen, listed = open_try(agent, Path(memory), tasks, repo, options, mining, display)
    held = {ARM: read_memory(chosen.starter.carrier.file.text)}
    experiment = describe_try(chosen, name_try(chosen, Path(memory)), listed, options, mining, held)
    if not options.clean:
        refuse_other(folder_of(experiment.spec, options.out), experiment)
    forecast = _forecast(chosen, experiment, listed, options, mining)
    asked = RunOptions(options.out, options.clean, options.limit, options.retry_errors, options.base_urls)
    return PreparedTry(Path(memory).name, experiment, forecast, asked)


@without_loop
def play_try(prepared: PreparedTry, display: Display | None = None) -> TryEnd:
    """Play what was prepared, from where it stopped, and write the report. Raises as `try_agent`."""
    end = play_out(prepared.experiment, prepared.asked, display or Display("none"))
    if end.results is None:
        return TryEnd(end, (), None, ("undecided",))
    costs = end.results.cost_ratios
    done = end.ending.how == "done"
    to_end = "" if done else f"It is not finished: {RESUME}."
    answer = answer_memory(end.results, prepared.memory, ARM, costs, to_end)
    return TryEnd(end, costs, answer, name_words(end.results, ARM, costs))


def open_try(
    agent: str,
    memory: Path,
    tasks: str,
    repo: Path,
    options: TryOptions,
    mining: MiningOptions,
    display: Display | None,
) -> tuple[ChosenAgent, TaskList]:
    """The agent with the memory, and the tasks, at least one. Raises as `try_agent`."""
    refuse_options(options, TryOptions, "options")
    with refused(ModelFault):
        keys = read_keys(options.environment or os.environ, Path.cwd(), options.base_urls)
    chosen = choose_agent(agent, memory, options.model, keys)
    listed = list_tasks(tasks, repo, mining, display)
    if not listed.tasks:
        raise SpecFault(f"{tasks} gives no task to be tried: {'; '.join(listed.lines())}")
    return chosen, listed


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
        [{"id": task.id, "query": describe_task(task), "digest": task.digest} for task in listed.tasks]
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
    coding = {task.id: task for task in listed.tasks}
    spec = describe_trial(starter.name, posed, held, f"{OWN}/{plays}", asked)
    run, prices = folder_of(spec, options.out), shipped_prices()
    terms = TrialTerms(options.timeout_s, mining.terms, chosen.upstreams, prices, options.budget, run)
    agent = CodingAgent(starter, coding, terms)
    how = f"{options.timeout_s} {mining.terms.timeout_s} {mining.terms.pass_on} {mining.terms.hide_tests}"
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
    )
    # the agent's own requests go through the proxy; these are of what writes and reads damage
    writers = {provider_of(model) for model in (options.perturber, options.judge) if model}
    urls = tuple(url for url in options.base_urls if url.partition("=")[0] in writers)
    return check_spec(spec, options.environment, urls, given=given)


def _forecast(
    chosen: ChosenAgent,
    experiment: Experiment,
    listed: TaskList,
    options: TryOptions,
    mining: MiningOptions,
) -> TrialForecast:
    folder = folder_of(experiment.spec, options.out)
    records = () if options.clean else read_work_records(folder)
    rows = () if options.clean else read_rows(folder)
    return TrialForecast(
        about=chosen.about,
        tasks=len(listed.tasks),
        left_out={str(kind): n for kind, n in count_kinds(listed.left_out).items()},
        repeats=options.repeats,
        damage=find_applicable(experiment, ARM, item_texts(chosen.starter.carrier.file.text)),
        played=sum(row.status != "error" for row in rows),
        rehearsal=Rehearsal(
            len(records),
            spread_of([record.seconds for record in records]),
            spread_of([record.usd for record in records if record.usd is not None and record.calls]),
        ),
        most_s=options.timeout_s + mining.terms.timeout_s,
        at_once=options.max_connections,
        max_usd=options.budget,
        details=forecast_of(experiment, None, PlanOptions(simulate=0)),
    )
