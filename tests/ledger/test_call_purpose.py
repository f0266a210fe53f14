"""What a call is for has one text, and the text says all of it."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.call_purpose import COLLECT, PLAY, UNSTATED, CallKind, Purpose, read_purpose, write_purpose

NAMED = ("gate", "condense", "memory")
names = st.from_regex(r"[\w·.+-]{1,12}", fullmatch=True)
PURPOSES = st.one_of(
    st.sampled_from(
        [Purpose(kind) for kind in get_args(CallKind) if kind not in ("gate", "condense", "memory")]
    ),
    st.builds(Purpose, st.sampled_from(["condense", "memory"]), st.text(max_size=12)),
    # a gate of one's own is named by its author
    st.builds(Purpose, st.just("gate"), names, st.text(max_size=12)),
)
"""All that can be made but `other`, whose text is anybody's."""


@given(PURPOSES)
def test_a_purpose_comes_back_from_its_text(purpose):
    assert read_purpose(write_purpose(purpose)) == purpose


WRITTEN = PURPOSES.map(write_purpose)


@given(st.text(max_size=30) | WRITTEN | WRITTEN.map(lambda text: text[:-1]) | WRITTEN.map("{} ".format))
def test_a_text_of_another_version_stands_as_it_was(text):
    assert write_purpose(read_purpose(text)) == text


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        # texts of ledgers that were written before
        ("play", PLAY),
        ("collect", COLLECT),
        ("condense native", Purpose("condense", "native")),
        ("gate theory refuter", Purpose("gate", "theory", "refuter")),
        ("gate theory", Purpose("gate", "theory")),
        ("memory mine", Purpose("memory", "mine")),
        ("damage", Purpose("damage")),
        ("damage check", Purpose("damage check")),
        ("decision check", Purpose("decision check")),
        ("failure coder", Purpose("failure coder")),
        ("gates regress", Purpose("gates regress")),
        ("embed", Purpose("embed")),
        ("", UNSTATED),
        ("replay", Purpose("other", "replay")),
        ("gate", Purpose("other", "gate")),
    ],
)
def test_texts_that_are_kept_are_read_as_ever(text, purpose):
    assert read_purpose(text) == purpose
    assert write_purpose(purpose) == text


def test_a_condenser_whose_name_would_end_early_is_refused():
    with pytest.raises(ValueError, match="name without blanks; got 'a b'"):
        Purpose("gate", "a b")
