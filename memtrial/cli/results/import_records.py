"""`import`: take in what was made elsewhere."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.cli.options import BaseUrl, Json, Mode
from memtrial.faults import SpecFault
from memtrial.transcripts.log_formats import FormatName


def import_records(
    kind: Annotated[
        Literal["outcomes", "traces", "bank"],
        typer.Argument(
            help="outcomes RUN TABLE, of a run's slots; traces PATH, of logs; bank PATH, of ReasoningBank.",
            metavar="KIND",
        ),
    ],
    given: Annotated[
        list[Path] | None,
        typer.Argument(help="The run and the table; logs and folders; or the bank.", metavar="PATH"),
    ] = None,
    log_format: Annotated[
        FormatName,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="traces: auto, claude-code, codex, openai, anthropic, langsmith, inspect, mini-swe-agent,"
            " reflexion, reasoning-bank or proxy.",
        ),
    ] = "auto",
    out: Annotated[
        Path | None,
        typer.Option(help="traces: write them here, as condense reads them; bank: a folder for its files."),
    ] = None,
    outcomes: Annotated[
        Path | None, typer.Option(help="traces: a table with trace_id or task_id, and outcome.")
    ] = None,
    outcome_field: Annotated[
        str, typer.Option(help="traces: the field, or the scorer, that states the outcome: a.b.c")
    ] = "",
    success_from: Annotated[
        float | None, typer.Option(min=0, max=1, help="traces: the score at which success begins.")
    ] = None,
    label_file: Annotated[
        Path | None, typer.Option(help="traces: write those without an outcome here, to be filled in.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="traces: a model to judge those without an outcome; kept beside --out.")
    ] = None,
    as_json: Json = False,
    display: Annotated[Mode, typer.Option(help="traces: how to show progress.")] = "full",
    base_url: BaseUrl = None,
) -> int:
    """Take in outcomes of a locked run that your harness played, logs of other programs as traces, or a bank
    of ReasoningBank.

    outcomes: the table is CSV, Parquet or JSON lines, with a row a slot: task, arm, condition, repeat, the
    digest of the text that was shown, and score or success. All of it is taken in, or nothing.

    traces: of each log it says what it was taken for; an outcome is never guessed. With --judge a model
    says it where nothing else does, and is held against the outcomes that are stated.

    bank: the JSON lines of ReasoningBank's code, with its cache of vectors beside it, become bank.jsonl, for
    perturb, export and an arm's memory, and traces.jsonl, for condense; what could not be taken over is
    named.
    """
    from memtrial.cli.results.import_logs import LogChoice, import_logs

    choice = LogChoice(
        *(log_format, out, outcomes, outcome_field, success_from, label_file, judge, tuple(base_url or ()))
    )
    if kind == "traces":
        import_logs(given or (), choice, as_json, display)
        return 0
    if kind == "bank":
        if not replace(choice, out=None).is_default():
            raise SpecFault("import bank takes a bank, --out and --json; other options are of import traces")
        return _take_bank(given or [], out, as_json)
    if not choice.is_default():
        raise SpecFault(
            "import outcomes takes a run, a table and --json; the others are options of other kinds"
        )
    return _take_outcomes(given or [], as_json)


def _take_outcomes(given: list[Path], as_json: bool) -> int:
    if len(given) != 2:
        raise SpecFault("import outcomes needs a run and a table: memtrial import outcomes RUN TABLE")
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
