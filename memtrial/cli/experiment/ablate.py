"""`ablate`: play a spec with subsets of its gates, and say what each gate does and costs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.cli.options import BaseUrl, Json, MaxCost, Mode, Out, Setting, SpecFile
from memtrial.console.display import Display
from memtrial.console.escape import harmless
from memtrial.console.standard_output import put, put_either, put_json, width_of
from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INVERTED
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.output_file import refuse_unwritable

if TYPE_CHECKING:
    from memtrial.api.ablate import AblationEnd
    from memtrial.views.rows.ablation_results import Ablation
    from memtrial.views.rows.results import Results

WIDTH = 100
"""Columns of a table where the terminal does not tell."""


def ablate(
    spec: SpecFile,
    settings: Setting = None,
    gates: Annotated[
        str, typer.Option(help="Gates to switch, by commas; default those of the spec's theory condenser.")
    ] = "",
    groups: Annotated[
        str, typer.Option(help="Gates switched together, such as x=a+b,y=c.", metavar="NAME=GATE+GATE")
    ] = "",
    condition: Annotated[str, typer.Option(help="Kinds of damage, by commas.")] = INVERTED,
    out: Out = None,
    max_cost: MaxCost = None,
    forecast: Annotated[bool, typer.Option("--plan", help="Say what it would cost; spends nothing.")] = False,
    latex: Annotated[
        Path | None, typer.Option(help="Write the tables for a paper.", metavar="FILE.tex")
    ] = None,
    base_url: BaseUrl = None,
    display: Annotated[Mode | None, typer.Option(help="How to show progress; default full.")] = None,
    as_json: Json = False,
) -> int:
    """Play a spec with subsets of its gates: effects, Shapley values, costs."""
    from memtrial.api.ablate import SubsetOptions, ablation_spec
    from memtrial.api.ablate import ablate as carry_out
    from memtrial.api.run import RunOptions, plan
    from memtrial.runs.forecast.forecast_text import forecast_lines
    from memtrial.runs.forecast.power_table import PlanOptions
    from memtrial.runs.spec.read_spec import load_spec

    given = {"budget.max_cost_usd": max_cost, "display": display}
    options = [f"{key}={value}" for key, value in given.items() if value is not None]
    wanted = load_spec(spec, [*(settings or ()), *options], os.environ)
    asked = SubsetOptions(_list(gates), _groups(groups), _list(condition))
    if latex is not None:
        refuse_unwritable(latex, spec, option="--latex")
    if forecast:
        closed = PlanOptions(simulate=0)  # the power of many arms is slow to simulate
        with redirect_stdout(sys.stderr):
            planned = plan(ablation_spec(wanted, asked), closed, base_urls=base_url or ())
        put_either(planned.as_json(), forecast_lines(planned, False, width_of()), as_json)
        return 0
    where = RunOptions(out, base_urls=tuple(base_url or ()))
    # what a user's own gate, agent or world prints is no result
    with redirect_stdout(sys.stderr):
        ended = carry_out(wanted, asked, where, Display(wanted.display))
    results = ended.last.results
    ablation = None if results is None else results.ablation
    if results is not None and ablation is not None:
        if latex is not None:
            write_whole(latex, "\n".join(_latex(results, ablation)))
        _show(ended, results, ablation, as_json)
    return max(exit_code(run, False) for run in ended.runs)


def _show(ended: AblationEnd, results: Results, ablation: Ablation, as_json: bool) -> None:
    from memtrial.reports.render.table_lines import table_lines
    from memtrial.reports.sections.ablation_tables import (
        cost_table,
        effects_table,
        interactions_line,
        interactions_table,
        modes_line,
        modes_table,
        sharing_line,
    )
    from memtrial.reports.text.reading import SIMULATED

    screened = ended.first_ablation
    if as_json:
        more = {"simulated": results.simulated, "screening": screened and screened.model_dump(mode="json")}
        put_json(ablation.model_dump(mode="json") | more)
        return
    shown, width = harmless(results), width_of() or WIDTH
    lines = [SIMULATED] if results.simulated else []
    if screened is not None:
        lines.append(
            f"{len(screened.factors)} factors were screened in {ended.runs[0].folder}. Here are the active"
            f" ones in full: {', '.join(ablation.factors)}; p leaves out that the same tasks chose them."
        )
    several, about = len(shown.backbones) > 1, shown.ablation or ablation
    pairs = interactions_table(about, several, away=True)
    modes = modes_table(about, several)
    optional = [table for table in (modes, pairs) if table.rows]
    for table in (effects_table(about, several), *optional, cost_table(about)):
        lines += ["", table.caption, *table_lines(table, width)]
    shown_effects = filter(None, (modes_line(about), interactions_line(about)))
    lines += ["", *shown_effects, *about.notes, sharing_line(about)]
    put("\n".join(lines))
    put(f"{how_many(len(shown.notes), 'note')} and the figure: {ended.last.folder / 'report.html'}")


def _latex(results: Results, ablation: Ablation) -> Iterator[str]:
    from memtrial.reports.render.latex import latex_table
    from memtrial.reports.sections.ablation_tables import (
        cost_table,
        effects_table,
        interactions_table,
        modes_table,
    )

    several = len(results.backbones) > 1
    made = {"effects": effects_table, "interactions": interactions_table, "modes": modes_table}
    tables = {name: make(ablation, several) for name, make in made.items()}
    for name, table in tables.items():
        if name != "modes" or table.rows:
            yield latex_table(table, f"tab:{name}")
    yield latex_table(cost_table(ablation), "tab:cost")


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _groups(text: str) -> dict[str, tuple[str, ...]]:
    """By name, the gates of each group; SpecFault where the text names none."""
    groups: dict[str, tuple[str, ...]] = {}
    for part in _list(text):
        name, equals, gates = part.partition("=")
        named = tuple(gate.strip() for gate in gates.split("+") if gate.strip())
        if not equals or not name.strip() or not named or name.strip() in groups:
            raise SpecFault(f"--groups takes NAME=GATE+GATE, each name once; got {part!r}")
        groups[name.strip()] = named
    return groups
