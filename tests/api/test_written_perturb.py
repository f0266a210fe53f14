"""`perturb` with a model that writes: simulated ones, in Python."""

import pytest

import memtrial
from memtrial.faults import SpecFault
from memtrial.models.scripted.coding.dispositions import teaches
from tests.support.known_models import LESSONS, MEMORY

WRITER, JUDGE = "simulated/perturber?hit=1", "simulated/decider?hit=1&noise=0"
ITEM = """# Memory Item 1
## Claim In "the lid is shut", do `press the red stud`, because then the latch comes free.
## Trigger state: "the lid is shut"
## Mechanism Only `press the red stud` made the difference inside of the brass box, and nothing else was seen.
## Scope Boxes with a stud. Does NOT apply when there is a keyhole.
## Form heuristic | check: the lid is shut"""
PROSE = "When the lid is shut, press the stud. When the lamp glows, pull the chain."
ACTIONS = ("press the stud", "pull the chain", "turn the knob", "open the hatch")


def one(items, kind, **named):
    (slot,) = memtrial.perturb(items, kind, **named).slots
    return slot


@pytest.mark.parametrize("kind", ["corrupt_invert", "counter", "paraphrase", "instructed+counter"])
def test_what_a_model_wrote_is_shown_checked_and_named(kind):
    slot = one(PROSE, kind, model=WRITER, judge=JUDGE, actions=ACTIONS)
    assert slot.applicable, slot.reason
    assert slot.passed, slot.reason
    assert (slot.written_by, slot.vouched_by, slot.tries) == (WRITER, JUDGE, 1)
    assert slot.after != slot.before
    again = one(PROSE, kind, model=WRITER, judge=JUDGE, actions=ACTIONS)
    assert again == slot
    assert one(PROSE, kind, actions=ACTIONS).written_by == "rules"


@pytest.mark.parametrize("kind", ["corrupt_invert", "counter", "paraphrase"])
def test_notes_with_headings_and_bullets_are_damaged_in_all_their_advice(kind):
    slot = one(MEMORY, kind, model=WRITER, judge=JUDGE)
    assert slot.written_by == WRITER, slot.reason
    kept = [teaches(slot.after, lesson) for lesson, _ in LESSONS]
    assert kept == [kind == "paraphrase"] * len(LESSONS)
    assert [line for line in slot.after.split("\n") if line.startswith("#")] == [
        line for line in MEMORY.split("\n") if line.startswith("#")
    ]


def test_an_oddity_is_as_odd_as_the_inversion_written_before_it():
    inverted = one(ITEM, "corrupt_invert", model=WRITER, judge=JUDGE)
    assert inverted.written_by == WRITER
    odd = one(ITEM, "oddity+corrupt_invert", model=WRITER, judge=JUDGE)
    assert odd.passed, odd.reason
    assert odd.written_by == WRITER
    assert "do `press the red stud`" in odd.after


def test_a_writer_that_cheats_is_not_shown():
    cheat = "simulated/perturber?hit=1&cheat=1"
    inverted = one(PROSE, "corrupt_invert", model=cheat, judge=JUDGE)
    assert (inverted.written_by, inverted.tries, inverted.applicable) == ("rules", 4, True)
    assert inverted.by_rules_because
    assert inverted.after == one(PROSE, "corrupt_invert").after
    countered = one(PROSE, "counter", model=cheat, judge=JUDGE, actions=ACTIONS)
    assert (countered.applicable, countered.after) == (False, countered.before)
    assert f"no draft of {cheat} was accepted in 4" in countered.reason
    assert (countered.written_by, countered.tries) == ("", 4)


def test_of_a_sloppy_writer_no_trace_is_shown():
    writers = [f"simulated/perturber?hit=1&sloppy={share}" for share in ("1", "0.9", "0.8", "0.7")]
    slots = [one(PROSE, "corrupt_invert", model=writer, judge=JUDGE) for writer in writers]
    clean = one(PROSE, "corrupt_invert", model=WRITER, judge=JUDGE).after
    assert {slot.after for slot in slots if slot.written_by != "rules"} <= {clean}
    assert any(slot.written_by != "rules" for slot in slots)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"judge": JUDGE}, "name the model"),
        ({"model": "simulated/reader"}, "writes damage"),
        ({"model": WRITER, "judge": "simulated/reader"}, "says what slots advise"),
        ({"model": "nobody/there"}, "nobody"),
        ({"model": 3}, "model"),
    ],
)
def test_who_cannot_is_refused_before_anything_is_asked(named, why):
    with pytest.raises(SpecFault, match=why):
        memtrial.perturb(PROSE, "counter", **named)


def test_kinds_that_no_model_writes_are_refused():
    with pytest.raises(SpecFault, match=r"a model writes corrupt_invert, .*; got filler"):
        memtrial.perturb(PROSE, "filler", model=WRITER)
