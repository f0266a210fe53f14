"""Whether memory stood in a request is read from its bytes, in what was said to the model alone."""

import json
from typing import Any

import pytest

from memtrial.plugins.sent_memory import texts_sent

NOTE = 'Press "green" first.\n\tThen é, C:\\new.'


def body(*messages: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"model": "m", "messages": messages, **more}).encode()


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


@pytest.mark.parametrize(
    "sent",
    [
        body(user(f"Notes: {NOTE} Go.")),
        body(user("Go."), system=[{"type": "text", "text": NOTE}]),
        json.dumps({"input": [user([{"type": "input_text", "text": NOTE}])]}, ensure_ascii=False).encode(),
        json.dumps({"instructions": NOTE}).replace("/", "\\/").replace("P", "\\u0050").encode(),
        body(user([{"type": "tool_result", "content": json.dumps({"file": NOTE})}])),
        body(user([{"type": "tool_result", "content": json.dumps({"file": NOTE}, ensure_ascii=False)}])),
        body(user('     1→Press "green" first.\n     2→\tThen é, C:\\new.\n')),
        body(user(NOTE.replace("\n", "\r\n"))),
        f"no JSON: {NOTE}".encode(),
    ],
)
def test_memory_is_seen_in_every_form_in_which_clients_send_it(sent: bytes) -> None:
    assert texts_sent(sent, (NOTE, "another")) == (NOTE,)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        body(user('Press "green" first.')),
        body(user('Then é, C:\\new. Press "green" first.')),
        body(user('Press "green" first.'), user("Then é, C:\\new.")),
        body(user("Go."), {"role": "assistant", "content": NOTE}),
        body(user([{"type": "tool_use", "input": {"text": NOTE}}])),
        json.dumps({"input": [{"type": "function_call", "arguments": NOTE}]}).encode(),
    ],
)
def test_a_part_another_order_or_the_models_own_words_are_no_delivery(sent: bytes) -> None:
    assert texts_sent(sent, (NOTE,)) == ()
