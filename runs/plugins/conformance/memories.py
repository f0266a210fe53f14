"""What every memory system keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loadbearing.environments.world import State, Task
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.runs.plugins.conformance.fixtures import DONOR, EMPTY, SEED, starts, trajectories, workshop
from loadbearing.runs.plugins.conformance.law import Law, Seen, all_of
from loadbearing.runs.plugins.memory import Memory

Make = Callable[[], Memory]


async def it_can_be_asked_before_it_saw_anything(make: Make) -> Seen:
    """A slot, or nothing."""
    slots = await _recall(make(), _asked())
    return True, f"{sum(bool(slot.items) for slot in slots)} of {len(slots)} slots hold something"


async def it_sees_successes_and_failures(make: Make) -> Seen:
    """And a trajectory without steps."""
    memory = make()
    traces = (*trajectories(), EMPTY)
    for trace in traces:
        await memory.observe(trace)
    return True, f"{len(traces)} trajectories observed"


async def it_recalls_text(make: Make) -> Seen:
    """After these trajectories it shows something for some task; how much is information."""
    slots = await _recall(await _taught(make, trajectories()), _asked())
    full = [slot for slot in slots if slot.items]
    n = sum(len(slot.text.split()) for slot in full) // max(1, len(full))
    return bool(full), f"{len(full)} of {len(slots)} slots hold something, {n} words each"


async def same_history_same_slot(make: Make) -> Seen:
    """A run that goes on begins with a fresh one and the same trajectories."""
    one = await _recall(await _taught(make, trajectories()), _asked())
    other = await _recall(await _taught(make, trajectories()), _asked())
    return _compared(one, other)


async def the_order_of_recalls_does_not_matter(make: Make) -> Seen:
    """A recall teaches nothing: what is shown for one task does not hang on which were asked before."""
    asked = _asked()
    memory = await _taught(make, trajectories())
    one = await _recall(memory, asked)
    again = await _recall(memory, asked)
    turned = await _recall(await _taught(make, trajectories()), asked[::-1])
    held, seen = _compared(one, turned[::-1])
    return _compared(one, again) if held else (held, seen)


async def the_standard_kinds_can_damage_it(make: Make) -> Seen:
    """By kind, to how many slots it applies; where it applies the damage must be done."""
    slots = [slot for slot in await _recall(await _taught(make, trajectories()), _asked()) if slot.items]
    shares, wrong = [], []
    for kind in ALL:
        n = 0
        for slot in slots:
            if not kind.why_not(slot, DONOR):
                n += 1
                wrong += _undone(kind, slot)
        shares.append(f"{kind.name} {n}")
    seen = f"of {len(slots)} slots: {', '.join(shares)}"
    return (False, wrong[0]) if wrong else (True, seen)


LAWS: tuple[Law[Memory], ...] = (
    it_can_be_asked_before_it_saw_anything,
    it_sees_successes_and_failures,
    it_recalls_text,
    same_history_same_slot,
    the_order_of_recalls_does_not_matter,
    the_standard_kinds_can_damage_it,
)


def _asked() -> tuple[tuple[Task, State], ...]:
    world = workshop()
    return starts(world, world.tasks("test"))


async def _taught(make: Make, traces: Iterable[Trajectory]) -> Memory:
    memory = make()
    for trace in traces:
        await memory.observe(trace)
    return memory


async def _recall(memory: Memory, asked: Iterable[tuple[Task, State]]) -> list[Slot]:
    return [await memory.recall(task, state) for task, state in asked]


def _compared(one: list[Slot], other: list[Slot]) -> Seen:
    wrong = [
        f"{second.text[:60]!r} after {first.text[:60]!r}"
        for first, second in zip(one, other, strict=True)
        if first != second
    ]
    return all_of(wrong, len(one), "tasks asked twice")


def _undone(kind: Perturbation, slot: Slot) -> list[str]:
    verdict = check(kind, slot, kind(slot, fixed_generator(SEED), DONOR))
    return [] if verdict.passed else [f"{kind.name} fails its check: {verdict.reason}"]
