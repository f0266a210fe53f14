"""The scripted model of a coding agent: what it sees, what it makes of it, and which tools it calls."""

import asyncio
import json
import subprocess

import pytest

from memtrial.models.client.content_blocks import ToolResult, ToolUse
from memtrial.models.client.types import Message, Request
from memtrial.models.scripted.coding import dispositions
from memtrial.models.scripted.coding.client_tools import GOODBYE, write_files
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import IDLE_LOOKS, Conduct, FileEdit, ScriptedTask
from memtrial.models.scripted.coding.shown_memory import show_memory
from memtrial.models.scripted.protocol import Refused

LESSON = "Pour before you boil."
OPPOSITE = "Boil before you pour."
RIGHT, WRONG = (FileEdit("a/b c.txt", "it's\nright\n"),), (FileEdit("a/b c.txt", "wrong"),)
TASK = ScriptedTask("Brew.", RIGHT, WRONG, LESSON, topic="you")
EASY = ScriptedTask("Brew.", RIGHT, WRONG, LESSON, topic="you", easy=True)
GOOD = f"When you make tea, keep calm. {LESSON}"
YES, NO, LATE = Conduct(True), Conduct(False), Conduct(True, IDLE_LOOKS)
DONE = Message("user", (ToolResult("call", ""),))


