"""`import`: take in what was made elsewhere."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.cli.options import Json
from memtrial.faults import SpecFault


def import_records(
    kind: Annotated[
        Literal["outcomes", "bank"],
        typer.Argument(
            help="outcomes RUN TABLE, of a run's slots; bank PATH, of ReasoningBank.", metavar="KIND"
        ),
    ],
    given: Annotated[
        list[Path] | None, typer.Argument(help="The run and the table, or the bank.", metavar="PATH")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="bank: a folder for its files.")] = None,
    as_json: Json = False,
) -> int:
    """Take in the outcomes of a locked run that your harness played, and report; or a bank of ReasoningBank.

    The table is CSV, Parquet or JSON lines, with a row a slot: task, arm, condition, repeat, the digest of
    the text that was shown, and score or success. All of it is taken in, or nothing.

    A bank is the JSON lines of ReasoningBank's code, with its cache of vectors beside it. It becomes
    bank.jsonl, for perturb, export and an arm's memory, and traces.jsonl, for condense; what could not be
    taken over is named.
    """
    if kind == "bank":
        return _take_bank(given or [], out, as_json)
    if out is not None:
        raise SpecFault("--out goes with import bank")
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


def _take_bank(given: list[Path], out: Path | None, as_json: bool) -> int:
    if len(given) != 1 or out is None:
        raise SpecFault("import bank needs a bank and a folder: memtrial import bank PATH --out DIR")
    from memtrial.api.interchange.bank_import import import_bank, report_lines
    from memtrial.console.standard_output import put_either

    taken = import_bank(given[0], out)
    files = [str(path) for path in (taken.bank, taken.traces) if path is not None]
    put_either(
        taken.report.to_json() | {"files": files},
        [*report_lines(taken.report), f"written to {' and '.join(files)}"],
        as_json,
    )
    return 0
