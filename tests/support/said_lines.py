"""Answers by substring, for a scripted server."""

from dataclasses import dataclass

from memtrial.models.client.types import Request
from memtrial.models.scripted.protocol import Refused, ScriptedAnswer


@dataclass(frozen=True, slots=True)
class Line:
    """What is said where `match` stands in the request."""

    match: str
    said: ScriptedAnswer


@dataclass(frozen=True, slots=True)
class Lines:
    """Answers by substring: the first line whose `match` is in the text of the request answers."""

    lines: tuple[Line, ...]

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        text = "\n".join(message.text for message in request.messages)
        for line in self.lines:
            if line.match in text:
                return line.said
        raise Refused(
            400,
            f"none of the {len(self.lines)} scripted answers matches this request; add a line whose match is"
            " empty to answer everything else",
        )
