"""One question answered: what is said, under which model id, with what usage, and what is echoed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from loadbearing.models.scripted.answers import Answers
from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.prompt_cache import CHARACTERS, PromptCache, tokens
from loadbearing.models.scripted.protocol import Asked, Body, Dialect, Refused, Said

LOST = ("malformed JSON", "cut-off body")
"""Faults under which an answer is written that never arrives whole."""


@dataclass
class Answering:
    """Turns questions into the bodies of answers.

    Args:
        models: the ids there are; any where it is empty.
        echo: an answer carries the body of its request.
    """

    answers: Answers
    models: tuple[str, ...]
    echo: bool
    _cache: PromptCache = field(default_factory=PromptCache)
    _answered: Counter[bytes] = field(default_factory=Counter)

    def check_model(self, model: str) -> None:
        """There is such a model.

        Raises:
            Refused: there is none.
        """
        if self.models and model not in self.models:
            raise Refused(404, f"model: {model}: there are {', '.join(self.models)}")

    async def answer(
        self, dialect: Dialect, body: Body, asked: Asked, fault: Fault | None, number: int
    ) -> dict[str, Any]:
        """The body of an answer.

        Raises:
            Refused: there is no answer to this.
        """
        kind = fault.kind if fault is not None else ""
        if kind == "drop system":
            body = dialect.without_system(body)
            asked = dialect.read(body, "")
        said = await self._say(asked, kind)
        most = asked.request.max_tokens * CHARACTERS
        if len(said.text) > most:
            said = Said(said.text[:most], "length")
        if fault is not None and kind == "large reply":
            said = Said(f"{said.text} {'x' * fault.size}", said.stop)
        model = fault.model if fault is not None and kind == "wrong model" else asked.request.model
        usage = self._cache.account(asked, tokens(said.text))
        written = dialect.write(number, model, said, usage)
        return {**written, "request": body} if self.echo else written

    async def _say(self, asked: Asked, kind: str) -> Said:
        if kind == "refusal":
            return Said("", "refusal")
        if kind == "empty content":
            return Said("")
        digest = asked.request.digest
        repeat = self._answered[digest]
        if kind not in LOST:
            # counted before the answer is there: two that ask the same at once get different repeats
            self._answered[digest] += 1
        return await self.answers.say(asked.request, repeat)
