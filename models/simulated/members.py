"""Model strings of simulated participants."""

from dataclasses import dataclass, fields
from typing import Literal, Protocol

from loadbearing.models.client.types import Backend, Message, ModelFault, Reply, Request, split_model
from loadbearing.models.simulated.examiner import Decider, Examiner
from loadbearing.models.simulated.failure_participants import FAILING, Failing
from loadbearing.models.simulated.grader import Grader
from loadbearing.models.simulated.odd_text import ODD
from loadbearing.models.simulated.participants import DISPOSITIONS, READING, STUMBLING, Participant
from loadbearing.models.simulated.perturber import Perturber
from loadbearing.models.simulated.scribe import Scribe

Part = Literal["play", "condense", "judge", "decide", "perturb", "grade", "code"]

PARTS: dict[str, Part] = {
    **dict.fromkeys((*DISPOSITIONS, *FAILING), "play"),
    "scribe": "condense",
    "examiner": "judge",
    "decider": "decide",
    "perturber": "perturb",
    "grader": "grade",
}
"""The participants there are, and what each can do."""
OTHERS: dict[str, type[Scribe | Examiner | Decider | Perturber | Grader]] = {
    "scribe": Scribe,
    "examiner": Examiner,
    "decider": Decider,
    "perturber": Perturber,
    "grader": Grader,
}


class Speaker(Protocol):
    """What says a text."""

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        """The reply to a conversation; chance hangs on `seed` and `repeat` alone.

        Raises:
            ModelFault: it is asked for something that it cannot do.
        """
        ...


@dataclass(frozen=True, slots=True)
class Simulated:
    """A participant as a backend: it computes its answers and holds nothing."""

    speaker: Speaker
    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:
        # the whole conversation is the seed, so that cells are independent wherever their prompts differ
        text = self.speaker.say(request.messages, request.digest.hex(), repeat)
        length = sum(len(message.content) for message in request.messages)
        return Reply(text, length // 4, len(text) // 4, request.model)

    async def close(self) -> None:
        pass


def open_simulated(model: str) -> Backend:
    """`simulated/<name>?k=v` → the participant.

    Raises:
        ModelFault: no such participant or setting.
    """
    _, name, settings = split_model(model)
    if name not in PARTS:
        raise ModelFault(f"no simulated participant {name!r}; there are {', '.join(PARTS)}")
    kind = OTHERS.get(name)
    own = ("instructed", "uptake") if name in READING else ("by",) if name in STUMBLING else ()
    allowed = tuple(sorted(field.name for field in fields(kind))) if kind else own
    if unknown := sorted(set(settings) - set(allowed)):
        having = ", ".join(allowed) or "none"
        raise ModelFault(f"{model!r} has no setting {', '.join(unknown)}; its settings: {having}")
    if "by" in settings:
        if settings["by"] not in ODD:
            raise ModelFault(f"by of {model!r} is one of {', '.join(ODD)}; got {settings['by']!r}")
        return Simulated(Participant(name, by=settings["by"]))
    given = {key: _share(model, key, text) for key, text in settings.items()}
    if name in FAILING:
        return Simulated(Failing(name))
    if kind:
        return Simulated(kind(**given))
    return Simulated(Participant(name, given.get("uptake", 1.0), given.get("instructed")))


def _share(model: str, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ModelFault(f"{name} of {model!r} is a share in [0, 1]; got {text!r}")
    return value
