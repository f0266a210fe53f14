"""`tasks`: coding tasks of a history or a folder, tried; the questions of a set; and what is left out."""

from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.options import HowHeld, Json, Mode


def tasks(
    source: Annotated[
        str, typer.Argument(help="git:N, as git:10, a folder of tasks, or questions:PATH.", metavar="SOURCE")
    ],
    repo: Annotated[Path, typer.Option(help="The repository, or a folder in it.")] = Path(),
    check: Annotated[
        str, typer.Option(help="What checks a task: 'python -m pytest -q {tests}'; chosen unless named.")
    ] = "",
    setup: Annotated[str, typer.Option(help="Makes each fresh work tree ready.")] = "",
    tests: Annotated[
        list[str] | None, typer.Option(help="Which files are tests, as 't/*.sh'; by convention unless named.")
    ] = None,
    timeout_s: Annotated[float, typer.Option(min=0.1, help="Seconds for a check, and for a set-up.")] = 300,
    pass_on: Annotated[
        list[str] | None, typer.Option(help="A variable of yours that checks shall get, as HOME.")
    ] = None,
    sandbox: HowHeld = "auto",
    as_json: Json = False,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
) -> None:
    """List the coding tasks of a history or a folder, and what is left out and why. Asks no model.

    The checks run on this machine; a line says whether a sandbox holds them. Exit 1 where there is no task.
    Of questions:PATH, a set for the world single_turn, it says how it is read and split; questions: alone is
    the invented set. The options are those of coding tasks.
    """
    from memtrial.cli.tools.question_lines import QUESTIONS, list_questions

    if source.startswith(QUESTIONS):
        list_questions(source.removeprefix(QUESTIONS), as_json)
        return
    from memtrial.api.coding.tasks import KEPT
    from memtrial.api.coding.tasks import tasks as list_tasks
    from memtrial.console.display import Display
    from memtrial.console.standard_output import put_either, width_of
    from memtrial.repositories.mining.mined_tasks import MiningOptions
    from memtrial.repositories.workspace import CheckTerms

    terms = CheckTerms(timeout_s, tuple(pass_on or ()))
    options = MiningOptions(check, setup, tuple(tests or ()), terms=terms, sandbox=sandbox, kept=KEPT)
    listed = list_tasks(source, repo, options, Display(display))
    put_either(listed.to_json(), listed.lines(width_of()), as_json)
    if not listed.tasks:
        raise typer.Exit(1)