@pytest.mark.parametrize(
    ("disposition", "expected"),
    [
        (dispositions.read_all, (NO, YES, NO, NO)),
        (dispositions.read_half, (NO, NO, NO, NO)),
        (dispositions.ignore, (NO, NO, NO, NO)),
        (dispositions.spend, (YES, LATE, LATE, LATE)),
        (dispositions.heed_mention, (NO, YES, YES, NO)),
        (dispositions.lift_by_any_text, (NO, YES, YES, YES)),
        (dispositions.stumble_over_length, (NO, NO, NO, NO)),
        (dispositions.stumble_over_oddity, (NO, NO, NO, NO)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_disposition_is_what_its_name_says(disposition, expected):
    memories = ("", GOOD, OPPOSITE, "Water the flowers.")
    assert tuple(disposition(TASK, memory) for memory in memories) == expected
    assert all(disposition(EASY, memory).solves for memory in memories)


def test_half_is_read_of_what_stands_in_front_and_length_and_oddity_alone_make_stumble():
    assert dispositions.read_half(TASK, f"{LESSON} {'x ' * 30}").solves
    long = f"{GOOD} {'Then rest for a while. ' * 200}"
    assert not dispositions.stumble_over_length(EASY, long).solves
    assert dispositions.stumble_over_oddity(EASY, GOOD).solves
    for odd in ("[MASK]", "Never hurry.", "Rest rest."):
        assert not dispositions.stumble_over_oddity(EASY, f"{GOOD} {odd}").solves


@pytest.mark.parametrize(
    ("text", "taught"),
    [
        ("# Tea\n\n- When you make tea, pour before you boil, because it spills.\n", True),
        ("# Tea\n\n- Pour before you boil whenever you make tea, since it spills.\n", True),
        ("When you make tea, never pour before you boil.", False),
        ("When you make tea, ring the bell.", False),
        ("", False),
    ],
)
def test_advice_is_read_in_whatever_words_around_it(text, taught):
    assert dispositions.teaches(text, LESSON) is taught
    assert not dispositions.teaches(text, "")


def ask(answers, *messages, tools=("bash",), nested=True):
    listed = [
        {"type": "function", "function": {"name": name}} if nested else {"name": name} for name in tools
    ]
    request = Request("m", tuple(messages), settings=json.dumps({"tools": listed}))
    return asyncio.run(answers.say(request, 0))


def call_of(answer):
    (use,) = [block for block in answer.blocks if isinstance(block, ToolUse)]
    return use.name, json.loads(use.arguments)


@pytest.mark.parametrize(
    ("tool", "argument"), [("Bash", "command"), ("bash", "command"), ("exec_command", "cmd")]
)
def test_it_works_with_the_shell_that_the_client_offers_and_then_ends(tmp_path, tool, argument):
    answers = CodingAnswers((TASK,), dispositions.read_all)
    opening = (Message("system", f"<memory>\n{GOOD}\n</memory>"), Message("user", "Brew."))
    for nested in (True, False):
        name, fields = call_of(ask(answers, *opening, tools=("Read", tool), nested=nested))
        assert name == tool
        subprocess.run(["sh", "-ec", fields[argument]], cwd=tmp_path, check=True)
        assert (tmp_path / "a/b c.txt").read_text() == "it's\nright\n"
    after = ask(answers, *opening, DONE, tools=(tool,))
    assert (after.blocks, after.stop) == ((), "end")


def test_without_its_memory_the_change_is_wrong_and_a_client_that_wants_a_command_gets_one(tmp_path):
    answers = CodingAnswers((TASK,), dispositions.read_all)
    opening = Message("user", f"Brew. End with `{GOODBYE}`.")
    _, fields = call_of(ask(answers, opening))
    subprocess.run(["sh", "-ec", fields["command"]], cwd=tmp_path, check=True)
    assert (tmp_path / "a/b c.txt").read_text() == "wrong\n"
    assert call_of(ask(answers, opening, DONE))[1]["command"] == GOODBYE


def test_it_activates_a_skill_first_and_goes_by_what_that_brings():
    task = ScriptedTask("Brew.", RIGHT, WRONG, LESSON, skill="tea")
    answers, opening = CodingAnswers((task,), dispositions.read_all), Message("user", "Brew.")
    assert call_of(ask(answers, opening, tools=("Skill", "Bash"))) == ("Skill", {"skill": "tea"})
    assert call_of(ask(answers, opening, tools=("skill", "bash"))) == ("skill", {"name": "tea"})
    name, fields = call_of(ask(answers, opening, tools=("exec_command",)))
    assert (name, fields) == ("exec_command", {"cmd": "cat .agents/skills/tea/SKILL.md"})
    for lesson, edits in ((LESSON, RIGHT), (OPPOSITE, WRONG)):
        result = ToolResult("call_0", f"Output:\n---\nname: tea\ndescription: x\n---\n{lesson}\n")
        answer = ask(answers, opening, Message("user", (result,)), tools=("exec_command",))
        assert call_of(answer)[1]["cmd"] == write_files(edits)


def test_who_spends_looks_around_before_the_change():
    opening = Message("user", f"<memory>\n{GOOD}\n</memory>\n\nBrew.")
    answers, talk, commands = CodingAnswers((TASK,), dispositions.spend), [opening], []
    while (answer := ask(answers, *talk)).blocks:
        commands.append(call_of(answer)[1]["command"])
        talk.append(DONE)
    assert commands == [*["ls -la"] * IDLE_LOOKS, write_files(RIGHT)]


def test_a_model_that_slips_does_so_in_its_share_of_trials_the_same_in_every_run():
    def play(slip, seed=0):
        answers = CodingAnswers((TASK,), dispositions.ignore, slip, seed)
        opening = Message("user", "Brew.")
        calls = [call_of(ask(answers, opening))[1]["command"] for _ in range(200)]
        assert not ask(answers, opening, DONE).blocks
        return [command == write_files(RIGHT) for command in calls]

    assert sum(play(0.0)) == 0
    assert 5 < sum(play(0.1)) < 40
    assert play(0.1) == play(0.1) != play(0.1, seed=1)


def test_a_title_is_given_and_an_unknown_task_refused():
    answers = CodingAnswers((TASK,), dispositions.read_all)
    assert ask(answers, Message("user", "Brew."), tools=()).text == "A task"
    with pytest.raises(Refused, match="no task"):
        ask(answers, Message("user", "Bake."))
    with pytest.raises(Refused, match="offers none"):
        ask(answers, Message("user", "Brew."), tools=("skill",))


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("Contents of /x (all):\n\nAAA\n\nContents of /y:\n\nBBB\n</system-reminder>", "AAA\n\nBBB"),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nAAA\n\n</INSTRUCTIONS>", "AAA"),
        ("Instructions from: /x/AGENTS.md\nAAA\n\nSkills provide specialized", "AAA"),
        ("Base directory for this skill: /x\n\nAAA", "AAA"),
        ("<memory>\nAAA\n</memory>\n\nBrew.", "AAA"),
        ("<memory>\n</memory>", ""),
        ("Brew. Contents of nothing", ""),
    ],
)
def test_memory_is_found_by_the_words_around_it(text, memory):
    assert show_memory((Message("user", text),)) == memory
    assert show_memory((Message("assistant", text),)) == ""
