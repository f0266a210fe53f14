"""The formats of logs that are read, and what a file looks like."""

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.transcripts import (
    chat_log,
    claude_code_log,
    codex_log,
    inspect_log,
    mini_swe_agent_log,
    proxy_log,
    reasoning_bank_log,
    reflexion_log,
)
from memtrial.transcripts.langsmith import langsmith_log
from memtrial.transcripts.langsmith.langsmith_table import sniff_table
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, head_of, objects_of
from memtrial.transcripts.logged_run import LogFault, LogReading

PEEKED = 20
TRACES = "a trace file of memtrial, which condense reads as it is"
SCHEMA = "memtrial schema trace"
FormatName = Literal[
    "auto", "claude-code", "codex", "openai", "anthropic", "langsmith", "inspect", "mini-swe-agent",
    "reflexion", "reasoning-bank", "proxy",
]  # fmt: skip
"""How the user writes the format of a log; `auto` looks at each."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format.

    Args:
        name: as the user writes it.
        what: a file of it in words, with an article.
        looks: whether objects, the first of a file, are of it.
        needs: what of it states an outcome, in words; empty where it states its own.
    """

    name: str
    what: str
    looks: Callable[[tuple[dict[str, Json], ...]], bool]
    read: Callable[[Path, LogQuestion], LogReading]
    needs: str = ""


def _never(objects: tuple[dict[str, Json], ...]) -> bool:  # noqa: ARG001
    return False


MINI = LogFormat(
    "mini-swe-agent", "a trajectory of mini-swe-agent", mini_swe_agent_log.sniff, mini_swe_agent_log.read,
    "it states none (exit_status says how the agent ended)",
)  # fmt: skip
CLAUDE = LogFormat(
    "claude-code",
    "a transcript of Claude Code",
    claude_code_log.sniff,
    claude_code_log.read,
    "it states none",
)
CODEX = LogFormat("codex", "a session file of Codex", codex_log.sniff, codex_log.read, "it states none")
INSPECT = LogFormat("inspect", "a log of Inspect", inspect_log.sniff, inspect_log.read)
LANGSMITH = LogFormat(
    "langsmith", "an export of LangSmith runs", langsmith_log.sniff, langsmith_log.read,
    "its status says only whether anything was raised",
)  # fmt: skip
BANK = LogFormat(
    "reasoning-bank", "a log of ReasoningBank", reasoning_bank_log.sniff, reasoning_bank_log.read
)
REFLEXION = LogFormat("reflexion", "a log of Reflexion", _never, reflexion_log.read)
PROXY = LogFormat("proxy", "a folder that the proxy kept", _never, proxy_log.read, "it states none")
ANTHROPIC = LogFormat(
    "anthropic", "a log of Anthropic messages", chat_log.sniff_anthropic, chat_log.read, "it states none"
)
OPENAI = LogFormat("openai", "a log of OpenAI chats", chat_log.sniff_openai, chat_log.read, "it states none")
FORMATS = (MINI, CLAUDE, CODEX, INSPECT, LANGSMITH, BANK, REFLEXION, PROXY, ANTHROPIC, OPENAI)
"""The more special first: many logs hold messages."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file looks like: a format that is read, or words for what it is instead."""

    log_format: LogFormat | None
    what: str


def recognise(path: Path) -> Recognised:
    """Look at the beginning of a file. Raises LogFault: it cannot be opened."""
    if path.is_dir():
        names = [entry.name for entry in path.iterdir()]
        if proxy_log.is_proxy_folder(names, names):
            return Recognised(PROXY, PROXY.what)
        known = reasoning_bank_log.is_task_folder(names)
        return Recognised(BANK, "a task's folder of ReasoningBank") if known else Recognised(None, "a folder")
    head = head_of(path)
    if inspect_log.sniff_archive(head):
        return Recognised(INSPECT, INSPECT.what)
    if reflexion_log.sniff(head.decode("utf-8", "replace")):
        return Recognised(REFLEXION, REFLEXION.what)
    if sniff_table(head):
        return Recognised(LANGSMITH, LANGSMITH.what)
    if refusal := _by_bytes(head):
        return Recognised(None, refusal)
    try:
        objects = first_objects(path)
    except (LogFault, RecursionError) as fault:
        if path.suffix.lower() == ".csv":
            return Recognised(None, "a table; one that states outcomes goes with --outcomes")
        return Recognised(None, f"no log that is known ({str(fault).removeprefix(str(path)).lstrip(':, ')})")
    if objects and {"trace_id", "outcome", "steps"} <= objects[0].keys():
        return Recognised(None, TRACES)
    for known_format in FORMATS:
        if known_format.looks(objects):
            return Recognised(known_format, known_format.what)
    return Recognised(None, _by_keys(objects))


def first_objects(path: Path) -> tuple[dict[str, Json], ...]:
    """The first objects of a file of JSON lines or of JSON, up to a damaged one that is not the first."""
    objects = list[dict[str, Json]]()
    try:
        for _, value in objects_of(path):
            objects.append(value)
            if len(objects) == PEEKED:
                break
    except LogFault:
        if not objects:
            raise
    return tuple(objects)


def _by_bytes(head: bytes) -> str:
    """Words for a file that is no text, or an empty one."""
    if not head.strip():
        return "an empty file"
    if head.startswith(b"\x1f\x8b"):
        return "a file packed by gzip; steps of ReasoningBank are read by their folder"
    if head.startswith(b"PK\x03\x04"):
        return "a zip that is no log of Inspect"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "a text in UTF-16: save it as UTF-8"
    if head[:1] == b"\x80" or head.startswith(b"PAR1") or b"\0" in head[:4096]:
        return "a binary file, as a pickle: it is not opened, since a pickle can run anything"
    return ""


def _by_keys(objects: tuple[dict[str, Json], ...]) -> str:
    if not objects:
        return "a file without a record"
    first = objects[0]
    if "is_success" in first and "name" in first and "memory" in first:
        return "Reflexion's results without steps; its logs of trials hold the steps"
    if "memory_items" in first:
        return "a memory bank of ReasoningBank without steps"
    if isinstance(first.get("messages"), list) or "choices" in first:
        return "messages without a reply of a model"
    if {"role", "content"} <= first.keys():
        return 'messages, a line each; a line is needed for a conversation: {"messages": […]}'
    keys = ", ".join(repr(key)[:40] for key in list(first)[:6])
    return f"JSON with the keys {keys}"


def say_for_items(path: Path) -> str:
    """Where traces or a log stand in the place of memory items: what it looks like, and what to do; else
    nothing."""
    try:
        seen = recognise(path)
    except (LogFault, OSError, RecursionError):
        return ""
    if seen.what == TRACES:
        command = f"memtrial condense {path} --model MODEL --out items.jsonl"
        return f"it looks like a trace file: {command} makes items of it"
    return "" if seen.log_format is None else say_foreign(path)


def say_foreign(path: Path) -> str:
    """What a file that is no trace file looks like, and what to do, for the end of a message; in one line."""
    try:
        seen = recognise(path)
    except (LogFault, OSError, RecursionError):
        return f"see {SCHEMA}"
    if seen.log_format is None and not path.is_dir():
        return f"it looks like {seen.what}; see {SCHEMA}" if _known(seen.what) else f"see {SCHEMA}"
    command = f"memtrial import traces {path} --out traces.jsonl"
    if seen.log_format is None:
        return f"of a folder of logs {command} makes traces; see {SCHEMA}"
    return f"it looks like {seen.what}: {command} makes traces of it; see {SCHEMA}"


def _known(what: str) -> bool:
    return not what.startswith(("JSON with", "no log", "a trace file"))
