"""The actions of `memory` that embed and ask nothing: each with what was asked on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from memtrial.api.bank.exchange_records import export_records, import_any
from memtrial.api.bank.kept_bank import (
    audit_folder,
    audit_judge,
    export_folder,
    list_folder,
    measure_folder_weeks,
    read_folder_meters,
    roll_back_item,
)
from memtrial.cli.bank.action_words import Action, MemoryAsked
from memtrial.cli.bank.bank_lines import (
    audit_lines,
    describe_item,
    describe_meter,
    item_lines,
    meter_lines,
)
from memtrial.cli.bank.week_lines import describe_week, put_week_table, week_lines
from memtrial.console.standard_output import put_either
from memtrial.memory.bank.confidence.verdict_audit import audit_words


def _list_bank(asked: MemoryAsked) -> None:
    items = list_folder(asked.folder, asked.project)
    put_either([describe_item(item) for item in items], item_lines(items), asked.as_json)


def _audit_of(asked: MemoryAsked) -> None:
    if asked.verdicts:
        audit = audit_judge(asked.folder)
        put_either(asdict(audit) | {"checked": audit.checked}, [audit_words(audit)], asked.as_json)
        return
    changes = audit_folder(asked.folder, asked.words[0] if asked.words else None)
    put_either(changes, audit_lines(changes), asked.as_json)


def _read_meters_of(asked: MemoryAsked) -> None:
    readings = read_folder_meters(asked.folder, asked.project or "")
    put_either([describe_meter(reading) for reading in readings], meter_lines(readings), asked.as_json)


def _measure_weeks_of(asked: MemoryAsked) -> None:
    weeks = measure_folder_weeks(asked.folder, asked.project)
    if asked.as_csv:
        put_week_table(weeks)
        return
    put_either([describe_week(week) for week in weeks], week_lines(weeks), asked.as_json)


def _roll_back(asked: MemoryAsked) -> None:
    item = roll_back_item(asked.folder, asked.words[0], asked.who, asked.why)
    line = f"{item.id} is of version {item.version} now, with the words of {asked.words[0]}"
    put_either(describe_item(item), [line], asked.as_json)


def _export_bank(asked: MemoryAsked) -> None:
    path = Path(asked.words[0])
    if asked.form is not None:
        n = export_records(asked.folder, path, asked.form)
        put_either({"records": n}, [f"{n} records are in {path}"], asked.as_json)
        return
    head = export_folder(asked.folder, path)
    put_either(head.model_dump(), [f"{head.events} events are in {path}"], asked.as_json)


def _import_bank(asked: MemoryAsked) -> None:
    taken = import_any(asked.folder, Path(asked.words[0]), asked.project or "")
    put_either(taken.body, [f"{taken.words} of {asked.words[0]} are in {asked.folder}"], asked.as_json)


ACTIONS: Mapping[Action, Callable[[MemoryAsked], None]] = {
    "list": _list_bank,
    "audit": _audit_of,
    "meters": _read_meters_of,
    "weeks": _measure_weeks_of,
    "rollback": _roll_back,
    "export": _export_bank,
    "import": _import_bank,
}
