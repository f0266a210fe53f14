"""`analyze`: the whole analysis on anyone's table of outcomes. It needs no run, no world and no model."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import Json
from memtrial.console.escape import one_line
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put, put_json, width_of
from memtrial.reports.render.terminal import put_results

if TYPE_CHECKING:
    from memtrial.api.analyze import AnalysisOptions
    from memtrial.outcomes.column_roles import Role
    from memtrial.outcomes.outcome_table import OutcomeTable, TableOptions

_Column = Annotated[str | None, typer.Option(metavar="NAME", help="Found by its name unless given.")]


def analyze(
    table: Annotated[
        Path, typer.Argument(help="CSV, Parquet or JSON lines, a row a trial.", metavar="TABLE")
    ],
    reference: Annotated[str | None, typer.Option(metavar="ARM", help="The agent without memory.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="K", help="Only rows whose repeat column holds K.")
    ] = None,
    task_column: _Column = None,
    arm_column: _Column = None,
    condition_column: _Column = None,
    score_column: _Column = None,
    repeat_column: _Column = None,
    cluster_column: _Column = None,
    backbone_column: _Column = None,
    error_column: _Column = None,
    family_column: _Column = None,
    intact: Annotated[str | None, typer.Option(help="The condition in which nothing was damaged.")] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(metavar="TREATMENT:CONTROL", help="Compare what damage costs two arms."),
    ] = None,
    primary: Annotated[
        list[str] | None, typer.Option(metavar="CONDITION", help="Its contrasts are the hypotheses.")
    ] = None,
    positive_control: Annotated[
        str | None, typer.Option(metavar="ARM", help="An arm known to hold the answer; default oracle.")
    ] = None,
    scale: Annotated[float, typer.Option(help="The full score.")] = 1.0,
    number_repeats: Annotated[
        bool, typer.Option("--number-repeats", help="Rows of one cell are repeats, in the file's order.")
    ] = False,
    margin: Annotated[float, typer.Option(help="The smallest difference that matters.")] = 0.10,
    alpha: Annotated[float, typer.Option(help="Error rate of a family of tests.")] = 0.05,
    flips: Annotated[int, typer.Option(help="Sign vectors of the test.")] = 9_999,
    seed: Annotated[int, typer.Option(help="Of the sign vectors.")] = 0,
    question: Annotated[str, typer.Option(help="Stands in the report's head.")] = "",
    out: Annotated[Path | None, typer.Option(help="Folder of the report; default <table>_analysis.")] = None,
    as_json: Json = False,
) -> None:
    """The whole analysis on anyone's outcomes: paired, with intervals, equivalence and a report."""
    from memtrial.api.analyze import AnalysisOptions
    from memtrial.outcomes.outcome_table import TableOptions

    named: dict[Role, str | None] = {
        "task": task_column,
        "arm": arm_column,
        "condition": condition_column,
        "score": score_column,
        "repeat": repeat_column,
        "cluster": cluster_column,
        "backbone": backbone_column,
        "error": error_column,
    }
    asked = TableOptions(
        {role: name for role, name in named.items() if name is not None},
        reference=reference,
        intact=intact,
        at=at,
        scale=scale,
        number_repeats=number_repeats,
        family=family_column,
    )
    rules = AnalysisOptions(
        margin=margin,
        alpha=alpha,
        flips=flips,
        seed=seed,
        pairs=tuple(pairs or ()),
        primary=tuple(primary or ()),
        positive_control=positive_control,
        question=question,
    )
    analyze_table(table, asked, rules, out, as_json)


def analyze_table(
    path: Path, options: TableOptions, rules: AnalysisOptions, out: Path | None, as_json: bool
) -> None:
    """Read, say what was taken for what, analyse, show, and write the report.

    Args:
        out: folder of the report; with `as_json` nothing is written unless one is named.
    """
    from memtrial.api.analyze import analyze as analyze_outcomes
    from memtrial.api.analyze import refuse_folder, write_analysis
    from memtrial.reports.render.html_report import render_html
    from memtrial.reports.render.markdown_report import render_markdown

    standard = None if as_json else Path(f"{path.stem}_analysis")
    folder = out if out is not None else standard
    if folder is not None:
        refuse_folder(folder, path)
    stream = sys.stderr if as_json else sys.stdout

    def tell(table: OutcomeTable) -> None:
        """What was taken for what, before any result."""
        rows = [("", ""), *((f"  {word}", one_line(sentence)) for word, sentence in table.said)]
        lines = [f"{path.name}, as it was read:", *columns(rows, width_of(stream))]
        lines += [f"  Note: {one_line(note)}" for note in table.notes]
        put("\n".join(lines) + "\n", stream)

    results = analyze_outcomes(path, options, replace(rules, reproduce=_command(path)), tell)
    if folder is not None:
        write_analysis(folder, (results.json_text(), render_html(results), render_markdown(results)))
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    put_results(results)
    put(f"\nReport: {folder / 'report.html'}" if folder is not None else "")


def _command(path: Path) -> str:
    """The command as it was given, without where things lie."""
    words = sys.argv[1:] if len(sys.argv) > 1 and sys.argv[1] == "analyze" else ["analyze", str(path)]
    kept = [
        word
        for before, word in pairwise(["", *words])
        if "--out" not in (before, word) and not word.startswith("--out=")
    ]
    return shlex.join(["memtrial", *(path.name if Path(word) == path else word for word in kept)])


# XX
