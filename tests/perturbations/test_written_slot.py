"""A slot written by a model: each draft is told what was wrong with the last, and the fourth is the last."""

import asyncio
import json
from pathlib import Path

import pytest

from memtrial.agents.slot import Slot
from memtrial.judges.advice_comparison import AdviceComparison
from memtrial.models.client.types import ProviderFault
from memtrial.models.simulated.prompt import answer
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN
from memtrial.perturbations.corrupt_invert import CorruptInvert
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, items_digest
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.written.draft_book import DraftBook
from memtrial.perturbations.written.vouched_check import refuse_vouched
from memtrial.perturbations.written.written_slot import (
    GROWTH,
    LONGEST,
    NO_ADVICE,
    ROOM,
    TRIES,
    WritingTask,
    WrittenSlot,
    plan_writing,
    write_slot,
)
from tests.support.scripted_judge import Scripted, caller

JUDGED = [json.loads(line) for line in (Path(__file__).parent / "judged_pairs.jsonl").open(encoding="utf-8")]
PARTS = ("first", "second", "pairs", "first_contradicts", "second_contradicts")


def row_of(name: str, kind: str, quality: str) -> dict:
    return next(row for row in JUDGED if (row["id"], row["kind"], row["quality"]) == (name, kind, quality))


def reply_of(row: dict, first: str) -> str:
    """The judge's reply about a pair, in the order in which the texts are shown."""
    reading = AdviceComparison.model_validate({name: row[name] for name in PARTS})
    shown = reading if first == row["before"] else reading.mirror
    listed = {
        name: [one.model_dump() for one in getattr(shown, name)] for name in ("first", "second", "pairs")
    }
    flags = {name: "yes" if getattr(shown, name) else "no" for name in PARTS[3:]}
    return answer({name: json.dumps(value) for name, value in listed.items()} | flags)


def judge_of(*rows: dict) -> Scripted:
    """A judge that answers as a careful reader did."""

    def rule(asked):
        texts = {asked.fields["first_text"], asked.fields["second_text"]}
        row = next(row for row in rows if {row["before"].strip(), row["after"].strip()} == texts)
        return reply_of(row, asked.fields["first_text"])

    return Scripted(rule)


def writer_of(*drafts: object) -> Scripted:
    left = list(drafts)

    def rule(asked):
        draft = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(draft, Exception):
            raise draft
        return draft if isinstance(draft, str) else answer({"rewritten": json.dumps(draft)})

    return Scripted(rule)


def write(task: WritingTask, writer: Scripted, judge: Scripted) -> WrittenSlot:
    return asyncio.run(write_slot(task, caller(writer), caller(judge)))


def asked_of(scripted: Scripted) -> list[str]:
    return [request.messages[-1].text for request in scripted.seen]


def test_each_draft_is_told_what_was_wrong_with_the_last():
    honest, cheat = (row_of("h1-002", "corrupt_invert", quality) for quality in ("honest", "cheat"))
    slot = Slot("", (honest["before"],))
    lost = honest["after"].replace("## Description\n", "")
    writer = writer_of([lost], [cheat["after"]], ["one", "two"], [f"```\n{honest['after']}\n```"])
    judge = judge_of(honest, cheat)
    done = write(WritingTask("corrupt_invert", slot), writer, judge)
    assert done.items == (honest["after"],)
    assert (done.tries, done.why) == (TRIES, "")
    first, second, third, fourth = asked_of(writer)
    assert "[[ ## wrong ## ]]" not in first
    assert "the heading '## description' is lost" in second
    assert "is still advised" in third
    assert "2 texts in the place of 1" in fourth
    assert json.dumps(lost, ensure_ascii=False) in second
    # what a program refuses costs no judge anything
    assert len(judge.seen) == 2
    assert refuse_vouched("corrupt_invert", slot.items, done.items, done.readings) == ""


@pytest.mark.parametrize(
    "row", [row for row in JUDGED if row["quality"] == "cheat"], ids=lambda row: row["id"]
)
def test_a_cheat_is_never_shown_however_often_it_comes(row):
    done = write(
        WritingTask(row["kind"], Slot("", (row["before"],))), writer_of([row["after"]]), judge_of(row)
    )
    assert done.items == ()
    assert done.tries == TRIES
    assert done.why
    assert done.readings == ()


