"""Families of machines and their tasks, drawn from a seed; tasks of a family share a rule nobody can see."""

from dataclasses import dataclass
from typing import Literal, get_args

from numpy.random import default_rng

from memtrial.worlds.world import Proposition, Split, Task

MACHINES: tuple[tuple[str, tuple[str, str]], ...] = (
    ("glaze kiln", ("tiles", "jugs")),
    ("ribbon loom", ("sashes", "flags")),
    ("cider press", ("apples", "pears")),
    ("bell foundry", ("chimes", "gongs")),
    ("paper mill", ("ledgers", "cards")),
    ("rope walk", ("hawsers", "twine")),
    ("ink still", ("indigo", "sepia")),
    ("lens lathe", ("prisms", "monocles")),
    ("candle mould", ("tapers", "votives")),
    ("flour sifter", ("semolina", "bran")),
    ("leather drum", ("saddles", "belts")),
    ("wire draw", ("staples", "needles")),
)

STATES: tuple[str, ...] = (
    "The amber lamp glows", "The belt hangs slack", "The gauge trembles", "The hatch stands ajar",
    "The flywheel ticks", "The vent whistles", "The dial points north", "The funnel drips",
    "The roller squeaks", "The spindle leans", "The tank gurgles", "The grate smokes", "The float bobs",
    "The ratchet clicks", "The mirror fogs", "The bobbin wobbles", "The chute rattles", "The beacon blinks",
    "The piston sighs", "The hopper bulges", "The pendulum swings wide", "The shutter flaps",
    "The coil shimmers", "The nozzle spits", "The anvil rings",
)  # fmt: skip

SIGNS: tuple[str, ...] = (
    "Frost shows", "Rust blooms", "Tar oozes", "Moss clings", "Sparks jump", "Steam curls", "Salt crusts",
    "Oil pools", "Cracks spread", "Soot settles", "Wax beads", "Lint drifts",
)  # fmt: skip

MATERIALS: tuple[str, ...] = (
    "copper", "brass", "tin", "zinc", "iron", "nickel", "oak", "ash", "pine", "walnut", "ivory", "amberine",
    "jade", "onyx", "slate", "marble", "cobalt", "chrome", "bronze", "pewter", "cedar", "maple", "coral",
    "quartz",
)  # fmt: skip

CONTROLS: tuple[tuple[str, str], ...] = (
    ("turn", "valve"), ("pull", "lever"), ("press", "button"), ("wind", "crank"), ("flip", "switch"),
    ("push", "pedal"), ("tug", "chain"), ("slide", "bolt"),
)  # fmt: skip
"""A verb and the control it works on."""


