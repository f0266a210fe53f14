"""Delivery, read from requests: recorded ones of each agent, and such as are cut, reordered or never were."""

import json
from pathlib import Path

import pytest

from memtrial.coding_agents.agent_record import MemoryPlace
from memtrial.coding_agents.due_memory import expect_memory
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.prompt_span import add_memory_span, take_for_file
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS, find_agent
from memtrial.delivery.seen_requests import see_request
from memtrial.delivery.shown_texts import ShownText, list_shown
from memtrial.delivery.text_delivery import expect_text, prove_absence, prove_text
from memtrial.models.scripted.coding.shown_memory import show_memory
from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses
from tests.support.real_agents import LESSON, MEMORY

TRACES = Path(__file__).parents[1] / "coding_agents" / "traces"
READERS = {
    "anthropic messages": anthropic_messages.read_request,
    "openai chat": openai_chat.read_request,
    "openai responses": openai_responses.read_request,
}
PLAIN = MemoryPlace("NOTES.md", "instructions")
FRONT = "---\nname: tea\ndescription: 'brews tea'\n---\n"
SKILL = MemoryFile("s/SKILL.md", MemoryPlace("s/SKILL.md", "skill"), FRONT, "Pour.\nBoil.\n")
each = pytest.mark.parametrize("record", SHIPPED_AGENTS, ids=lambda record: record.name)


def note(text, place=PLAIN, path="NOTES.md"):
    return MemoryFile(path, place, "", text)


def body(*texts, role="user"):
    return json.dumps({"messages": [{"role": role, "content": text} for text in texts]}).encode()


def requests_of(record):
    return json.loads((TRACES / f"{record.name}.json").read_text(encoding="utf-8"))["requests"]


def prove_memory(file, text, bodies):
    return prove_text(expect_memory(file, text), [list_shown(sent) for sent in bodies])


def verdict(text, *bodies, place=PLAIN):
    return prove_memory(note(text, place), text, bodies).word


@each
def test_in_a_recorded_trace_the_memory_was_given_and_another_one_was_not(record):
    bodies = [json.dumps(request).encode() for request in requests_of(record)]
    file = note(MEMORY, record.places[0] if record.places else PLAIN)
    proof = prove_memory(file, MEMORY, bodies)
    first = 2 if record.name == "opencode" else 1  # it asks for a title first
    assert (proof.word, proof.share, proof.first_request) == ("given", 1.0, first)
    other = prove_memory(file, "Light the fire before you pour.", bodies)
    assert (other.word, other.share, other.first_request) == ("never given", 0.0, None)
    assert prove_memory(file, MEMORY.replace(LESSON, "Another lesson."), bodies).word == "given in part"


@each
def test_the_scripted_model_sees_the_memory_of_a_recorded_trace_and_no_more(record):
    shown = show_memory(READERS[record.api](requests_of(record)[-1]).messages)
    assert shown.splitlines()[0] == "# Notes"
    assert LESSON in shown
    assert "answer.txt" not in shown


def test_a_span_in_the_task_is_proven_as_a_file_is_and_no_memory_leaves_the_task_alone():
    file = take_for_file(MEMORY)
    assert prove_memory(file, MEMORY, [body(add_memory_span("Brew.", MEMORY))]).word == "given"
    assert add_memory_span("Brew.", " \n") == "Brew."
    assert prove_memory(file, MEMORY, [body("Brew.")]).word == "never given"


def test_what_the_model_says_itself_proves_nothing():
    assert verdict("Pour.\n", body("Pour.", role="assistant")) == "never given"
    call = {"input": [{"type": "function_call", "name": "x", "arguments": "Pour."}]}
    assert verdict("Pour.\n", json.dumps(call).encode()) == "never given"
    result = {"input": [{"type": "function_call_output", "output": "Pour."}]}
    assert verdict("Pour.\n", json.dumps(result).encode()) == "given"


def test_a_skill_that_was_announced_and_not_asked_for_was_never_activated():
    announced = body("Skills:\n- tea: brews tea")
    assert prove_memory(SKILL, SKILL.text, [body("hello")]).word == "never given"
    assert prove_memory(SKILL, SKILL.text, [announced]).word == "never activated"
    proof = prove_memory(SKILL, SKILL.text, [announced, body("brews tea", "Base:\n\nPour.\nBoil.")])
    assert (proof.word, proof.first_request) == ("given", 2)


