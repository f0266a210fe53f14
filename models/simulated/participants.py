"""The agents: participants whose use of memory is set. Text in, text out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from loadbearing.models.client.types import Reply, Request
from loadbearing.models.simulated.advice import ITEM_HEADING, Act, Advice, read
from loadbearing.models.simulated.chance import following, uniform
from loadbearing.models.simulated.prompt import Scene, look
from loadbearing.models.simulated.search import search
from loadbearing.models.simulated.text import WORD, in_order, stems

Disposition = Literal[
    "ignorer",
    "skimmer",
    "reader",
    "gullible",
    "startled",
    "rejecter",
    "knows-already",
    "first-item-only",
    "mixed-sign",
    "talker",
]
READING: tuple[Disposition, ...] = ("reader", "gullible", "rejecter", "first-item-only", "mixed-sign")
"""Those who act on what a memory says; of them one can set how much they take up."""
STUMBLE = HALF = 0.5
GIST = 160  # characters of a note that are talked about
COMMON = frozenset({"the", "a", "to", "of", "and", "in", "when", "is"})
MARK = re.compile(r"(?<!\w)\[[A-Z]+\d*\]")
LABEL = re.compile(r"^#+ *(?:memory item *)?\w*", re.IGNORECASE | re.MULTILINE)

read_block = lru_cache(maxsize=4096)(read)


@dataclass(frozen=True, slots=True)
class Participant:
    """An agent of known disposition.

    Args:
        disposition: `ignorer` never uses memory; `skimmer` searches with care when a memory block is present,
            whatever it says; `reader` follows advice that fits the situation; `gullible` follows any advice;
            `startled` ignores content and stumbles over garbage; `rejecter` does the contrary of advice
            that fits: never what it says to do, at once what it says to avoid; `knows-already` always
            searches with care, and uses no memory; `first-item-only` reads the first item of the first
            block; `mixed-sign` is a reader on half of the tasks and a rejecter on the others, as the task's
            text has it; `talker` discusses its memory in its thoughts and never uses it.
        uptake: the share of items that one who reads takes up, drawn once per episode and item.
        instructed: the share where the prompt asks to follow the items; None: no other than without.
    """

    disposition: Disposition
    uptake: float = 1.0
    instructed: float | None = None

    @property
    def free(self) -> bool:
        """It computes its answers."""
        return True

    async def ready(self) -> None:
        """Nothing is needed."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """The next turn of a ReAct conversation."""
        scene = look(request.messages)
        # the whole conversation, so that cells are independent wherever their prompts differ
        seed = request.digest.hex()
        thought, action = self._decide(scene, seed, repeat)
        text = f"Thought: {thought}\nAction: {action}"
        length = sum(len(message.content) for message in request.messages)
        return Reply(text, length // 4, len(text) // 4, request.model)

    async def close(self) -> None:
        """It holds nothing."""

    def _decide(self, scene: Scene, seed: str, repeat: int) -> tuple[str, str]:
        if self.disposition in READING:
            return self._act_on(self._taken_up(scene, repeat), scene, seed, repeat)
        careful = self.disposition == "knows-already" or (
            self.disposition == "skimmer" and bool(scene.blocks)
        )
        if (
            self.disposition == "startled"
            and _garbage(scene.blocks)
            and uniform(seed, repeat, "trip") < STUMBLE
        ):
            return "That text makes no sense to me.", "think again"
        action = search(scene, frozenset(), careful, seed, repeat)
        if self.disposition == "talker" and scene.blocks:
            return f"My notes say: {_gist(scene.blocks[-1])} I take that to heart.", action
        return "I do not know what works here, so I try something.", action

    def _taken_up(self, scene: Scene, repeat: int) -> list[Advice]:
        """The advice that counts here; what one does the contrary of is turned round."""
        uptake = self.instructed if scene.instructed and self.instructed is not None else self.uptake
        blocks = scene.blocks
        if self.disposition == "first-item-only":
            blocks = tuple(_first_item(block) for block in blocks[:1])
        contrary = self.disposition == "rejecter" or (
            self.disposition == "mixed-sign" and uniform("sign", scene.task) < HALF
        )
        words, drawn = scene.words, lru_cache(following(scene.opening))
        return [
            replace(piece, do=not piece.do) if contrary else piece
            for block in blocks
            for piece in read_block(block)
            if self.disposition == "gullible" or piece.fits(words)
            if drawn(piece.item, repeat) < uptake
        ]

    def _act_on(self, advice: list[Advice], scene: Scene, seed: str, repeat: int) -> tuple[str, str]:
        if not scene.actions:
            # what is quoted can be done as it stands; plain advice may need a thing put in for a word
            advice.sort(key=lambda piece: not any(act.spans for act in piece.acts))
        avoided = frozenset(
            action for piece in advice if not piece.do for act in piece.acts for action in _named(act, scene)
        )
        for piece in advice:
            action = _next(piece, scene) if piece.do else None
            if action is not None and action not in avoided:
                return "A note fits this situation, so I do what it says.", action
        return "No note helps here, so I try something.", search(scene, avoided, False, seed, repeat)


def _named(act: Act, scene: Scene) -> tuple[str, ...]:
    """The actions an act can mean here: listed ones whose words it holds, or what it quotes or commands."""
    if scene.actions:
        return tuple(action for action in scene.actions if in_order(stems(action), act.words))
    meant = act.spans or (act.text,)
    return tuple(text for text in meant if not scene.verbs or _commands(text, scene))


def _commands(text: str, scene: Scene) -> bool:
    words = stems(text)
    return any(words[: len(verb)] == verb for verb in scene.verbs)


def _next(piece: Advice, scene: Scene) -> str | None:
    """The first step of the advice that is not done yet, if it can be done here."""
    at = 0
    for action in scene.done:
        if at < len(piece.acts) and _did(action, piece.acts[at]):
            at += 1
    for act in piece.acts[at : at + 1]:
        options = _named(act, scene)
        if options:
            return max(options, key=len)
    return None


def _did(action: str, act: Act) -> bool:
    return action in act.spans or in_order(stems(action), act.words)


def _first_item(block: str) -> str:
    """The text of a block's first item; the whole block where nothing heads an item."""
    return next((text for text in ITEM_HEADING.split(block) if text.strip()), "")


def _gist(block: str) -> str:
    """The beginning of a block on one line, where no line can pass for an action."""
    return " ".join(LABEL.sub("", block).split())[:GIST].replace(":", ",")


def _garbage(blocks: tuple[str, ...]) -> bool:
    """Marks in brackets, or text without any common English word. A bare frame is no garbage."""
    return any(MARK.search(block) or _foreign(LABEL.sub("", block)) for block in blocks)


def _foreign(text: str) -> bool:
    words = WORD.findall(text.lower())
    return bool(words) and not COMMON & set(words)
