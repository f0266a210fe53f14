"""Where the answers come from: simulated participants, each asked for what it can do, or a file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from loadbearing.models.client.model_string import split_model
from loadbearing.models.client.types import Backend, Message, ModelFault, Request, Stop
from loadbearing.models.scripted.protocol import Refused, Said, ScriptFault
from loadbearing.models.simulated.members import PARTS, Part, open_simulated
from loadbearing.models.simulated.structured import wanted

RUN = re.compile(r"\s*\*\*Query:\*\* .*?\n\n\*\*Trajectory:\*\*", re.DOTALL)
STOPS: dict[str, Stop] = {"end_turn": "end", "max_tokens": "length", "refusal": "refusal"}
DEFAULTS: dict[Part, str] = {
    "play": "simulated/reader",
    "condense": "simulated/scribe",
    "judge": "simulated/examiner",
}
LARGEST = 64 * 1024 * 1024


class Answers(Protocol):
    """Says something to every request."""

    async def say(self, request: Request, repeat: int) -> Said:
        """Answer.

        Args:
            repeat: how often this very request was answered before.

        Raises:
            Refused: there is no answer to this.
        """
        ...


@dataclass(frozen=True, slots=True)
class Cast:
    """Three participants; the prompt decides who answers, as no client says what it is asking for."""

    play: Backend
    condense: Backend
    judge: Backend

    async def say(self, request: Request, repeat: int) -> Said:
        """The answer of the one who can.

        Raises:
            Refused: a structured question that none of them knows.
        """
        backend = {"play": self.play, "condense": self.condense, "judge": self.judge}[part(request.messages)]
        try:
            reply = await backend.answer(request, repeat)
        except ModelFault as fault:
            raise Refused(400, f"the scripted server has no answer to this: {fault}") from fault
        return Said(reply.text, reply.stop)


def part(messages: tuple[Message, ...]) -> Part:
    """What a conversation asks for, told by its form alone."""
    fields = wanted(messages)
    if fields:
        return "condense" if "memory_items" in fields or "memory_item" in fields else "judge"
    condenses = [message.role for message in messages] == ["system", "user"] and RUN.match(
        messages[1].content
    )
    return "condense" if condenses else "play"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file of answers."""

    match: str
    said: Said


@dataclass(frozen=True, slots=True)
class Lines:
    """Answers by substring: the first line whose `match` stands in the request's text answers."""

    lines: tuple[Line, ...]

    async def say(self, request: Request, repeat: int) -> Said:  # noqa: ARG002
        """The first that matches.

        Raises:
            Refused: none does.
        """
        text = "\n".join(message.content for message in request.messages)
        for line in self.lines:
            if line.match in text:
                return line.said
        raise Refused(
            400,
            f"none of the {len(self.lines)} scripted answers matches this request; add a line whose match is"
            " empty to answer everything else",
        )


def answers_from(text: str, folder: Path | None = None) -> Answers:
    """What `--answers` names: participants, or a file of answers.

    Args:
        text: `simulated/reader`, or several with commas, one for each part (play, condense, judge; scribe and
            examiner stand in where none is named); or the path of a JSONL file.
        folder: where a path begins that is not absolute; None for the working folder.

    Raises:
        ScriptFault: no such participant, or no such file, or a line that cannot be read.
    """
    if text.startswith("simulated/"):
        return _cast(tuple(name.strip() for name in text.split(",")))
    return _lines((folder or Path()) / text)


def _cast(names: tuple[str, ...]) -> Cast:
    chosen: dict[Part, str] = {}
    opened: dict[Part, Backend] = {}
    for name in names:
        try:
            backend = open_simulated(name)
            able = PARTS[split_model(name)[1]]
        except ModelFault as fault:
            raise ScriptFault(f"answers come from simulated participants: {fault}") from fault
        if able in chosen:
            raise ScriptFault(f"one participant can {able}; got {chosen[able]} and {name}; name one of them")
        chosen[able], opened[able] = name, backend
    for able, name in DEFAULTS.items():
        opened.setdefault(able, open_simulated(name))
    return Cast(opened["play"], opened["condense"], opened["judge"])


def _lines(path: Path) -> Lines:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ScriptFault(f"answers are simulated/<name> or a JSONL file; {path} is no plain file")
        if path.stat().st_size > LARGEST:
            raise ScriptFault(f"{path} is larger than {LARGEST // 2**20} MiB; answers are a small file")
        raw = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise ScriptFault(
            f"answers are simulated/<name> or a JSONL file; cannot read {path}: {fault.strerror}"
        ) from fault
    except UnicodeDecodeError as fault:
        raise ScriptFault(f"answers are UTF-8 text, one JSON object a line; {path} is not UTF-8") from fault
    lines = tuple(
        _line(line, f"{path}, line {number}")
        for number, line in enumerate(raw.split("\n"), 1)
        if line.strip()
    )
    if not lines:
        raise ScriptFault(f'{path} holds no answer; a line is {{"match": "...", "text": "..."}}')
    return Lines(lines)


def _line(line: str, where: str) -> Line:
    form = 'a line is {"match": "...", "text": "...", "stop": "end_turn"}, stop may be left out'
    try:
        read = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise ScriptFault(f"{where} is not JSON; {form}") from fault
    if not isinstance(read, dict) or not isinstance(read.get("text"), str):
        raise ScriptFault(f"{where} has no text; {form}")
    unknown = sorted(set(read) - {"match", "text", "stop"})
    if unknown:
        raise ScriptFault(f"{where} has a key {unknown[0]!r}; {form}")
    if read["text"] != read["text"].encode("utf-8", "replace").decode():
        raise ScriptFault(f"{where}: text holds half a sign, which nobody can send; {form}")
    match, stop = read.get("match", ""), read.get("stop", "end_turn")
    if not isinstance(match, str):
        raise ScriptFault(f"{where}: match is a text, got {match!r}; {form}")
    if not isinstance(stop, str) or stop not in STOPS:
        raise ScriptFault(f"{where}: stop is one of {', '.join(STOPS)}; got {stop!r}")
    return Line(match, Said(read["text"], STOPS[stop]))
