"""The verb for anyone's outcomes: it needs no run, no world and no model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loadbearing.cli.options import Json

_Column = Annotated[str | None, typer.Option(metavar="NAME", help="Found by its name unless given.")]


def analyze(
    table: Annotated[
        Path, typer.Argument(help="CSV, Parquet or JSON lines, one row a trial.", metavar="TABLE")
    ],
    reference: Annotated[
        str | None,
        typer.Option(metavar="ARM", help="The arm that the others are compared with: the agent without."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="K", help="Only rows whose repeat column holds K: one attempt of several."),
    ] = None,
    task_column: _Column = None,
    arm_column: _Column = None,
    condition_column: _Column = None,
    score_column: _Column = None,
    repeat_column: _Column = None,
    cluster_column: _Column = None,
    backbone_column: _Column = None,
    error_column: _Column = None,
    intact: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="The one in which nothing was damaged.")
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(metavar="TREATMENT:CONTROL", help="Compare what damage costs two arms; may come again."),
    ] = None,
    primary: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Its contrasts are the hypotheses; may come again."),
    ] = None,
    positive_control: Annotated[
        str | None, typer.Option(metavar="ARM", help="An arm known to hold the answer; default oracle.")
    ] = None,
    scale: Annotated[float, typer.Option(help="The full score, for scores that do not end at 1.")] = 1.0,
    number_repeats: Annotated[
        bool, typer.Option("--number-repeats", help="Rows of one cell are repeats, in the file's order.")
    ] = False,
    margin: Annotated[float, typer.Option(help="The smallest difference that matters.")] = 0.10,
    alpha: Annotated[float, typer.Option(help="Error rate of a family of tests.")] = 0.05,
    flips: Annotated[int, typer.Option(help="Sign vectors of the test.")] = 9_999,
    seed: Annotated[int, typer.Option(help="Of the sign vectors.")] = 0,
    question: Annotated[str, typer.Option(help="Stands in the report's head.")] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder of the report; default <table>_analysis. Other files stay.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """The whole analysis on anyone's outcomes: paired, with intervals, equivalence and a report."""
    from loadbearing.cli.parts.analyze import Rules, analyze_table
    from loadbearing.outcomes.column_roles import Role
    from loadbearing.outcomes.shaping import Asked

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
    asked = Asked(
        {role: name for role, name in named.items() if name is not None},
        reference=reference,
        intact=intact,
        at=at,
        scale=scale,
        number_repeats=number_repeats,
    )
    rules = Rules(
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
