"""What of memory behind tools reached the model, read from requests of each API."""

import json
from collections.abc import Sequence

import pytest

from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.tool_delivery import CalledTools, name_tools

LESSON, OTHER = 'Say "stop" first,\nthen close – always.', "Count twice."
OFFER = {"tools": [{"name": "mcp__notes__search", "input_schema": {}}]}


def body(*results: dict[str, object], **more: object) -> bytes:
    return json.dumps({**OFFER, "messages": list(results), **more}).encode()


def anthropic(text: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": text}]}
    return {"role": "user", "content": [block]}


def chat(text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": "1", "content": text}


def responses(text: str) -> dict[str, object]:
    return {"type": "function_call_output", "call_id": "1", "output": text}


def wrapped(text: str) -> dict[str, object]:
    """As a client writes it that shows results as JSON, of a server that writes its items as JSON."""
    return responses(json.dumps([{"type": "text", "text": json.dumps([text])}]))


def prove(called: CalledTools, bodies: Sequence[bytes]) -> tuple[str, tuple[tuple[str, ...], ...]]:
    seen = tuple(called.see("d", each, list_shown(each)) for each in bodies)
    return name_tools(called.sum_up(seen), seen), tuple(request.texts for request in seen)


@pytest.mark.parametrize("shape", [anthropic, chat, responses, wrapped])
def test_a_text_that_a_tool_gave_is_known_in_each_api(shape) -> None:
    called = CalledTools("notes", ("search",), 1, (LESSON,))
    assert prove(called, [body(), body(shape(f"1. {LESSON}\n"))]) == ("given", ((), (LESSON,)))


@pytest.mark.parametrize(
    ("called", "given", "results", "word"),
    [
        (0, (), (), "never activated"),
        (1, (), ("No notes.",), "nothing read"),
        (1, (LESSON, OTHER), (LESSON, OTHER), "given"),
        (1, (LESSON, OTHER), (OTHER,), "given in part"),
        (1, (LESSON,), ("cut …",), "never given"),
        (1, (LESSON,), (), "never given"),
    ],
)
def test_words(called: int, given: tuple[str, ...], results: tuple[str, ...], word: str) -> None:
    tools = CalledTools("notes", ("search",), called, given)
    assert prove(tools, [body(*map(anthropic, results))])[0] == word


def test_what_stands_elsewhere_in_a_request_or_was_said_by_the_model_is_no_proof() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": LESSON}]}
    asked = {"role": "user", "content": LESSON}
    called = CalledTools("notes", ("search",), 1, (LESSON,))
    assert prove(called, [body(said, asked, system=LESSON)])[0] == "never given"


def test_tools_that_no_request_names_were_never_given_a_chance() -> None:
    called = CalledTools("notes", ("search",), 0, ())
    assert prove(called, [b'{"tools": [{"name": "research"}]}', b"search notes"])[0] == "never given"
    for name in ('"name":"search"', "mcp__notes__search", "notes_search"):
        assert prove(called, [name.encode()])[0] == "never activated"