@pytest.mark.parametrize("row", [row for row in JUDGED if row["accept"]], ids=lambda row: row["id"])
def test_what_is_accepted_passes_its_check_and_is_shown(row):
    slot = Slot("", (row["before"],))
    done = write(WritingTask(row["kind"], slot), writer_of([row["after"]]), judge_of(row))
    assert done.tries == 1
    book = DraftBook("a/writer", "a/judge", {(row["kind"], items_digest(slot)): done})
    kind = next(kind for kind in ALL if kind.name == row["kind"])
    shown = kind.apply(slot, None, DamageContext(written=book.texts, declined=book.refusals))
    assert isinstance(shown, Damaged)
    assert shown.slot.items == (row["after"],)
    assert book.check(kind, slot, shown).passed
    assert book.source_of(row["kind"], slot) == {
        "written_by": "a/writer",
        "vouched_by": "a/judge",
        "tries": 1,
    }


def test_the_check_of_a_vouched_text_does_not_ask_for_flips_and_asks_for_all_else():
    row = row_of("h1-038", "corrupt_invert", "honest")
    slot, kind = Slot("", (row["before"],)), CorruptInvert()
    done = write(WritingTask("corrupt_invert", slot), writer_of([row["after"]]), judge_of(row))
    book = DraftBook("a/writer", "a/judge", {("corrupt_invert", items_digest(slot)): done})
    shown = Damaged(Slot("", done.items))
    ruled = check(kind, slot, shown.slot)
    vouched = book.check(kind, slot, shown)
    assert vouched.passed
    assert vouched.flips == ruled.flips
    spoilt = Damaged(Slot("", (done.items[0].replace("## Scope", "## Form"),)))
    assert not book.check(kind, slot, spoilt).passed
    longer = WrittenSlot((f"{done.items[0]}{' and so on' * 20}",), 1, "", done.readings)
    padded = DraftBook("a/writer", "a/judge", {("corrupt_invert", items_digest(slot)): longer})
    assert "in the place of" in padded.check(kind, slot, Damaged(Slot("", longer.items))).reason


def test_counter_and_paraphrase_do_not_fall_back_on_rules_and_the_others_do():
    slot = Slot("", ("When the lid is shut, press the red stud.",))
    refused = WrittenSlot(tries=TRIES, why="it says a sentence twice")
    names = ("corrupt_invert", "counter", "paraphrase")
    book = DraftBook("a/writer", "a/judge", {(name, items_digest(slot)): refused for name in names})
    context = DamageContext(written=book.texts, declined=book.refusals)
    for name in ("counter", "paraphrase"):
        kind = next(kind for kind in ALL if kind.name == name)
        answered = kind.apply(slot, None, context)
        assert isinstance(answered, NotApplicable)
        assert "a/writer" in answered.reason
        assert "it says a sentence twice" in answered.reason
    assert book.source_of("corrupt_invert", slot) == {
        "written_by": "rules",
        "tries": TRIES,
        "by_rules_because": "it says a sentence twice",
    }
    assert ("corrupt_invert", items_digest(slot)) not in book.refusals
    # one whose provider failed, or that is too long to be sent, is left to the rules
    lost = DraftBook("a/writer", "a/judge", {("counter", items_digest(slot)): WrittenSlot(why="no answer")})
    assert lost.refusals == {}


def test_an_intact_text_without_advice_is_found_out_at_once():
    nothing = answer(dict.fromkeys(PARTS[:3], "[]") | {"first_contradicts": "no", "second_contradicts": "no"})
    slot = Slot("", ("The lid is made of brass, and the box of oak.",))
    writer = writer_of(["The lid is made of oak, and the box of brass."])
    done = write(WritingTask("corrupt_invert", slot), writer, Scripted(lambda asked: nothing))
    assert (done.tries, done.why, done.items) == (1, NO_ADVICE, ())


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (WritingTask("counter", Slot("", ())), "no item"),
        (WritingTask("counter", Slot("", ("x" * (LONGEST + 1),))), "a slot of at most"),
        (WritingTask("oddity+corrupt_invert", Slot("", ("Do press it.",))), "no inversion"),
    ],
)
def test_nothing_is_asked_where_nothing_can_come_of_it(task, why):
    writer = writer_of(["never"])
    done = write(task, writer, writer)
    assert writer.seen == []
    assert done.tries == 0
    assert why in done.why