Trait = Literal["plain", "exception", "check", "delayed"]
TRAITS: tuple[Trait, ...] = get_args(Trait)
FEW, MANY = 4, 14
FEWEST_CONTROLS, MOST_CONTROLS = 3, 16
EXCEPTION_SHARE = 0.25
RESEMBLING_SHARE = 0.1
MAX_WAIT = 3
# where and when: no part of any rule, but what makes one task's text more like another's
HALLS = ("east", "west", "upper", "lower", "old", "new")
SHIFTS = ("early shift", "late shift", "night shift", "weekend")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard the machines are.

    Args:
        controls: on every panel, FEWEST_CONTROLS to MOST_CONTROLS, all of them listed; None: MANY, and FEW on
            the panels of a quarter of the families.
        tries: turns in which controls may be tried.
        dusty: share of a panel's controls, rounded down, that the scene calls dusty and that never work.
    """

    controls: int | None = None
    tries: int = 4
    dusty: float = 0.5

    def __post_init__(self) -> None:
        """Raises ValueError for a number that makes no machine."""
        named = self.controls if self.controls is not None else MANY
        if not FEWEST_CONTROLS <= named <= MOST_CONTROLS or self.tries < 1 or not 0 <= self.dusty <= 1:
            raise ValueError(
                f"the workshop has {FEWEST_CONTROLS} to {MOST_CONTROLS} controls, a try at least, and a share"
                f" of dusty controls from 0 to 1; got {self}"
            )


STANDARD_DIFFICULTY = Difficulty()


@dataclass(frozen=True, slots=True)
class MachineFamily:
    """One kind of machine.

    Args:
        products: what it is set for; each product goes with one state.
        works: the action that works in each state: the hidden rule.
        sign: what shows when the rule does not apply.
        trait: what makes its tasks special: `exception` (some show the sign, and the rule's control
            breaks the machine), `check` (a test must come before the hand-over), `delayed` (the state
            shows only after a while).
    """

    machine: str
    products: tuple[str, str]
    states: tuple[str, str]
    controls: tuple[str, ...]
    works: tuple[str, str]
    sign: str
    exception: str
    trait: Trait

    @property
    def test(self) -> str:
        """The check of a `check` family, before its last step."""
        return f"inspect the {self.machine.split()[0]} sample"

    @property
    def hand_over(self) -> str:
        return f"sign off the {self.machine.split()[1]}"

    def lesson(self) -> str:
        """All that can be known about the family, in plain prose."""
        return " ".join(
            f"When {rule.situation}, {rule.action}{f', unless {rule.unless}' if rule.unless else ''}."
            for rule in self.propositions
        )

    @property
    def propositions(self) -> tuple[Proposition, ...]:
        """The same, a proposition a rule: one for each state, then what works where the sign shows."""
        after = f", then {self.test}, then {self.hand_over}" if self.trait == "check" else ""
        runs = f"the {self.machine} runs"
        unless = _clause(self.sign) if self.trait == "exception" else ""
        rules = tuple(
            Proposition(_clause(state), f"{action}{after}", runs, unless)
            for state, action in zip(self.states, self.works, strict=True)
        )
        return (*rules, Proposition(unless, self.exception, runs)) if unless else rules


def _clause(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def draw_families(
    seed: int, n: int, difficulty: Difficulty = STANDARD_DIFFICULTY
) -> tuple[MachineFamily, ...]:
    """The first `n` machines with rules drawn from `seed`; ValueError where there are not so many."""
    if not 8 <= n <= len(MACHINES):
        raise ValueError(f"the workshop has 8 to {len(MACHINES)} families; got families={n}")
    rng = default_rng([seed, 1])
    states = rng.permutation(STATES).tolist()
    signs = rng.permutation(SIGNS).tolist()
    materials = rng.permutation(MATERIALS).tolist()
    # a quarter of the families, none of trait `check`, have a small panel: every seed is about as hard
    open_traits = [trait for trait in TRAITS if trait != "check"][: round(n / 4)]
    members = [[i for i in range(n) if TRAITS[i % len(TRAITS)] == trait] for trait in open_traits]
    easy = {int(rng.choice(of_trait)) for of_trait in members}
    families = []
    for i in range(n):
        panel = [
            f"{verb} the {material} {noun}"
            for material in materials[2 * i : 2 * i + 2]
            for verb, noun in CONTROLS
        ]
        n_controls = difficulty.controls or (FEW if i in easy else MANY)
        controls = tuple(rng.permutation(panel).tolist())[:n_controls]
        first, second, third = rng.permutation(len(controls))[:3].tolist()
        families.append(
            MachineFamily(
                machine=MACHINES[i][0],
                products=MACHINES[i][1],
                states=(states[2 * i], states[2 * i + 1]),
                controls=controls,
                works=(controls[first], controls[second]),
                sign=signs[i],
                exception=controls[third],
                trait=TRAITS[i % len(TRAITS)],
            )
        )
    return tuple(families)


@dataclass(frozen=True, slots=True)
class WorkshopJob:
    """One task with what only the world knows.

    Args:
        which: index of the product, of the decisive state and of the control that works in it.
        signed: the family's sign shows and its rule does not apply.
        dusty: controls that nobody has used for years; never the one that works.
    """

    task: Task
    family: MachineFamily
    which: int
    signed: bool
    wait: int
    dusty: tuple[str, ...]

    @property
    def works(self) -> str:
        return self.family.exception if self.signed else self.family.works[self.which]

    @property
    def path(self) -> tuple[str, ...]:
        end = (self.family.test, self.family.hand_over) if self.family.trait == "check" else ()
        return ("wait",) * self.wait + (self.works, *end)


def draw_jobs(
    families: tuple[MachineFamily, ...],
    seed: int,
    split: Split,
    n: int,
    difficulty: Difficulty = STANDARD_DIFFICULTY,
) -> dict[str, WorkshopJob]:
    """`n` jobs of one split by task id, spread evenly over families and products."""
    rng = default_rng([seed, 2 if split == "train" else 3])
    jobs: dict[str, WorkshopJob] = {}
    for number in range(n):
        position = number % len(families)
        family = families[position]
        which = (number // len(families)) % 2
        signed = family.trait == "exception" and bool(rng.random() < EXCEPTION_SHARE)
        wait = int(rng.integers(2, MAX_WAIT + 1)) if family.trait == "delayed" else 0
        product = family.products[which]
        if rng.random() < RESEMBLING_SHARE:
            # the goal names what another family makes: a reader of queries alone is drawn to that family
            other = families[(position + 1 + int(rng.integers(len(families) - 1))) % len(families)]
            product = other.products[int(rng.integers(2))]
        hall, shift = HALLS[int(rng.integers(len(HALLS)))], SHIFTS[int(rng.integers(len(SHIFTS)))]
        bay = int(rng.integers(10, 100))
        where, when = f"in bay {bay} of the {hall} hall", f"by the {shift}"
        task = Task(
            id=f"workshop-{split}-{number}",
            query=f"Get the {family.machine} {where} running for {product} {when}.",
            family=family.machine,
            template=f"{family.machine}/{product}",
            split=split,
        )
        idle = [control for control in family.controls if control not in (*family.works, family.exception)]
        n_dusty = int(difficulty.dusty * len(family.controls))
        dusty = tuple(rng.permutation(idle)[:n_dusty].tolist()) if idle else ()
        jobs[task.id] = WorkshopJob(task, family, which, signed, wait, dusty)
    return jobs
