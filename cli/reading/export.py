"""`export`: a run's tables as Parquet and JSON lines, and its outcome table as CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, get_type_hints

import typer

from loadbearing.cli.options import Run
from loadbearing.cli.reading.shapes import OUTCOMES, Kind
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.private_file import DRAFT, ForeignFault, make_private, private, refuse_foreign
from loadbearing.ledger.rows import CheckRow, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import parsed
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.spreadsheet import write_csv
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.repair import raise_alarm
from loadbearing.runs.lock.unmask_log import note_raw
from loadbearing.runs.progress.standard_output import put

Columns = Mapping[str, Kind]
Rows = Iterator[dict[str, Any]]
GROUP = 2_000
"""Rows that are turned into columns at a time."""


def export_run(
    named: Run,
    out: Annotated[Path | None, typer.Option("--out", help="A new folder for the tables.")] = None,
    table: Annotated[
        Path | None, typer.Option("--outcomes", help="A CSV file for the outcome table alone.")
    ] = None,
) -> None:
    """Write a run's tables into a new folder, its outcome table into a file, or both.

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
        try:
            written = _write(ledger, plan.clusters if plan else {}, out, table)
        except OSError as fault:
            raise RunFault(f"the export cannot be written: {fault}; nothing was written") from fault
    for name, count in written.items():
        put(f"{name}: {how_many(count, 'row')}")
    put("written to " + " and ".join(str(path) for path in (out, table) if path is not None))
    raise_alarm(ledger.damage)


