"""A user's memory file on trial with the user's own coding agent, on tasks from the user's own repository."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from memtrial.api.coding.agent_choice import ChosenAgent
from memtrial.api.coding.memory_choice import list_items, read_choice
from memtrial.api.coding.memory_readings import MemoryReadings, sum_readings
from memtrial.api.coding.opened_try import TryOptions, describe_try, name_try, open_try
from memtrial.api.coding.played_rows import read_rows, rehearse
from memtrial.api.coding.tasks import TaskList, hold_mining
from memtrial.api.run import RunEnd, RunOptions, play_out
from memtrial.api.trial import ARM
from memtrial.coding_trials.work_records import read_work_records
from memtrial.console.display import Display, progress_of
from memtrial.faults import RESUME
from memtrial.plugins.given_memory import read_memory
from memtrial.reports.text.memory_answer import MemoryAnswer, answer_memory
from memtrial.reports.text.memory_meanings import MemoryWord
from memtrial.reports.text.memory_words import name_words
from memtrial.repositories.mining.exclusions import count_kinds
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.runs.engine.session import refuse_other
from memtrial.runs.forecast.applicable_damage import find_applicable
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.forecast.trial_forecast import TrialForecast
from memtrial.runs.run_folder.folder import folder_of
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.rows.cost_rows import ConditionCost


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
        readings: of memory that the agent has to ask for; None where it comes in another way.
    """

    run: RunEnd
    costs: tuple[ConditionCost, ...]
    answer: MemoryAnswer | None
    words: tuple[MemoryWord, ...]
    readings: MemoryReadings | None = None

    def as_json(self) -> dict[str, object]:
        """The same as plain values, without the results, which stand in results.json."""
        return {
            "sentence": self.answer.sentence if self.answer else None,
            "next_step": self.answer.next_step if self.answer else None,
            "words": list(self.words),
            "simulated": self.run.results is not None and self.run.results.simulated,
            "readings": self.readings.as_json() if self.readings else None,
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
        memory: a text file, as CLAUDE.md; `marker:FILE`, whose text the agent itself puts between marks; or
            `mcp:FILE`, which describes a memory server.
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
    refuse_options(options, TryOptions, "options")
    mining = hold_mining(mining or MiningOptions(), repo)
    choice = read_choice(memory, options.marks, os.environ, mining.terms.sandbox)
    chosen, listed = open_try(agent, choice, tasks, repo, options, mining, display)
    held = {ARM: read_memory(chosen.starter.carrier.given)}
    experiment = describe_try(chosen, name_try(chosen, choice.path), listed, options, mining, held)
    if not options.clean:
        refuse_other(folder_of(experiment.spec, options.out), experiment)
    forecast = _forecast(chosen, experiment, listed, options, mining)
    asked = RunOptions(
        options.out,
        options.clean,
        options.limit,
        options.retry_errors,
        options.base_urls,
        report=options.report,
    )
    return PreparedTry(choice.path.name, experiment, forecast, asked)


@without_loop
def play_try(prepared: PreparedTry, display: Display | None = None) -> TryEnd:
    """Play what was prepared, from where it stopped, and write the report. Raises as `try_agent`."""
    end = play_out(prepared.experiment, prepared.asked, progress_of(display))
    if end.results is None:
        return TryEnd(end, (), None, ("undecided",))
    costs = end.results.cost_ratios
    done = end.ending.how == "done"
    to_end = "" if done else f"It is not finished: {RESUME}."
    answer = answer_memory(end.results, prepared.memory, ARM, costs, to_end)
    readings = sum_readings(read_work_records(end.folder))
    return TryEnd(end, costs, answer, name_words(end.results, ARM, costs), readings)


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
        about=(*chosen.about, *listed.notes),
        tasks=len(listed.tasks),
        left_out={str(kind): n for kind, n in count_kinds(listed.left_out).items()},
        repeats=options.repeats,
        damage=find_applicable(experiment, ARM, list_items(chosen.starter.carrier.given)),
        played=sum(row.status != "error" for row in rows),
        rehearsal=rehearse(records),
        most_s=options.timeout_s + mining.terms.timeout_s,
        at_once=options.max_connections,
        max_usd=options.budget,
        details=forecast_of(experiment, None, PlanOptions(simulate=0)),
    )
