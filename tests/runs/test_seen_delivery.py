"""Delivery of agents that ask by themselves: a word for each trial, and what the run makes of the words."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Slot
from memtrial.arms.arm import PREPEND
from memtrial.delivery.seen_requests import SeenRequest
from memtrial.delivery.tool_delivery import AskedMemory
from memtrial.ledger.rows import TrialRow
from memtrial.runs.trials.delivery_proof import name_delivery, prove
from memtrial.runs.trials.trials import Trial
from memtrial.views.evidence.untrusted import (
    delivery,
    delivery_alarm,
    delivery_sentence,
    dormant_trials,
    lost_requests,
)
from memtrial.worlds.world import Outcome
from tests.support.scripted import CORRIDOR

FIRST, SECOND = "Press the button.", "Open the door."


def trial_of(*items: str) -> Trial:
    arm = SimpleNamespace(injection=PREPEND)
    return cast(Trial, SimpleNamespace(shown=Slot("Notes.", items) if items else Slot(), arm=arm))


def episode_of(*seen: SeenRequest, reported: bool = True) -> Episode:
    start = Episode(CORRIDOR, "", (), Outcome(True, 1.0, ""), (), (), (), 1)
    return replace(start, reported=reported, seen=seen, handed=(FIRST, SECOND))


def seen(*texts: str, announced: bool = False) -> SeenRequest:
    return SeenRequest("d", texts, announced)


@pytest.mark.parametrize(
    ("requests", "word", "counts"),
    [
        ((seen(FIRST, SECOND),), "given", (1, 0)),
        ((seen(FIRST), seen(), seen(SECOND)), "given", (2, 0)),
        ((seen(FIRST, announced=True), seen()), "given in part", (2, 1)),
        ((seen(), seen()), "never given", (1, 1)),
        ((seen(announced=True), seen()), "never activated", (0, 0)),
        ((), None, (1, 0)),
    ],
)
def test_a_trial_is_named_by_what_its_requests_showed(
    requests: tuple[SeenRequest, ...], word: str | None, counts: tuple[int, int]
) -> None:
    trial, episode = trial_of(FIRST, SECOND), episode_of(*requests)
    proofs = prove(trial, episode)
    assert name_delivery(trial, episode) == word
    assert (sum(bool(one["meant"]) for one in proofs), sum(not one["verbatim"] for one in proofs)) == counts


@pytest.mark.parametrize(
    ("asked", "requests", "word", "undelivered"),
    [
        (AskedMemory(0, ()), (seen(announced=True),), "never activated", 0),
        (AskedMemory(1, ()), (seen(announced=True),), "nothing read", 0),
        (AskedMemory(1, (FIRST,)), (seen(FIRST, announced=True),), "given", 0),
        (AskedMemory(2, (FIRST, SECOND)), (seen(SECOND, announced=True),), "given in part", 1),
        (AskedMemory(1, (FIRST,)), (seen(announced=True),), "never given", 1),
        (None, (seen(),), "never given", 1),
    ],
)
def test_of_memory_behind_tools_only_what_a_call_gave_is_due(
    asked: AskedMemory | None, requests: tuple[SeenRequest, ...], word: str, undelivered: int
) -> None:
    trial, episode = trial_of(FIRST, SECOND), replace(episode_of(*requests), asked=asked)
    assert name_delivery(trial, episode) == word
    assert sum(not each["verbatim"] for each in prove(trial, episode)) == undelivered
    assert name_delivery(trial_of(), episode) is None


def test_where_nothing_was_due_or_we_ask_ourselves_there_is_no_word() -> None:
    assert name_delivery(trial_of(), episode_of(seen())) is None
    assert name_delivery(trial_of(FIRST), episode_of(reported=False)) is None


def rows(*words: str, **more: Any) -> list[TrialRow]:
    row = TrialRow("k", "m", "skill", "intact", "t", "", 0, "success", 1.0, "", "", False, "")
    return [replace(row, delivery=word, **more) for word in words]


def test_the_words_and_their_shares_stand_beside_the_counts() -> None:
    found = delivery(rows("given", "given", "given", "never activated", carrying=1))
    assert found.words == {"given": 3, "never activated": 1}
    assert "Of 4 trials with memory, by its requests: given in 3 (75%), never activated in 1 (25%)." in (
        delivery_sentence(found)
    )
    assert delivery_alarm(found) == ""
    whole = delivery(rows("given", "given", carrying=1))
    assert delivery_sentence(whole) == "In all 2 requests that were to carry memory it stood verbatim."
    lost = delivery(rows("given in part", "never given", carrying=1, undelivered=1))
    assert "given in part in 1 (50%), never given in 1 (50%)" in delivery_alarm(lost)


def test_an_arm_is_dormant_where_its_memory_was_activated_in_no_trial() -> None:
    assert dormant_trials(rows("never activated", "never activated", "")) == {("m", "skill"): 2}
    assert dormant_trials(rows("never activated", "nothing read", "nothing read")) == {("m", "skill"): 3}
    assert dormant_trials(rows("never activated", "given")) == {}
    assert dormant_trials(rows("", "")) == {}
    assert lost_requests(rows("never activated")) == {}
