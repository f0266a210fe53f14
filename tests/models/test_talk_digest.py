"""A request has the same digest whether or not the beginning of its conversation was digested before."""

import json
from dataclasses import replace
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.content_blocks import TextBlock
from memtrial.models.client.types import Message, Request, TalkDigest

CONTENTS = st.one_of(
    st.text(max_size=4), st.lists(st.builds(TextBlock, st.text(max_size=3)), max_size=2).map(tuple)
)
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(("system", "user", "assistant")), CONTENTS), max_size=4
)


@given(MESSAGES, st.lists(st.tuples(st.booleans(), MESSAGES), max_size=5), st.booleans())
def test_what_was_digested_before_changes_no_digest(
    first: list[Message], turns: list[tuple[bool, list[Message]]], closed: bool
) -> None:
    begun, another, talk = TalkDigest(), TalkDigest(), first
    for anew, more in [(False, []), *turns]:
        talk = [*more] if anew else [*talk, *more]
        plain = Request("simulated/reader", tuple(talk), choices=("a", "b") if closed else ())
        request = replace(plain, begun=begun)
        assert (request.digest, request) == (plain.digest, plain)
        for other in (replace(plain, model="simulated/ignorer"), replace(plain, temperature=1.0)):
            assert replace(other, begun=another).digest == other.digest != plain.digest
        assert replace(plain, temperature=1, begun=another).digest == replace(plain, temperature=1).digest


@given(st.text(max_size=6), st.sampled_from((None, 0, 0.0, 1, 1.0, 1e-7)), st.sampled_from((None, 0, 7)))
def test_the_digest_is_that_of_the_canonical_json_whatever_was_digested_before(
    text: str, temperature: float | None, most: int | None
) -> None:
    listed = ["m/x", temperature, most, [["system", text], ["user", "b"]]]
    canonical = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
    request = Request("m/x", (Message("system", text), Message("user", "b")), temperature, most)
    assert request.digest == sha256(canonical.encode()).digest()


def test_the_digest_is_that_of_the_canonical_json() -> None:
    request = Request("m/x", (Message("system", "a"), Message("user", "b")), 0.5, 7)
    assert request.digest == sha256(b'["m/x",0.5,7,[["system","a"],["user","b"]]]').digest()
