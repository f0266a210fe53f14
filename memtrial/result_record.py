"""The base of every value that stands in the results."""

import ast
import inspect
from functools import cache
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class ResultRecord(BaseModel):
    """A part of the results. Equal parts are equal; none is changed once made.

    Its schema is built when the first is made or read, and the sentence below a field becomes its description
    when somebody asks for the JSON Schema: most commands that import these classes need neither.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        shown = handler(schema)
        inner = handler.resolve_ref_schema(shown)
        for name, sentence in _describe_fields(cls).items():
            inner["properties"][name].setdefault("description", sentence)
        return shown


@cache
def _describe_fields(kind: type[BaseModel]) -> dict[str, str]:
    """The text that stands below each field in the source of a class and those it is made of."""
    described: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        if not issubclass(part, ResultRecord) or part is ResultRecord:
            continue
        (tree,) = ast.parse(inspect.getsource(part)).body
        assert isinstance(tree, ast.ClassDef)
        for field, below in pairwise(tree.body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
                and isinstance(below.value.value, str)
            ):
                described[field.target.id] = inspect.cleandoc(below.value.value)
    return described
