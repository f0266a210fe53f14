"""`schema`: the shapes of what goes in and what comes out."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer
from pydantic import JsonValue

from loadbearing.cli.options import Json as AsJson
from loadbearing.cli.reading.export_tables import OUTCOMES
from loadbearing.cli.reading.shapes import LEDGER, OUTCOME, TRACE
from loadbearing.ledger.json_values import Json, part
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.schema import ALL
from loadbearing.reports.base.line_width import columns
from loadbearing.reports.model.results import Results
from loadbearing.runs.progress.standard_output import put, put_json, width_of

Shape = Literal["spec", "plan", "results", "trace", "outcomes", "ledger"]
WHAT: dict[Shape, str] = {
    "spec": "the YAML file that `run` takes, as JSON Schema",
    "plan": "what a ledger states before the first trial, as JSON Schema",
    "results": "results.json and `report --json`, as JSON Schema",
    "trace": "a line of a trace file, as `condense` reads and `export` writes it",
    "outcomes": "the outcome table that `export --outcomes` writes",
    "ledger": "ledger.sqlite: its tables and their columns",
}


def schema(
    shape: Annotated[
        Shape | None,
        typer.Argument(help="Which; the list of them unless given.", metavar="SHAPE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The shapes of spec, results, traces, outcome tables and ledger."""
    show_schema(shape, as_json)


def show_schema(shape: Shape | None, as_json: bool) -> None:
    """Print one shape, or the list of them."""
    if shape is None:
        put_json(WHAT) if as_json else put(_lines({str(name): what for name, what in WHAT.items()}))
        return
    described = shape_of(shape)
    if as_json:
        put_json(described)
    elif shape in ("spec", "plan", "results"):
        types = part(described, "$defs")
        put(_lines({name: _field(what, types) for name, what in part(described, "properties").items()}))
    elif shape == "ledger":
        put("\n\n".join(_table(name, part(described, name)) for name in described))
    else:
        put(_lines(described))


def shape_of(shape: Shape) -> Json:
    """One shape: JSON Schema for spec, plan and results, else each key with what it means."""
    match shape:
        case "spec":
            from loadbearing.runs.spec.spec import Spec

            return Spec.model_json_schema()
        case "plan":
            return RunPlan.model_json_schema()
        case "results":
            return Results.model_json_schema()
        case "trace":
            return dict(TRACE)
        case "outcomes":
            return {name: {"type": kind, "meaning": OUTCOME[name]} for name, kind in OUTCOMES.items()}
        case "ledger":
            return _ledger()


def _ledger() -> dict[str, JsonValue]:
    from loadbearing.models.client.cache import TABLES as CALLS

    declared = {name: table.columns for name, table in ALL.items()} | CALLS
    return {name: {"holds": LEDGER[name], "columns": _columns(text)} for name, text in declared.items()}


def _columns(declared: str) -> dict[str, JsonValue]:
    """Name and type of each column of a CREATE TABLE."""
    pairs = [column.split() for column in declared.split(",")]
    return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}


def _lines(described: Json) -> str:
    rows = [("", ""), *((name, _meaning(what)) for name, what in described.items())]
    return "\n".join(columns(rows, width_of(sys.stdout)))


def _field(what: JsonValue, types: Json) -> str:
    """Type and meaning of a property of a JSON Schema, in a line; without words of its own, its type's."""
    if not isinstance(what, dict):
        return str(what)
    kind = _kind(what)
    named = (part(types, word) for word in kind.split())
    said = what.get("description") or next((one["description"] for one in named if "description" in one), "")
    told = str(said).partition("\n\n")[0].replace("\n", " ")
    return f"{kind}: {told}" if told else kind


def _kind(what: Json) -> str:
    if "$ref" in what:
        return str(what["$ref"]).rpartition("/")[2]
    one_of = what.get("anyOf")
    if isinstance(one_of, list):
        return " | ".join(_kind(one) for one in one_of if isinstance(one, dict))
    kind, inner = str(what.get("type", "value")), what.get("items") or what.get("additionalProperties")
    return f"{kind} of {_kind(inner)}" if isinstance(inner, dict) and inner else kind


def _meaning(what: JsonValue) -> str:
    return f"{what['type']}: {what['meaning']}" if isinstance(what, dict) else str(what)


def _table(name: str, table: Json) -> str:
    columns = ", ".join(f"{column} {kind}" for column, kind in part(table, "columns").items())
    return f"{name}: {table['holds']}\n    {columns}"
