"""What every memory system must do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loadbearing.environments.world import State, Task
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.runs.plugins.conformance.fixtures import DONOR, EMPTY, SEED, starts, trajectories, workshop
from loadbearing.runs.plugins.conformance.law import Law, Seen
from loadbearing.runs.plugins.memory import Memory

Make = Callable[[], Memory]


async def _before(make: Make) -> Seen:
    """A slot, or nothing."""
    slots = await _recall(make(), _asked())
    return Seen([], f"{sum(bool(slot.items) for slot in slots)} of {len(slots)} slots have items")


async def _observes(make: Make) -> Seen:
    """And a trajectory without steps."""
    traces = (*trajectories(), EMPTY)
    await _taught(make, traces)
    return Seen([""] * len(traces))


async def _recalls(make: Make) -> Seen:
    """After these trajectories it shows something for some task; how much is information."""
    slots = await _recall(await _taught(make, trajectories()), _asked())
    full = [slot for slot in slots if slot.items]
    n = sum(len(slot.text.split()) for slot in full) // max(1, len(full))
    note = f"{len(full)} of {len(slots)} slots have items, {n} words each"
    return Seen([] if full else [note], note)


async def _same_slot(make: Make) -> Seen:
    """A resumed run begins with a fresh one and the same trajectories."""
    one = await _recall(await _taught(make, trajectories()), _asked())
    return _compared(one, await _recall(await _taught(make, trajectories()), _asked()))


async def _any_order(make: Make) -> Seen:
    """A recall teaches nothing: a slot does not depend on which tasks were asked about before."""
    memory = await _taught(make, trajectories())
    one, again = await _recall(memory, _asked()), await _recall(memory, _asked())
    turned = await _recall(await _taught(make, trajectories()), _asked()[::-1])
    reversed_ = _compared(one, turned[::-1])
    return reversed_ if any(reversed_.cases) else _compared(one, again)


async def _damaged(make: Make) -> Seen:
    """By kind, to how many slots it applies; where it applies the damage must be done."""
    slots = [slot for slot in await _recall(await _taught(make, trajectories()), _asked()) if slot.items]
    counts, wrong = [], []
    for kind in ALL:
        fitting = [slot for slot in slots if not kind.why_not(slot, DONOR)]
        checks = [check(kind, slot, kind(slot, fixed_generator(SEED), DONOR)) for slot in fitting]
        wrong += [f"{kind.name} fails its check: {one.reason}" for one in checks if not one.passed]
        counts.append(f"{kind.name} {len(fitting)}")
    return Seen(wrong, f"of {len(slots)} slots: {', '.join(counts)}")


LAWS: tuple[Law[Memory], ...] = (
    Law("it can be asked before it saw anything", "", _before),
    Law("it sees successes and failures", "trajectories observed", _observes),
    Law("it recalls text", "", _recalls),
    Law("same history same slot", "tasks asked twice", _same_slot),
    Law("the order of recalls does not matter", "tasks asked twice", _any_order),
    Law("the standard kinds can damage it", "", _damaged),
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
    pairs = zip(one, other, strict=True)
    return Seen(["" if a == b else f"{b.text[:60]!r} after {a.text[:60]!r}" for a, b in pairs])
