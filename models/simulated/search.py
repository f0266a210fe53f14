"""How a participant searches when it has nothing to go by, carelessly or with care."""

from __future__ import annotations

import re

from loadbearing.models.simulated.chance import choice, uniform
from loadbearing.models.simulated.prompt import Scene
from loadbearing.models.simulated.text import stems

SLIP = 0.25
ORDERLY = 0.8
NOUN = re.compile(r"\b(?:a|an|the|to)\s+((?:[a-z]+ ){0,1}[a-z]+)")
PATTERN = re.compile(r"^[^\S\n]*+[-*] ([a-z][a-z ]*?(?: [A-Z]{2}[a-z A-Z]*+)?)$", re.MULTILINE)


def search(scene: Scene, avoided: frozenset[str], careful: bool, seed: str, repeat: int) -> str:
    """The next action of a search.

    A careless searcher picks at random and now and then tries what it has tried; a careful one passes over
    what the observation says is out of use and mostly goes through the rest in order.
    """
    options = scene.actions or _made_up(scene)
    open_ones = tuple(action for action in options if action not in avoided) or options
    fresh = tuple(action for action in open_ones if action not in scene.done)
    if not careful and (not fresh or uniform(seed, repeat, "slip") < SLIP):
        return choice(open_ones, seed, repeat, "any")
    if careful:
        dusty = _dusty(scene.observation)
        fresh = tuple(action for action in fresh if stems(action)[1:] not in dusty) or fresh
        if fresh and uniform(seed, repeat, "order") < ORDERLY:
            return fresh[0]
    return choice(fresh or open_ones, seed, repeat, "fresh")


def _dusty(observation: str) -> frozenset[tuple[str, ...]]:
    """The things of the sentence that tells where dust lies."""
    for sentence in observation.split(". "):
        if "dust lies on" in sentence:
            return frozenset(stems(thing) for thing in sentence.split("dust lies on", 1)[1].split(","))
    return frozenset()


def _made_up(scene: Scene) -> tuple[str, ...]:
    """Where the world lists no actions: the rules' patterns, filled with nouns of the observation."""
    nouns = tuple(dict.fromkeys(NOUN.findall(scene.observation.lower()))) or ("room",)
    patterns = PATTERN.findall(scene.rules) or ["look around"]
    return tuple(
        re.sub(r"[A-Z]{2,}", lambda _, i=i: nouns[i % len(nouns)], pattern)  # type: ignore[misc]
        for pattern in patterns
        for i in range(min(len(nouns), 8))
    )
