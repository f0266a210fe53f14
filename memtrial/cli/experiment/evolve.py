"""`evolve`: let memories grow over streams of tasks, and say what that is worth."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, Mode, Out, SpecFile
from memtrial.console.display import Display
from memtrial.console.escape import one_line
from memtrial.console.standard_output import complain, put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.api.streams.evolve import ArmsCompared, EvolveResults
    from memtrial.evolution.evolve_metrics import ArmMetrics
    from memtrial.reports.text.text_table import TextTable

NOT_KNOWN = "–"


def evolve(
    spec: SpecFile,
    out: Out = None,
    clean: Annotated[bool, typer.Option("--clean", help="Remove what is there and begin anew.")] = False,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
) -> int:
    """Let memories grow over streams of tasks: vanilla, bank, parallel and sequential tries."""
    from memtrial.api.run import RunOptions
    from memtrial.api.streams.evolve import evolve as carry_out
    from memtrial.evolution.evolve_spec import load_evolve

    wanted = load_evolve(Path(spec))
    options = RunOptions(out, clean, base_urls=tuple(base_url or ()))
    results = carry_out(wanted, options, Display(display or wanted.display))
    if as_json:
        put_json(results.as_json())
    else:
        _show(results)
    ending = results.end.ending
    if ending.how == "done":
        return 0
    complain(f"stopped: {ending.why}; the same command goes on")
    return 130 if ending.how == "interrupted" else 0 if ending.how == "budget" else 1


def _show(results: EvolveResults) -> None:
    """Label, metrics, what was compared with what, and where the tables are."""
    from memtrial.api.streams.evolve import ONE_OBSERVATION
    from memtrial.reports.render.terminal import table_lines
    from memtrial.reports.text.reading import SIMULATED

    width = width_of()
    lines = [SIMULATED] if results.simulated else []
    for backbone in dict.fromkeys(row.backbone for row in results.metrics):
        own = [row for row in results.metrics if row.backbone == backbone]
        lines += [one_line(backbone), *table_lines(_metrics(own), width), ""]
    for compared in results.compared:
        lines += [f"{compared.about} ({compared.reference}):", *table_lines(_verdicts(compared), width), ""]
    lines += [ONE_OBSERVATION] if results.compared else ["No verdicts before two streams have ended."]
    lines.append(f"Tables, banks and rows: {results.end.folder}")
    put("\n".join(lines))


def _metrics(rows: list[ArmMetrics]) -> TextTable:
    from memtrial.reports.text.text_table import Column, tabulate

    return tabulate(
        "",
        rows,
        Column("arm", "name", lambda row: row.arm),
        Column("success", "number", lambda row: _interval(row)),
        Column("1st half", "number", lambda row: _share(row.first_half)),
        Column("2nd half", "number", lambda row: _share(row.second_half)),
        Column("calls/task", "number", lambda row: f"{row.calls_a_task:.1f}"),
        Column("steps/success", "number", lambda row: f"{row.steps_a_success:.1f}"),
        Column(
            "$/success", "number", lambda row: "" if not row.usd_a_success else f"{row.usd_a_success:.4f}"
        ),
        Column(
            "items/100", "number", lambda row: f"{row.new_items_a_100:.0f}" if row.new_items_a_100 else ""
        ),
        Column(
            "shown", "number", lambda row: f"{row.used_items_a_task:.1f}" if row.used_items_a_task else ""
        ),
        Column("cited", "number", lambda row: f"{row.cited_a_task:.2f}" if row.cited_a_task else ""),
        Column("streams", "number", lambda row: str(row.streams)),
        Column("errors", "number", lambda row: str(row.errors or "")),
    )


def _verdicts(compared: ArmsCompared) -> TextTable:
    from memtrial.reports.text.arm_readings import verdict_matrix
    from memtrial.reports.text.text_table import Column, tabulate
    from memtrial.reports.text.verdict_glossary import printed_word

    entries = [
        (backbone, arm, gain)
        for backbone, arms in verdict_matrix(compared.results).groups.items()
        for arm, (gain, *_) in arms.items()
    ]
    return tabulate(
        "",
        entries,
        Column("backbone", "name", lambda entry: one_line(entry[0])),
        Column("arm", "name", lambda entry: one_line(entry[1])),
        Column("difference", "number", lambda entry: entry[2].estimate),
        Column("verdict", "text", lambda entry: printed_word(entry[2].word)),
    )


def _interval(row: ArmMetrics) -> str:
    if isnan(row.success_low):
        return _share(row.success)
    return f"{row.success:.3f} [{row.success_low:.3f}, {row.success_high:.3f}]"


def _share(value: float) -> str:
    return NOT_KNOWN if isnan(value) else f"{value:.3f}"
