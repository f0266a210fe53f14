"""The decider: says what notes advise in a situation, by the reading that the participants share."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.models.client.types import Message, ModelFault, Reply, Request
from loadbearing.models.simulated.advice import Act, read
from loadbearing.models.simulated.chance import choice, uniform
from loadbearing.models.simulated.prompt import CUE, Scene, look
from loadbearing.models.simulated.structured import answer, given, wanted
from loadbearing.models.simulated.text import in_order, stems

NOTHING = "nothing"
ELSEWHERE = ("wait", "look around", "go back")
"""What it says where it errs and no actions are listed."""


@dataclass(frozen=True, slots=True)
class Decider:
    """A judge who reads notes.

    Args:
        hit: the chance that it sees the advice that is there; else it answers `nothing`.
        noise: the chance that it names something that the notes do not say.
    """

    hit: float = 0.95
    noise: float = 0.02

    @property
    def free(self) -> bool:
        """It computes its answers."""
        return True

    async def ready(self) -> None:
        """Nothing is needed."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Say what the notes advise.

        Raises:
            ModelFault: the request asks for something else.
        """
        if wanted(request.messages) != ("action", "quote"):
            raise ModelFault("simulated/decider says what notes advise; it was asked something else")
        fields = given(request.messages)
        notes = fields.get("notes", "")
        told = Message("system", fields.get("rules", ""))
        scene = look((told, Message("user", fields.get("situation", ""))))
        seed = request.digest.hex()
        action, quote = _advised(notes, scene)
        if uniform(seed, repeat, "see") >= self.hit:
            action, quote = NOTHING, ""
        if uniform(seed, repeat, "err") < self.noise:
            action, quote = choice(scene.actions or ELSEWHERE, seed, repeat, "other"), _line(notes)
        text = answer({"action": action, "quote": quote})
        length = sum(len(message.content) for message in request.messages)
        return Reply(text, length // 4, len(text) // 4, request.model)

    async def close(self) -> None:
        """It holds nothing."""


def _advised(notes: str, scene: Scene) -> tuple[str, str]:
    """The first action of the first advice that fits the scene, and the passage that names it."""
    for piece in read(CUE.sub("", notes)):
        if piece.do and piece.acts and piece.fits(scene.words):
            action = _worded(piece.acts[0], scene)
            if action:
                return action, _passage(piece.acts[0], piece.item, notes)
    return NOTHING, ""


def _worded(act: Act, scene: Scene) -> str:
    """As the agent would have to word it; empty where it cannot be done here."""
    if scene.actions:
        fitting = [action for action in scene.actions if in_order(stems(action), act.words)]
        return max(fitting, key=len, default="")
    meant = act.spans or (act.text,)
    return next((text for text in meant if not scene.verbs or _commands(text, scene)), "")


def _commands(text: str, scene: Scene) -> bool:
    words = stems(text)
    return any(words[: len(verb)] == verb for verb in scene.verbs)


def _passage(act: Act, item: str, notes: str) -> str:
    return next((text for text in (*act.spans, act.text) if text and text in notes), _line(item))


def _line(text: str) -> str:
    """The first line that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
