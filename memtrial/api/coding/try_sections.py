"""Which sections of a memory file matter: a screening by half fractions, then fresh trials of the few."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.api.coding.agent_choice import ChosenAgent
from memtrial.api.coding.memory_choice import read_choice
from memtrial.api.coding.opened_try import TryOptions, describe_try, name_try, open_try
from memtrial.api.coding.played_rows import read_rows, rehearse
from memtrial.api.coding.section_plan import PLAN, SectionPlan, lock_plan, plan_sections, refuse_other_plan
from memtrial.api.coding.section_scores import (
    ScreenedSections,
    StageRows,
    TrialNames,
    judge_sections,
    screen_sections,
)
from memtrial.api.coding.tasks import TaskList, hold_mining
from memtrial.api.run import RunEnd, RunOptions, play_out
from memtrial.api.shown.report_files import PAGE, SHORT, has_pages
from memtrial.coding_trials.work_records import read_work_records
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault
from memtrial.outcomes.reserved_names import INTACT
from memtrial.plugins.given_memory import GivenMemory
from memtrial.private_file import write_whole
from memtrial.reports.render.section_report import render_section_html, render_section_markdown
from memtrial.repositories.mining.exclusions import count_kinds
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.runs.engine.schedule import Ending
from memtrial.runs.engine.session import refuse_other
from memtrial.runs.forecast.section_forecast import SectionForecast
from memtrial.runs.run_folder.folder import LOGS, alone_in, make
from memtrial.runs.run_folder.folder import clean as remove
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.evidence.untrusted import alarms, delivery
from memtrial.views.rows.section_rows import SectionResults

SCREENING, CONFIRMATION = "screening", "confirmation"
OF_A_FILE = "--sections is of a file that the agent reads: name it without marker: or mcp: before it"
NO_DAMAGE = "--sections plays no damage to the file: leave --condition, --perturber and --judge out"


@dataclass(frozen=True, slots=True)
class PreparedSections:
    """A trial of sections that is checked and has not begun: nothing is spent.

    Args:
        folder: of both stages, the plan and the report.
    """

    memory: Path
    folder: Path
    plan: SectionPlan
    chosen: ChosenAgent
    listed: TaskList
    options: TryOptions
    mining: MiningOptions
    forecast: SectionForecast

    def describe(self, stage: str, arms: dict[str, GivenMemory], repeats: int) -> Experiment:
        """A stage as an experiment of its own, in a folder below."""
        asked = replace(self.options, out=self.folder / stage, repeats=repeats, conditions=(INTACT,))
        name = f"{name_try(self.chosen, self.memory)}-{stage}"
        return describe_try(self.chosen, name, self.listed, asked, self.mining, arms)


@dataclass(frozen=True, slots=True)
class SectionsEnd:
    """How it ended.

    Args:
        run: the stage that was played last.
        results: None where it is not finished.
    """

    folder: Path
    run: RunEnd
    results: SectionResults | None

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "results": None if self.results is None else self.results.model_dump(mode="json"),
            "ending": self.run.ending.how,
            "folder": str(self.folder),
        }


def try_sections(
    agent: str,
    memory: str | Path,
    tasks: str = "git:10",
    repo: Path = Path(),
    options: TryOptions = TryOptions(),
    mining: MiningOptions | None = None,
    display: Display | None = None,
) -> SectionsEnd:
    """Try the sections of a memory file: which help, which harm, and which can go.

    Takes the same as `memtrial.try_agent`; `repeats` multiplies both stages. Raises as it does.
    """
    return play_sections(prepare_sections(agent, memory, tasks, repo, options, mining, display), display)


@without_loop
def prepare_sections(
    agent: str,
    memory: str | Path,
    tasks: str = "git:10",
    repo: Path = Path(),
    options: TryOptions = TryOptions(),
    mining: MiningOptions | None = None,
    display: Display | None = None,
) -> PreparedSections:
    """Check everything, find the tasks, and forecast; no model is asked. Raises as `memtrial.try_agent`."""
    refuse_options(options, TryOptions, "options")
    if options.conditions or options.perturber or options.judge:
        raise SpecFault(NO_DAMAGE)
    mining = hold_mining(mining or MiningOptions(), repo)
    choice = read_choice(memory, options.marks, os.environ)
    if not choice.is_plain:
        raise SpecFault(OF_A_FILE)
    chosen, listed = open_try(agent, choice, tasks, repo, options, mining, display)
    text = chosen.starter.carrier.file.text
    posed = {task.id: task.digest for task in listed.tasks}
    plan = plan_sections(text, posed, options.seed, options.repeats, options.margin)
    name = f"{name_try(chosen, choice.path)}-sections_s{options.seed}"
    folder = options.out if options.out is not None else LOGS / name
    if not options.clean:
        refuse_other_plan(folder, plan.locked(text))
    forecast = _forecast(chosen, listed, plan, folder, options, mining)
    prepared = PreparedSections(choice.path, folder, plan, chosen, listed, options, mining, forecast)
    first = _first_stage(prepared)
    if not options.clean:
        refuse_other(folder / first[0], first[1])
    return prepared


@without_loop
def play_sections(prepared: PreparedSections, display: Display | None = None) -> SectionsEnd:
    """Play what was prepared, from where it stopped, and write the report. Raises as `memtrial.try_agent`."""
    folder, options, plan = prepared.folder, prepared.options, prepared.plan
    shown = progress_of(display)
    locked = plan.locked(prepared.chosen.starter.carrier.file.text)
    if options.clean:
        for stage in (SCREENING, CONFIRMATION):
            remove(folder / stage)
        (folder / PLAN).unlink(missing_ok=True)
    refuse_other_plan(folder, locked)
    if not (folder / PLAN).exists():
        make(folder)
    with alone_in(folder):
        lock_plan(folder, locked)
        return _play_stages(prepared, shown)


def _play_stages(prepared: PreparedSections, shown: Display) -> SectionsEnd:
    folder, plan, options = prepared.folder, prepared.plan, prepared.options
    ends: list[RunEnd] = []
    stage, experiment = _first_stage(prepared)
    # what fresh trials rest on does not change any more once there are some
    if plan.screens and not read_rows(folder / CONFIRMATION):
        ends.append(_play(prepared, stage, experiment, shown))
        if ends[-1].ending.how != "done":
            return SectionsEnd(folder, ends[-1], None)
    rows = read_rows(folder / SCREENING)
    screened = screen_sections(plan, rows)
    if screened.few:
        left = prepared
        if options.budget is not None and plan.screens:
            rest = options.budget - sum(row.usd or 0.0 for row in rows)
            if rest <= 0:
                why = f"the screening has spent the budget of ${options.budget:.4g}"
                return SectionsEnd(folder, replace(ends[-1], ending=Ending("budget", why)), None)
            left = replace(prepared, options=replace(options, budget=rest))
        ends.append(_play(left, CONFIRMATION, _fresh_stage(left, screened), shown))
        if ends[-1].ending.how != "done":
            return SectionsEnd(folder, ends[-1], None)
    return SectionsEnd(folder, ends[-1], _write_results(prepared, screened, ends))


def _first_stage(prepared: PreparedSections) -> tuple[str, Experiment]:
    """The stage that begins: the screening where there is one."""
    plan = prepared.plan
    if plan.screens:
        return SCREENING, prepared.describe(SCREENING, plan.screening_arms(), plan.size.repeats)
    return CONFIRMATION, _fresh_stage(prepared, screen_sections(plan, ()))


def _fresh_stage(prepared: PreparedSections, screened: ScreenedSections) -> Experiment:
    plan, few = prepared.plan, screened.few
    return prepared.describe(CONFIRMATION, plan.fresh_arms(few), plan.size.fresh_repeats(len(few)))


def _play(prepared: PreparedSections, stage: str, experiment: Experiment, shown: Display) -> RunEnd:
    options = prepared.options
    asked = RunOptions(
        prepared.folder / stage,
        limit=options.limit,
        retry_errors=options.retry_errors,
        base_urls=options.base_urls,
        report=options.report,
    )
    return play_out(experiment, asked, shown)


def _write_results(
    prepared: PreparedSections, screened: ScreenedSections, ends: list[RunEnd]
) -> SectionResults:
    """Judge, and write results.json, report.html and report.md above the stages."""
    folder = prepared.folder
    rows = StageRows(read_rows(folder / SCREENING), read_rows(folder / CONFIRMATION))
    seen = [end.results for end in ends if end.results is not None]
    # of all trials, those of a stage that was not gone into this time among them
    delivered = delivery([*rows.screening, *rows.confirmation])
    warnings = (*alarms(None, delivered), *(line for each in seen for line in alarms(each.untrusted, None)))
    named = TrialNames(
        memory=prepared.memory.name,
        agent=prepared.chosen.starter.name,
        simulated=any(each.simulated for each in seen),
        alarms=tuple(dict.fromkeys(warnings)),
    )
    results = judge_sections(prepared.plan, screened, rows, named)
    write_whole(folder / "results.json", results.json_text())
    if prepared.options.report or has_pages(folder):
        write_whole(folder / PAGE, render_section_html(results))
        write_whole(folder / SHORT, render_section_markdown(results))
    return results


def _forecast(
    chosen: ChosenAgent,
    listed: TaskList,
    plan: SectionPlan,
    folder: Path,
    options: TryOptions,
    mining: MiningOptions,
) -> SectionForecast:
    stages = () if options.clean else (SCREENING, CONFIRMATION)
    rows = [row for stage in stages for row in read_rows(folder / stage)]
    records = [each for stage in stages for each in read_work_records(folder / stage)]
    return SectionForecast(
        about=(*chosen.about, *listed.notes),
        tasks=len(listed.tasks),
        left_out={str(kind): n for kind, n in count_kinds(listed.left_out).items()},
        kind=plan.parts.kind,
        sections=plan.n_parts,
        family=plan.family,
        size=plan.size,
        rules=plan.rules,
        threshold=plan.screening.threshold,
        played=sum(row.status != "error" for row in rows),
        rehearsal=rehearse(records),
        most_s=options.timeout_s + mining.terms.timeout_s,
        at_once=options.max_connections,
        max_usd=options.budget,
    )
