"""Model strings of simulated participants."""

from collections import Counter
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Literal

from memtrial.models.client.types import ModelFault, Reply, Request, split_model
from memtrial.models.simulated.closed_reply import settle_choice
from memtrial.models.simulated.examiner import Decider, Examiner, Grader
from memtrial.models.simulated.odd_text import ODD
from memtrial.models.simulated.participants import (
    DISPOSITIONS,
    FAILING,
    READING,
    STUMBLING,
    SimulatedParticipant,
)
from memtrial.models.simulated.perturber import Perturber
from memtrial.models.simulated.simulated_condenser import Scribe
from memtrial.protocols import Backend

Part = Literal["play", "condense", "judge", "decide", "perturb", "grade", "code"]
OTHERS: dict[str, tuple[Part, type[Scribe | Examiner | Decider | Perturber | Grader]]] = {
    "scribe": ("condense", Scribe),
    "examiner": ("judge", Examiner),
    "decider": ("decide", Decider),
    "perturber": ("perturb", Perturber),
    "grader": ("grade", Grader),
}
PARTS: dict[str, Part] = {
    **dict.fromkeys((*DISPOSITIONS, *FAILING), "play"),
    **{name: part for name, (part, _) in OTHERS.items()},
}
"""The participants there are, and what each can do."""


SCORING_DRAWS = 64
"""Answers of a participant, the same draws for every prompt with this list, whose frequencies are the
shares of the choices."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A participant as a backend: it computes its answers, by request and repeat alone, and holds nothing."""

    speaker: SimulatedParticipant | Scribe | Examiner | Decider | Perturber | Grader
    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:
        # the whole conversation is the seed, so that cells are independent wherever their prompts differ
        seed = request.digest.hex()
        text = self._say(request, seed, repeat)
        length = sum(len(message.text) for message in request.messages)
        shares: tuple[float, ...] = ()
        if request.scored and request.choices:
            # of the list alone: shares that differ by chance would read as a shift where nothing moved
            drawing = sha256("\x1f".join(request.choices).encode()).hexdigest()
            drawn = Counter(self._say(request, drawing, draw) for draw in range(SCORING_DRAWS))
            shares = tuple(drawn[choice] / SCORING_DRAWS for choice in request.choices)
        return Reply(text, length // 4, len(text) // 4, request.model, shares=shares)

    def _say(self, request: Request, seed: str, repeat: int) -> str:
        text = self.speaker.say(request.messages, seed, repeat)
        return settle_choice(text, request, seed, repeat) if request.choices else text

    async def close(self) -> None:
        pass


def open_simulated(model: str) -> Backend:
    """`simulated/<name>?k=v` → the participant; ModelFault where there is none, or no such setting."""
    _, name, settings = split_model(model)
    if name not in PARTS:
        raise ModelFault(f"no simulated participant {name!r}; there are {', '.join(PARTS)}")
    _, kind = OTHERS.get(name, ("", None))
    own = ("instructed", "uptake") if name in READING else ("by",) if name in STUMBLING else ()
    allowed = tuple(sorted(field.name for field in fields(kind))) if kind else own
    if unknown := sorted(set(settings) - set(allowed)):
        having = ", ".join(allowed) or "none"
        raise ModelFault(f"{model!r} has no setting {', '.join(unknown)}; its settings: {having}")
    by = settings.pop("by", "marks")
    if by not in ODD:
        raise ModelFault(f"by of {model!r} is one of {', '.join(ODD)}; got {by!r}")
    given = {key: _share(model, key, text) for key, text in settings.items()}
    if kind:
        return Simulated(kind(**given))
    return Simulated(SimulatedParticipant(name, given.get("uptake", 1.0), given.get("instructed"), by))


def _share(model: str, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ModelFault(f"{name} of {model!r} is a share in [0, 1]; got {text!r}")
    return value
