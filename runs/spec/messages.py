"""What is wrong with a spec, in one line: pydantic's findings in the words of this project."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from loadbearing.runs.spec.plugin_names import PLUGIN
from loadbearing.runs.spec.sections import EMBEDDER

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

TAGS = ("workshop", "scienceworld", "plugin", "str", "[key]")
"""Members of a union stand in a finding's path; users write the key alone."""

NEEDED = {
    "tuple_type": "a list is needed",
    "model_type": "a mapping of keys is needed",
    "dict_type": "a mapping of keys is needed",
    "string_type": "a text is needed",
}
PATTERNS = {
    PLUGIN: "path/to/module.py:Object is needed",
    EMBEDDER: "hashing, sentence-transformers/<model> or <provider>/<model> is needed",
}
NAME = "a name of letters, digits, _ . + and - is needed"

LISTED = "`loadbearing schema spec` lists what there is"


def first_of(fault: ValidationError, file: str, whose: Mapping[str, str]) -> str:
    """The first thing wrong, with where it stands, and how many more there are.

    Args:
        file: the spec's.
        whose: key → the variable or option that set it.
    """
    errors = [error for error in fault.errors(include_url=False) if not _other_branch(error)]
    error = errors[0]
    key = ".".join(str(part) for part in error["loc"] if not _is_tag(part))
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    setter = next((by for name, by in whose.items() if _within(key, name)), file)
    return ": ".join(part for part in (setter, key, f"{_said(error)}{more}") if part)


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and (part in TAGS or part.startswith("function-"))


def _within(key: str, name: str) -> bool:
    return key == name or key.startswith(f"{name}.")


def _other_branch(error: ErrorDetails) -> bool:
    """Of an arm's two forms, a mapping was never meant as a name, and what is no mapping was never meant as
    one."""
    where, mapping = error["loc"], isinstance(error["input"], dict)
    if where[:1] != ("arms",) or len(where) == 1:
        # a list whose entries are all wrong counts as empty, too
        return where[:1] == ("arms",) and error["type"] == "too_short" and bool(error["input"])
    return (
        len(where) == 3 and error["type"] in ("string_type", "model_type") and (where[2] == "str") == mapping
    )


def _said(error: ErrorDetails) -> str:
    kind, came = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return f"no such key; {LISTED}"
    if kind == "missing":
        return f"is needed and missing; {LISTED}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        world = came.get("world") if isinstance(came, dict) else came
        return f"world is workshop, scienceworld or path/to/module.py:Object; got {shortly(world)}"
    if kind == "string_type" and error["loc"][:1] == ("arms",) and error["loc"][2:] == ("str",):
        return f"an arm is a standard one's name, or name, condenser and injection; got {shortly(came)}"
    said = error["msg"].removeprefix("Value error, ").replace("Input should be", "should be")
    if kind == "string_pattern_mismatch":
        said = PATTERNS.get(error["ctx"]["pattern"], NAME)
    said = NEEDED.get(kind, said)
    if kind == "value_error" or "got" in said:
        return said
    return f"{said}; got {shortly(came)}"


def shortly(value: Any) -> str:
    """A value as it would be written in Python, cut where it is long or deep."""
    cut = Repr()
    cut.maxstring = cut.maxother = cut.maxlong = 120
    cut.maxlevel, cut.maxlist, cut.maxdict = 3, 6, 6
    return cut.repr(value)
