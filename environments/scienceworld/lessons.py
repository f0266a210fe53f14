"""What is true of each kind of task: its lesson in prose, and a gold path made shorter."""

from collections.abc import Sequence

from loadbearing.environments.scienceworld.commands import is_refusal

_FOCUS = "Focus only on what the task names, because a wrong focus ends the task as a failure."
_BOX = "Focus on it first, then carry or move it to the box that the task names."
_LIFE = (
    "The animals are outside. Judge by the kind of animal and not by its age now: tortoises, parrots, "
    "elephants, crocodiles and bears live for decades, mice, hedgehogs and chameleons for a few years, "
    "insects such as ants and dragonflies for the shortest time. An egg counts as the animal inside it."
)
_STATE = (
    "Put the substance into a pot from the kitchen (water comes from the sink) and focus on it. Heat the pot "
    "on the stove, or cool it in the freezer, until the substance has changed."
)
_MELT = (
    "Pick up the thermometer and focus on it, focus on the substance, heat the substance in a pot on the "
    "stove, use the thermometer on it until it melts, and focus on the box for that temperature."
)
_CIRCUIT = (
    "A circuit is closed when the anode of the power source leads through a wire to one terminal of the "
    "part, and its cathode through another wire to the other terminal."
)
_CONDUCT = (
    f"Focus on the thing to be tested. {_CIRCUIT} Put the thing into a loop with a light bulb: where the "
    "bulb lights up, it conducts. Move it to the box for that answer."
)
_PAINT = "Paints are in the art studio. Pour the paints that make the colour into one container and mix it."
_GROW = (
    "Seeds are in a jar in the kitchen. Move one into a flower pot in the greenhouse, water it again and "
    "again with the jug from the sink, and wait while it grows."
)
_BEES = "Open the bee hive and close the doors, because only flowers that bees visit bear fruit and seeds."
_STAGES = "The living thing is outside. Focus on each stage of its life, the earliest first."
_PLANE = (
    "The planes are in the workshop. Move the block to each plane, and time with the stopwatch how long it "
    "slides: it slides longer on a plane with a shallow angle or with more friction."
)
_GENES = f"{_GROW} Cross the two parents. {_BEES} The trait that most of the offspring show is dominant."

GENERAL: dict[str, str] = {
    "find-plant": f"Plants stand in the flower pots of the greenhouse. {_BOX}",
    "find-animal": f"Animals, and eggs of animals, are outside. {_BOX}",
    "find-living-thing": f"Living things are the animals outside and the plants in the greenhouse. {_BOX}",
    "find-non-living-thing": "What is neither plant nor animal is not living: furniture, a tool, a picture. "
    f"The room with the box holds such things itself, so go there at once. {_BOX}",
    "lifespan-longest-lived": f"{_LIFE} Focus on the one that lives longest.",
    "lifespan-shortest-lived": f"{_LIFE} Focus on the one that lives shortest.",
    "lifespan-longest-lived-then-shortest-lived": f"{_LIFE} Focus on the one that lives longest, and only "
    "then on the one that lives shortest.",
    "boil": _STATE,
    "melt": _STATE,
    "freeze": _STATE,
    "change-the-state-of-matter-of": _STATE,
    "use-thermometer": "Pick up the thermometer and focus on it, focus on the substance, use the thermometer "
    "on it, and move it to the box for that temperature.",
    "measure-melting-point-known-substance": _MELT,
    "measure-melting-point-unknown-substance": _MELT,
    "power-component": f"Focus on the part first. {_CIRCUIT}",
    "power-component-renewable-vs-nonrenewable-energy": f"Focus on the part first. {_CIRCUIT} Sun and wind "
    "are renewable and need to be outside; a gas generator and a battery are not renewable.",
    "test-conductivity": _CONDUCT,
    "test-conductivity-of-unknown-substances": _CONDUCT,
    "chemistry-mix": "Read the recipe, put its substances into one pot, mix it, and focus on what comes out.",
    "chemistry-mix-paint-secondary-color": _PAINT,
    "chemistry-mix-paint-tertiary-color": f"{_PAINT} Mix and focus on the colour in between first, then add "
    "the last paint to it.",
    "grow-plant": _GROW,
    "grow-fruit": f"{_GROW} Plant several. {_BEES}",
    "identify-life-stages-1": f"{_STAGES} Wait for the next stage where it has not come yet.",
    "identify-life-stages-2": f"{_STAGES} Several plants stand there, each at a stage of its own.",
    "inclined-plane-determine-angle": _PLANE,
    "inclined-plane-friction-named-surfaces": _PLANE,
    "inclined-plane-friction-unnamed-surfaces": _PLANE,
    "mendelian-genetics-known-plant": _GENES,
    "mendelian-genetics-unknown-plant": _GENES,
}
"""Task name → what holds in every variation of the task."""


def lesson(name: str, path: Sequence[str]) -> str:
    """The lesson of one variation of the task `name`: what holds for its kind, then its steps in order."""
    steps = ", then ".join(f"`{action}`" for action in path)
    return f"{GENERAL[name]} {_FOCUS} In this task do these steps in order: {steps}."


def shortenings(walk: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Paths made from a walk (pairs of action and reply) that solved its task, the walk's own last.

    The gold path looks, waits, opens open doors and types numbers at questions that are long answered.
    A shorter path has yet to be replayed: some tasks need the time that waiting takes.
    """
    told = [(act, say) for act, say in walk if not (is_refusal(say) or "already open" in say)]
    brisk = [act for act, _ in told if not act.startswith(("look ", "examine ", "wait"))]
    return tuple(brisk), tuple(act for act, _ in told), tuple(act for act, _ in walk)
