"""Evolve: play arms whose memories grow over streams of tasks, and say what that is worth.

Arms are compared by the project's own analysis. Its unit is the stream: all tasks of one stream hang on what
was learnt before them, so that a stream is one observation of a memory that grows.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memtrial.analysis_rules import STANDARD_RULES
from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.api.run import RunOptions
from memtrial.console.display import Display, progress_of
from memtrial.evolution.evolve_folder import evolve_folder
from memtrial.evolution.evolve_metrics import ArmMetrics, measure_arms
from memtrial.evolution.evolve_run import EvolveEnd, evolve_in
from memtrial.evolution.evolve_spec import EvolveArm, EvolveSpec, load_evolve
from memtrial.evolution.stream_rows import TaskRow
from memtrial.faults import SpecFault
from memtrial.outcomes.given_path import path_of
from memtrial.outcomes.spreadsheet import csv_text
from memtrial.outcomes.table_options import TableOptions
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.folder import clean as remove
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.rows.results import Results

OUTCOMES, METRICS, RESULTS = "outcomes.csv", "metrics.csv", "evolution.json"
FEWEST_STREAMS = 2
ONE_OBSERVATION = "A stream is one observation of what memory learns: intervals and tests are over streams."


@dataclass(frozen=True, slots=True)
class ArmsCompared:
    """Arms against one other.

    Args:
        about: why these are compared.
        results: the analysis, in which `reference` stands in the place of no memory.
    """

    about: str
    reference: str
    arms: tuple[str, ...]
    results: Results


@dataclass(frozen=True, slots=True)
class EvolveResults:
    """What an evolution says by now.

    Args:
        compared: none before two streams of the arms have ended.
    """

    end: EvolveEnd
    simulated: bool
    metrics: tuple[ArmMetrics, ...]
    compared: tuple[ArmsCompared, ...]

    def as_json(self) -> dict[str, object]:
        """All of it, for programs."""
        return {
            "simulated": self.simulated,
            "ending": self.end.ending.how,
            "unit": "stream",
            "metrics": [_plain(asdict(row)) for row in self.metrics],
            "comparisons": [
                {
                    "about": arms.about,
                    "reference": arms.reference,
                    **arms.results.model_dump(mode="json", include={"estimates", "verdicts"}),
                }
                for arms in self.compared
            ],
        }


@without_loop
def evolve(
    spec: str | Path | EvolveSpec, options: RunOptions = RunOptions(), display: Display | None = None
) -> EvolveResults:
    """Carry an evolution out in its folder, from where it stopped, and write its tables there.

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
        for line in experiment.notices:
            shown.say(line)
        folder = evolve_folder(given, options.out)
        if options.clean:
            remove(folder)
        end = evolve_in(folder, given, experiment, shown)
    results = EvolveResults(
        end,
        experiment.simulated,
        measure_arms(end.rows),
        tuple(_compare(given, end.rows, experiment.simulated)),
    )
    write_evolution(folder, results)
    return results


def write_evolution(folder: Path, results: EvolveResults) -> None:
    """The rows and the metrics as tables, and all of it as JSON."""
    names = ("backbone", "task", "arm", "stream", "position", "score", "error", "family", "calls", "usd")
    rows = [
        (row.backbone, f"{row.stream}/{row.task}", row.arm, row.stream, row.position, row.score, row.error,
         row.family, row.calls, row.usd)
        for row in results.end.rows
    ]  # fmt: skip
    write_whole(folder / OUTCOMES, csv_text(names, rows))
    if results.metrics:
        measured = [asdict(row) for row in results.metrics]
        metrics = csv_text(tuple(measured[0]), [tuple(row.values()) for row in measured])
        write_whole(folder / METRICS, metrics)
    write_whole(folder / RESULTS, json.dumps(results.as_json(), indent=1, ensure_ascii=False))


def pairs_of(arms: Mapping[str, EvolveArm]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Which arms are compared with which: why, the reference, and the arms.

    With `vanilla` all that learn are; an arm of more tries with the one of as many tries that learns nothing,
    which is memory at equal compute; contrastive learning with that from successes alone; and an arm that
    searches its bank in another way with the one that is the same but for that.
    """
    pairs: list[tuple[str, str, tuple[str, ...]]] = []
    vanilla = next((name for name, arm in arms.items() if arm.mode == "vanilla"), None)
    if vanilla is not None:
        others = tuple(name for name in arms if name != vanilla)
        pairs.append(("with each task done once, without memory", vanilla, others))
    for name, arm in arms.items():
        if arm.learn != "none" or arm.mode == "vanilla":
            continue
        same = tuple(
            other
            for other, one in arms.items()
            if one.learn != "none"
            and (one.mode, one.k, one.r, one.vary) == (arm.mode, arm.k, arm.r, arm.vary)
        )
        if same:
            pairs.append(("memory at equal compute: as many tries that learn nothing", name, same))
    for name, arm in arms.items():
        twins = tuple(
            other
            for other, one in arms.items()
            if one.learn == "contrastive" and (one.mode, one.k, one.r) == (arm.mode, arm.k, arm.r)
        )
        if arm.learn == "success-only" and twins:
            pairs.append(("what contrasts add to successes alone", name, twins))
    for name, arm in arms.items():
        usual = {"query": "task", "retrieve": "before"}
        others = tuple(
            other for other, one in arms.items() if one != arm and one.model_copy(update=usual) == arm
        )
        if others:
            pairs.append(("what other searches of the bank add", name, others))
    return tuple(pairs)


def _compare(spec: EvolveSpec, rows: Sequence[TaskRow], simulated: bool) -> list[ArmsCompared]:
    """Every comparison for which two streams of its arms have ended."""
    compared: list[ArmsCompared] = []
    for about, reference, arms in pairs_of(spec.arms):
        own = [row for row in rows if row.arm in (reference, *arms)]
        if len({row.stream for row in own if row.arm == reference}) < FEWEST_STREAMS:
            continue
        table = [
            {
                "backbone": row.backbone,
                "task": f"{row.stream}/{row.task}",
                "arm": row.arm,
                "cluster": f"stream {row.stream}",
                "score": row.score,
                "error": row.error,
                "simulated": simulated,
            }
            for row in own
        ]
        rules = AnalysisOptions(
            STANDARD_RULES.margin, STANDARD_RULES.alpha, seed=spec.seed, question=spec.question
        )
        results = analyze(table, TableOptions(reference=reference), rules)
        compared.append(ArmsCompared(about, reference, arms, results))
    return compared


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    """NaN is no JSON."""
    return {name: None if value != value else value for name, value in row.items()}
