"""`export`: a run's tables as Parquet and JSON lines, its outcome table as CSV, a figure as SVG."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memtrial.call_purpose import write_purpose
from memtrial.cli.options import BaseUrl, Run
from memtrial.cli.results.schema import OUTCOMES
from memtrial.console.standard_output import put
from memtrial.faults import RunFault, SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import show_text
from memtrial.private_file import DRAFT, make_private, private, write_whole
from memtrial.runs.run_folder.folder import LEDGER, find_run, open_for_reading, raise_alarm
from memtrial.runs.run_folder.output_file import refuse_unwritable

if TYPE_CHECKING:
    from memtrial.ledger.run_plan import RunPlan
    from memtrial.protocols import LedgerStore

Rows = Iterator[dict[str, Any]]
GROUP = 2_000
"""Rows that are turned into columns at a time."""
FILE_NAME = re.compile(r"\.[A-Za-z]\w*")
"""The ending of a file's name; that of `run_0.5` is none."""
WRITTEN = (
    "--out DIR for all tables as Parquet and JSON lines, --outcomes FILE.csv for the outcome table,"
    " --figure NAME --out FILE.svg for a figure of the report, --slots FILE.jsonl for your harness,"
    " --bank DIR --format webarena|swe for ReasoningBank, or --inspect FILE.eval for Inspect"
)


