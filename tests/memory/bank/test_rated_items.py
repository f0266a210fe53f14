"""A rating bears on an item's confidence, and an unhelpful item gives a guardrail with both its fields."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memtrial.memory.bank.distillation.distil import Messages
from memtrial.memory.bank.events.episode_queries import list_episodes, list_records
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.rated_items import RatedItem, Rating, rate_item
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.taught_runs import teach_run
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import make_trajectory
from tests.support.evolving import GUARDRAIL, ITEM, bank_in

HALF = '{"memories": [{"title": "T", "what_to_do_instead": "Walk."}]}'
TASK = make_trajectory(1).task_id


def taught(folder: Path) -> tuple[ReasoningBank, str]:
    """A bank, and the item that a success taught it."""
    bank = bank_in(folder)
    (name,) = teach_run(bank, lambda _: ITEM, LabelledRun(make_trajectory(1))).item_ids
    return bank, name


def rate(
    bank: ReasoningBank, rating: Rating, replies: Sequence[str] = (GUARDRAIL,)
) -> tuple[RatedItem, list[Messages]]:
    asked: list[Messages] = []

    def ask(messages: Messages) -> str:
        asked.append(messages)
        return replies[len(asked) - 1]

    return rate_item(bank, ask, rating), asked


def test_an_unhelpful_item_gives_a_guardrail_with_both_fields(tmp_path: Path) -> None:
    bank, name = taught(tmp_path)
    before = bank.log.find(name).confidence
    rated, asked = rate(bank, Rating(name, False, TASK, "The door was a wall."))
    (guardrail,) = [bank.log.find(made) for made in rated.taught.item_ids]
    assert (guardrail.origin.outcome, guardrail.origin.task_id) == ("failure", TASK)
    assert "It sat down." in str(guardrail.item)  # what went wrong
    assert guardrail.details.instead == "Walk."
    assert rated.item.confidence == bank.log.find(name).confidence < before
    # the distiller reads a failed run, what was followed in it and what the rater says
    ((system, question),) = asked
    assert "The run below failed." in system.text
    assert question.text.rstrip().endswith("Outcome: failure")
    assert "Walk through DOORS." in question.text
    assert "The door was a wall." in question.text
    # the episode stays as it was, and has one record; the guardrail's is beside it
    (held,) = list_episodes(bank.log)
    assert held.label == "success"
    assert [record.episode_id for record in list_records(bank.log)] == [held.episode.id, ""]


def test_a_helpful_item_is_trusted_more_and_asks_nothing(tmp_path: Path) -> None:
    bank, name = taught(tmp_path)
    before = bank.log.find(name).confidence
    rated, asked = rate(bank, Rating(name, True, TASK))
    assert rated.item.confidence > before
    assert (asked, rated.taught.item_ids, rated.lacking) == ([], (), "")


def test_an_item_is_held_against_a_task_once(tmp_path: Path) -> None:
    bank, name = taught(tmp_path)
    first, _ = rate(bank, Rating(name, False, TASK))
    again, asked = rate(bank, Rating(name, False, TASK))
    assert (asked, again.taught.item_ids) == ([], ())
    assert "before" in again.lacking
    assert again.item.confidence < first.item.confidence
    assert len(bank.items()) == 2


def test_why_there_is_no_guardrail_is_said(tmp_path: Path) -> None:
    bank, name = taught(tmp_path)
    rated, asked = rate(bank, Rating(name, False, "elsewhere"))
    assert (asked, rated.lacking) == ([], "the bank holds no run of task 'elsewhere'")
    nobody = rate_item(bank, None, Rating(name, False, TASK))
    assert nobody.lacking == "nobody was asked for one"
    # a guardrail that lacks a field is asked for once more, and is none then
    rated, asked = rate(bank, Rating(name, False, TASK), (HALF, HALF))
    assert len(asked) == 2
    assert rated.lacking == "item 1 says what to do instead, and not what went wrong"
    assert len(bank.items()) == 1


def test_a_rating_of_nothing_changes_nothing(tmp_path: Path) -> None:
    bank, _ = taught(tmp_path)
    place = bank.log.last()
    with pytest.raises(MemoryFault, match="the id of an item"):
        rate(bank, Rating("rm_nobody", False, TASK))
    assert bank.log.last() == place
