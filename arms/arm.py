"""An arm: where its memory comes from × how it is injected."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Literal, Protocol

from loadbearing.arms.by_state import ByState
from loadbearing.arms.by_trigger import ByTrigger
from loadbearing.arms.enforcement import Enforce
from loadbearing.arms.prepend import Prepend
from loadbearing.arms.trigger_watch import Watched
from loadbearing.arms.yoked import Yoked
from loadbearing.episodes.injection import Injection
from loadbearing.episodes.slot import Slot

DISCUSSED = ", discussed"
Reach = Literal["retrieved", "bank"]
"""Whose items may come up by Trigger: the retrieved records', or all records' but the task's own."""


class InjectionKind(Protocol):
    """A factor level that makes one episode's injection."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    @property
    def by_trigger(self) -> bool:
        """An item is shown once its moment comes, and not before; else the slot is shown from the start."""

    @property
    def needs_trigger(self) -> bool:
        """The moment is that of a Trigger, which the item's schema must have."""

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        """The injection of one episode: the slot that is shown, and the intact items that may come up."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One level of the experiment: a memory (a condenser whose bank it shows, or one of OF_THE_WORLD), and
    how the slot reaches the agent. `discuss`: the cue line asks to discuss each item, as upstream's does."""

    name: str
    memory: str
    injection: InjectionKind
    reach: Reach = "retrieved"
    discuss: bool = False

    @property
    def shown(self) -> str:
        """The level of the factor `injection`, with all that belongs to it."""
        apart = (", reach bank" * (self.reach == "bank"), DISCUSSED * self.discuss)
        return self.injection.name + "".join(apart)


NONE = "none"
ORACLE = "oracle"
PLANTED_NATIVE, PLANTED_THEORY = "planted-native", "planted-theory"
DOSES = ("dose-0", "dose-1", "dose-2", "dose-3")
"""Memories of the dose ladder: so many true items in the slot, distractors in the other places."""
OF_THE_WORLD = (ORACLE, PLANTED_NATIVE, PLANTED_THEORY, *DOSES)
"""Memories that no condenser makes: the world itself states what is true."""

RAW = Arm("raw", "raw", Prepend())
CONTROL = Arm("control", "native", Prepend())
ARTIFACT = Arm("artifact", "theory", Prepend())
ACTIVATION = Arm("activation", "theory", ByTrigger())
ENFORCED = Arm("enforced", "theory", Enforce())
POSITIVE_CONTROL = Arm(ORACLE, ORACLE, Prepend())
# one true proposition in both schemas: what differs is the form alone (STATISTICS 0c.1)
AS_NATIVE = Arm(PLANTED_NATIVE, PLANTED_NATIVE, Prepend())
AS_THEORY = Arm(PLANTED_THEORY, PLANTED_THEORY, Prepend())
BY_TRIGGER = Arm("planted-activation", PLANTED_THEORY, ByTrigger())
PLANTED = (AS_NATIVE, AS_THEORY, BY_TRIGGER)
# a positive control of the size of a lesson (STATISTICS 0c.7)
LADDER = tuple(Arm(name, name, Prepend()) for name in DOSES)

_BY_CONDENSER = (RAW, CONTROL, ARTIFACT, ACTIVATION, ENFORCED)
STANDARD: tuple[Arm, ...] = (*_BY_CONDENSER, POSITIVE_CONTROL, *PLANTED, *LADDER)
PAIRS: tuple[tuple[Arm, Arm], ...] = (
    (ARTIFACT, CONTROL),
    (ACTIVATION, CONTROL),
    (ENFORCED, CONTROL),
    (AS_THEORY, AS_NATIVE),
    (BY_TRIGGER, AS_NATIVE),
)
"""(treatment, control): compared wherever both are arms of the run."""
INJECTIONS: tuple[InjectionKind, ...] = (Prepend(), ByTrigger(), Enforce(), Yoked(), ByState())


def factorial(memories: Iterable[str], injections: Iterable[InjectionKind]) -> tuple[Arm, ...]:
    """Every memory with every injection, named `memory·injection`."""
    return tuple(Arm(f"{memory}·{kind.name}", memory, kind) for memory, kind in product(memories, injections))