def test_a_file_of_a_memory_folder_that_its_index_names_was_never_activated():
    place = MemoryPlace("memory/*.md", "memory folder")
    index, topic = note("- [tea](tea.md)\n", place, "MEMORY.md"), note("Pour.\n", place, "tea.md")
    bodies = [body("Contents:\n\n- [tea](tea.md)")]
    assert prove_memory(index, index.text, bodies).word == "given"
    assert prove_memory(topic, topic.text, bodies).word == "never activated"
    quoted = body("Contents:\n\n- [tea](tea.md): Pour.\n")
    assert prove_memory(topic, topic.text, [quoted]).word == "never activated"
    assert prove_memory(topic, topic.text, [*bodies, body("     1\tPour.\n     2\t")]).word == "given"


@pytest.mark.parametrize(
    ("shown", "share"),
    [
        ("aaaa\nbbbb\ncccc", 1.0),
        ("1\taaaa\n2\tbbbb\n3\tcccc", 1.0),
        ("1: aaaa\n2: bbbb\n3: cccc", 1.0),
        ("before\r\n  aaaa  \r\n\r\nbbbb\nafter\ncccc\n", 1.0),
        ("aaaa\nbbbb", 2 / 3),
        ("cccc\nbbbb\naaaa", 1 / 3),
        ("aaaabbbbcccc", 0.0),
        ("", 0.0),
    ],
)
def test_the_share_counts_lines_in_their_order(shown, share):
    assert ShownText(shown).measure_share(("aaaa", "bbbb", "cccc")) == pytest.approx(share)


def test_a_line_that_stands_twice_has_to_arrive_twice():
    assert ShownText("aa\nbb").measure_share(("aa", "bb", "aa")) == pytest.approx(2 / 3)
    assert ShownText("aa\nbb\naa").measure_share(("aa", "bb", "aa")) == 1.0


def test_comments_that_a_client_hides_and_places_that_it_fills_in_are_not_asked_for():
    text, places = "aaaa\n<!--\nhidden\n-->\n<!-- too -->\nb <!-- stays --> b\n", find_agent("claude").places
    assert verdict(text, body("aaaa\nb <!-- stays --> b"), place=places[0]) == "given"
    assert verdict(text, body("aaaa\nb <!-- stays --> b")) == "given in part"
    (skills,) = [place for place in places if place.kind == "skill"]
    assert verdict("Brew $ARGUMENTS now.\nPour.\n", body("Brew  now.\nPour."), place=skills) == "given"


def test_an_output_within_json_is_read_and_a_body_that_is_none_shows_nothing():
    assert verdict("Pöur.\n", body(json.dumps({"returncode": 0, "output": "Pöur.\n"}))) == "given"
    for raw in (b"", b"\xff\xfe", b"[" * 100_000, b"7", b'{"messages": 7}'):
        assert verdict("Pour.\n", raw) == "never given"
    talk = [7, "b", {"role": "user", "content": [{"text": "c"}]}]
    shown = list_shown(json.dumps({"system": "a", "messages": talk, "tools": ["d"]}).encode())
    assert {"a", "b", "c"} <= {text.text for text in shown}
    assert "d" not in {text.text for text in shown}


def test_memory_that_was_taken_away_is_named_where_it_stands_all_the_same():
    long = "When the lamp is red, press the green button, and wait until the bell has rung.\n" * 2
    requests = [list_shown(body(text)) for text in ("hello", long[:90], f"Notes:\n{long}")]
    assert prove_absence(long, requests[:2]).word == "never given"
    proof = prove_absence(long, requests)
    assert (proof.word, proof.first_request) == ("given though without", 3)
    # a short text may stand in the sources, too
    assert prove_absence("hello", requests).word == "never given"


def test_a_request_is_seen_with_the_texts_that_stood_in_it_and_with_signs_of_others():
    due = {"Pour.": expect_memory(SKILL, "Pour."), "Boil.": expect_text("Boil.")}
    seen = [see_request("d", list_shown(body(text)), due) for text in ("Pour.\nBoil.", "brews tea", "x")]
    assert [request.texts for request in seen] == [("Pour.", "Boil."), (), ()]
    assert [request.announced for request in seen] == [False, True, False]
