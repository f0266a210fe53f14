"""Masks of a slot by a model; where no draft hides the advice, the rules' masks are read in their place."""

import asyncio
import json
from pathlib import Path

import pytest

from memtrial.agents.slot import Slot
from memtrial.models.simulated.prompt import answer, given, wanted_fields
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, items_digest
from memtrial.perturbations.written.draft_book import RULES, DraftBook
from memtrial.perturbations.written.written_slot import TRIES, WritingTask, WrittenSlot, write_slot
from tests.support.scripted_judge import Scripted, caller

JUDGED = [json.loads(line) for line in (Path(__file__).parent / "judged_masks.jsonl").open(encoding="utf-8")]
"""Drafts of two hands, and what a careful reader who was shown the masked text alone could tell of them."""
INTACT = "When it is shut, press the red stud of the box. The lid creaks."
SLOT = Slot("", (INTACT,))
HALF = INTACT.replace("press", "[XXXX]").replace("box", "[XXXX]")
WHOLE = INTACT.replace("press", "___").replace("red stud", "[MASK]").replace("box", "___")
KEY = ("corrupt_mask", items_digest(SLOT))


def judge_that_reads(told: str) -> Scripted:
    """A judge that can tell the action from every text in which these words stand."""

    def rule(asked):
        fields = given(asked.messages)
        if wanted_fields(asked.messages) == ("pieces",):
            action = {"field": "text", "polarity": "do", "action": "press the stud"}
            quote = {"quote": "When it is shut"}
            return answer({"pieces": json.dumps([action | quote] if told in fields["text"] else [])})
        pieces = [
            {"field": "text", "polarity": "do", "action": "press", "quote": fields[f"{which}_text"][:9]}
            for which in ("first", "second")
        ]
        pairs = [{"first": 1, "second": 1, "relation": "same"}]
        values = {"first": pieces[:1], "second": pieces[1:], "pairs": pairs}
        flags = {"first_contradicts": "no", "second_contradicts": "no"}
        return answer({name: json.dumps(value) for name, value in values.items()} | flags)

    return Scripted(rule)


def write(judge: Scripted, *drafts: str) -> tuple[WrittenSlot, Scripted]:
    left = list(drafts)

    def rule(asked):
        draft = left.pop(0) if len(left) > 1 else left[0]
        return answer({"rewritten": json.dumps([draft])})

    writer = Scripted(rule)
    return asyncio.run(write_slot(WritingTask("corrupt_mask", SLOT), caller(writer), caller(judge))), writer


def shown(done: WrittenSlot) -> tuple[DraftBook, Damaged | NotApplicable]:
    book = DraftBook("a/writer", "a/judge", {KEY: done})
    return book, CorruptMask().apply(SLOT, None, DamageContext(written=book.texts, declined=book.refusals))


def test_a_draft_from_which_the_action_can_be_told_is_sent_back_with_what_was_told():
    done, writer = write(judge_that_reads("stud"), HALF, WHOLE)
    assert (done.tries, done.by_rules) == (2, False)
    assert "can still be told: a reader makes out 'Do: press'" in writer.seen[1].messages[-1].text
    assert not {"press", "red", "stud", "box"} & set(done.items[0].split())
    book, damaged = shown(done)
    assert isinstance(damaged, Damaged)
    assert damaged.slot.items == done.items
    assert book.check(CorruptMask(), SLOT, damaged).passed
    assert book.source_of("corrupt_mask", SLOT)["written_by"] == "a/writer"
    # of another text the judge has said nothing
    unread = DraftBook("a/writer", "a/judge", {KEY: WrittenSlot(done.items, 2)})
    assert not unread.check(CorruptMask(), SLOT, damaged).passed


def test_the_rules_write_where_no_draft_hides_it_and_the_judge_vouches_for_them():
    done, _ = write(judge_that_reads("stud"), HALF)
    assert (done.tries, done.by_rules) == (TRIES, True)
    book, damaged = shown(done)
    assert isinstance(damaged, Damaged)
    assert book.check(CorruptMask(), SLOT, damaged).passed
    source = book.source_of("corrupt_mask", SLOT)
    assert (source["written_by"], source["vouched_by"]) == (RULES, "a/judge")
    assert "can still be told" in source["by_rules_because"]
    assert book.n_by_model == 0


def test_it_does_not_apply_where_the_judge_can_tell_the_action_from_the_masks_of_the_rules():
    done, _ = write(judge_that_reads("creaks"), HALF)
    assert (done.items, done.by_rules) == ((), True)
    _, damaged = shown(done)
    assert isinstance(damaged, NotApplicable)
    assert "the rules' text: text 1: what the text advised" in damaged.reason


def careful_reader(row: dict) -> Scripted:
    """Tells of the draft what a careful reader told, and of every other text nothing."""

    def rule(asked):
        fields = given(asked.messages)
        if wanted_fields(asked.messages) == ("pieces",):
            return answer({"pieces": json.dumps(row["left"] if fields["text"] == row["after"] else [])})
        lines = (fields["second_text"], fields["first_text"])[
            fields["first_text"] != row["before"]
        ].splitlines()
        made_out = [piece | {"quote": line} for piece, line in zip(row["left"], lines, strict=True)]
        pair = (
            (row["intact"], made_out) if fields["first_text"] == row["before"] else (made_out, row["intact"])
        )
        numbers = range(1, len(made_out) + 1)
        pairs = [{"first": number, "second": number, "relation": "same"} for number in numbers]
        values = {"first": pair[0], "second": pair[1], "pairs": pairs}
        flags = {"first_contradicts": "no", "second_contradicts": "no"}
        return answer({name: json.dumps(value) for name, value in values.items()} | flags)

    return Scripted(rule)


@pytest.mark.parametrize("row", JUDGED, ids=lambda row: f"{row['id']} {row['quality']}")
def test_masks_from_which_a_careful_reader_tells_the_advice_are_not_shown(row):
    writer = Scripted(lambda _: answer({"rewritten": json.dumps([row["draft"]])}))
    task = WritingTask("corrupt_mask", Slot("", (row["before"],)))
    done = asyncio.run(write_slot(task, caller(writer), caller(careful_reader(row))))
    assert done.by_rules != row["accept"]
    assert (done.items == (row["after"],)) == row["accept"]
    assert done.items
