"""Logs of Inspect, `.eval` and `.json`: a run for each sample and epoch.

What a scorer said is the outcome: `C` or 1 is a success, `I`, `N` and 0 are failures; `P` lies between.
"""

import re
from collections.abc import Iterator
from math import isnan
from pathlib import Path

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.chats.openai_messages import take_message
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, compact, entries, fields, load, objects_of, text
from memtrial.transcripts.logged_run import LogFault, LoggedRun, LogReading, LogRemainder, StatedOutcome
from memtrial.transcripts.packed.eval_archive import members_of
from memtrial.transcripts.stated_outcome import read_outcome

_ATTACHED = re.compile(r"attachment://([0-9a-f]{32})")
PARTLY = {"P": 0.5}


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """The one object of a JSON log."""
    first = fields(objects[0]) if objects else {}
    return isinstance(first.get("eval"), dict) and ("samples" in first or "plan" in first)


def sniff_archive(head: bytes) -> bool:
    """The beginning of an `.eval` file."""
    return head.startswith(b"PK\x03\x04") and (
        b"_journal/" in head or b"samples/" in head or b"header.json" in head
    )


def read(path: Path, asked: LogQuestion) -> LogReading:
    """A run for each sample; one without a score has no outcome.

    Raises:
        LogFault: no log of Inspect, damaged, or several scorers and none named.
    """
    left, runs, records = LogRemainder(), [], 0
    for where, sample in _samples(path):
        records += 1
        run = _run_of(sample, path, where, asked, left)
        if run is None:
            left.note("samples without a reply of the model")
        else:
            runs.append(run)
    return LogReading(tuple(runs), records, left.counts)


def _samples(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    with path.open("rb") as file:
        packed = file.read(4) == b"PK\x03\x04"
    if packed:
        for name, raw in members_of(path, "samples/"):
            yield f"{path}, {name}", fields(load(raw, f"{path}, {name}"))
        return
    for where, log in objects_of(path):
        for number, sample in enumerate(entries(log.get("samples")), 1):
            yield f"{where}, sample {number}", fields(sample)


def _run_of(
    sample: dict[str, Json], path: Path, where: str, asked: LogQuestion, left: LogRemainder
) -> LoggedRun | None:
    chat, attached = ChatTurns(), fields(sample.get("attachments"))
    for message in entries(sample.get("messages")):
        take_message(_plain(message, attached), chat, left)
    turns = chat.turns()
    if not turns:
        return None
    if retries := len(entries(sample.get("error_retries"))):
        left.note("attempts of a sample that were tried again", retries)
    given = sample.get("input")
    query = given if isinstance(given, str) else chat.query or words_of(given)
    name, epoch = compact(sample.get("id")), compact(sample.get("epoch")) or "1"
    outcome, score, source = _score(sample, where, asked)
    return LoggedRun(
        text(sample.get("uuid")) or f"{path.stem}/{name}/{epoch}", name, _attach(query, attached), turns,
        outcome, source, score,
    )  # fmt: skip


def _score(
    sample: dict[str, Json], where: str, asked: LogQuestion
) -> tuple[StatedOutcome, float | None, str]:
    scores = fields(sample.get("scores")) or (
        {"score": sample["score"]} if isinstance(sample.get("score"), dict) else {}
    )
    try:
        name, value = _value_of(scores, where, asked.field)
        if sample.get("error") or (isinstance(value, float) and isnan(value)):
            value = None  # Inspect writes NaN where a scorer could not tell
        outcome, score = read_outcome(
            PARTLY.get(text(value), value), f"{where}, scorer {name}", asked.success_from
        )
    except LogFault:
        if asked.listed:
            return "", None, ""
        raise
    return outcome, score, f"scorer {name}" if outcome else ""


def _value_of(scores: dict[str, Json], where: str, field: str) -> tuple[str, Json]:
    """The scorer and its value: the one there is, or `field`, of several values also `scorer.value`."""
    if not scores:
        return "", None
    scorer, mark, part = field.rpartition(".")
    if mark and field not in scores and scorer in scores:
        values = fields(fields(scores[scorer]).get("value"))
        if part not in values:
            raise LogFault(f"{where}: the scorer {scorer} has no value {part!r}; it has {', '.join(values)}")
        return field, values[part]
    if field and field not in scores:
        raise LogFault(f"{where}: no scorer {field!r}; there are {', '.join(scores)}")
    if not field and len(scores) > 1:
        first, names = next(iter(scores)), ", ".join(scores)
        raise LogFault(f"{where}: {len(scores)} scorers ({names}); say which: --outcome-field {first}")
    name = field or next(iter(scores))
    value = fields(scores[name]).get("value")
    if isinstance(value, dict) and value:
        first, names = next(iter(value)), ", ".join(value)
        raise LogFault(
            f"{where}: the scorer {name} gives {len(value)} values ({names}); say which:"
            f" --outcome-field {name}.{first}"
        )
    if isinstance(value, list):
        raise LogFault(f"{where}: the scorer {name} gives a list of values; pass outcomes with --outcomes")
    return name, value


def _plain(message: Json, attached: dict[str, Json]) -> dict[str, Json]:
    """A message of Inspect's as one of OpenAI's, with texts in the place of marks for attachments."""
    parts = dict(fields(message))
    content = parts.get("content")
    if isinstance(content, str):
        parts["content"] = _attach(content, attached)
    else:
        blocks = [fields(block) for block in entries(content)]
        thoughts = [text(block.get("reasoning")) for block in blocks if block.get("type") == "reasoning"]
        parts["reasoning"] = "\n".join(filter(None, thoughts))
        parts["content"] = _attach(
            words_of([block for block in blocks if block.get("type") != "reasoning"]), attached
        )
    calls = [fields(call) for call in entries(parts.get("tool_calls"))]
    parts["tool_calls"] = [
        {"id": call.get("id"), "name": call.get("function"), "arguments": call.get("arguments")}
        for call in calls
    ]
    return parts


def _attach(words: str, attached: dict[str, Json]) -> str:
    return _ATTACHED.sub(lambda mark: text(attached.get(mark[1])) or mark[0], words) if attached else words
