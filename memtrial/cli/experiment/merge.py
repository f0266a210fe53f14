"""`merge`: make one run of all its shards, print the table, write the report."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.cli.options import Json
from memtrial.cli.results.report import show
from memtrial.console.standard_output import complain


def merge(
    shards: Annotated[
        list[Path], typer.Argument(help="The folders of all shards of one run.", metavar="SHARD...")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder of the whole run, a new one.")],
    as_json: Json = False,
) -> int:
    """Make one run of the shards that `run --shard` played, with its report."""
    from memtrial.api.shards.merge import merge as make_one

    with redirect_stdout(sys.stderr):
        ended = make_one(shards, out)
    if ended.notice:
        complain(ended.notice)
    if ended.results is not None:
        show(ended.results, ended.folder, as_json)
    return exit_code(ended, False)
