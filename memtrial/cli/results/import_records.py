"""`import`: take in what was made elsewhere."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.cli.options import Json
from memtrial.faults import SpecFault


def import_records(
    kind: Annotated[
        Literal["outcomes"], typer.Argument(help="outcomes RUN TABLE, of a run's slots.", metavar="KIND")
    ],
    given: Annotated[
        list[Path] | None, typer.Argument(help="The run, and the table.", metavar="RUN TABLE")
    ] = None,
    as_json: Json = False,
) -> int:
    """Take the outcomes of a locked run that your harness played into the run, and report.

    The table is CSV, Parquet or JSON lines, with a row a slot: task, arm, condition, repeat, the digest of
    the text that was shown, and score or success. All of it is taken in, or nothing.
    """
    if given is None or len(given) != 2:
        raise SpecFault(f"import {kind} needs a run and a table: memtrial import {kind} RUN TABLE")
    from memtrial.api.harness.harness_slots import import_outcomes
    from memtrial.cli.results.report import show
    from memtrial.console.standard_output import complain
    from memtrial.outcomes.count_words import how_many, list_names

    run, table = given
    brought = import_outcomes(run, table)
    if brought.unread:
        complain(f"not read: {list_names(brought.unread)}")
    new = "all there before" if not brought.fresh else f"{brought.fresh:,} of them new"
    heading = f"{how_many(brought.slots, 'slot')} played elsewhere, {new}. "
    if brought.end.results is not None:
        show(brought.end.results, brought.end.folder, as_json, heading)
    return exit_code(brought.end, require_decision=False)
