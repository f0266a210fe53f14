"""`analyze`: the whole analysis on anyone's table of outcomes. It needs no run, no world and no model."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import Json
from memtrial.cli.results.paper_options import Estimates, FigureForm, Figures, Latex, PaperChoice
from memtrial.console.escape import one_line
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.api.analyze import AnalysisOptions
    from memtrial.outcomes.column_roles import Role
    from memtrial.outcomes.outcome_table import OutcomeTable
    from memtrial.outcomes.table_options import TableOptions

_Column = Annotated[str | None, typer.Option(metavar="NAME", help="Found by its name unless given.")]


def analyze(
    tables: Annotated[
        list[Path],
        typer.Argument(
            help="CSV, Parquet, JSON lines or Inspect logs; files or folders.", metavar="TABLE..."
        ),
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
    score_range: Annotated[
        str | None, typer.Option("--range", metavar="LOW,HIGH", help="The lowest and the highest score.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=VALUE", help="Only rows whose column holds it.")
    ] = None,
    arms: Annotated[
        list[str] | None, typer.Option(metavar="ARM,ARM", help="Only these; of a wide table its columns.")
    ] = None,
    number_repeats: Annotated[
        bool, typer.Option("--number-repeats", help="Rows of one cell are repeats, in the file's order.")
    ] = False,
    margin: Annotated[float, typer.Option(help="The smallest difference that matters.")] = 0.10,
    alpha: Annotated[float, typer.Option(help="Error rate of a family of tests.")] = 0.05,
    flips: Annotated[int, typer.Option(help="Sign vectors of the test.")] = 9_999,
    seed: Annotated[int, typer.Option(help="Of the sign vectors.")] = 0,
    question: Annotated[str, typer.Option(help="Stands in the report's head.")] = "",
    figures: Figures = None,
    form: FigureForm = None,
    latex: Latex = None,
    estimates: Estimates = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the report; default <table>_analysis.")] = None,
    as_json: Json = False,
) -> None:
    """The whole analysis on anyone's outcomes: paired, with intervals, equivalence and a report."""
    from memtrial.api.analyze import AnalysisOptions
    from memtrial.outcomes.table_options import TableOptions

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
        range=score_range,
        where=tuple(where or ()),
        arms=tuple(arms or ()),
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
    analyze_table(tables, asked, rules, out, as_json, PaperChoice(figures, form, latex, estimates))


def analyze_table(
    given: Path | Sequence[Path],
    options: TableOptions,
    rules: AnalysisOptions,
    out: Path | None,
    as_json: bool,
    paper: PaperChoice = PaperChoice(),
) -> None:
    """Read, say what was taken for what, analyse, show, and write the report.

    Args:
        given: a file or folder, or several.
        out: folder of the report; with `as_json` nothing is written unless one is named.
        paper: what is also written for a paper.
    """
    from memtrial.api.analyze import analyze as analyze_outcomes
    from memtrial.api.analyze import name_of, refuse_folder, write_analysis
    from memtrial.cli.results.paper_files import refuse_paper, write_paper
    from memtrial.outcomes.files.table_files import files_of

    paths = (given,) if isinstance(given, Path) else tuple(given)
    files = files_of(paths)
    # a folder without a name of its own, as `..`, has that of where it leads
    standard = None if as_json else Path(f"{(paths[0].stem if paths[0].name else '') or 'table'}_analysis")
    folder = out if out is not None else standard
    if folder is not None:
        refuse_folder(folder, files)
    refuse_paper(paper, files, as_json)
    stream = sys.stderr if as_json else sys.stdout

    def tell(table: OutcomeTable) -> None:
        """What was taken for what, before any result."""
        rows = [("", ""), *((f"  {word}", one_line(sentence)) for word, sentence in table.said)]
        lines = [f"{name_of(files)}, as it was read:", *columns(rows, width_of(stream))]
        lines += [f"  Note: {one_line(note)}" for note in table.notes]
        put("\n".join(lines) + "\n", stream)

    words = _command(paths)
    shown = shlex.join(["memtrial", *_without_places(words, paths)])
    results = analyze_outcomes(paths, options, replace(rules, reproduce=shown), tell, ["memtrial", *words])
    if folder is not None:
        from memtrial.reports.render.html_report import render_html
        from memtrial.reports.render.markdown_report import render_markdown

        write_analysis(folder, (results.json_text(), render_html(results), render_markdown(results)))
    write_paper(paper, results)
    if as_json:
        put_json(results.model_dump(mode="json"))
        return
    from memtrial.reports.render.terminal import put_results

    put_results(results)
    put(f"\nReport: {folder / 'report.html'}" if folder is not None else "")


def _command(paths: Sequence[Path]) -> list[str]:
    """The words of the command as it was given."""
    return sys.argv[1:] if len(sys.argv) > 1 and sys.argv[1] == "analyze" else ["analyze", *map(str, paths)]


def _without_places(words: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """The words without where things lie: tables by their names, and not where the report went."""
    kept = [
        word
        for before, word in pairwise(["", *words])
        if "--out" not in (before, word) and not word.startswith("--out=")
    ]
    return [path.name if (path := Path(word)) in paths else word for word in kept]
