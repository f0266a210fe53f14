"""Whatever reads a text from outside reads ten times as much in about ten times the time.

Patterns are found by themselves; a new function that reads texts joins `tests/support/readers.py`.
"""

import re

import pytest

from tests.support.given_readers import GIVEN_READERS
from tests.support.growth import fastest_growth
from tests.support.hostile import UNITS, repeated, texts_for
from tests.support.log_readers import LOG_READERS
from tests.support.patterns import built, found_patterns, using
from tests.support.readers import READERS

TRIES = 3
"""A busy moment may hide a planted loop once."""


def test_every_pattern_is_linear_as_it_is_used() -> None:
    # found here and not where tests are collected: whoever collects them would load the whole product
    found = tuple(found_patterns())
    grown = {
        f"{name}-{method}": said
        for name, pattern, methods in found
        for method in methods
        if (said := fastest_growth(using(pattern, method), texts_for(pattern)))
    }
    assert found
    assert not grown


@pytest.mark.parametrize("name", [*READERS, *GIVEN_READERS, *LOG_READERS])
def test_every_reader_is_linear(name: str) -> None:
    assert not fastest_growth({**READERS, **GIVEN_READERS, **LOG_READERS}[name], map(repeated, UNITS))


def test_a_pattern_that_is_made_of_data_is_known_and_a_reader_tries_it() -> None:
    assert set(built()) == {
        "memtrial.memory.quotes.__post_init__",
        "memtrial.perturbations.advice.known_actions._form_pattern",
        "memtrial.perturbations.advice.known_actions._literal",
        # a user's own pattern, in a process that is ended: tests/worlds/test_single_turn.py
        "memtrial.worlds.single_turn.answers.maths_program.main",
    }


@pytest.mark.parametrize(
    "pattern",
    [
        r"[\s*_-]*(?P<kind>[^:]*?)[\s*_]*:",  # as memory/cue had it: cubic
        r"^\W*thought\W*:(.*?)(?=^\W*action\W*:|\Z)",  # as episodes/react had it: quadratic in line breaks
        r",?\s*\bbecause\b",
        r"(?:a+)+b",
    ],
)
def test_a_pattern_that_is_not_linear_is_caught(pattern: str) -> None:
    made = re.compile(pattern, re.MULTILINE | re.DOTALL)
    assert any(fastest_growth(using(made, "finditer"), texts_for(made)) for _ in range(TRIES))


def test_a_loop_that_looks_at_the_whole_text_for_each_character_is_caught() -> None:
    def read(text: str) -> int:
        return sum(text[at:].startswith("b") + text.count(text[at]) for at in range(len(text)))

    assert any(fastest_growth(read, map(repeated, UNITS[:4])) for _ in range(TRIES))


def test_a_square_behind_what_every_call_takes_is_caught() -> None:
    def read(text: str) -> int:
        # 45,000 steps whatever the text is; of 300 characters 10,000 more, and of 6,000 four million
        return sum(1 for _ in range(45_000)) + sum(1 for _ in text[::3] for _ in text[::3])

    assert any(fastest_growth(read, map(repeated, UNITS[:2])) for _ in range(TRIES))
