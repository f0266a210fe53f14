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


INTACT, TURNED, GONE = (MEMORY, "right", "given"), (DAMAGED, "wrong", "given"), (None, "wrong", "never given")
# opencode takes six seconds for its start: that it is given its file is seen below, beside a span
STARTED = [*product(("claude", "codex"), (INTACT, TURNED, GONE)), ("opencode", GONE)]


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
    played = play_agent(record, tmp_path, (file,), {} if shown is None else {file.path: shown}, others=others)
    assert played.code == 0
    proof = prove_memory(file, shown or file.text, played.bodies)
    assert (proof.word, proof.share) == (verdict, float(shown is not None))
    assert played.files["answer.txt"] == f"{answer}\n"
    if shown != MEMORY:
        assert not [body for body in played.bodies if LESSON.encode() in body]


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


@pytest.mark.parametrize("name", ["claude", "codex"])
@pytest.mark.parametrize("skill", ["brew", ""], ids=["activated", "not activated"])
def test_a_skill_is_announced_in_every_condition_and_its_body_comes_when_it_is_activated(
    tmp_path, name, skill
):
    record = installed(name)
    place = place_of(record, "skill")
    file = MemoryFile(place.pattern.replace("*", "brew"), place, FRONT, f"{LESSON}\nThen wait.\n")
    conditions = {"intact": show_intact([file])} | ({"without": {}} if skill else {})
    for condition, texts in conditions.items():
        (tmp_path / condition).mkdir()
        played = play_agent(record, tmp_path / condition, (file,), texts, replace(TASK, skill=skill))
        given = bool(skill) and condition == "intact"
        assert prove_memory(file, file.text, played.bodies).word == ("given" if given else "never activated")
        assert played.files["answer.txt"] == ("right\n" if given else "wrong\n")


def test_claudes_memory_folder_is_read_its_index_cut_at_200_lines(tmp_path):
    record = installed("claude")
    place = place_of(record, "memory folder")
    long = MemoryFile("MEMORY.md", place, "", "".join(f"- note {number}\n" for number in range(400)))
    index = MemoryFile("MEMORY.md", place, "", f"- [tea](tea.md): {LESSON}\n")
    topic = MemoryFile("tea.md", place, "", f"{LESSON}\n")
    proofs = []
    for number, files in enumerate([(long,), (index, topic)]):
        (tmp_path / str(number)).mkdir()
        played = play_agent(record, tmp_path / str(number), files, show_intact(files))
        proofs += [prove_memory(file, file.text, played.bodies) for file in files]
    assert [proof.word for proof in proofs] == ["given in part", "given", "never activated"]
    assert 0.4 < proofs[0].share < 0.6


def test_codex_does_not_cut_a_long_file_as_it_is_started_here(tmp_path):
    record = installed("codex")
    text = "".join(f"- a line of a long memory, the number {number}\n" for number in range(2_000))
    file = MemoryFile("AGENTS.md", record.places[0], "", text)
    played = play_agent(record, tmp_path, (file,), show_intact([file]), disposition=ignore)
    assert prove_memory(file, text, played.bodies).word == "given"
