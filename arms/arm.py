"""An arm: where its memory comes from × how it is injected.

When an item comes up is decided on the intact item; damage touches only the text shown. Otherwise a damaged
Trigger would turn corrupt into without (DESIGN 3).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal

from memtrial.agents.slot import NOTHING, Slot
from memtrial.arms.trigger_watch import Watched, Watching, watch_states
from memtrial.memory.item import TypedItem
from memtrial.memory.markdown import parse_all
from memtrial.memory.trigger import Trigger, TriggerFault, compile_form
from memtrial.protocols import Carrier


@dataclass(frozen=True, slots=True)
class InjectionKind:
    """A factor level; its name is that in specs, ledgers and reports.

    Args:
        make: one episode's injection, of the slot that is shown and the intact items that may come up, in the
            same order.
        by_trigger: an item is shown once its moment comes, and not before; else the slot is from the start.
        needs_trigger: the moment is that of a Trigger, which the item's schema must have.
        watch: what is watched of the intact items' texts; None: their Triggers.
    """

    name: str
    make: Callable[[Slot, tuple[Watched, ...]], Carrier]
    by_trigger: bool = True
    needs_trigger: bool = True
    watch: Callable[[Sequence[str]], tuple[Watched, ...]] | None = None

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Carrier:
        return self.make(shown, watched)


def _enforce_checks(shown: Slot, watched: tuple[Watched, ...]) -> Carrier:
    texts = dict(enumerate(shown.items))
    as_shown = (
        replace(watched_item, check=check_of(texts.get(watched_item.item, ""))) for watched_item in watched
    )
    return Watching(shown, tuple(as_shown), executed=True)


@lru_cache(maxsize=4096)  # every episode asks again
def check_of(text: str) -> Trigger | None:
    """The check that a shown text states; None for a heuristic, and where nothing can be evaluated."""
    items = parse_all(text)
    if len(items) != 1 or not isinstance(items[0], TypedItem):
        return None
    try:
        return compile_form(items[0].form)
    except TriggerFault:
        return None


def _yoke_items(shown: Slot, watched: tuple[Watched, ...]) -> Carrier:
    n = len(shown.items)
    others = (
        tuple(replace(watched_item, item=(watched_item.item + 1) % n) for watched_item in watched)
        if n > 1
        else ()
    )
    return Watching(shown, others)


PREPEND = InjectionKind("prepend", partial(Watching, at_once=True), by_trigger=False, needs_trigger=False)
"""The slot is in the system prompt for the whole episode, as in the upstream code. The watched items only
log, unseen, what would come up and which checks break."""

TRIGGER = InjectionKind("trigger", Watching)
"""An item enters when its Trigger matches the moment, and stays (fork A, arm b)."""

ENFORCE = InjectionKind("enforce", _enforce_checks)
"""As by trigger, and the checks that items state are executed (fork A, arm c).

A proposed action that breaks a check while the item's Trigger holds is withheld with the item's text, and the
agent is asked once more; what it then proposes is carried out. A check is tried at every proposal. It is
executed as shown: damage to it changes what the program does. Otherwise damage could reach the explanation
alone, and the drop would leave out the program's own part. A shown text without a check that can be evaluated
executes none, and still comes up by its Trigger."""

YOKED = InjectionKind("yoked", _yoke_items)
"""Whenever an item would come up by trigger, the next one of its slot does in its place.

What may enter, how much of it and at which moments is as by trigger; which text comes at which moment is not.
So the difference of the two is what the timing of the content is worth (STATISTICS 0c.8). A firing names the
item that comes up, and the cues of the one whose moment it was. A slot of one item shows nothing."""

STATE = InjectionKind("state", Watching, needs_trigger=False, watch=watch_states)
"""An item of any schema enters when the observation retrieves it, and stays: the missing cell of schema by
time of entry. No Trigger is needed (STATISTICS 0c.8)."""


def _withhold(_shown: Slot, watched: tuple[Watched, ...]) -> Carrier:
    return Watching(NOTHING, watched, at_once=True)


WITHHOLD = InjectionKind("withhold", _withhold, by_trigger=False, needs_trigger=False)
"""Memory is written and read, and none of its text is shown: every request is that of `none`, byte for byte.

What such an arm costs is the cost of keeping memory alone. What it scores is the negative control of every
utility: it can differ from `none` by chance only, and by what reaches the agent beside the prompt."""

INJECTIONS = (PREPEND, TRIGGER, ENFORCE, YOKED, STATE, WITHHOLD)


DISCUSSED = ", discussed"
Reach = Literal["retrieved", "bank"]
"""Whose items may come up by Trigger: the retrieved records', or all records' but the task's own."""


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

RAW = Arm("raw", "raw", PREPEND)
CONTROL = Arm("control", "native", PREPEND)
ARTIFACT = Arm("artifact", "theory", PREPEND)
ACTIVATION = Arm("activation", "theory", TRIGGER)
ENFORCED = Arm("enforced", "theory", ENFORCE)
WITHHELD = Arm("withheld", "theory", WITHHOLD)
POSITIVE_CONTROL = Arm(ORACLE, ORACLE, PREPEND)
# one true proposition in both schemas: what differs is the form alone (STATISTICS 0c.1)
AS_NATIVE = Arm(PLANTED_NATIVE, PLANTED_NATIVE, PREPEND)
AS_THEORY = Arm(PLANTED_THEORY, PLANTED_THEORY, PREPEND)
BY_TRIGGER = Arm("planted-activation", PLANTED_THEORY, TRIGGER)
PLANTED = (AS_NATIVE, AS_THEORY, BY_TRIGGER)
# a positive control of the size of a lesson (STATISTICS 0c.7)
LADDER = tuple(Arm(name, name, PREPEND) for name in DOSES)

_BY_CONDENSER = (RAW, CONTROL, ARTIFACT, ACTIVATION, ENFORCED)
STANDARD: tuple[Arm, ...] = (*_BY_CONDENSER, WITHHELD, POSITIVE_CONTROL, *PLANTED, *LADDER)
PAIRS: tuple[tuple[Arm, Arm], ...] = (
    (ARTIFACT, CONTROL),
    (ACTIVATION, CONTROL),
    (ENFORCED, CONTROL),
    (AS_THEORY, AS_NATIVE),
    (BY_TRIGGER, AS_NATIVE),
)
"""(treatment, control): compared wherever both are arms of the run."""
CHANNEL_PAIRS: tuple[tuple[Arm, Arm], ...] = ((ACTIVATION, ARTIFACT), (BY_TRIGGER, AS_THEORY))
"""The same of one memory by two injections, the clean contrast of fork A: compared after the hypotheses, so
that it changes none of their p-values (STATISTICS 3, F2)."""


def named_pairs(pairs: Sequence[tuple[Arm, Arm]], names: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of which both are among these arms, by their names."""
    return tuple(
        (treatment.name, control.name)
        for treatment, control in pairs
        if treatment.name in names and control.name in names
    )
