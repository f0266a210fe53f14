"""A loom whose items tell what to do, and episodes there, for tests of what was done."""

from typing import Any

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Firing, Slot
from memtrial.agents.trajectory import Step
from memtrial.arms.arm import CONTROL
from memtrial.arms.trigger_watch import watch
from memtrial.memory.item import Item, NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.trials.adherence import ToldAction, find_told_actions
from memtrial.worlds.world import Outcome, Task
from tests.support.loom import ADVISED, TASK

LOOM = Task("t", TASK, "loom", "loom/sashes", "test")
SAYS = NativeItem("Loom", "On looms.", f"When the belt hangs slack, {ADVISED}, unless frost shows.")
CLAIM = f"In a loom with a slack belt, do `{ADVISED}`."
TRUE = TheoryItem(CLAIM, 'state: "belt hangs slack"', "It moves.", "Looms.", "heuristic")


def slot(*items: Item) -> Slot:
    return Slot("Notes.", tuple(render(item, number) for number, item in enumerate(items, 1)))


def slots(native: tuple[Item, ...] = (), theory: tuple[Item, ...] = ()) -> ArmSlots:
    watched = watch(theory)
    shown = {
        ("native", "t"): IntactSlot(slot(*native), (), ("s",)),
        ("theory", "t"): IntactSlot(slot(*theory), watched, ("s",)),
    }
    return ArmSlots({}, shown, {"t": watched}, {}, {}, "theory" if watched else "")


def episode(*seen_and_done: tuple[str, str], fired: dict[int, int] | None = None, fault: Any = "") -> Episode:
    """What was seen before each action, and the action."""
    seen = [*[one for one, _ in seen_and_done[1:]], ""]
    steps = tuple(Step("t", done, after, fault) for (_, done), after in zip(seen_and_done, seen, strict=True))
    firings = tuple(Firing(step, item, "w", False) for item, step in (fired or {}).items())
    return Episode(LOOM, seen_and_done[0][0], steps, Outcome(False, 0.0), firings, (), (), 9)


def native(*items: Item, theory: tuple[Item, ...] = ()) -> tuple[ToldAction, ...]:
    return find_told_actions(CONTROL, slots(items, theory), LOOM, NOTHING_KNOWN)
