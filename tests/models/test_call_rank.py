"""Which of the requests that wait goes to the provider first."""

import pytest

from memtrial.call_purpose import COLLECT, PLAY, CallKind, Purpose
from memtrial.models.client.transport import CallTerms, rank_of
from memtrial.models.client.types import Message, Request


def request(turn: int) -> Request:
    """The request of a turn, counted from 1: what was said before, and who asks."""
    said = tuple(Message("user" if number % 2 else "assistant", "so") for number in range(1, 2 * turn))
    return Request("anthropic/a", (Message("system", "rules"), *said), None, None)


def order(*asked: tuple[str, Purpose, int, CallTerms], is_ending: bool = False) -> list[str]:
    """Their names, as they go."""
    ranks = {name: rank_of(request(turn), purpose, terms, is_ending) for name, purpose, turn, terms in asked}
    return sorted(ranks, key=lambda name: ranks[name])


@pytest.mark.parametrize("is_ending", [False, True])
def test_what_most_others_wait_for_goes_first(is_ending: bool) -> None:
    kinds: list[CallKind] = ["play", "damage", "gate", "collect"]
    asked = [(kind, Purpose(kind), 1, CallTerms()) for kind in kinds]
    first = ("first", PLAY, 1, CallTerms(first=True))
    assert order(*asked, is_ending=is_ending) == ["collect", "gate", "damage", "play"]
    assert order(("late", COLLECT, 2, CallTerms()), first, *asked)[:3] == ["first", "collect", "late"]


def test_trials_take_turns_until_all_that_are_left_are_under_way() -> None:
    assert rank_of(request(1), PLAY, CallTerms(turns=9)) == rank_of(request(5), PLAY, CallTerms(turns=2))


def test_at_the_end_those_with_most_turns_before_them_go_first() -> None:
    asked = [
        ("nearly over", PLAY, 4, CallTerms(turns=4)),
        ("begun", PLAY, 2, CallTerms(turns=5)),
        ("long", PLAY, 3, CallTerms(turns=8)),
        ("longer than foreseen", PLAY, 6, CallTerms(turns=3)),
    ]
    assert order(*asked, is_ending=True) == ["long", "begun", "nearly over", "longer than foreseen"]
    # not before those that have waited since before
    assert rank_of(request(1), PLAY) < rank_of(request(1), PLAY, CallTerms(turns=9), is_ending=True)
