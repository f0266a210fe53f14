"""What is wrong with a spec, in one line: pydantic's findings in the words of this project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from loadbearing.runs.spec.plugin_names import PLUGIN
from loadbearing.runs.spec.sections import EMBEDDER

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

TAGS = ("workshop", "scienceworld", "plugin", "str", "[key]")
"""Members of a union stand in a finding's path; users write the key alone."""
LISTED = "`loadbearing schema spec` lists what there is"
SAID = {
    "extra_forbidden": f"no such key; {LISTED}",
    "missing": f"is needed and missing; {LISTED}",
    "tuple_type": "a list is needed",
    "model_type": "a mapping of keys is needed",
    "dict_type": "a mapping of keys is needed",
    "string_type": "a text is needed",
    "union_tag_invalid": "world is workshop, scienceworld or path/to/module.py:Object",
    "union_tag_not_found": "world is workshop, scienceworld or path/to/module.py:Object",
}
PATTERNS = {
    PLUGIN: "path/to/module.py:Object is needed",
    EMBEDDER: "hashing, sentence-transformers/<model> or <provider>/<model> is needed",
}
NAME = "a name of letters, digits, _ . + and - is needed"


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
    setter = next((by for name, by in whose.items() if key == name or key.startswith(f"{name}.")), file)
    return ": ".join(part for part in (setter, key, f"{_said(error)}{more}") if part)


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and (part in TAGS or part.startswith("function-"))


def _other_branch(error: ErrorDetails) -> bool:
    """Of an arm's two forms, a mapping was never meant as a name, and what is no mapping was never meant as
    one. A list of arms that are all wrong counts as empty, too."""
    if error["loc"][:1] != ("arms",):
        return False
    mapping = isinstance(error["input"], dict)
    if error["type"] == "too_short":
        return bool(error["input"])
    return len(error["loc"]) == 3 and error["type"] == ("string_type" if mapping else "model_type")


def _said(error: ErrorDetails) -> str:
    kind, came = error["type"], error.get("input")
    said = error["msg"].removeprefix("Value error, ").replace("Input should be", "should be")
    if kind == "string_pattern_mismatch":
        said = PATTERNS.get(error["ctx"]["pattern"], NAME)
    if kind == "string_type" and error["loc"][:1] == ("arms",) and error["loc"][2:] == ("str",):
        said = "an arm is a standard one's name, or name, condenser and injection"
    else:
        said = SAID.get(kind, said)
    if kind in ("value_error", "extra_forbidden", "missing") or "got" in said:
        return said
    return f"{said}; got {came!r:.120}"
