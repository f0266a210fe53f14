"""The real agents, where they are installed, against the scripted server: each condition, each carrier."""

import json
import shutil
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.installed_agents import look_up
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.memory_tree import show_intact
from memtrial.coding_agents.prompt_span import add_memory_span, take_for_file
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS, find_agent
from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.text_delivery import prove_text
from memtrial.models.scripted.coding.dispositions import ignore
from tests.support.real_agents import LESSON, MEMORY, TASK, play_agent

DAMAGED = MEMORY.replace(LESSON, "Light the fire before you pour the water.")
FALLBACKS = ("AGENTS.md", "AGENTS.override.md", "CONTEXT.md", "CLAUDE.md", "sub/AGENTS.md")
NOTES = {"MEMORY.md": "- [tea](tea.md): how it is drunk\n", "tea.md": "Drink it warm.\n"}
SKILLED = ("claude", "codex")
FRONT = "---\nname: brew\ndescription: how water and fire go together\n---\n"


@cache
def state_of(name):
    return look_up(find_agent(name)).state


def installed(name):
    """The record of an agent; the test is skipped where it is not here, as on most machines."""
    record = find_agent(name)
    if shutil.which(record.program) is None or state_of(name) != "pinned":
        pytest.skip(f"{name} {record.pinned} is not installed: {record.install}")
    return record


def prove_memory(file, text, bodies):
    return prove_text(expect_memory(file, text), [list_shown(body) for body in bodies])


def place_of(record, kind):
    return next(place for place in record.places if place.kind == kind)


def skill_of(record):
    place = place_of(record, "skill")
    return MemoryFile(place.pattern.replace("*", "brew"), place, FRONT, f"{LESSON}\nThen wait.\n")


def notes_of(record, texts):
    """Files of the agent's own folder of notes, where it has one."""
    folders = [place for place in record.places if place.kind == "memory folder"]
    return tuple(MemoryFile(path, place, "", text) for place in folders for path, text in texts.items())


INTACT, TURNED, GONE = (MEMORY, "right", "given"), (DAMAGED, "wrong", "given"), (None, "wrong", "never given")
# opencode takes six seconds for its start: that it is given its file is seen below, beside a span
STARTED = [*product(SKILLED, (INTACT, TURNED, GONE)), ("opencode", GONE)]


@pytest.mark.parametrize(
    ("name", "shown", "answer", "verdict"), [(name, *condition) for name, condition in STARTED]
)
def test_a_memory_file_is_given_damaged_or_gone_with_all_that_stands_in_for_it(
    tmp_path, name, shown, answer, verdict
):
    record = installed(name)
    place = place_of(record, "instructions")
    file = MemoryFile(place.pattern, place, "", MEMORY)
    others = {path: f"{LESSON}\n" for path in FALLBACKS if path.rpartition("/")[2] in place.stand_ins}
    assert others
    # a start takes seconds: other memory, which stays closed, lies beside a file that is damaged or gone
    skills = (skill_of(record),) if name in SKILLED and shown != MEMORY else ()
    notes = notes_of(record, NOTES) if shown == DAMAGED else ()
    texts = {} if shown is None else {file.path: shown, **show_intact([*skills, *notes])}
    task = TASK if shown else replace(TASK, skill="brew")  # a skill that was taken out is asked for in vain
    played = play_agent(record, tmp_path, (file, *skills, *notes), texts, task, others)
    assert played.code == 0
    proof = prove_memory(file, shown or file.text, played.bodies)
    assert (proof.word, proof.share) == (verdict, float(shown is not None))
    assert played.files["answer.txt"] == f"{answer}\n"
    if shown != MEMORY:
        assert not [body for body in played.bodies if LESSON.encode() in body]
    assert all(prove_memory(skill, skill.text, played.bodies).word == "never activated" for skill in skills)
    of_notes = [prove_memory(note, note.text, played.bodies).word for note in notes]
    assert of_notes == (["given", "never activated"] if notes else []), "an index is read, a topic is not"


@pytest.mark.parametrize("name", [record.name for record in SHIPPED_AGENTS])
def test_a_span_in_the_task_reaches_every_agent(tmp_path, name):
    record = installed(name)
    files = ()
    if name == "opencode":
        place = place_of(record, "instructions")
        files = (MemoryFile(place.pattern, place, "", MEMORY),)
    shown = {file.path: DAMAGED for file in files}
    say = add_memory_span("Write answer.txt as it should be.", MEMORY)
    played = play_agent(record, tmp_path, files, shown, others={"main.py": "x\n"}, say=say)
    assert prove_memory(take_for_file(MEMORY), MEMORY, played.bodies).word == "given"
    assert all(prove_memory(file, DAMAGED, played.bodies).word == "given" for file in files)
    assert played.files["answer.txt"] == "right\n"
    usage = record.read_usage(played.kept if record.name == "mini-swe-agent" else played.output)
    assert usage.input_tokens
    assert usage.output_tokens
    assert not (tmp_path / "home" / ".npm").exists(), "nothing is fetched from a registry"
    if name == "claude":
        assert not [body for body in played.bodies if b"gitStatus" in body or b"Recent commits" in body]
        assert json.loads(played.kept.splitlines()[0]), "the transcript is where the record says"


@pytest.mark.parametrize("name", SKILLED)
def test_the_body_of_a_skill_comes_when_it_is_activated_and_of_a_long_index_200_lines(tmp_path, name):
    record = installed(name)
    skill = skill_of(record)
    notes = notes_of(record, {"MEMORY.md": "".join(f"- note {number}\n" for number in range(400))})
    files = (skill, *notes)
    played = play_agent(record, tmp_path, files, show_intact(files), replace(TASK, skill="brew"))
    assert prove_memory(skill, skill.text, played.bodies).word == "given"
    assert played.files["answer.txt"] == "right\n"
    assert len(notes) == (name == "claude")
    for note in notes:
        proof = prove_memory(note, note.text, played.bodies)
        assert proof.word == "given in part"
        assert 0.4 < proof.share < 0.6


def test_codex_does_not_cut_a_long_file_as_it_is_started_here(tmp_path):
    record = installed("codex")
    text = "".join(f"- a line of a long memory, the number {number}\n" for number in range(2_000))
    file = MemoryFile("AGENTS.md", record.places[0], "", text)
    played = play_agent(record, tmp_path, (file,), show_intact([file]), disposition=ignore)
    assert prove_memory(file, text, played.bodies).word == "given"
