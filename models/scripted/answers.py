"""Where the answers come from: simulated participants, each asked for what it can do, or a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from loadbearing.models.client.types import Backend, Message, ModelFault, Request, Stop, split_model
from loadbearing.models.scripted.protocol import Refused, Said, ScriptFault, problem, prompt, read_script
from loadbearing.models.simulated.members import PARTS, Part, open_simulated
from loadbearing.models.simulated.structured import wanted

RUN = re.compile(r"\s*\*\*Query:\*\* .*?\n\n\*\*Trajectory:\*\*", re.DOTALL)
STOPS: dict[str, Stop] = {"end_turn": "end", "max_tokens": "length", "refusal": "refusal"}
DEFAULTS: dict[Part, str] = {
    "play": "simulated/reader",
    "condense": "simulated/scribe",
    "judge": "simulated/examiner",
    "decide": "simulated/decider",
    "perturb": "simulated/perturber",
}
ASKED: dict[str, Part] = {
    "memory_items": "condense",
    "memory_item": "condense",
    "action": "decide",
    "rewritten": "perturb",
}
"""Who is asked, by an output field; whoever is asked for another one is the judge."""
LARGEST = 64 * 1024 * 1024
FORM = (
    'answers are simulated/<name> or a file of lines {"match": "...", "text": "...", "stop": "end_turn"};'
    " match and stop may be left out"
)


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
    """A participant for each part; the prompt tells which one is asked, as no client says so."""

    backends: Mapping[Part, Backend]

    async def say(self, request: Request, repeat: int) -> Said:
        try:
            reply = await self.backends[part(request.messages)].answer(request, repeat)
        except ModelFault as fault:
            raise Refused(400, f"the scripted server has no answer to this: {fault}") from fault
        return Said(reply.text, reply.stop)


def part(messages: tuple[Message, ...]) -> Part:
    """What a conversation asks for, recognised by its form."""
    fields = wanted(messages)
    if fields:
        return next((able for name, able in ASKED.items() if name in fields), "judge")
    alone = [message.role for message in messages] == ["system", "user"]
    return "condense" if alone and RUN.match(messages[1].content) else "play"


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
        text = prompt(request)
        for line in self.lines:
            if line.match in text:
                return line.said
        raise Refused(
            400,
            f"none of the {len(self.lines)} scripted answers matches this request; add a line whose match is"
            " empty to answer everything else",
        )


def answers_from(text: str) -> Answers:
    """The answers that `--answers` names: participants, or a file.

    Args:
        text: `simulated/reader`, or several with commas, one for each part (play, condense, judge, …; scribe,
            examiner and the like stand in where none is named); or the path of a JSONL file.

    Raises:
        ScriptFault: no such participant or file, or an invalid line.
    """
    if not text.startswith("simulated/"):
        return _lines(Path(text))
    chosen: dict[Part, str] = {}
    for name in (one.strip() for one in text.split(",")):
        try:
            open_simulated(name)
        except ModelFault as fault:
            raise ScriptFault(f"answers come from simulated participants: {fault}") from fault
        able = PARTS[split_model(name)[1]]
        if able in chosen:
            raise ScriptFault(f"one participant can {able}; got {chosen[able]} and {name}; name one of them")
        chosen[able] = name
    return Cast({able: open_simulated(name) for able, name in (DEFAULTS | chosen).items()})


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    match: str = ""
    text: str
    stop: Literal["end_turn", "max_tokens", "refusal"] = "end_turn"


def _lines(path: Path) -> Lines:
    lines = []
    for number, line in enumerate(read_script(path, FORM, LARGEST).split("\n"), 1):
        if line.strip():
            try:
                entry = _Entry.model_validate_json(line)
            except ValidationError as fault:
                raise ScriptFault(f"{path}, line {number}: {problem(fault)}; {FORM}") from None
            lines.append(Line(entry.match, Said(entry.text, STOPS[entry.stop])))
    if not lines:
        raise ScriptFault(f"{path} holds no answer; {FORM}")
    return Lines(tuple(lines))
