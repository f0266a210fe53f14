"""One question answered: its text, model id and usage, and the echo of the request."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from loadbearing.models.client.types import Request
from loadbearing.models.scripted.answers import Answers
from loadbearing.models.scripted.anthropic_shapes import AnthropicDialect
from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.openai_shapes import OpenAIDialect
from loadbearing.models.scripted.protocol import CHARACTERS, Json, Refused, Said, tokens

Dialect = AnthropicDialect | OpenAIDialect
LOST = ("malformed JSON", "cut-off body")
"""Faults under which an answer is written that never arrives whole."""


@dataclass
class Answering:
    """Turns questions into the bodies of answers.

    Args:
        models: the model ids that are served; any where it is empty.
        echo: an answer carries the body of its request.
    """

    answers: Answers
    models: tuple[str, ...]
    echo: bool
    _answered: Counter[bytes] = field(default_factory=Counter)

    def check_model(self, model: str) -> None:
        """The model is served.

        Raises:
            Refused: it is not.
        """
        if self.models and model not in self.models:
            raise Refused(404, f"model: {model}: there are {', '.join(self.models)}")

    def echoed(self, written: Json, body: Json) -> Json:
        """An answer, with the body of its request where that is wanted."""
        return {**written, "request": body} if self.echo else written

    async def answer(
        self, dialect: Dialect, body: Json, asked: Request, fault: Fault | None, number: int
    ) -> Json:
        """The body of an answer.

        Args:
            asked: `body` as it was read.
            number: of the request, for the id of the answer.

        Raises:
            Refused: there is no answer to this.
        """
        kind = fault.kind if fault is not None else ""
        if kind == "drop system":
            body = dialect.without_system(body)
            asked = dialect.read(body, "")
        said = await self._say(asked, kind)
        most = asked.max_tokens * CHARACTERS
        if len(said.text) > most:
            said = Said(said.text[:most], "length")
        if fault is not None and kind == "large reply":
            said = Said(f"{said.text} {'x' * fault.size}", said.stop)
        model = fault.model if fault is not None and kind == "wrong model" else asked.model
        input_tokens = tokens(*(message.content for message in asked.messages))
        return self.echoed(dialect.write(number, model, said, input_tokens), body)

    async def _say(self, asked: Request, kind: str) -> Said:
        if kind == "refusal":
            return Said("", "refusal")
        if kind == "empty content":
            return Said("")
        repeat = self._answered[asked.digest]
        if kind not in LOST:
            # counted before the answer is there: two equal requests in flight get different repeats
            self._answered[asked.digest] += 1
        return await self.answers.say(asked, repeat)
