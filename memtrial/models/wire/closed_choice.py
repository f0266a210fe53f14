"""How servers are told that a reply is one of given texts, and what they make of it.

Most take a JSON schema whose one property lists the texts, and answer by a JSON object; llama.cpp takes a
grammar (GBNF) of quoted alternatives, and answers by the text itself. OpenAI and Anthropic bound the size of
a schema; OpenAI at 1,000 values, and at 15,000 characters where there are more than 250.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from memtrial.models.wire.json_fields import Json

Closing = Literal["schema", "grammar"]
"""What a server takes to close a reply to a list of texts."""

FIELD = "choice"
"""The one property of the JSON object."""

ROOT = "root ::= "
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"(?: \| )?+')
_ESCAPED = re.compile(r"\\(x[0-9A-Fa-f]{2}|.)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class ClosedList(NamedTuple):
    """The texts of which a reply is to be one, as they were found in a request."""

    closing: Closing
    choices: tuple[str, ...]


def write_schema(choices: Sequence[str]) -> Json:
    """The JSON schema of an object whose one property is one of the choices."""
    return {
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": list(choices)}},
        "required": [FIELD],
        "additionalProperties": False,
    }


def write_grammar(choices: Sequence[str]) -> str:
    """A grammar of llama.cpp whose texts are the choices, and no others."""
    return ROOT + " | ".join(f'"{_escape(choice)}"' for choice in choices)


def _escape(text: str) -> str:
    escaped = "".join(_ESCAPES.get(letter, letter) for letter in text)
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02X}", escaped)


def read_choice(text: str) -> str:
    """The choice in a reply that keeps to the schema; the text as it came where it does not."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return text
    chosen = held.get(FIELD) if isinstance(held, dict) else None
    return chosen if isinstance(chosen, str) else text


def write_choice(text: str) -> str:
    """A choice as a server writes it that keeps to the schema."""
    return json.dumps({FIELD: text}, ensure_ascii=False)


def find_closed_list(settings: Json) -> ClosedList | None:
    """The closed list among the further fields of a request, in the words of whatever format; None where it
    has none of ours."""
    match settings:
        case {"grammar": str(grammar)} if grammar.startswith(ROOT):
            quoted = tuple(_read_quoted(grammar))
            return ClosedList("grammar", quoted) if write_grammar(quoted) == grammar else None
        case {"response_format": {"type": "json_schema", "json_schema": {"schema": dict(schema)}}}:
            return _read_schema(schema)
        case {"output_config": {"format": {"type": "json_schema", "schema": dict(schema)}}}:
            return _read_schema(schema)
    return None


def _read_schema(schema: Json) -> ClosedList | None:
    match schema:
        case {"properties": {"choice": {"enum": [str(), *_] as choices}}} if write_schema(choices) == schema:
            return ClosedList("schema", tuple(choices))
    return None


def _read_quoted(grammar: str) -> Iterator[str]:
    """The quoted alternatives, as far as the grammar is ours."""
    place = len(ROOT)
    while alternative := _QUOTED.match(grammar, place):
        yield _unescape(alternative[1])
        place = alternative.end()


def _unescape(text: str) -> str:
    plain = {escaped[1]: letter for letter, escaped in _ESCAPES.items()}
    return _ESCAPED.sub(
        lambda match: plain.get(match[1]) or (chr(int(match[1][1:], 16)) if len(match[1]) > 1 else match[0]),
        text,
    )