def export_run(
    named: Run,
    out: Annotated[
        Path | None, typer.Option("--out", help="A new folder for the tables; the file of a --figure.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--outcomes", help="A CSV file for the outcome table alone.")
    ] = None,
    slots: Annotated[
        Path | None,
        typer.Option("--slots", help="A file of JSON lines for your harness: the slots of a locked run."),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(help="A figure of the report as SVG: utility, drop, plane …", metavar="NAME"),
    ] = None,
    bank: Annotated[
        Path | None, typer.Option("--bank", help="A folder for a bank that ReasoningBank's code reads.")
    ] = None,
    form: Annotated[
        Literal["webarena", "swe"] | None, typer.Option("--format", help="--bank: whose form it has.")
    ] = None,
    site: Annotated[
        str | None, typer.Option(help="--bank: its file's name, a site or a model; default the condenser's.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(help="--bank: the condenser, where the run has several.")
    ] = None,
    backbone: Annotated[
        str | None, typer.Option(help="--bank: the backbone, where the run has several.")
    ] = None,
    draw: Annotated[int, typer.Option(min=0, help="--bank: which of the condenser's banks.")] = 0,
    embedder: Annotated[
        str, typer.Option(help="--bank: hashing, or a provider's of 3072 numbers, for its cache.")
    ] = "hashing",
    inspect: Annotated[
        Path | None, typer.Option("--inspect", help="A file .eval or .json for Inspect: the run's trials.")
    ] = None,
    base_url: BaseUrl = None,
) -> None:
    """Write a run's tables into a new folder, its outcome table into a file, or both; one figure; slots; a
    bank; or a log of Inspect.

    Raises:
        SpecFault: there is no such run, nothing is asked for, or what is asked for cannot be written there.
        RunFault: writing failed, and nothing stands there; or rows were changed, and the others stand there.
    """
    elsewhere = [way for way in (figure, slots, bank, inspect) if way is not None]
    if len(elsewhere) > 1 or (elsewhere and (table is not None or (out is not None and figure is None))):
        raise SpecFault(
            "--slots, --bank and --inspect go alone, and --figure with --out FILE.svg; without --outcomes"
        )
    if bank is None and (form or site or memory or backbone):
        raise SpecFault("--format, --site, --memory and --backbone go with --bank DIR")
    if bank is not None:
        _write_bank(named, bank, form, (site, memory, backbone, draw, embedder, tuple(base_url or ())))
        return
    if inspect is not None:
        from memtrial.api.interchange.inspect_export import export_inspect

        put(f"{how_many(export_inspect(named, inspect), 'sample')} written to {inspect}")
        return
    if figure is not None:
        if out is None or out.suffix.lower() != ".svg":
            raise SpecFault("--figure goes with --out FILE.svg, and without --outcomes")
        _write_figure(named, figure, out)
        return
    if slots is not None:
        from memtrial.api.harness.harness_slots import export_slots

        put(f"{how_many(export_slots(named, slots), 'slot')} written to {slots}")
        return
    if out is None and table is None:
        raise SpecFault(f"export needs {WRITTEN}")
    if out is not None and not out.is_dir() and FILE_NAME.fullmatch(out.suffix):
        raise SpecFault(f"export needs {WRITTEN}; got --out {show_text(str(out))}, the name of a file")
    with open_for_reading(named) as (folder, ledger):
        from memtrial.ledger.run_plan import plan_in_force
        from memtrial.runs.run_folder.unmasked_look import note_raw

        note_raw(folder, ledger, "export")
        if out is not None:
            _refuse_taken(out)
        if table is not None:
            _refuse_place(table, folder)
        plan = plan_in_force(ledger)
        try:
            written = _write(ledger, plan, out, table)
        except OSError as fault:
            raise RunFault(f"the export cannot be written: {fault}; nothing was written") from fault
    for name, count in written.items():
        put(f"{name}: {how_many(count, 'row')}")
    put("written to " + " and ".join(str(path) for path in (out, table) if path is not None))
    raise_alarm(ledger.damage)


def _write_bank(
    named: Path,
    folder: Path,
    form: Literal["webarena", "swe"] | None,
    chosen: tuple[str | None, str | None, str | None, int, str, tuple[str, ...]],
) -> None:
    from memtrial.api.interchange.bank_export import BankChoice, export_bank

    if form is None:
        raise SpecFault("--bank needs --format webarena or --format swe")
    written = export_bank(named, folder, BankChoice(form, *chosen))
    blank = f", {written.blank} of them without a text" if written.blank else ""
    put(f"{how_many(written.records, 'record')}{blank} written to {written.bank} and {written.cache}")


def _write_figure(named: Path, figure: str, out: Path) -> None:
    """One figure of the report, under masked names where the report masks them."""
    from memtrial.api.shown.loaded_results import load
    from memtrial.reports.sections.figure_files import figures_of
    from memtrial.views.evidence.untrusted import alarms

    results = load(named)
    figures = figures_of(results)
    if figure not in figures:
        having = f"this run has {', '.join(figures)}" if figures else "this run has none yet"
        raise SpecFault(f"--figure needs the name of a figure; {having}; got {show_text(figure)}")
    refuse_unwritable(out, find_run(named) / LEDGER)
    write_whole(out, figures[figure]())
    put(f"{figure} written to {out}")
    if alarm_lines := alarms(results.untrusted, results.delivery):
        raise RunFault(" ".join(alarm_lines))


def _refuse_taken(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise SpecFault(f"--out needs a new or an empty folder; {out} is there and holds something else")
    if not os.access(out.absolute().parent, os.W_OK):
        raise SpecFault(f"--out needs a place that can be written; {out.absolute().parent} is none")


def _refuse_place(table: Path, folder: Path) -> None:
    if table.exists() and table.absolute().parent.resolve() == folder.resolve():
        raise SpecFault(f"--outcomes needs a file that is none of the run's own; got {table}")
    refuse_unwritable(table, folder / LEDGER, option="--outcomes")


def _write(ledger: LedgerStore, plan: RunPlan | None, out: Path | None, table: Path | None) -> dict[str, int]:
    """Everything beside its place first; then it is moved there."""
    from memtrial.outcomes.spreadsheet import write_csv

    written: dict[str, int] = {}
    with ExitStack() as fresh:
        if out is not None:
            place = fresh.enter_context(_temporary_beside(out))
            make_private(place)
            for name, rows in _tables(ledger, plan):
                written[name] = _write_table(place / name, rows)
        if table is not None:
            draft = fresh.enter_context(_temporary_beside(table))
            with open(draft, "x", encoding="utf-8", newline="", opener=private) as file:
                cells = (list(row.values()) for row in _outcomes(ledger, plan))
                written["outcomes"] = write_csv(file, list(OUTCOMES), cells)
            draft.replace(table)
        if out is not None:
            place.replace(out)
    return written


@contextmanager
def _temporary_beside(path: Path) -> Iterator[Path]:
    """A place of our own on the same disk; what was not moved from there is gone at the end."""
    with TemporaryDirectory(prefix=DRAFT, dir=path.absolute().parent) as fresh:
        yield Path(fresh) / "whole"


def _write_table(path: Path, rows: Rows) -> int:
    """One table as JSON lines and as Parquet, in which objects and lists are JSON text; how many rows."""
    import polars as pl

    def flat(row: dict[str, Any]) -> dict[str, Any]:
        return {
            name: _json(value) if isinstance(value, dict | list | tuple) else value
            for name, value in row.items()
        }

    groups, count = [pl.DataFrame()], 0
    with open(f"{path}.jsonl", "x", encoding="utf-8", opener=private) as lines:
        while group := list(islice(rows, GROUP)):
            count += len(group)
            lines.writelines(_json(row) + "\n" for row in group)
            groups.append(pl.DataFrame(list(map(flat, group)), infer_schema_length=None))
    with open(f"{path}.parquet", "xb", opener=private) as file:
        pl.concat(groups, how="diagonal_relaxed").write_parquet(file)
    return count


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _tables(ledger: LedgerStore, plan: RunPlan | None) -> Iterator[tuple[str, Rows]]:
    yield "trials", map(asdict, ledger.trials())
    yield "outcomes", _outcomes(ledger, plan)
    yield "checks", map(asdict, ledger.checks())
    yield "slots", ({"digest": digest, "text": text} for digest, text in ledger.slots())
    yield "condensations", _condensations(ledger)
    yield "traces", _traces(ledger)
    yield "calls", _calls(ledger)


def _outcomes(ledger: LedgerStore, plan: RunPlan | None) -> Rows:
    """The last attempt of every trial, without scores where it is an error.

    `score` is what the run's own estimates are means of, so that `analyze` on this table repeats them.
    """
    from memtrial.protocol.run_cells import score_of

    outcome, clusters = (plan.outcome, plan.clusters) if plan else ("success", {})
    for row in ledger.trials():
        error = row.status == "error"
        yield {
            "task": row.task,
            "arm": row.arm,
            "condition": row.condition,
            "repeat": row.repeat,
            "score": score_of(row, outcome),
            "success": None if error else int(row.status == "success"),
            "backbone": row.backbone,
            "cluster": clusters.get(row.task, ""),
            "error": int(error),
            "world_score": None if error else row.score,
        }


def _condensations(ledger: LedgerStore) -> Rows:
    for row in ledger.condensations():
        place = {"backbone": row.backbone, "draw": row.draw, "task": row.task}
        yield place | row.body | {"condenser": row.condenser}


def _traces(ledger: LedgerStore) -> Rows:
    """Trace lines that `condense` reads: each trace once, under an id of its own.

    Backbones that share their trajectories share the line. Where they differ, an id that was taken gets the
    backbone's name behind it.
    """
    taken: set[str] = set()
    for backbones, body in ledger.shared_traces():
        if body["trace_id"] in taken:
            body["trace_id"] = f"{body['trace_id']} ({backbones[0]})"
        taken.add(body["trace_id"])
        yield body | {"backbones": backbones}


def _calls(ledger: LedgerStore) -> Rows:
    free = (call.to_kept() for call in ledger.calls.free_calls())
    for call in chain(ledger.calls.records(), free):
        plain = {"key": call.key.hex(), "verbatim": int(call.verbatim)}
        yield asdict(call) | plain | {"purpose": write_purpose(call.purpose)}
