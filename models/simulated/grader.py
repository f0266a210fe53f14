"""A judge of success with rates of its own: it goes by the last thing that the world said."""

import json
import re
from dataclasses import dataclass

from loadbearing.models.client.types import Message, ModelFault
from loadbearing.models.simulated.chance import uniform

LAST = "\nObservation: "
SOLVED = re.compile(r"\b(?:runs|accepted|completed|solved)\b", re.IGNORECASE)
FORMS = ("with one JSON object", "in two lines", "with one word")


@dataclass(frozen=True, slots=True)
class Grader:
    """A judge.

    Args:
        hit: the chance that it calls a success one.
        false_alarm: the chance that it calls a failure a success.
    """

    hit: float = 0.95
    false_alarm: float = 0.05

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        told, asked = messages[0].content, messages[-1].content
        form = next((at for at, words in enumerate(FORMS) if f"Answer {words}" in told), None)
        if form is None:
            raise ModelFault("simulated/grader judges whether tasks are solved; it was asked something else")
        solved = SOLVED.search(asked.rpartition(LAST)[2]) is not None
        said = uniform(seed, repeat, "grade") < (self.hit if solved else self.false_alarm)
        word, why = "success" if said else "failure", "The last answer of the world decides."
        if form == 0:
            return json.dumps({"verdict": word, "confidence": 0.9, "reason": why})
        return f"Thoughts: {why}\nStatus: {word}" if form == 1 else "success" if said else "fail"
