"""Whether memory stood in a request is read from its bytes, in what was said to the model alone."""

import json
from typing import Any

import pytest

from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.text_delivery import expect_text, is_given
from memtrial.models.wire.content_codings import decode, encode

NOTE = 'Press "green" first.\n\tThen é, C:\\new.'


def is_sent(body: bytes, text: str, codings: str = "") -> bool:
    return is_given(expect_text(text), list_shown(body, codings))


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
    assert is_sent(sent, NOTE)
    assert not is_sent(sent, "another")


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
    assert not is_sent(sent, NOTE)


def test_a_body_is_read_in_the_coding_in_which_it_was_sent() -> None:
    plain = body(user(NOTE))
    for coding in ("gzip", "deflate", "br", "zstd", "gzip, br"):
        assert is_sent(encode(plain, coding), NOTE, coding)
        assert decode(encode(plain, coding), coding) == plain
    assert not is_sent(encode(plain, "gzip"), NOTE)
    assert not is_sent(b"no gzip", NOTE, "gzip")