def test_drafts_are_bounded_and_odd_ones_are_told_so():
    slot = Slot("", ("Press it.",))
    long = "x" * (GROWTH * len(slot.items[0]) + ROOM + 1)
    half = "Never \ud800 press it."
    writer = writer_of([long], [half], "no fields at all", [""])
    done = write(WritingTask("corrupt_invert", slot), writer, writer)
    assert done.tries == TRIES
    told = asked_of(writer)
    assert "characters in the place of 9" in told[1]
    assert long not in told[1]
    assert "cannot be seen" in told[2]
    assert "could not be read" in told[3]


def test_a_provider_that_is_gone_is_no_refused_draft():
    gone = ProviderFault("try later", kind="overloaded", heals=True)
    with pytest.raises(ProviderFault):
        write(WritingTask("counter", Slot("", ("Press it.",))), writer_of(gone), writer_of("x"))


def test_an_oddity_changes_about_as_many_words_as_the_inversion_and_spares_the_advice():
    before = "Press the stud when the lid is shut, because the lid of brass opens after the click of it."
    slot = Slot("", (before,))
    assert plan_writing("oddity+corrupt_invert", slot, NOTHING_KNOWN, {}).odd_words > 0
    written = {
        ("corrupt_invert", items_digest(slot)): (before.replace("Press the stud", "Never touch a knob"),)
    }
    assert plan_writing("oddity+corrupt_invert", slot, NOTHING_KNOWN, written).odd_words == 4
    piece = {"field": "text", "polarity": "do", "action": "press the stud", "quote": "Press the stud"}
    same = answer(
        {
            "first": json.dumps([piece]),
            "second": json.dumps([piece]),
            "pairs": json.dumps([{"first": 1, "second": 1, "relation": "same"}]),
            "first_contradicts": "no",
            "second_contradicts": "no",
        }
    )
    odd = before.replace("lid of brass opens after the click", "song of bread opens over the river")
    asked = WritingTask("oddity+corrupt_invert", slot, odd_words=4, negations=(0,))
    much = before.replace(
        "because the lid of brass opens after the click of it", "because a b c d e f g h i j k"
    )
    writer = writer_of([before.replace("opens", "sings")], [much], [odd])
    done = write(asked, writer, Scripted(lambda _: same))
    assert done.items == (odd,), done.why
    assert done.tries == 3
    assert "1 words changed, where 2 to 6" in asked_of(writer)[1]


def test_an_oddity_negates_as_often_as_the_inversion_text_by_text():
    first = "Press the stud when the lid is shut. The lid of brass opens after the click of it."
    second = "Do not pull the chain when the lamp glows. The lamp of glass glows after the noise of it."
    slot = Slot("", (first, second))
    turned = (first.replace("Press", "Never press"), second.replace("Do not pull", "Pull"))
    task = plan_writing(
        "oddity+corrupt_invert", slot, NOTHING_KNOWN, {("corrupt_invert", items_digest(slot)): turned}
    )
    assert task.negations == (1, 0)
    pieces = [
        {"field": "text", "polarity": "do", "action": "press the stud", "quote": "Press the stud"},
        {"field": "text", "polarity": "avoid", "action": "pull the chain", "quote": "Do not pull the chain"},
    ]

    def judge(asked):
        piece = json.dumps([next(one for one in pieces if one["quote"] in asked.fields["first_text"])])
        pairs = json.dumps([{"first": 1, "second": 1, "relation": "same"}])
        none = {"first_contradicts": "no", "second_contradicts": "no"}
        return answer({"first": piece, "second": piece, "pairs": pairs, **none})

    # as many negations as both inversions, but in the other text
    elsewhere = [first.replace("of brass", "of bread"), second.replace("glows after", "never glows before")]
    whole = [first.replace("opens after", "never opens before"), second.replace("of glass", "of bread")]
    writer = writer_of(elsewhere, whole)
    done = write(task, writer, Scripted(judge))
    assert done.items == tuple(whole), done.why
    asked = asked_of(writer)
    assert "[1, 0]" in asked[0]
    assert "text 1: it holds 0 words that negate a verb, where 1 or more are wanted" in asked[1]
