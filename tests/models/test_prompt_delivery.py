import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.prompt_delivery import contained_in, echo_agrees, is_verbatim
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.anthropic import message_params

SLOT = "\n## Lessons\n1. Heat the pan “first”; never pour oil on fire.\n"
HEAD = "You are an agent in a kitchen. Answer with one action a turn.\n"
SYSTEM = Message("system", HEAD + SLOT + "\nThe task follows in the next message of the user.")
USER = Message("user", "Task: fry an egg.\nYou are in the kitchen. You see a pan and an egg.")
TALK = (SYSTEM, USER)
BARE = SYSTEM.content.replace(SLOT, "")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
talks = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), max_size=5)


@given(talks)
def test_what_is_sent_holds_every_text(messages: list[Message]) -> None:
    body = json.loads(json.dumps(message_params(Request("a/b", tuple(messages)), "b")))
    assert contained_in(messages, body)


@given(talks, st.data())
def test_a_text_that_lost_its_middle_is_missed(messages: list[Message], data: st.DataObject) -> None:
    body = message_params(Request("a/b", (*messages, *TALK)), "b")
    cut = json.loads(
        json.dumps(body, ensure_ascii=False).replace(json.dumps(SLOT, ensure_ascii=False)[1:-1], "")
    )
    assert contained_in((*messages, *TALK), body)
    assert not contained_in((*messages, *TALK), cut)


def test_the_same_text_twice_stands_there_twice() -> None:
    twice = (USER, Message("assistant", "ok"), USER)
    body = {"messages": [{"content": USER.content}, {"content": "ok"}, {"content": USER.content}]}
    assert contained_in(twice, body)
    del body["messages"][0]
    assert not contained_in(twice, body)


def test_neighbours_may_be_joined() -> None:
    two = (Message("system", "One part."), Message("system", "Another."), USER)
    assert contained_in(two, {"system": "One part.\n\nAnother.", "messages": [USER.content]})


ECHOED = {"system": SYSTEM.content, "messages": [{"role": "user", "content": USER.content}]}
LOST = {"system": BARE, "messages": [{"role": "user", "content": USER.content}]}


@pytest.mark.parametrize("name", ["request", "echo"])
def test_what_the_provider_says_it_received_is_held_against_the_request(name: str) -> None:
    assert echo_agrees(TALK, {name: ECHOED, "content": []})
    assert not echo_agrees(TALK, {name: LOST})
    assert not echo_agrees(TALK, {name: json.dumps(LOST)})
    assert echo_agrees(TALK, {name: json.dumps(ECHOED)})
    assert not echo_agrees(TALK, {name: {}})


@pytest.mark.parametrize(
    "body", [None, [], "x", {}, {"request_id": "r"}, {"request": "req_123"}, {"echo": 3}]
)
def test_who_says_nothing_says_nothing_wrong(body: object) -> None:
    assert echo_agrees(TALK, body)


@pytest.mark.parametrize(
    "form",
    [
        lambda system: f"{system}\n\n{USER.content}",
        lambda system: f"You said: <system>{system}</system><user>{USER.content}</user> Well.",
        lambda system: json.dumps({"system": system, "messages": [USER.content]}),
        lambda system: (
            "```json\n" + json.dumps([system, USER.content], ensure_ascii=False, indent=1) + "\n```"
        ),
    ],
)
def test_an_echo_as_text_repeats_all_of_the_prompt(form) -> None:
    assert echo_agrees(TALK, {"received": form(SYSTEM.content)})
    assert not echo_agrees(TALK, {"received": form(BARE)})


def test_a_slot_lost_from_the_users_turn_is_seen() -> None:
    told = (Message("system", HEAD), Message("user", USER.content + SLOT))
    assert not echo_agrees(told, {"received": HEAD + USER.content})
    assert echo_agrees(told, {"received": HEAD + USER.content + SLOT})


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Action: take egg",
        USER.content,
        f"I was told: {HEAD[:30]}",
        f"{HEAD[:45]} and so on, then {USER.content[:45]} and so on.",
        f"The task was: {USER.content} So I take the egg.",
    ],
)
def test_an_ordinary_text_proves_nothing_and_fails_nothing(reply: str) -> None:
    assert echo_agrees(TALK, {"note": reply})


def test_short_prompts_tell_nothing() -> None:
    short = (Message("system", "You are tidy."), Message("user", "Go."))
    assert echo_agrees(short, {"note": "You are tidy. Go. " * 10})


@pytest.mark.parametrize(
    ("sent", "body", "good"),
    [(ECHOED, {"echo": ECHOED}, True), (LOST, {"echo": ECHOED}, False), (ECHOED, {"echo": LOST}, False)],
)
def test_the_proof_needs_both(sent: object, body: object, good: bool) -> None:
    assert is_verbatim(TALK, sent, body) is good


@pytest.mark.parametrize("name", ["received", "received_request", "input", "body", "prompt", "raw"])
@pytest.mark.parametrize("form", [lambda told: told, json.dumps], ids=["parsed", "text"])
def test_an_echo_under_another_name_is_known_by_what_it_repeats(name, form) -> None:
    assert echo_agrees(TALK, {name: form(ECHOED), "content": []})
    assert not echo_agrees(TALK, {name: form(LOST)})
    # the last turn alone is no echo of the request
    assert echo_agrees(TALK, {name: USER.content})
