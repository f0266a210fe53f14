"""What memory systems ask the model that writes for them, known by its form, and the form of its answer."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memtrial.models.client.types import Message

Taught = Mapping[str, str]
"""An item with title, description and content, and of several runs with the one that it comes of."""
WriteAnswer = Callable[[Sequence[Taught]], str]
QUERY = "**Query:** "
ATTEMPT = "attempt"
"""The field in which an item says of which of several runs it comes, from 1 on as they are shown."""
HEADED_RUN = re.compile(r"^# (?:Attempt|Draft) \d+ \((?P<outcome>Success|Failure)\)$", re.MULTILINE)
AVOIDS = ", avoid `"
"""How the scribe begins what not to do."""
SIGNS = 'Give each item one field more, "preconditions"'
"""How a bank asks for the signs by which an item comes up in the midst of a task."""
_QUOTED = re.compile(r'"[^"\n]++"')
OUTCOME = re.compile(r"^(?:(?:user|human|\[user\]): |\[user\] )?Outcome: (success|failure)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SystemQuestion:
    """One question of a memory system's writer.

    Args:
        runs: those that it shows, each with whether it succeeded; none where it asks about what it holds.
        write: the answer that teaches these items, in the form that the system reads.
    """

    runs: tuple[tuple[str, bool], ...]
    write: WriteAnswer


def read_question(messages: tuple[Message, ...]) -> SystemQuestion | None:
    """What a memory system asks; None where none of those that are known asks it."""
    asked = "\n\n".join(message.text for message in messages)
    question = _read(asked)
    if question is None or SIGNS not in asked:
        return question
    write = question.write
    return SystemQuestion(question.runs, lambda taught: write([_with_sign(item) for item in taught]))


def _read(asked: str) -> SystemQuestion | None:
    for mark, begins, ends, write in FORMS:
        if mark in asked:
            trace = begins and asked.rpartition(begins)[2].partition(ends)[0]
            # the heading of the run may be the mark that it begins behind
            trace = f"{begins}{trace}" if begins == QUERY else trace
            outcomes = OUTCOME.findall(trace)
            success = outcomes[-1] == "success" if outcomes else "completed a task successfully" in asked
            return SystemQuestion(((trace, success),) if trace else (), write)
    return next((_compared(asked, write) for mark, write in COMPARING if asked.startswith(mark)), None)


def _with_sign(item: Taught) -> Taught:
    """The item with what its content quotes first, the state in which it applies."""
    quoted = _QUOTED.search(item["content"])
    return item if quoted is None else {**item, "preconditions": f"state: {quoted[0]}"}


def _compared(asked: str, write: WriteAnswer) -> SystemQuestion:
    """Several attempts, each behind a heading that says how it ended."""
    heads = list(HEADED_RUN.finditer(asked))
    ends = [head.start() for head in heads[1:]] + [len(asked)]
    runs = zip(heads, ends, strict=False)
    return SystemQuestion(
        tuple((asked[head.end() : end], head["outcome"] == "Success") for head, end in runs), write
    )


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


def _write_memories(taught: Sequence[Taught]) -> str:
    return json.dumps({"memories": list(taught)}, ensure_ascii=False)


def _write_guardrails(taught: Sequence[Taught]) -> str:
    guardrails = [_as_guardrail(item) for item in taught]
    memories = [{name: text for name, text in item.items() if name != ATTEMPT} for item in guardrails]
    return json.dumps({"memories": memories}, ensure_ascii=False)


def _write_contrast(taught: Sequence[Taught]) -> str:
    memories = [
        {**_as_guardrail(item), "outcome": "failure"}
        if AVOIDS in item["content"]
        else {**item, "outcome": "success"}
        for item in taught
    ]
    return json.dumps({"memories": memories, "notes": []}, ensure_ascii=False)


def _as_guardrail(item: Taught) -> dict[str, str]:
    kept = {name: text for name, text in item.items() if name != "content"}
    if AVOIDS in item["content"]:
        wrong, instead = item["content"], "Try another act there."
    else:
        wrong, instead = "Other acts came first.", item["content"]
    return {**kept, "what_went_wrong": wrong, "what_to_do_instead": instead}


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
    ("You distil reusable strategies from the recorded work", QUERY, "\0", _write_memories),
    ("You distil guardrails from the recorded work", QUERY, "\0", _write_guardrails),
)
"""A piece of the question, what stands before and behind the run in it, and the form of the answer."""
COMPARING: tuple[tuple[str, WriteAnswer], ...] = (
    ("You compare several attempts of an agent", _write_contrast),
    ("You compare the drafts of one attempt", _write_guardrails),
)
"""How a question about several attempts begins, and the form of the answer."""
