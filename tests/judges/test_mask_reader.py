"""A masked text is read alone, and its what is left of it is held against the intact text."""

import asyncio
import json

from memtrial.judges.advice_comparison import ASKED, AdviceComparison
from memtrial.judges.mask_reader import NOTHING_READABLE, MaskReader
from memtrial.models.simulated.prompt import answer, given, wanted_fields
from memtrial.perturbations.written.advice_verdict import explain_refusal
from tests.support.scripted_judge import Scripted, caller

INTACT = "When it is shut, press the stud."
MASKED = "When it is shut, [XXXX] the [X]."
LEFT = {"field": "text", "polarity": "do", "action": "press the stud", "quote": "[XXXX] the [X]"}
ADVICE = LEFT | {"quote": "press the stud"}


def read(left: list[dict], relation: str = "same") -> tuple[AdviceComparison, Scripted]:
    def rule(asked):
        if wanted_fields(asked.messages) == ("pieces",):
            assert given(asked.messages)["text"] == MASKED
            return answer({"pieces": json.dumps(left)})
        fields = given(asked.messages)
        listed = [{**LEFT, "quote": f"Do: {LEFT['action']}"}]
        ours = fields["first_text"] == INTACT
        # the masked text itself is never shown beside the intact one
        assert {fields["first_text"], fields["second_text"]} == {INTACT, "Do: press the stud"}
        absent = [
            {"first": 1, "second": 0, "relation": relation},
            {"first": 0, "second": 1, "relation": relation},
        ]
        pairs = absent if relation == "not there" else [{"first": 1, "second": 1, "relation": relation}]
        return answer(
            {
                "first": json.dumps([ADVICE] if ours else listed),
                "second": json.dumps(listed if ours else [ADVICE]),
                "pairs": json.dumps(pairs),
                "first_contradicts": "no",
                "second_contradicts": "no",
            }
        )

    backend = Scripted(rule)
    return asyncio.run(MaskReader(caller(backend))(INTACT, MASKED)), backend


def test_what_can_still_be_told_refuses_the_mask_and_other_advice_does_not():
    for relation, hidden in (("same", False), ("another action", True), ("not there", True)):
        reading, _ = read([LEFT], relation)
        assert reading.fault == ""
        assert reading.readable == "Do: press the stud"
        why = explain_refusal("hidden", reading, MASKED)
        assert (why == "") == hidden
        assert hidden or "can still be told" in why


def test_where_nothing_is_readable_there_is_nothing_to_compare():
    reading, backend = read([])
    assert reading.readable == NOTHING_READABLE
    assert len(backend.seen) == 1
    assert explain_refusal("hidden", reading, MASKED) == ""


def test_an_answer_that_quotes_what_is_not_there_is_asked_once_more_and_refuses():
    for wrong in (LEFT | {"quote": "press the stud"}, LEFT | {"action": " "}):
        reading, backend = read([wrong])
        assert len(backend.seen) == ASKED
        assert reading.fault
        assert explain_refusal("hidden", reading, MASKED) == reading.fault


def test_a_reading_of_no_masked_text_vouches_for_no_mask():
    assert "not asked" in explain_refusal("hidden", AdviceComparison(), MASKED)


def test_the_judge_is_not_told_what_was_done():
    _, backend = read([])
    asked = "\n".join(message.text for message in backend.seen[0].messages).lower()
    for word in ("damage", "perturb", "intact", "original", "experiment", "rewritten"):
        assert word not in asked
