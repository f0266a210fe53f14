"""Structured calls: DSPy's layout, our model client. An unreadable reply is a fault, asked for once."""

import asyncio
from functools import cache
from textwrap import dedent
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.models.client.client import Caller
from memtrial.models.client.structured import (
    LONGEST,
    MOST_BRACKETS,
    ReplyFault,
    Structured,
    TextLayout,
)
from memtrial.models.client.types import ModelFault
from memtrial.models.simulated import prompt as layout
from memtrial.prompts.templates import Prompt
from tests.support.scripted import Scripted, caller_of, client_to, request_of, saying

GOOD = layout.answer({"answer": "pass", "quote": "so {it} is"})


@cache
def signature(instructions: str = "Judge."):
    import dspy

    return dspy.Signature(
        {
            "item": (str, dspy.InputField(desc="what is asked about")),
            "answer": (Literal["pass", "fail"], dspy.OutputField(desc="the outcome")),
            "quote": (str, dspy.OutputField(desc="the evidence")),
        }
    ).with_instructions(instructions)


def ask(backend: Scripted, instructions: str = "Judge.", item: str = "an item"):
    return asyncio.run(Structured(caller_of(backend)).ask(signature(instructions), {"item": item}))


def test_a_call_passes_the_model_client_with_the_callers_settings_and_is_metered_and_cached():
    backend = saying(GOOD)
    caller = Caller(client_to(backend), "scripted/judge?hit=1", 0.3, 6, 77)
    structured = Structured(caller)
    for _ in range(2):
        said = asyncio.run(structured.ask(signature(), {"item": "an item"}))
        assert (said.answer, said.quote) == ("pass", "so {it} is")
    ((request, repeat),) = backend.asked
    assert (request.model, request.temperature, request.max_tokens) == ("scripted/judge?hit=1", 0.3, 77)
    assert repeat == 6
    assert (caller.meter.calls, caller.meter.cached) == (2, 1)
    assert [message.role for message in request.messages] == ["system", "user"]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "I would rather not.",
        "[[ ## answer ## ]]\npass",
        layout.answer({"answer": "perhaps", "quote": "x"}),
        '{"answer": "pass", "quote": "x"}',
    ],
)
def test_an_unreadable_reply_is_a_fault_after_one_call(reply):
    backend = saying(reply, GOOD)
    with pytest.raises(ReplyFault) as fault:
        ask(backend)
    assert len(backend.asked) == 1
    assert "\n" not in str(fault.value)
    assert len(str(fault.value)) <= 200


@pytest.mark.parametrize("more", ["x" * LONGEST, "[" * (MOST_BRACKETS + 1), '{"a": ' * (MOST_BRACKETS + 1)])
def test_a_reply_that_would_be_repaired_for_minutes_is_not_read(more):
    backend = saying(layout.answer({"answer": "pass", "quote": more}))
    with pytest.raises(
        ReplyFault, match=f"at most {LONGEST:,} characters and {MOST_BRACKETS} opening brackets"
    ):
        ask(backend)


def test_a_fault_of_the_model_client_is_raised_as_it_is_and_nothing_is_asked_again():
    fault = ModelFault("no such address")
    backend = saying(fault, GOOD)
    with pytest.raises(ModelFault) as raised:
        ask(backend)
    assert raised.value is fault
    assert not isinstance(raised.value, ReplyFault)
    assert len(backend.asked) == 1


def test_a_mistake_in_the_code_is_no_model_fault():
    with pytest.raises(Exception, match="a bug") as raised:
        ask(saying(ZeroDivisionError("a bug")))
    assert not isinstance(raised.value, ModelFault)


def instructions_in(request) -> str:
    """What stands below DSPy's own words, without the margin it puts before each line."""
    return dedent(request.messages[0].text.split("your objective is:", 1)[1].lstrip(" ").lstrip("\n"))


HOSTILE = "Do {this}, {{that}} and {x!r:>{y}}.\n- first: %s %(a)d\n  indented `{0}` \\n $1\n\nEnd, «ünïcode»."


@pytest.mark.parametrize(
    "instructions",
    [
        HOSTILE,
        *(
            Prompt(name).render()
            for name in ("judge", "theory_revise", "gate_claim_strength", "gate_trigger_presence")
        ),
    ],
)
def test_instructions_arrive_word_for_word(instructions):
    backend = saying(GOOD)
    ask(backend, instructions)
    assert instructions_in(backend.asked[0][0]) == instructions


@settings(max_examples=25, deadline=None)
@given(item=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60))
def test_inputs_arrive_word_for_word(item):
    backend = saying(GOOD)
    ask(backend, HOSTILE, item)
    assert layout.given(backend.asked[0][0].messages)["item"] == item.strip()
    assert item in backend.asked[0][0].messages[1].text


def test_other_instructions_are_another_request():
    backend = Scripted(lambda request, repeat: GOOD)
    structured = Structured(caller_of(backend))
    for instructions in ("Judge.", "Judge with care.", "Judge."):
        asyncio.run(structured.ask(signature(instructions), {"item": "x"}))
    assert [instructions_in(request) for request, _ in backend.asked] == ["Judge.", "Judge with care."]


def test_calls_of_two_callers_at_once_do_not_cross():
    backends = [Scripted(lambda request, repeat, word=word: layout.answer({"answer": word, "quote": "q"}))
                for word in ("pass", "fail")]  # fmt: skip

    async def both():
        asked = (
            Structured(caller_of(backend)).ask(signature(), {"item": str(n)})
            for n in range(4)
            for backend in backends
        )
        return await asyncio.gather(*asked)

    assert [said.answer for said in asyncio.run(both())] == ["pass", "fail"] * 4


def test_no_call_leaves_a_language_model_behind():
    import dspy

    ask(saying(GOOD))
    assert dspy.settings.lm is None


def test_the_simulated_models_find_what_a_call_gives_and_wants():
    backend = saying(GOOD)
    ask(backend, item="first line\n\nlast line")
    messages = backend.asked[0][0].messages
    assert layout.wanted_fields(messages) == ("answer", "quote")
    assert layout.given(messages) == {"item": "first line\n\nlast line"}
    assert layout.wanted_fields(request_of("You are an agent.", "Go.").messages) == ()


@given(
    st.dictionaries(
        st.sampled_from(["item", "outcome", "other"]), st.text() | st.lists(st.text(max_size=9), max_size=3)
    ),
    st.text(max_size=9),
    st.text(max_size=9),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_texts_are_laid_out_as_dspys_own_adapter_does(inputs, prefix, suffix, main_request):
    import dspy

    asked = two_fields()
    plain = dspy.ChatAdapter()
    texts = TextLayout(plain.user_message_output_requirements, plain.format_user_message_content)
    ours, theirs = (
        lay_out(asked, inputs, prefix, suffix, main_request)
        for lay_out in (texts, plain.format_user_message_content)
    )
    assert ours == theirs


@cache
def two_fields():
    import dspy

    given_fields = {name: (str, dspy.InputField()) for name in ("item", "outcome")}
    return dspy.Signature({**given_fields, "answer": (Literal["pass", "fail"], dspy.OutputField())})