def _refuse_taken(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise SpecFault(f"--out needs a new or an empty folder; {out} is there and holds something else")
    if not os.access(out.absolute().parent, os.W_OK):
        raise SpecFault(f"--out needs a place that can be written; {out.absolute().parent} is none")


def _refuse_place(table: Path, folder: Path) -> None:
    parent = table.absolute().parent
    if (parent.resolve() == folder.resolve() and table.exists()) or not os.access(parent, os.W_OK):
        raise SpecFault(f"--outcomes needs a place that can be written, and no file of the run; got {table}")
    try:
        refuse_foreign(table)
    except ForeignFault as fault:
        raise SpecFault(f"--outcomes needs a file that can be written; {fault}") from fault


def _write(
    ledger: Ledger, clusters: Mapping[str, str], out: Path | None, table: Path | None
) -> dict[str, int]:
    """Everything beside its place first; then it is moved there."""
    written: dict[str, int] = {}
    with ExitStack() as fresh:
        if out is not None:
            place = fresh.enter_context(_beside(out))
            make_private(place)
            for name, columns, rows in _tables(ledger, clusters):
                written[name] = _write_table(place / name, columns, rows)
        if table is not None:
            draft = fresh.enter_context(_beside(table))
            with open(draft, "x", encoding="utf-8", newline="", opener=private) as file:
                cells = (list(row.values()) for row in _outcomes(ledger, clusters))
                written["outcomes"] = write_csv(file, list(OUTCOMES), cells)
            draft.replace(table)
        if out is not None:
            place.replace(out)
    return written


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A place of our own on the same disk; what was not moved from there is gone at the end."""
    with TemporaryDirectory(prefix=DRAFT, dir=path.absolute().parent) as fresh:
        yield Path(fresh) / "whole"


def _write_table(path: Path, columns: Columns, rows: Rows) -> int:
    """One table in both forms; how many rows there were."""
    import polars as pl

    types = {
        "text": pl.String,
        "json": pl.String,
        "whole": pl.Int64,
        "number": pl.Float64,
        "flag": pl.Boolean,
    }
    schema = {name: types[kind] for name, kind in columns.items()}
    groups, count = [pl.DataFrame(schema=schema)], 0
    with open(f"{path}.jsonl", "x", encoding="utf-8", opener=private) as lines:
        while group := list(islice(rows, GROUP)):
            count += len(group)
            lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in group)
            groups.append(pl.DataFrame([_flat(row, columns) for row in group], schema=schema))
    with open(f"{path}.parquet", "xb", opener=private) as file:
        pl.concat(groups).write_parquet(file)
    return count


def _flat(row: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """A row as Parquet holds it: objects and lists as JSON text."""
    return {
        name: json.dumps(row.get(name), ensure_ascii=False) if kind == "json" else row.get(name)
        for name, kind in columns.items()
    }


def _tables(ledger: Ledger, clusters: Mapping[str, str]) -> Iterator[tuple[str, Columns, Rows]]:
    """Name, columns and rows of every table; rows are read when they are asked for.

    Args:
        clusters: what correlates tasks, by task, as the plan states it.
    """
    yield "trials", _columns_of(TrialRow), map(asdict, ledger.trials())
    yield "outcomes", {name: kind for name, (kind, _) in OUTCOMES.items()}, _outcomes(ledger, clusters)
    yield "checks", _columns_of(CheckRow), map(asdict, ledger.checks())
    slots = ({"digest": digest, "text": text} for digest, text in ledger.slots())
    yield "slots", {"digest": "text", "text": "text"}, slots
    made = _columns("backbone condenser task trace_id", "items findings dropped faults", whole="draw")
    yield "condensations", made, _condensations(ledger)
    traces = _columns("trace_id task_id query outcome start family", "steps backbones", number="score")
    yield "traces", traces, _traces(ledger)
    query = "SELECT name, type FROM pragma_table_info('calls', 'main')"
    declared: dict[str, Kind] = {"INTEGER": "whole", "REAL": "number"}
    calls = {name: declared.get(kind, "text") for name, kind in ledger.connection.execute(query).fetchall()}
    # no call was made yet where there is no such table
    yield "calls", calls or {"key": "text"}, _calls(ledger, tuple(calls)) if calls else iter(())


def _columns(text: str, objects: str, whole: str = "", number: str = "") -> Columns:
    """Names of columns by what they hold."""
    kinds: dict[Kind, str] = {"text": text, "json": objects, "whole": whole, "number": number}
    return {name: kind for kind, names in kinds.items() for name in names.split()}


def _columns_of(row: type) -> Columns:
    """The fields of a row type; what is no plain value is an object or a list."""
    kinds: dict[Any, Kind] = {int: "whole", bool: "flag", float: "number", float | None: "number"}
    structured = ("dict", "tuple")
    return {
        name: kinds.get(hint) or ("json" if str(hint).startswith(structured) else "text")
        for name, hint in get_type_hints(row).items()
    }


def _outcomes(ledger: Ledger, clusters: Mapping[str, str]) -> Rows:
    """The last attempt of every trial, without score and success where it is an error."""
    for row in ledger.trials():
        error = row.status == "error"
        yield {
            "task": row.task,
            "arm": row.arm,
            "condition": row.condition,
            "repeat": row.repeat,
            "score": None if error else row.score,
            "success": None if error else int(row.status == "success"),
            "backbone": row.backbone,
            "cluster": clusters.get(row.task, ""),
            "error": int(error),
        }


def _condensations(ledger: Ledger) -> Rows:
    for row in ledger.condensations():
        of = {"backbone": row.backbone, "draw": row.draw, "task": row.task}
        yield of | row.body | {"condenser": row.condenser}


def _traces(ledger: Ledger) -> Rows:
    """Trace lines that `condense` reads: each trace once, under an id of its own.

    Backbones that share their trajectories share the line. Where they differ, an id that was taken gets the
    backbone's name behind it.
    """
    query = "SELECT json_group_array(backbone), body FROM traces GROUP BY task, body ORDER BY min(rowid)"
    taken: set[str] = set()
    for names, text in ledger.connection.execute(query):
        body, backbones = parsed(text), parsed(names)
        if body["trace_id"] in taken:
            body["trace_id"] = f"{body['trace_id']} ({backbones[0]})"
        taken.add(body["trace_id"])
        yield body | {"backbones": backbones}


def _calls(ledger: Ledger, columns: tuple[str, ...]) -> Rows:
    for row in ledger.connection.execute(f"SELECT {', '.join(columns)} FROM calls"):
        values = (value.hex() if isinstance(value, bytes) else value for value in row)
        yield dict(zip(columns, values, strict=True))
