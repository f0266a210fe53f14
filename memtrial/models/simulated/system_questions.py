"""What memory systems ask the model that writes for them, known by its form, and the form of its answer."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memtrial.models.client.types import Message

Taught = Mapping[str, str]
"""An item with title, description and content."""
WriteAnswer = Callable[[Sequence[Taught]], str]
QUERY = "**Query:** "
OUTCOME = re.compile(r"^(?:(?:user|human|\[user\]): |\[user\] )?Outcome: (success|failure)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SystemQuestion:
    """One question of a memory system's writer.

    Args:
        trace: the run that it shows; empty where it asks about what it holds already.
        write: the answer that teaches these items, in the form that the system reads.
    """

    trace: str
    success: bool
    write: WriteAnswer


def read_question(messages: tuple[Message, ...]) -> SystemQuestion | None:
    """What a memory system asks; None where none of those that are known asks it."""
    asked = "\n\n".join(message.text for message in messages)
    for mark, begins, ends, write in FORMS:
        if mark in asked:
            trace = begins and asked.rpartition(begins)[2].partition(ends)[0]
            # the heading of the run may be the mark that it begins behind
            trace = f"{begins}{trace}" if begins == QUERY else trace
            outcomes = OUTCOME.findall(trace)
            success = outcomes[-1] == "success" if outcomes else "completed a task successfully" in asked
            return SystemQuestion(trace, success, write)
    return None


def _write_facts(taught: Sequence[Taught]) -> str:
    facts = [
        {"id": str(place), "text": item["content"], "attributed_to": "assistant"}
        for place, item in enumerate(taught)
    ]
    return json.dumps({"memory": facts}, ensure_ascii=False)


def _write_lessons(taught: Sequence[Taught]) -> str:
    return json.dumps(list(taught), ensure_ascii=False)


def _write_insights(taught: Sequence[Taught]) -> str:
    insights = [{"content": item["content"], "section": "strategies", "tags": []} for item in taught]
    return json.dumps({"diagnosis": "", "insights": insights}, ensure_ascii=False)


def _write_calls(taught: Sequence[Taught]) -> str:
    calls = [{"name": "Memory", "args": {"content": item["content"]}} for item in taught]
    return json.dumps(calls, ensure_ascii=False)


def _write_note(taught: Sequence[Taught]) -> str:
    return "\n\n".join([f"# {taught[0]['title']}", *(item["content"] for item in taught)]) if taught else ""


def _keep_both(_: Sequence[Taught]) -> str:
    merged = dict.fromkeys(("merged_title", "merged_description", "merged_content"), "")
    return json.dumps({"action": "keep_both", **merged})


def _leave_to_it(_: Sequence[Taught]) -> str:
    """No operation of its own: each insight is added as it is."""
    return json.dumps({"operations": []})


FORMS: tuple[tuple[str, str, str, WriteAnswer], ...] = (
    ("## Recently Extracted Memories", "## New Messages\n", "\n\n## Observation Date", _write_facts),
    ("You are a memory distiller", "# Trajectory\n", "\n\n# Instructions", _write_lessons),
    ("You are deciding how to integrate a new candidate memory", "", "", _keep_both),
    (
        "You are the Reflector in the ACE framework",
        "GENERATOR REASONING:\n",
        "\n\nGENERATOR ANSWER:",
        _write_insights,
    ),
    ("You are the Curator in the ACE framework", "", "", _leave_to_it),
    ("You act by calling these functions", "<session_0>\n", "\n</session_0>", _write_calls),
    ("You keep a folder of notes for an agent", QUERY, "\0", _write_note),
)
"""A piece of the question, what stands before and behind the run in it, and the form of the answer."""
