"""The rule of a kind of task in its parts, where it is one rule: what arms with planted lessons show.

Kinds whose lesson is a longer procedure state none.
"""

from __future__ import annotations

from loadbearing.environments.world import Proposition

_BOX = "then move it to the box that the task names"
_POT = "the substance into a metal pot, then focus on it, then"


def _of_task(situation: str, action: str, why: str) -> Proposition:
    return Proposition(f"the task is to {situation}", action, why, where="task")


PROPOSITIONS: dict[str, Proposition] = {
    "find-plant": _of_task(
        "find a plant",
        f"go to the greenhouse, then focus on a plant in a flower pot, {_BOX}",
        "what grows in the greenhouse counts as found",
    ),
    "find-animal": _of_task(
        "find an animal",
        f"go outside, then focus on an animal or an egg, {_BOX}",
        "what lives outside counts as found",
    ),
    "find-living-thing": _of_task(
        "find a living thing",
        f"go outside, then focus on an animal, {_BOX}",
        "what lives outside counts as found",
    ),
    "find-non-living-thing": _of_task(
        "find a non-living thing",
        f"go to the room with the box, then focus on a tool or a piece of furniture there, {_BOX}",
        "what is neither plant nor animal counts as found",
    ),
    "lifespan-longest-lived": _of_task(
        "find the animal with the longest life span",
        "go outside, then focus on the tortoise, parrot, elephant, crocodile or bear",
        "an animal that lives for decades counts as the longest lived",
    ),
    "lifespan-shortest-lived": _of_task(
        "find the animal with the shortest life span",
        "go outside, then focus on the ant, dragonfly or other insect, or else on the mouse or hedgehog",
        "an animal that lives for weeks counts as the shortest lived",
    ),
    "boil": _of_task(
        "boil a substance",
        f"move {_POT} heat it on the stove of the kitchen until it is a gas",
        "the substance changes its state",
    ),
    "melt": _of_task(
        "melt a substance",
        f"move {_POT} heat it on the stove of the kitchen until it is liquid",
        "the substance changes its state",
    ),
    "freeze": _of_task(
        "freeze a substance",
        f"move {_POT} cool it in the freezer of the kitchen until it is solid",
        "the substance changes its state",
    ),
    "change-the-state-of-matter-of": _of_task(
        "change the state of matter",
        f"move {_POT} heat it on the stove of the kitchen until it has changed",
        "the substance is no longer what it was",
    ),
    "use-thermometer": _of_task(
        "measure the temperature",
        f"focus on the thermometer, then focus on the substance, then use the thermometer on it, {_BOX}",
        "the box answers how warm it is",
    ),
    "chemistry-mix": _of_task(
        "use chemistry to create the substance",
        "read the recipe, then put what it names into one pot, then mix the pot, then focus on the product",
        "the recipe tells which substances react",
    ),
    "chemistry-mix-paint-secondary-color": _of_task(
        "use chemistry to create paint",
        "go to the art studio, then pour two paints into a cup, then mix the cup, then focus on the product",
        "two primary colours make a secondary one",
    ),
    "power-component": _of_task(
        "create an electrical circuit",
        "focus on the part, then wire its two terminals to the anode and the cathode of a power source",
        "a closed circuit drives the part",
    ),
}
"""Task name → its rule. The words of each situation stand in the query of every variation."""
