"""What every condenser, gate, perturbation and memory system must do."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from loadbearing.condensers.condenser import MOST_ITEMS, Condensation, Condenser
from loadbearing.environments.world import State, Task
from loadbearing.episodes.slot import Slot
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Finding, Gate
from loadbearing.ledger.random_streams import fixed_generator
from loadbearing.memory.item import Item, item_from_json, item_to_json
from loadbearing.memory.markdown import render
from loadbearing.perturbations.manipulation import check
from loadbearing.perturbations.members import ALL
from loadbearing.perturbations.perturbation import Perturbation
from loadbearing.runs.plugins.conformance.fixtures import (
    DONOR,
    EMPTY,
    ITEMS,
    ODD,
    PRESS,
    SEED,
    SLOTS,
    asked,
    trajectories,
)
from loadbearing.runs.plugins.conformance.law import Law, Seen
from loadbearing.runs.plugins.members import Memory

Make = Callable[[], Perturbation]


async def _condensed(make: Callable[[], Condenser]) -> Seen:
    """Two successes and two failures; what becomes of a refused first request is information."""
    condenser = make()
    made = [await condenser(trace) for trace in trajectories()[:4]]
    unbegun = (await condenser(EMPTY)).faults
    note = f"{sum(len(one.items) for one in made)} items; a trajectory without steps: "
    return Seen([_badly_condensed(one) for one in made], note + (unbegun[0] if unbegun else "no fault"))


def _badly_condensed(made: Condensation) -> str:
    if made.faults:
        return made.faults[0]
    if len(made.items) > MOST_ITEMS:
        return f"{len(made.items)} items"
    # what is stored is read again when a run is resumed
    lost = [one for one in made.items if not render(one).strip() or item_from_json(item_to_json(one)) != one]
    return f"{lost[0]!r}"[:80] if lost else ""


async def _condensed_again(make: Callable[[], Condenser]) -> Seen:
    """A fresh one, with the same answers of the model."""
    one, fresh = make(), make()
    pairs = [(await one(trace), await fresh(trace)) for trace in trajectories()[:4]]
    return Seen(["" if a == b else f"{b.items!r} after {a.items!r}"[:160] for a, b in pairs])


CONDENSERS: tuple[Law[Condenser], ...] = (
    Law("any trajectory is condensed", "trajectories condensed", _condensed),
    Law("same answers same items", "trajectories condensed twice", _condensed_again),
)


async def _judged(make: Callable[[], Gate]) -> Seen:
    """Good and bad drafts. Evidence is verbatim; only what does not apply comes without."""
    gate = make()
    found = [(item, trace, await gate(item, trace)) for item, trace in _drafts()]
    counts = Counter(finding.finding for _, _, finding in found).most_common()
    wrong = [_groundless(*one) for one in found]
    return Seen(wrong, ", ".join(f"{n} {word}" for word, n in counts))


def _groundless(item: Item, trace: Trajectory, found: Finding) -> str:
    if found.finding == "ERROR":
        return found.reason
    texts, quote = (render(item),) if found.where == "item" else passages(trace), found.quote or ""
    if found.finding == "NOT_APPLICABLE" or (quote and any(quote in text for text in texts)):
        return ""
    return f"{found.finding} quotes {quote[:60]!r}"


async def _judged_again(make: Callable[[], Gate]) -> Seen:
    """Twice by one gate and once by a fresh one."""
    gate, fresh, cases = make(), make(), []
    for item, trace in _drafts():
        one, again, other = [await by(item, trace) for by in (gate, gate, fresh)]
        cases.append("" if one == again == other else f"{again.finding} after {one.finding}")
    return Seen(cases)


def _drafts() -> list[tuple[Item, Trajectory]]:
    return [(item, trace) for item in ITEMS for trace in (PRESS, *trajectories()[:2], EMPTY)]


GATES: tuple[Law[Gate], ...] = (
    Law("it answers with evidence", "drafts judged", _judged),
    Law("same draft same finding", "drafts judged three times", _judged_again),
)


async def _same_damage(make: Make) -> Seen:
    """Twice by one object, and once more by a fresh one; the slot is shown in other cells of the block."""
    kind, cases = make(), []
    for slot in _applicable(kind, SLOTS):
        before, donor = replace(slot), replace(DONOR)
        one, again, fresh = (by(slot, fixed_generator(SEED), donor) for by in (kind, kind, make()))
        wrong = "" if one == again == fresh else f"{again.text[:60]!r} after {one.text[:60]!r}"
        if (slot, donor) != (before, DONOR):
            wrong = f"{before.text[:60]!r} became {slot.text[:60]!r}"
        cases.append(wrong)
    return Seen(cases)


async def _checked(make: Make) -> Seen:
    """Damage that applies and was not done stops a run; a kind that never applies measures nothing."""
    kind = make()
    slots, ordinary = _applicable(kind, (*SLOTS, *ODD)), len(_applicable(kind, SLOTS))
    checks = [check(kind, slot, kind(slot, fixed_generator(SEED), DONOR)) for slot in slots]
    cases = [
        "" if one.passed else f"{one.reason}, for {' '.join(slot.items)[:60]!r}"
        for slot, one in zip(slots, checks, strict=True)
    ]
    note = f"applies to {ordinary} of {len(SLOTS)} ordinary slots and {len(slots) - ordinary} odd ones"
    return Seen(cases if ordinary else [kind.why_not(SLOTS[0], DONOR)], note)


def _applicable(kind: Perturbation, slots: tuple[Slot, ...]) -> list[Slot]:
    """Copies of the slots that can be damaged. An empty one is never: it counts as `without`."""
    return [replace(slot) for slot in slots if slot.items and not kind.why_not(slot, DONOR)]


PERTURBATIONS: tuple[Law[Perturbation], ...] = (
    Law("same seed same damage", "slots damaged", _same_damage),
    Law("its check holds", "damaged slots checked", _checked),
)


async def _recalls(make: Callable[[], Memory]) -> Seen:
    """It can be asked before it saw anything; after these trajectories it shows something for some task."""
    await _recall(make(), asked())
    slots = await _recall(await _taught(make, (*trajectories(), EMPTY)), asked())
    full = [slot for slot in slots if slot.items]
    n = sum(len(slot.text.split()) for slot in full) // max(1, len(full))
    note = f"{len(full)} of {len(slots)} slots have items, {n} words each"
    return Seen([] if full else [note], note)


async def _same_slot(make: Callable[[], Memory]) -> Seen:
    """A resumed run begins with a fresh one and the same trajectories."""
    one = await _recall(await _taught(make, trajectories()), asked())
    return _compared(one, await _recall(await _taught(make, trajectories()), asked()))


async def _any_order(make: Callable[[], Memory]) -> Seen:
    """A recall teaches nothing: a slot does not depend on which tasks were asked about before."""
    memory = await _taught(make, trajectories())
    one, again = await _recall(memory, asked()), await _recall(memory, asked())
    turned = await _recall(await _taught(make, trajectories()), asked()[::-1])
    return Seen([*_compared(one, again).cases, *_compared(one, turned[::-1]).cases])


async def _damaged(make: Callable[[], Memory]) -> Seen:
    """By kind, to how many slots it applies; where it applies the damage must be done."""
    slots = tuple(slot for slot in await _recall(await _taught(make, trajectories()), asked()) if slot.items)
    counts, wrong = [], []
    for kind in ALL:
        fitting = _applicable(kind, slots)
        checks = [check(kind, slot, kind(slot, fixed_generator(SEED), DONOR)) for slot in fitting]
        wrong += [f"{kind.name} fails its check: {one.reason}" for one in checks if not one.passed]
        counts.append(f"{kind.name} {len(fitting)}")
    return Seen(wrong, f"of {len(slots)} slots: {', '.join(counts)}")


async def _taught(make: Callable[[], Memory], traces: Iterable[Trajectory]) -> Memory:
    memory = make()
    for trace in traces:
        await memory.observe(trace)
    return memory


async def _recall(memory: Memory, tasks: Iterable[tuple[Task, State]]) -> list[Slot]:
    return [await memory.recall(task, state) for task, state in tasks]


def _compared(one: list[Slot], other: list[Slot]) -> Seen:
    pairs = zip(one, other, strict=True)
    return Seen(["" if a == b else f"{b.text[:60]!r} after {a.text[:60]!r}" for a, b in pairs])


MEMORIES: tuple[Law[Memory], ...] = (
    Law("it recalls text", "", _recalls),
    Law("same history same slot", "tasks asked twice", _same_slot),
    Law("the order of recalls does not matter", "tasks asked again", _any_order),
    Law("the standard kinds can damage it", "", _damaged),
)
