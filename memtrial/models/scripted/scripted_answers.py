"""Where the answers come from: simulated participants, each asked for what it can do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from memtrial.models.client.types import Message, ModelFault, Request, split_model
from memtrial.models.scripted.protocol import Refused, ScriptedAnswer, ScriptFault
from memtrial.models.simulated.examiner import FORMS
from memtrial.models.simulated.open_simulated import OTHERS, PARTS, Part, open_simulated
from memtrial.models.simulated.prompt import look, wanted_fields
from memtrial.models.simulated.system_questions import read_question
from memtrial.protocols import Backend

RUN = re.compile(r"\s*\*\*Query:\*\* .*?\n\n\*\*Trajectory:\*\*", re.DOTALL)
DEFAULTS: dict[Part, str] = {part: f"simulated/{name}" for name, (part, _) in OTHERS.items()}
DEFAULTS["play"] = "simulated/reader"
ASKED: dict[str, Part] = {
    "memory_items": "condense",
    "memory_item": "condense",
    "action": "decide",
    "pairs": "decide",
    "rewritten": "perturb",
}
"""Who is asked, by an output field; whoever is asked for another one is the judge."""


class Answers(Protocol):
    """Answers every request."""

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        """Answer a request that was answered `repeat` times before; raises Refused where that cannot be."""


@dataclass(frozen=True, slots=True)
class Cast:
    """A participant for each part; the prompt tells which one is asked, as no client says so."""

    backends: Mapping[Part, Backend]

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        backend = self.backends[part(request.messages)]
        try:
            if request.scored and len(request.choices) == 1:
                return await _force(backend, request, repeat)
            reply = await backend.answer(request, repeat)
        except ModelFault as fault:
            raise Refused(400, f"the scripted server has no answer to this: {fault}") from fault
        return ScriptedAnswer(reply.text, reply.stop)


async def _force(backend: Backend, request: Request, repeat: int) -> ScriptedAnswer:
    """The one choice there is, and how likely it is among the actions that the prompt lists."""
    (only,) = request.choices
    listed = tuple(dict.fromkeys((*look(request.messages).actions, only)))
    reply = await backend.answer(replace(request, choices=listed, settings=""), repeat)
    return ScriptedAnswer(only, share=reply.shares[listed.index(only)])


def part(messages: tuple[Message, ...]) -> Part:
    """What a conversation asks for, recognised by its form."""
    if read_question(messages) is not None:
        return "condense"
    fields = wanted_fields(messages)
    if fields:
        return next((able for name, able in ASKED.items() if name in fields), "judge")
    if messages[0].role == "system" and any(f"Answer {form}" in messages[0].text for form in FORMS):
        return "grade"
    alone = [message.role for message in messages] == ["system", "user"]
    return "condense" if alone and RUN.match(messages[1].text) else "play"


def answers_from(text: str) -> Cast:
    """The participants that `--answers` names, with commas, one for each part; ScriptFault for others."""
    chosen: dict[Part, str] = {}
    for name in map(str.strip, text.split(",")):
        try:
            open_simulated(name)
        except ModelFault as fault:
            raise ScriptFault(f"answers come from simulated participants: {fault}") from fault
        able = PARTS[split_model(name)[1]]
        if able in chosen:
            raise ScriptFault(f"one participant can {able}; got {chosen[able]} and {name}; name one of them")
        chosen[able] = name
    return Cast({able: open_simulated(name) for able, name in (DEFAULTS | chosen).items()})
