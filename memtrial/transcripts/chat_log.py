"""Logs of chats: conversations as in files for fine-tuning, and requests with their replies.

A request that goes on from an earlier one, or repeats it, is the same run: the longest
stands for all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.transcripts.chats.chat_exchange import ChatExchange, Dialect, read_exchange
from memtrial.transcripts.chats.longest_conversations import LongestConversations
from memtrial.transcripts.chats.response_chain import follow_responses
from memtrial.transcripts.chats.taken_exchange import take_exchange
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, compact, objects_of, reach, text
from memtrial.transcripts.logged_run import LoggedRun, LogReading, LogRemainder
from memtrial.transcripts.stated_outcome import look_for_outcomes, read_outcome

NAMES = ("trace_id", "id", "custom_id", "request_id", "conversation_id", "session_id")
TASKS = ("task_id", "instance_id", "custom_id", "task")


@dataclass(frozen=True, slots=True)
class _Placed:
    where: str
    number: int
    exchange: ChatExchange


def sniff_openai(objects: tuple[dict[str, Json], ...]) -> bool:
    """Records with messages of OpenAI's, or with items of its Responses API."""
    return _dialect(objects) in ("openai", "responses")


def sniff_anthropic(objects: tuple[dict[str, Json], ...]) -> bool:
    """Records with messages of Anthropic's."""
    return _dialect(objects) == "anthropic"


def _dialect(objects: tuple[dict[str, Json], ...]) -> Dialect | None:
    read = [exchange for exchange in map(read_exchange, objects) if exchange is not None]
    named = [exchange.dialect for exchange in read]
    return next((dialect for dialect in named if dialect != "openai"), named[0] if named else None)


def read(path: Path, asked: LogQuestion) -> LogReading:
    """A run for each conversation."""
    left, runs, records = LogRemainder(), [], 0
    placed = list[_Placed]()
    for where, record in objects_of(path):
        records += 1
        exchange = read_exchange(record)
        if exchange is None:
            failed = isinstance(record.get("custom_id"), str)
            left.note("requests of a batch that failed" if failed else "records without messages")
        else:
            placed.append(_Placed(where, records, exchange))
    for part in _longest(_chained(placed, left), left):
        run = _run_of(path, part, asked, left)
        if run is None:
            left.note("records without a reply of the model")
        else:
            runs.append(run)
    return LogReading(tuple(runs), records, left.counts)


def _chained(placed: list[_Placed], left: LogRemainder) -> list[_Placed]:
    """With each chain of responses in one."""
    kept, forks = follow_responses([part.exchange for part in placed])
    if forks:
        left.note("responses to one that had gone on already", forks)
    return [replace(placed[number], exchange=exchange) for number, exchange in kept.items()]


def _longest(placed: list[_Placed], left: LogRemainder) -> Iterator[_Placed]:
    """Without requests that a later one goes on from, or repeats; whole conversations stay as they are."""
    longest, dropped = LongestConversations(), set[int]()
    for number, part in enumerate(placed):
        if part.exchange.reply and (before := longest.take(number, part.exchange)) is not None:
            dropped.add(before)
            left.note("requests that a later one goes on from or repeats")
    return (part for number, part in enumerate(placed) if number not in dropped)


def _run_of(path: Path, part: _Placed, asked: LogQuestion, left: LogRemainder) -> LoggedRun | None:
    exchange, chat = part.exchange, take_exchange(part.exchange, left)
    turns, record = chat.turns(), exchange.record
    batch = f"{path.parent}\0{exchange.batch}" if exchange.batch else ""
    if not turns and not batch:
        return None
    name = next((compact(record[key]) for key in NAMES if isinstance(record.get(key), str | int)), "")
    task = next((text(record[key]) for key in TASKS if isinstance(record.get(key), str)), "")
    run = LoggedRun(
        name or f"{path.stem}:{part.number}", task, chat.query, turns, nested=bool(batch and exchange.reply),
        hints=look_for_outcomes(record), batch=batch,
    )  # fmt: skip
    if not asked.field:
        return run
    outcome, score = read_outcome(reach(record, asked.field), part.where, asked.success_from)
    return replace(run, outcome=outcome, score=score, source=f"field {asked.field}" if outcome else "")
