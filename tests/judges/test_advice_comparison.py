"""A comparison counts only if it is complete, quotes what is there and does not contradict itself."""

import asyncio
import json

import pytest

from memtrial.judges.advice_comparison import ASKED, AdviceComparison, ModelComparer, find_fault, is_swapped
from memtrial.models.simulated.prompt import answer, given
from tests.support.scripted_judge import Scripted, caller

OPEN = {"field": "text", "polarity": "do", "action": "open the box", "quote": "open the box"}
SHUT = {"field": "text", "polarity": "avoid", "action": "open the box", "quote": "never open the box"}
TEXT, TURNED = "When shut, open the box.", "When shut, never open the box."


def replied(first, second, *pairs, contradicts=("no", "no")) -> str:
    listed = [{"first": one, "second": two, "relation": how} for one, two, how in pairs]
    fields = {"first": first, "second": second, "pairs": listed}
    named = dict(zip(("first_contradicts", "second_contradicts"), contradicts, strict=True))
    return answer({name: json.dumps(value) for name, value in fields.items()} | named)


def compare(rule, first=TEXT, second=TURNED) -> tuple[AdviceComparison, Scripted]:
    backend = Scripted(rule)
    return asyncio.run(ModelComparer(caller(backend))(first, second)), backend


def truthful(asked) -> str:
    """Reads whichever text is first as what it is."""
    pieces = [OPEN, SHUT] if asked.fields["first_text"] == TEXT else [SHUT, OPEN]
    return replied([pieces[0]], [pieces[1]], (1, 1, "opposite"), contradicts=("no", "yes"))


def test_the_order_is_drawn_from_the_texts_and_turned_back():
    shown = {}
    for number in range(12):
        first, second = f"{TEXT} {number}", f"{TURNED} {number}"

        def rule(asked, number=number, first=first):
            shown[number] = given(asked.messages)["first_text"] == first
            pieces = (OPEN, SHUT) if shown[number] else (SHUT, OPEN)
            flags = ("yes", "no") if shown[number] else ("no", "yes")
            return replied([pieces[0]], [pieces[1]], (1, 1, "opposite"), contradicts=flags)

        found, _ = compare(rule, first, second)
        assert shown[number] != is_swapped(first, second)
        assert (found.first[0].polarity, found.second[0].polarity) == ("do", "avoid")
        assert found.first_contradicts
        assert not found.second_contradicts
    assert set(shown.values()) == {True, False}


BEFORE, AFTER = [OPEN], [SHUT]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (([], [SHUT], (0, 1, "not there")), ""),
        ((BEFORE, AFTER, (1, 1, "opposite")), ""),
        ((BEFORE, AFTER, (1, 0, "not there"), (0, 1, "not there")), ""),
        ((BEFORE, AFTER), "passed over piece 1"),
        ((BEFORE, AFTER, (1, 0, "not there")), "passed over piece 1 of the second"),
        ((BEFORE, AFTER, (1, 2, "opposite"), (1, 1, "opposite")), "piece 2 of the second text, which has 1"),
        ((BEFORE, AFTER, (1, 1, "not there")), "called that 'not there'"),
        ((BEFORE, AFTER, (1, 0, "opposite"), (0, 1, "not there")), "called that 'opposite'"),
        ((BEFORE, AFTER, (1, 1, "opposite"), (1, 0, "not there")), "a counterpart of piece 1"),
        ((BEFORE, AFTER, (1, 1, "same")), "as do and avoid: same"),
        ((BEFORE, [OPEN], (1, 1, "opposite")), "as do and do: opposite"),
        (([{**OPEN, "quote": "open the chest"}], AFTER, (1, 1, "opposite")), "does not stand in the first"),
        (([{**OPEN, "quote": " "}], AFTER, (1, 1, "opposite")), "does not stand in the first"),
        (([{**OPEN, "action": ""}], AFTER, (1, 1, "opposite")), "named no action"),
        ((BEFORE, AFTER, (1, 1, "opposite"), (0, 0, "not there")), "nothing with nothing"),
    ],
)
def test_an_incomplete_or_inconsistent_answer_is_found_out(reply, fault):
    first, second, *pairs = reply
    found = AdviceComparison.model_validate(
        {
            "first": first,
            "second": second,
            "pairs": [{"first": one, "second": two, "relation": how} for one, two, how in pairs],
        }
    )
    why = find_fault(found, TEXT, TURNED)
    assert (fault in why) if fault else why == ""


def test_it_is_asked_once_more_and_then_no_more():
    found, backend = compare(lambda asked: "I would rather not say.")
    assert len(backend.seen) == ASKED == 2
    assert "could not be read" in found.fault
    assert (found.first, found.second, found.pairs) == ((), (), ())
    replies = [replied(BEFORE, AFTER), truthful]

    def second_time(asked):
        reply = replies.pop(0)
        return reply if isinstance(reply, str) else reply(asked)

    found, backend = compare(second_time)
    assert len(backend.seen) == ASKED
    assert found.fault == ""
    assert found.pairs[0].relation == "opposite"


def test_neither_text_nor_claim_is_given_away():
    _, backend = compare(truthful)
    asked = "\n".join(message.text for message in backend.seen[0].messages).lower()
    for word in ("invert", "damage", "perturb", "counter_", "intact", "original", "experiment", "rewritten"):
        assert word not in asked
