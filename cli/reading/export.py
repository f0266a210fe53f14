"""`export`: a run as Parquet and JSON lines, and its outcome table as CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer

from loadbearing.cli.options import Run
from loadbearing.cli.reading.export_tables import OUTCOMES, Columns, Exported, outcomes, tables_of
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.private_file import DRAFT, ForeignFault, make_private, private, refuse_foreign
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.spreadsheet import write_csv
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.repair import raise_alarm
from loadbearing.runs.lock.unmask_log import note_raw
from loadbearing.runs.progress.standard_output import put

Format = Literal["parquet", "jsonl", "both"]
GROUP = 2_000
"""Rows held at a time: a row group of Parquet."""


def export(
    run_folder: Run,
    out: Annotated[Path | None, typer.Option("--out", help="A new folder for the tables.")] = None,
    form: Annotated[
        Literal["parquet", "jsonl", "both"], typer.Option("--format", help="Of the tables.")
    ] = "both",
    outcomes: Annotated[
        Path | None, typer.Option("--outcomes", help="A CSV file for the outcome table alone.")
    ] = None,
) -> None:
    """Write a run's tables: trials, checks, slots, condensations, traces, calls, outcomes."""
    export_run(run_folder, out, form, outcomes)


def export_run(named: Path, out: Path | None, form: Format = "both", table: Path | None = None) -> None:
    """Write a run's tables into a new folder, its outcome table into a file, or both.

    Args:
        table: where the outcome table goes, as CSV.

    Raises:
        SpecFault: there is no such run, nothing is asked for, or what is asked for cannot be written there.
        RunFault: writing failed, and nothing stands there; or rows were changed, and the others stand there.
    """
    if out is None and table is None:
        raise SpecFault("export needs --out DIR for all tables, or --outcomes FILE.csv for the outcomes")
    with reading(named) as (folder, ledger):
        note_raw(folder, ledger, "export")
        if out is not None:
            _refuse_taken(out)
        if table is not None:
            _refuse_place(table, folder)
        plan = plan_in_force(ledger)
        clusters = plan.clusters if plan else {}
        try:
            written = _write(ledger, clusters, out, form, table)
        except OSError as fault:
            raise RunFault(f"the export cannot be written: {fault}; nothing was written") from fault
    for name, count in written.items():
        put(f"{name}: {how_many(count, 'row')}")
    put("written to " + " and ".join(str(path) for path in (out, table) if path is not None))
    raise_alarm(ledger.damage)


def _refuse_taken(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise SpecFault(f"--out needs a new or an empty folder; {out} is there and holds something else")
    if not out.absolute().parent.is_dir() or not os.access(out.absolute().parent, os.W_OK):
        raise SpecFault(f"--out needs a place that can be written; {out.absolute().parent} is none")


def _refuse_place(table: Path, folder: Path) -> None:
    if (
        table.is_dir()
        or not table.absolute().parent.is_dir()
        or not os.access(table.absolute().parent, os.W_OK)
    ):
        raise SpecFault(f"--outcomes needs a file in a folder that is there and can be written; got {table}")
    try:
        refuse_foreign(table)
    except ForeignFault as fault:
        raise SpecFault(f"--outcomes needs a file that can be written; {fault}") from fault
    if table.resolve().parent == folder.resolve() and table.exists():
        raise SpecFault(f"--outcomes would overwrite a file of the run: {table}; name another file")


def _write(
    ledger: Ledger, clusters: Mapping[str, str], out: Path | None, form: Format, table: Path | None
) -> dict[str, int]:
    """Everything beside its place first; then it is moved there."""
    written: dict[str, int] = {}
    with ExitStack() as fresh:
        if out is not None:
            place = fresh.enter_context(_beside(out))
            make_private(place)
            written = {one.name: _write_table(one, place, form) for one in tables_of(ledger, clusters)}
        if table is not None:
            draft = fresh.enter_context(_beside(table))
            written["outcomes"] = _write_csv(draft, outcomes(ledger, clusters))
            draft.replace(table)
        if out is not None:
            place.replace(out)
    return written


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place of our own on the same disk; what was not moved from there is gone at the end."""
    with TemporaryDirectory(prefix=DRAFT, dir=path.absolute().parent) as fresh:
        yield Path(fresh) / "whole"


def _write_table(one: Exported, place: Path, form: Format) -> int:
    """One table in every form asked for, a group of rows at a time; how many there were."""
    count = 0
    rows = one.rows()
    with ExitStack() as files:
        outlets: list[Callable[[list[dict[str, Any]]], None]] = []
        if form != "parquet":
            outlets.append(files.enter_context(_json_lines(place / f"{one.name}.jsonl")))
        if form != "jsonl":
            outlets.append(files.enter_context(_parquet(place / f"{one.name}.parquet", one.columns)))
        while group := list(islice(rows, GROUP)):
            count += len(group)
            for write in outlets:
                write(group)
    return count


@contextmanager
def _json_lines(path: Path) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    with open(path, "x", encoding="utf-8", opener=private) as file:

        def write(rows: list[dict[str, Any]]) -> None:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

        yield write


@contextmanager
def _parquet(path: Path, columns: Columns) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    import polars as pl

    types = {
        "text": pl.String,
        "json": pl.String,
        "whole": pl.Int64,
        "number": pl.Float64,
        "flag": pl.Boolean,
    }
    schema = {name: types[kind] for name, kind in columns.items()}
    packed = [name for name, kind in columns.items() if kind == "json"]
    # a group at a time goes to the disk, and the whole file is streamed from there
    with TemporaryDirectory(prefix=DRAFT, dir=path.parent) as place:
        pieces = [Path(place) / "0"]
        pl.DataFrame(schema=schema).write_parquet(pieces[0])

        def write(rows: list[dict[str, Any]]) -> None:
            texts = ({name: json.dumps(row.get(name), ensure_ascii=False) for name in packed} for row in rows)
            flat = [row | text for row, text in zip(rows, texts, strict=True)]
            pieces.append(Path(place) / str(len(pieces)))
            pl.DataFrame(flat, schema=schema).write_parquet(pieces[-1])

        yield write
        with open(path, "xb", opener=private) as file:
            pl.scan_parquet(pieces, glob=False).sink_parquet(file, maintain_order=True)


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    with open(path, "x", encoding="utf-8", newline="", opener=private) as file:
        return write_csv(file, list(OUTCOMES), ([row[name] for name in OUTCOMES] for row in rows))
