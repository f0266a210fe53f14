"""What `export` writes: each table with its columns, read from the ledger row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from loadbearing.ledger.store import Ledger
from loadbearing.ledger.stored import parsed

Kind = Literal["text", "whole", "number", "flag", "json"]
Columns = dict[str, Kind]
"""By name. `json` is an object or a list: itself in JSON lines, JSON text in Parquet."""

PLACE: Columns = {"backbone": "text", "arm": "text", "condition": "text", "task": "text", "repeat": "whole"}
OUTCOMES: Columns = {
    "task": "text",
    "arm": "text",
    "condition": "text",
    "repeat": "whole",
    "score": "number",
    "success": "whole",
    "backbone": "text",
    "cluster": "text",
    "error": "whole",
}
TRIALS: Columns = {
    "key": "text",
    **PLACE,
    "family": "text",
    "status": "text",
    "score": "number",
    "cause": "text",
    "slot": "text",
    "empty_slot": "flag",
    "record": "text",
    "firings": "json",
    "calls": "whole",
    "cached": "whole",
    "input_tokens": "whole",
    "output_tokens": "whole",
    "cache_read_tokens": "whole",
    "cache_write_tokens": "whole",
    "usd": "number",
    "carrying": "whole",
    "undelivered": "whole",
    "followed": "number",
}
CHECKS: Columns = {
    **PLACE,
    "applicable": "flag",
    "passed": "flag",
    "reason": "text",
    "before": "text",
    "after": "text",
    "measured": "json",
}
CONDENSATIONS: Columns = {
    "backbone": "text",
    "condenser": "text",
    "draw": "whole",
    "task": "text",
    "trace_id": "text",
    "items": "json",
    "findings": "json",
    "dropped": "json",
    "faults": "json",
}
TRACES: Columns = {
    "trace_id": "text",
    "task_id": "text",
    "query": "text",
    "outcome": "text",
    "start": "text",
    "family": "text",
    "score": "number",
    "steps": "json",
    "backbones": "json",
}
DECLARED: dict[str, Kind] = {"INTEGER": "whole", "REAL": "number"}


@dataclass(frozen=True, slots=True)
class Exported:
    """One table of an export."""

    name: str
    columns: Columns
    rows: Callable[[], Iterator[dict[str, Any]]]


def tables_of(ledger: Ledger, clusters: Mapping[str, str]) -> tuple[Exported, ...]:
    """Every table of a run; rows are read when they are asked for, none is held.

    Args:
        clusters: what correlates tasks, by task, as the plan states it.
    """
    calls = _call_columns(ledger)
    return (
        Exported("trials", TRIALS, lambda: (asdict(row) for row in ledger.trials())),
        Exported("outcomes", OUTCOMES, lambda: outcomes(ledger, clusters)),
        Exported("checks", CHECKS, lambda: (asdict(row) for row in ledger.checks())),
        Exported(
            "slots",
            {"digest": "text", "text": "text"},
            lambda: ({"digest": digest, "text": text} for digest, text in ledger.slots()),
        ),
        Exported("condensations", CONDENSATIONS, lambda: _condensations(ledger)),
        Exported("traces", TRACES, lambda: _traces(ledger)),
        Exported("calls", calls, lambda: _calls(ledger, tuple(calls))),
    )


def outcomes(ledger: Ledger, clusters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The outcome table: the last attempt of every trial, without score and success where it is an error."""
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


def _condensations(ledger: Ledger) -> Iterator[dict[str, Any]]:
    for row in ledger.condensations():
        of = {"backbone": row.backbone, "draw": row.draw, "task": row.task}
        yield of | row.body | {"condenser": row.condenser}


def _traces(ledger: Ledger) -> Iterator[dict[str, Any]]:
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


def _call_columns(ledger: Ledger) -> Columns:
    """The columns that this ledger's table of calls has; its key alone where no call was made yet."""
    found = ledger.connection.execute("SELECT name, type FROM pragma_table_info('calls', 'main')").fetchall()
    return {name: DECLARED.get(declared, "text") for name, declared in found} or {"key": "text"}


def _calls(ledger: Ledger, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if len(columns) == 1:
        return
    for row in ledger.connection.execute(f"SELECT {', '.join(columns)} FROM calls"):
        values = (value.hex() if isinstance(value, bytes) else value for value in row)
        yield dict(zip(columns, values, strict=True))
