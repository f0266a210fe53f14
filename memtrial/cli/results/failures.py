"""`failures`: how agents fail with memory where they succeed without, by mode."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import Json, Mode
from memtrial.console.escape import harmless
from memtrial.console.standard_output import put, put_either, width_of
from memtrial.faults import RunFault, SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.folder import LEDGER, find_run
from memtrial.runs.run_folder.output_file import refuse_filled, refuse_unwritable

if TYPE_CHECKING:
    from memtrial.views.rows.failure_rows import FailureModes

LONGEST = 110


def show_failures(
    run: Annotated[Path | None, typer.Argument(help="A run folder, or its name below logs.")] = None,
    counts: Annotated[
        Path | None, typer.Option(help="Instead of a run: a table of counts, a column a mode.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Instead of a run: labels, a row a case and rater.")
    ] = None,
    coder: Annotated[
        str | None, typer.Option(help="Code the run's failures by `rules` or a model, and save it.")
    ] = None,
    human: Annotated[
        Path | None, typer.Option(help="Labels of people (case, mode, rater) to hold the coder against.")
    ] = None,
    label_file: Annotated[
        Path | None, typer.Option(help="Write the run's cases here, for people to label; nothing else.")
    ] = None,
    latex_file: Annotated[Path | None, typer.Option("--latex", help="Write the table here.")] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="MEANING=NAME", help="Which column is meant, as mode=label or arm=method."),
    ] = None,
    as_json: Json = False,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
) -> None:
    """Print the failure-mode table of a run, of counts or of labels.

    Raises:
        SpecFault, TableFault: options that do not go together, or a file that cannot be read.
        RunFault: a model gave no answer, or rows of the run were changed.
    """
    from memtrial.outcomes.failures.failure_columns import read_counts, read_labels, unlabelled_cases
    from memtrial.reports.render.latex import latex_table
    from memtrial.reports.text.failure_text import mode_table
    from memtrial.reports.text.reading import SIMULATED
    from memtrial.views.evidence.failure_modes import table_of_counts, table_of_labels

    sources = [source for source in (run, counts, labels) if source is not None]
    if len(sources) != 1:
        raise SpecFault(f"one of RUN, --counts FILE and --labels FILE is needed; got {len(sources)} of them")
    if run is None and (coder or human or label_file):
        raise SpecFault("--coder, --human and --label-file go with a RUN; leave them out beside a table")
    if column and run is not None and human is None:
        raise SpecFault("--column names columns of --counts, --labels or --human; leave it out beside a RUN")
    columns = _columns(column or [])
    for option, out in (("--latex", latex_file), ("--label-file", label_file)):
        if out is not None:
            read = sources[0] if run is None else find_run(run) / LEDGER
            refuse_unwritable(out, read, *([human] if human else []), option=option)
    if label_file is not None:
        refuse_filled(label_file, "--label-file")
    if run is not None and label_file is not None:
        from memtrial.api.failures import blind_cases

        lines = [json.dumps(case, ensure_ascii=False) for case in blind_cases(run)]
        write_whole(label_file, "".join(f"{line}\n" for line in lines))
        put(f"{how_many(len(lines), 'case')} written to {label_file}; fill in mode and rater")
        return
    if run is not None:
        from memtrial.api.failures import failures
        from memtrial.console.display import Display

        modes = failures(run, coder, human, Display(display), columns)
    else:
        noticed: list[str] = []
        if counts is not None:
            modes = table_of_counts(read_counts(counts, columns, noticed.append), counts.name)
        else:
            given = read_labels(sources[0], columns, noticed.append)
            waiting = unlabelled_cases(sources[0], columns)
            modes = table_of_labels(given, sources[0].name, unlabelled=waiting)
        modes = modes.model_copy(update={"notes": (*modes.notes, *noticed)})
    if latex_file is not None:
        head = f"% {SIMULATED}\n" if modes.simulated else ""
        write_whole(latex_file, head + latex_table(mode_table(modes), "tab:failures"))
    put_either(modes.model_dump(mode="json"), _lines(harmless(modes), width_of()), as_json)
    if modes.alarm:
        raise RunFault(modes.alarm)


def _columns(settings: Sequence[str]) -> dict[str, str]:
    """The column of each meaning; SpecFault: no pair, or one meaning or one column twice."""
    from memtrial.outcomes.failures.failure_columns import OPTION

    columns: dict[str, str] = {}
    for text in settings:
        meaning, _, name = text.partition("=")
        if not (meaning and name):
            raise SpecFault(f"{OPTION} needs MEANING=NAME, as mode=label; got {text!r}")
        if meaning in columns or name in columns.values():
            raise SpecFault(f"{OPTION} gives each meaning a column of its own; {text!r} is the second one")
        columns[meaning] = name
    return columns


def _lines(modes: FailureModes, width: int | None) -> Iterator[str]:
    from memtrial.reports.render.table_lines import table_lines
    from memtrial.reports.text.failure_text import (
        first_lines,
        flow_table,
        harm_lines,
        lines_of_tests,
        mode_table,
        notes_of,
        worked_table,
    )
    from memtrial.reports.text.reading import SIMULATED

    first, *more = first_lines(modes)
    yield first
    if modes.simulated:
        yield SIMULATED
    yield from more
    for table in (mode_table(modes), flow_table(modes)):
        if table.rows:
            yield table.caption
            yield from table_lines(table, width)
    yield from (*lines_of_tests(modes), *harm_lines(modes), *notes_of(modes))
    for case in modes.worked:
        table = worked_table(case)
        yield from ("", table.caption, *table_lines(table, width or LONGEST))
