"""Where the answers come from: simulated participants, each asked for what it can do, or a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from loadbearing.models.client.types import Backend, Message, ModelFault, Request, Stop, split_model
from loadbearing.models.scripted.protocol import Refused, Said, ScriptFault, prompt
from loadbearing.models.scripted.script_file import read_script, sentence
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
FORM = 'a line is {"match": "...", "text": "...", "stop": "end_turn"}; match and stop may be left out'


class Answers(Protocol):
    """Answers every request."""

    async def say(self, request: Request, repeat: int) -> Said:
        """Answer.

        Args:
            repeat: how often the same request was answered before.

        Raises:
            Refused: there is no answer to this.
        """
        ...


@dataclass(frozen=True, slots=True)
class Cast:
    """Three participants; the prompt tells which one is asked, as no client says so."""

    play: Backend
    condense: Backend
    judge: Backend

    async def say(self, request: Request, repeat: int) -> Said:
        """The answer of the participant that is asked.

        Raises:
            Refused: none of them knows this structured question.
        """
        backend = {"play": self.play, "condense": self.condense, "judge": self.judge}[part(request.messages)]
        try:
            reply = await backend.answer(request, repeat)
        except ModelFault as fault:
            raise Refused(400, f"the scripted server has no answer to this: {fault}") from fault
        return Said(reply.text, reply.stop)


def part(messages: tuple[Message, ...]) -> Part:
    """What a conversation asks for, recognised by its form."""
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
    """Answers by substring: the first line whose `match` is in the text of the request answers."""

    lines: tuple[Line, ...]

    async def say(self, request: Request, repeat: int) -> Said:  # noqa: ARG002
        """The answer of the first line that matches.

        Raises:
            Refused: none matches.
        """
        text = prompt(request)
        for line in self.lines:
            if line.match in text:
                return line.said
        raise Refused(
            400,
            f"none of the {len(self.lines)} scripted answers matches this request; add a line whose match is"
            " empty to answer everything else",
        )


def answers_from(text: str, folder: Path | None = None) -> Answers:
    """The answers that `--answers` names: participants, or a file.

    Args:
        text: `simulated/reader`, or several with commas, one for each part (play, condense, judge; scribe and
            examiner stand in where none is named); or the path of a JSONL file.
        folder: what a relative path is relative to; None for the working folder.

    Raises:
        ScriptFault: no such participant or file, or an invalid line.
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


class _Entry(BaseModel):
    """One line of a file of answers, as it is written."""

    model_config = ConfigDict(strict=True, extra="forbid")

    match: str = ""
    text: str
    stop: Literal["end_turn", "max_tokens", "refusal"] = "end_turn"


def _lines(path: Path) -> Lines:
    raw = read_script(path, "answers are simulated/<name> or a JSONL file", LARGEST)
    lines = tuple(
        _line(line, f"{path}, line {number}")
        for number, line in enumerate(raw.split("\n"), 1)
        if line.strip()
    )
    if not lines:
        raise ScriptFault(f"{path} holds no answer; {FORM}")
    return Lines(lines)


def _line(line: str, where: str) -> Line:
    try:
        entry = _Entry.model_validate_json(line)
    except ValidationError as fault:
        raise ScriptFault(f"{where}: {sentence(fault, _Entry.model_fields)}; {FORM}") from None
    return Line(entry.match, Said(entry.text, STOPS[entry.stop]))
