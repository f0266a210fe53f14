"""The agents: participants whose use of memory is set, or who fail in one way. Text in, text out."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from memtrial.models.client.types import Message
from memtrial.models.simulated.advice import ITEM_HEADING, Act, Advice, read
from memtrial.models.simulated.odd_text import LABEL, reads_oddly
from memtrial.models.simulated.prompt import Scene, look
from memtrial.models.simulated.text import begin_draws, choice, content, in_order, list_quotes, stems, uniform

DISPOSITIONS = (
    *("reader", "skimmer", "ignorer", "gullible", "startled", "rejecter", "knows-already"),
    *("first-item-only", "mixed-sign", "talker", "unreadable", "forgetter"),
    *("late-reader", "mentioner", "trigger-reader"),
)
READING = (
    *("reader", "gullible", "rejecter", "first-item-only", "mixed-sign", "forgetter", "late-reader"),
    "trigger-reader",
)
"""Those who act on what a memory says; of them one can set how much they take up."""
STUMBLING = ("startled", "unreadable", "mentioner")
"""Those to whom the wording matters and what is said does not; of them one can set over what they stumble."""
STUMBLE = HALF = 0.5
SLIP = MENTION = 0.25
LATE = 2
"""Turns in which one who reads late tries on its own."""
ORDERLY = 0.8
GIST = 160  # characters of a note that are talked about
NOUN = re.compile(r"\b(?:a|an|the|to)\s+((?:[a-z]+ ){0,1}[a-z]+)")
PATTERN = re.compile(r"^[^\S\n]*+[-*] ([a-z][a-z ]*?(?: [A-Z]{2}[a-z A-Z]*+)?)$", re.MULTILINE)

TRIGGERED = re.compile(r"^[^\S\n]*+#++[^\S\n]*+trigger\b[^\S\n]*+:?+\s*+[^\s#]", re.MULTILINE | re.IGNORECASE)
"""A heading "Trigger" with words behind it or below."""

read_block = lru_cache(maxsize=2048)(read)


@dataclass(frozen=True, slots=True)
class SimulatedParticipant:
    """An agent of known disposition.

    Args:
        disposition: `ignorer` never uses memory; `skimmer` searches with care when a memory block is present,
            whatever it says; `reader` follows advice that fits the situation; `gullible` follows any advice;
            `startled` ignores content, searches with care while the block reads well, and loses turns where
            it reads oddly; `unreadable` is the same, and loses them by replies that nobody can read;
            `rejecter` does the contrary of advice that fits: never what it says to do, at once what it says
            to avoid; `knows-already` always searches with care, and uses no memory; `first-item-only` reads
            the first item of the first block; `mixed-sign` is a reader on half of the tasks and a rejecter
            on the others, as the task's text has it; `forgetter` is a reader of what came with the last turn,
            and has forgotten it one turn later; `talker` discusses its memory in its thoughts, and never uses
            it; `late-reader` is a reader that first tries on its own; `mentioner` does a quarter of the time
            what an item mentions, whatever it says of it, and loses turns where the block reads oddly;
            `trigger-reader` is a reader of the items that have a Trigger, and passes over all others. Three
            fail in one way where they are shown a memory, and search with care where they are not:
            `overreliant` does what the items advise, one after the other, whatever the situation;
            `distracted` turns to a thing that an item names and that is not there; `hasty` closes its work as
            soon as it can.
        uptake: the share of items that one who reads takes up, drawn once per episode and item.
        instructed: the share where the prompt asks to follow the items; None: no other than without.
        by: what reads oddly to one who stumbles, a rule of stumbling.py. By `marks`, the startled one takes
            no more care with a block that reads well than without memory.
    """

    disposition: str
    uptake: float = 1.0
    instructed: float | None = None
    by: str = "marks"

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        """The next turn of a ReAct conversation."""
        scene = look(messages)
        if scene.blocks and self.disposition in FAILING:
            driven = FAILING[self.disposition](scene)
            if driven is not None:
                return f"Thought: {DRIVEN}\nAction: {driven}"
        odd = self.disposition in STUMBLING and any(reads_oddly(block, self.by) for block in scene.blocks)
        if odd and uniform(seed, repeat, "trip") < STUMBLE:
            if self.disposition == "unreadable":
                return "That text makes no sense to me."
            thought, action = "That text makes no sense to me.", "think again"
        elif self.disposition == "mentioner":
            thought, action = self._mention(scene, seed, repeat)
        elif self.disposition in READING and not (
            self.disposition == "late-reader" and len(scene.done) < LATE
        ):
            thought, action = self._follow(scene, seed, repeat)
        else:
            thought, action = self._explore(scene, self._is_careful(scene, odd), seed, repeat)
        return f"Thought: {thought}\nAction: {action}"

    def _is_careful(self, scene: Scene, odd: bool) -> bool:
        if self.disposition == "startled" and self.by == "marks":
            return False
        pleased = self.disposition in ("skimmer", "startled", "unreadable") and bool(scene.blocks) and not odd
        return pleased or self.disposition in ("knows-already", *FAILING)

    def _explore(self, scene: Scene, careful: bool, seed: str, repeat: int) -> tuple[str, str]:
        action = search(scene, frozenset(), careful, seed, repeat)
        if self.disposition == "talker" and scene.blocks:
            # on one line, where no line can pass for an action
            gist = " ".join(LABEL.sub("", scene.blocks[-1]).split())[:GIST].replace(":", ",")
            return f"My notes say: {gist} I take that to heart.", action
        return "I do not know what works here, so I try something.", action

    def _mention(self, scene: Scene, seed: str, repeat: int) -> tuple[str, str]:
        acts = (act for block in scene.blocks for piece in read_block(block) for act in piece.acts)
        named = dict.fromkeys(action for act in acts for action in meant_actions(act, scene))
        fresh = tuple(action for action in named if action not in scene.done)
        if fresh and uniform(seed, repeat, "mention") < MENTION:
            return "A note speaks of this.", choice(fresh, seed, repeat, "mentioned")
        return self._explore(scene, False, seed, repeat)

    def _follow(self, scene: Scene, seed: str, repeat: int) -> tuple[str, str]:
        advice = self._take_up(scene, repeat)
        if not scene.actions:
            # what is quoted can be done as it stands; plain advice may need a thing put in for a word
            advice.sort(key=lambda piece: not any(act.spans for act in piece.acts))
        avoided = frozenset(
            action
            for piece in advice
            if not piece.do
            for act in piece.acts
            for action in meant_actions(act, scene)
        )
        for piece in advice:
            action = _find_next(piece, scene) if piece.do else None
            if action is not None and action not in avoided:
                return "A note fits this situation, so I do what it says.", action
        return "No note helps here, so I try something.", search(scene, avoided, False, seed, repeat)

    def _take_up(self, scene: Scene, repeat: int) -> list[Advice]:
        """The advice that counts here; what one does the contrary of is turned round."""
        uptake = self.instructed if scene.instructed and self.instructed is not None else self.uptake
        blocks = scene.blocks
        if self.disposition == "first-item-only":
            # the whole block where nothing heads an item
            items = (text for block in blocks[:1] for text in ITEM_HEADING.split(block) if text.strip())
            blocks = (next(items, ""),)
        contrary = self.disposition == "rejecter" or (
            self.disposition == "mixed-sign" and uniform("sign", scene.task) < HALF
        )
        if self.disposition == "forgetter":
            blocks = scene.recent
        words, drawn = scene.words, _begin_uptake(scene.opening)
        return [
            replace(piece, do=not piece.do) if contrary else piece
            for block in blocks
            for piece in read_block(block)
            if self.disposition == "gullible" or piece.fits(words)
            if self.disposition != "trigger-reader" or _has_trigger(piece.item)
            if drawn(piece.item, repeat) < uptake
        ]


@lru_cache(maxsize=64)  # the same in all turns of an episode
def _begin_uptake(opening: str) -> Callable[..., float]:
    """By item and repeat, the number that says whether the item is taken up."""
    return lru_cache(begin_draws(opening))


@lru_cache(maxsize=4096)
def _has_trigger(item: str) -> bool:
    return TRIGGERED.search(item) is not None


def meant_actions(act: Act, scene: Scene) -> tuple[str, ...]:
    """The actions an act can mean here: listed ones whose words it holds, or what it quotes or commands."""
    if scene.actions:
        return tuple(action for action in scene.actions if in_order(stems(action), act.words))
    meant, verbs = act.spans or (act.text,), scene.verbs
    if not verbs:
        return meant
    return tuple(text for text in meant if any(stems(text)[: len(verb)] == verb for verb in verbs))


def _find_next(piece: Advice, scene: Scene) -> str | None:
    """The first step of the advice that is not done yet, if it can be done here."""
    number = 0
    for action in scene.done:
        if number < len(piece.acts):
            act = piece.acts[number]
            number += action in act.spans or in_order(stems(action), act.words)
    if number == len(piece.acts):
        return None
    return max(meant_actions(piece.acts[number], scene), key=len, default=None)


def search(scene: Scene, avoided: frozenset[str], careful: bool, seed: str, repeat: int) -> str:
    """The next action of one who has nothing to go by.

    A careless searcher picks at random and now and then tries what it has tried; a careful one passes over
    what the observation says is out of use and mostly goes through the rest in order.
    """
    options = scene.actions or _make_up_actions(scene)
    open_ones = tuple(action for action in options if action not in avoided) or options
    fresh = tuple(action for action in open_ones if action not in scene.done)
    if not careful and (not fresh or uniform(seed, repeat, "slip") < SLIP):
        return choice(open_ones, seed, repeat, "any")
    if careful:
        # the things of the sentence that tells where dust lies
        sentence = next((part for part in scene.observation.split(". ") if "dust lies on" in part), "")
        things = sentence.partition("dust lies on")[2].split(",") if sentence else ()
        dusty = {stems(thing) for thing in things}
        fresh = tuple(action for action in fresh if stems(action)[1:] not in dusty) or fresh
        if fresh and uniform(seed, repeat, "order") < ORDERLY:
            return fresh[0]
    return choice(fresh or open_ones, seed, repeat, "fresh")


def _make_up_actions(scene: Scene) -> tuple[str, ...]:
    """Where the world lists no actions: the rules' patterns, filled with nouns of the observation."""
    nouns = tuple(dict.fromkeys(NOUN.findall(scene.observation.lower()))) or ("room",)
    patterns = PATTERN.findall(scene.rules) or ["look around"]
    return tuple(re.sub(r"[A-Z]{2,}", noun, pattern) for pattern in patterns for noun in nouns[:8])


CLOSERS = ("sign off", "hand over", "submit", "finish", "answer")
DRIVEN = "My notes decide what I do."
"""Its thought wherever the memory decides; the truth by which those who code failures are measured."""


def _copy_advice(scene: Scene) -> str | None:
    acts = [act for block in scene.blocks for piece in read_block(block) if piece.do for act in piece.acts]
    act = acts[len(scene.done) % len(acts)] if acts else None
    return None if act is None else next(iter(act.spans), act.text)


def _look_elsewhere(scene: Scene) -> str | None:
    named = (span for block in scene.blocks for span in list_quotes(block) if span not in scene.actions)
    absent = next((span for span in named if not content(span) <= scene.words), None)
    return None if absent is None else f"look into {absent}"


FAILING: Mapping[str, Callable[[Scene], str | None]] = {
    "overreliant": _copy_advice,
    "distracted": _look_elsewhere,
    "hasty": lambda scene: next((action for action in scene.actions if action.startswith(CLOSERS)), None),
}
