"""The examiner: answers judged questions about an item with rates of its own.

It shares no lexicon with the scribe: it looks at form alone (are there marked words, do they stand in the
trace), so that gates do not win by construction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loadbearing.models.client.types import ModelFault, Reply, Request
from loadbearing.models.simulated.chance import uniform
from loadbearing.models.simulated.structured import answer, given, wanted
from loadbearing.models.simulated.text import quoted, stems
from loadbearing.models.simulated.trajectory_text import turns

MOST_QUOTES = 100
"""Marked words of an item that it looks for in the trace."""


@dataclass(frozen=True, slots=True)
class Examiner:
    """A judge.

    Args:
        hit: the chance that it flags an item that is defective in the respect asked about.
        false_alarm: the chance that it flags one that is not.
    """

    hit: float = 0.9
    false_alarm: float = 0.05

    @property
    def free(self) -> bool:
        """It computes its answers."""
        return True

    async def ready(self) -> None:
        """Nothing is needed."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Answer one closed question.

        Raises:
            ModelFault: the request is no closed question about an item.
        """
        if "answer" not in wanted(request.messages):
            raise ModelFault(
                "simulated/examiner answers closed questions about items; it was asked something else"
            )
        fields = given(request.messages)
        item, trace = fields.get("item", ""), fields.get("trajectory", "")
        seed = request.digest.hex()
        bad = _defective(fields.get("question", ""), item, trace)
        flagged = uniform(seed, repeat, "flag") < (self.hit if bad else self.false_alarm)
        verdict = ("fail" if bad else "warn") if flagged else "pass"
        quote, where = _evidence(item, trace, flagged)
        reason = (
            "The passage bears this out." if not flagged else "The passage does not hold up to the question."
        )
        text = answer({"answer": verdict, "quote": quote, "where": where, "reason": reason})
        length = sum(len(message.content) for message in request.messages)
        return Reply(text, length // 4, len(text) // 4, request.model)

    async def close(self) -> None:
        """It holds nothing."""


def _parts(item: str) -> list[str]:
    """The bodies of the item's sections."""
    bodies = [body.strip() for body in re.split(r"^#+ *\w*", item, flags=re.MULTILINE)]
    return [body for body in bodies if body and not body.startswith("Item ")]


def _defective(question: str, item: str, trace: str) -> bool:
    """The truth the examiner goes by, from form alone."""
    parts = _parts(item) or [item]
    asks = question.lower()
    if "opposite" in asks:
        return not quoted(parts[0])
    if "mechanism" in asks:
        return not any(quoted(part) and len(stems(part)) > 4 for part in parts[2:3] or parts)
    if "recogni" in asks:
        return not any(quoted(part) for part in parts[:2])
    told = " ".join(trace.split())  # an item quotes on one line what a run may hold on several
    return any(" ".join(span.split()) not in told for span in quoted(parts[0])[:MOST_QUOTES])


def _evidence(item: str, trace: str, flagged: bool) -> tuple[str, str]:
    """A verbatim passage: of the trace where the item's marked words stand there, else of the item."""
    parts = _parts(item) or [item.strip()]
    if not flagged:
        _, steps = turns(trace)
        for span in quoted(parts[0])[:MOST_QUOTES]:
            if any(span in turn.after or span in turn.action or span in turn.before for turn in steps):
                return span, "trace"
    return parts[0].splitlines()[0].strip() if parts[0] else "", "item"
