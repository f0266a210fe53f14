"""The treatment's loop when something breaks: a fault is said, and is no verdict on an item."""

from collections import Counter

import pytest

from memtrial.gates.suite import SEED_SUBSET as NAMES
from memtrial.models.client.types import ModelFault
from tests.support.scripted_judge import GOOD, Asked, Scripted, drafts, revision, verdict
from tests.support.scripted_loop import condense, numbered, rounds, script


@pytest.mark.parametrize("reply", ["gibberish", verdict("pass", "A green flag waves", "trace")])
@pytest.mark.parametrize("before", [0, 1])
def test_an_error_leaves_the_item_out_as_a_fault_and_not_as_a_verdict(reply, before):
    backend = script(lambda number, version: reply if version == before else "fail")
    made = condense(backend)
    assert (made.items, made.dropped) == ((), ())
    assert len(made.faults) == 1
    assert "item 1, claim-strength" in made.faults[0]
    assert rounds(made)[-1] == ((1, before), before, "ERROR")
    assert made.reviews[-1].finding.quote is None
    assert backend.kinds().count("revise") == before


def test_an_error_outweighs_the_other_gates():
    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return drafts(numbered(1))
        return "gibberish" if "mechanism" in asked.fields["question"] else verdict("fail", GOOD.claim)

    made = condense(Scripted(rule), NAMES)
    assert (made.items, made.dropped, len(made.faults)) == ((), (), 1)
    assert Counter(review.finding.finding for review in made.reviews) == {"FAIL": 3, "ERROR": 1}


@pytest.mark.parametrize("reply", ["", "Nothing to say today.", drafts(GOOD).replace('"claim"', '"thought"')])
def test_drafts_that_cannot_be_read_are_a_fault(reply):
    backend = Scripted(lambda asked: reply)
    made = condense(backend)
    assert (made.items, made.reviews, made.dropped) == ((), (), ())
    assert len(made.faults) == 1
    assert made.faults[0].startswith("the draft could not be read: ")
    assert made.unread == made.faults
    assert backend.kinds() == ["draft", "draft"]


def test_a_revision_that_cannot_be_read_is_a_fault_and_settles_nothing_twice():
    """With no readable revision at all there are no new drafts: the old ones must not be settled again."""
    backend = script(
        lambda number, version: "pass" if number == 1 else "fail", 3, lambda number, version: "gibberish"
    )
    made = condense(backend)
    assert made.items == (numbered(1),)
    assert made.dropped == ()
    assert [fault.split(" could")[0] for fault in sorted(made.faults)] == [
        "the revision of item 2",
        "the revision of item 3",
    ]
    assert Counter(backend.kinds()) == {"draft": 1, "judge": 3, "revise": 4}
    assert len(made.reviews) == 3


def test_one_unreadable_revision_does_not_hold_up_the_other():
    def revise(number: int, version: int) -> str:
        return "gibberish" if number == 2 else revision(numbered(number, version + 1))

    backend = script(lambda number, version: "pass" if number == 1 or version == 2 else "fail", 3, revise)
    made = condense(backend)
    assert made.items == (numbered(1), numbered(3, 2))
    assert made.dropped == ()
    assert len(made.faults) == 1
    assert made.faults[0].startswith("the revision of item 2 could not be read: ")
    assert Counter(backend.kinds()) == {"draft": 1, "judge": 5, "revise": 4}


def test_a_late_unreadable_revision_loses_only_its_item():
    """Item 2 is settled in round 1, item 3 breaks on its second revision: nobody returns."""
    backend = script(
        lambda number, version: "pass" if number == 1 or (number, version) == (2, 1) else "fail",
        3,
        lambda number, version: "gibberish" if version == 1 else revision(numbered(number, version + 1)),
    )
    made = condense(backend)
    assert made.items == (numbered(1), numbered(2, 1))
    assert len(made.faults) == 1
    assert Counter(backend.kinds()) == {"draft": 1, "judge": 5, "revise": 4}


@pytest.mark.parametrize("kind", ["draft", "judge", "revise"])
def test_no_answer_is_a_fault_of_the_model_and_rises(kind):
    backend = script(lambda number, version: "fail")
    rule = backend.rule

    def answer(asked: Asked):
        if asked.kind == kind:
            raise ModelFault("the line is dead")
        return rule(asked)

    backend.rule = answer
    with pytest.raises(ModelFault, match="the line is dead"):
        condense(backend)
