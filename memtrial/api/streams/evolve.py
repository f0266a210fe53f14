"""Evolve: play arms whose memories grow over streams of tasks, and say what that is worth."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memtrial.analysis_rules import STANDARD_RULES
from memtrial.api.run import RunOptions
from memtrial.api.shown.report_files import PAGE, SHORT, has_pages
from memtrial.api.streams.arm_pairs import compare_arms, reference_arm
from memtrial.console.display import Display, progress_of
from memtrial.evolution.asked_temperatures import temperature_notes
from memtrial.evolution.bank_growth import count_growth, count_judged
from memtrial.evolution.evolve_folder import evolve_folder
from memtrial.evolution.evolve_metrics import measure_arms
from memtrial.evolution.evolve_run import EvolveEnd, evolve_in
from memtrial.evolution.evolve_spec import EvolveSpec, load_evolve
from memtrial.evolution.stream_parts import measure_parts
from memtrial.faults import SpecFault
from memtrial.judges.success import ORACLE
from memtrial.memory.bank.confidence.verdict_audit import audit_words
from memtrial.outcomes.given_path import path_of
from memtrial.outcomes.spreadsheet import csv_text
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.private_file import write_whole
from memtrial.reports.render.evolution_report import render_evolution_html, render_evolution_markdown
from memtrial.reports.render.evolution_terminal import evolution_lines
from memtrial.reports.render.notebook import evolution_notebook
from memtrial.runs.run_folder.folder import EVOLUTION_RESULTS
from memtrial.runs.run_folder.folder import clean as remove
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.rows.evolution_rows import EvolutionResults, EvolvedArm, VerdictChecks

OUTCOMES, METRICS = "outcomes.csv", "metrics.csv"


@dataclass(frozen=True, slots=True, repr=False)
class EvolveResults:
    """What an evolution says by now, and the rows behind it."""

    end: EvolveEnd
    results: EvolutionResults

    def as_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        whole: dict[str, Any] = json.loads(self.results.json_text())
        return whole

    def __str__(self) -> str:
        """What the terminal shows, as plain text."""
        return "\n".join(evolution_lines(self.results, None))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The verdicts, and the course along the stream as a figure."""
        return evolution_notebook(self.results)


@without_loop
def evolve(
    spec: str | Path | EvolveSpec, options: RunOptions = RunOptions(), display: Display | None = None
) -> EvolveResults:
    """Carry an evolution out in its folder, from where it stopped, and write its report and tables there.

    Args:
        spec: a file, or the spec itself.
        display: shows progress; a bar in a notebook, else nothing, unless given.

    Raises:
        SpecFault: the spec, or the folder it would go on in, is wrong.
        RunFault: it cannot go on; what was done is kept.
    """
    refuse_options(options, RunOptions, "options")
    given = spec if isinstance(spec, EvolveSpec) else load_evolve(path_of(spec, "a spec", SpecFault))
    run, shown = given.as_run(), progress_of(display)
    with process_watch(plugins_of(run.model_dump())):
        experiment = check_spec(run, options.environment, options.base_urls)
        for line in (*experiment.notices, *temperature_notes(given)):
            shown.say(line)
        folder = evolve_folder(given, options.out)
        if options.clean:
            remove(folder)
        end = evolve_in(folder, given, experiment, shown)
    results = EvolveResults(end, sum_up(given, end, experiment.simulated))
    write_evolution(folder, results, options.report)
    return results


def sum_up(spec: EvolveSpec, end: EvolveEnd, simulated: bool) -> EvolutionResults:
    """All that the streams which have ended say."""
    arms = tuple(
        EvolvedArm(name=name, mode=arm.mode, learn=arm.learn, tries=arm.tries)
        for name, arm in spec.arms.items()
    )
    judged = spec.roles.judge != ORACLE
    profile = spec.bank.profile
    return EvolutionResults(
        name=spec.name,
        question=spec.question,
        seed=spec.seed,
        simulated=simulated,
        ending=end.ending.how,
        world=spec.environment.world,
        agent=spec.agent,
        writer=spec.roles.writer or "",
        judge=spec.roles.judge,
        profile=profile if isinstance(profile, str) else "one of its own",
        consolidate=spec.bank.consolidate,
        truth_seen=spec.train,
        calls_limit=spec.calls_a_task,
        backbones=spec.backbone,
        arms=arms,
        streams=spec.streams,
        tasks=end.n_tasks,
        margin=STANDARD_RULES.margin,
        alpha=STANDARD_RULES.alpha,
        metrics=measure_arms(end.rows),
        parts=tuple(measure_parts(end.rows, arms, end.n_tasks, reference_arm(spec.arms))),
        growth=tuple(count_growth(end.streams, arms)),
        judged=tuple(count_judged(end.streams, arms)) if judged else (),
        judge_audit=VerdictChecks(**asdict(end.audit), sentence=audit_words(end.audit)),
        comparisons=compare_arms(spec, end.rows, simulated),
    )


def write_evolution(folder: Path, results: EvolveResults, pages: bool = True) -> None:
    """The rows and the metrics as tables, all of it as JSON, and the report if these `pages` are wanted."""
    names = ("backbone", "task", "arm", "stream", "position", "score", "error", "family", "calls", "usd")
    rows = [
        (row.backbone, f"{row.stream}/{row.task}", row.arm, row.stream, row.position, row.score, row.error,
         row.family, row.calls, row.usd)
        for row in results.end.rows
    ]  # fmt: skip
    write_whole(folder / OUTCOMES, csv_text(names, rows))
    if results.results.metrics:
        measured = [row.model_dump() for row in results.results.metrics]
        metrics = csv_text(tuple(measured[0]), [tuple(row.values()) for row in measured])
        write_whole(folder / METRICS, metrics)
    write_whole(folder / EVOLUTION_RESULTS, results.results.json_text())
    if pages or has_pages(folder):
        write_whole(folder / PAGE, render_evolution_html(results.results))
        write_whole(folder / SHORT, render_evolution_markdown(results.results))
