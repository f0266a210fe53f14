"""`schema`: the shapes of what goes in and what comes out.

To print one builds none: they stand in a file, which `python -m tests.house.made_pages` makes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memtrial.cli.options import Json as AsJson
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put_either, width_of

if TYPE_CHECKING:
    from pydantic import JsonValue

    from memtrial.ledger.rows import Json

Shape = Literal["spec", "evolution", "plan", "results", "trace", "outcomes", "bank-item"]
WHAT: dict[Shape, str] = {
    "spec": "the YAML file that `run` takes, as JSON Schema",
    "evolution": "the YAML file that `evolve` takes, as JSON Schema",
    "plan": "what a ledger states before the first trial, as JSON Schema",
    "results": "results.json and `report --json`, as JSON Schema",
    "trace": "a line of a trace file, as `condense` reads and `export` writes it",
    "outcomes": "the outcome table that `export --outcomes` writes",
    "bank-item": "an item of a bank, as `memory list --json` prints it, as JSON Schema",
}
SHAPES = Path(__file__).with_name("shapes.json")

TRACE: dict[str, str] = {
    "trace_id": "text, unique in the file",
    "task_id": "text: the source task",
    "query": "text: the task as the agent was told it; retrieval goes by it",
    "outcome": "success | failure",
    "start": "text, optional: the observation before the first action",
    "family": "text, optional: the kind of task; donors of foreign text come from another one",
    "score": "number in [0, 1], optional: the world's dense score",
    "steps": "list of {thought, action, observation} and, optional, fault: format | refused | refusal",
}

OUTCOMES: dict[str, tuple[str, str]] = {
    "task": ("text", "the task played; shared by arms, conditions and backbones"),
    "arm": ("text", "none, or how memory was made and shown"),
    "condition": ("text", "without (arm none), intact, or the kind of damage"),
    "repeat": ("whole", "counted from 0; unique with backbone, arm, condition and task"),
    "score": ("number", "in [0, 1], what estimates are means of; empty where the infrastructure failed"),
    "success": ("whole", "1, or 0 where the agent failed; empty where the infrastructure failed"),
    "backbone": ("text", "the language model that played"),
    "cluster": ("text", "what correlates tasks; empty: the task is independent"),
    "error": ("whole", "1 where the infrastructure failed, else 0"),
    "world_score": ("number", "in [0, 1], the world's own: the share of sub-goals reached, if it has any"),
}


def show_schema(
    shape: Annotated[
        Shape | None, typer.Argument(help="Which; the list of them unless given.", metavar="SHAPE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print one shape, or the list of them."""
    from memtrial.ledger.rows import part

    described: Json = dict(WHAT.items()) if shape is None else kept_shapes()[shape]
    types = part(described, "$defs")
    rows = [(name, _line(what, types)) for name, what in (part(described, "properties") or described).items()]
    put_either(described, columns([("", ""), *rows], width_of()), as_json)


def kept_shapes() -> Mapping[Shape, Json]:
    """By name, as they were when the file was made."""
    kept: dict[Shape, Json] = json.loads(SHAPES.read_text(encoding="utf-8"))
    return kept


def shapes_text() -> str:
    """The file's text, from the classes themselves."""
    return json.dumps({shape: shape_of(shape) for shape in WHAT}, indent=1, ensure_ascii=False) + "\n"


def shape_of(shape: Shape) -> Json:
    """One shape: JSON Schema for specs, plan and results, else each key with what it means."""
    match shape:
        case "spec":
            from memtrial.runs.spec.spec import Spec

            return Spec.model_json_schema()
        case "evolution":
            from memtrial.evolution.evolve_spec import EvolveSpec

            return EvolveSpec.model_json_schema()
        case "plan":
            from memtrial.ledger.run_plan import RunPlan

            return RunPlan.model_json_schema()
        case "results":
            from memtrial.views.rows.results import Results

            return Results.model_json_schema()
        case "trace":
            return dict(TRACE)
        case "bank-item":
            from memtrial.memory.bank.events.item_body import item_schema

            return item_schema()
        case "outcomes":
            return {
                name: {"type": kind, "description": description}
                for name, (kind, description) in OUTCOMES.items()
            }


def _line(what: JsonValue, types: Json) -> str:
    """Type and meaning in a line; a property of a JSON Schema without words of its own has its type's."""
    from memtrial.ledger.rows import part

    if not isinstance(what, dict):
        return str(what)
    kind = _kind(what)
    named = (part(types, word) for word in kind.split())
    description = what.get("description") or next(
        (branch["description"] for branch in named if "description" in branch), ""
    )
    sentence = str(description).partition("\n\n")[0].replace("\n", " ")
    return f"{kind}: {sentence}" if sentence else kind


def _kind(what: Json) -> str:
    if "$ref" in what:
        return str(what["$ref"]).rpartition("/")[2]
    if isinstance(one_of := what.get("anyOf"), list):
        return " | ".join(_kind(branch) for branch in one_of if isinstance(branch, dict))
    kind, inner = str(what.get("type", "value")), what.get("items") or what.get("additionalProperties")
    return f"{kind} of {_kind(inner)}" if isinstance(inner, dict) and inner else kind
