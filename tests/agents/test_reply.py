"""Reading an agent's reply: a thought, then an action, or no action at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.react import parse


@pytest.mark.parametrize(
    ("reply", "thought", "action"),
    [
        ("Thought: a\nAction: b", "a", "b"),
        ("thought : a\n\nACTION: b\n", "a", "b"),
        ("**Thought:** a\n**Action:** b", "a", "b"),
        ("**Thought**: a\n**Action**: b", "a", "b"),
        ("Sure!\nThought: a\nmore of it\n\nAction: b c ", "a\nmore of it", "b c"),
        ("Thought: a\nAction: `b c`", "a", "b c"),
        ('Thought: a\nAction: "b c"', "a", "b c"),
        ('Thought: a\nAction: say "yes"', "a", 'say "yes"'),
        ("Thought: a\nAction: 'x' is not 'y'", "a", "'x' is not 'y'"),
        ("Thought: a\nAction: search[Foo's]", "a", "search[Foo's]"),
        ("Thought: a\nAction: b\nObservation: c\nThought: d\nAction: e", "a", "b"),
    ],
)
def test_a_reply_is_read_as_it_was_meant(reply, thought, action):
    assert parse(reply) == (thought, action)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "go on",
        "Action: go on",
        "Action: go on\nThought: why not",
        "Action: go on\nThought: why not\nAction: go on",
        "Thought: I think",
        "Thought: I think\nAction:",
        "Thought: I think\nAction:   \n",
        "Thought:\nAction: go on",
        "Thought: I think. Action: go on",
        "Thoughts: I think\nActions: go on",
    ],
)
def test_without_a_thought_before_an_action_there_is_no_action(reply):
    assert parse(reply)[1] is None


@given(st.text())
def test_any_reply_can_be_read(reply):
    thought, action = parse(reply)
    assert action is None or (action and thought)
