"""The laws: what every condenser, gate, perturbation and memory system must do.

A law looks at fresh objects, case by case. Those of worlds are in `worlds.py`.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import passages
from memtrial.condensers.condenser import MOST_ITEMS, Condensation
from memtrial.faults import RunFault, SpecFault
from memtrial.gates.gate import Finding
from memtrial.ledger.random_streams import fixed_generator
from memtrial.memory.item import Item, item_from_json, item_to_json
from memtrial.memory.markdown import render
from memtrial.models.client.types import ModelFault
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.manipulation_check import check_damage
from memtrial.plugins.conformance import fixtures
from memtrial.plugins.conformance.fixtures import DONOR, EMPTY, ODD, SEED, SLOTS, tasks_asked, trajectories
from memtrial.plugins.own_memory import OwnMemory
from memtrial.protocols import Condenser, Gate, Perturbation
from memtrial.worlds.world import State, Task, WorldFault

T = TypeVar("T")


class LawResult(NamedTuple):
    """For each case what is wrong, empty where nothing is; and a note for a law that holds."""

    cases: Sequence[str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Law(Generic[T]):
    """One law: its name, what its cases are (in the plural; empty where only the note is of use), and the
    look, which gets a function that makes a fresh object."""

    name: str
    counted: str
    look: Callable[[Callable[[], T]], Awaitable[LawResult]]


@dataclass(frozen=True, slots=True)
class Result:
    """One law on one object, and what was counted or went wrong, in one line."""

    law: str
    passed: bool
    seen: str


async def hold(
    laws: Sequence[Law[T]],
    make: Callable[[], T],
    tell: Callable[[str, Result | None], None] = lambda *_: None,
) -> tuple[Result, ...]:
    """Try every law on a fresh object. A named fault breaks the law in which it was raised, and no other.

    Args:
        tell: called with the name of a law before it is tried, and with the result after it.
    """
    results = []
    for law in laws:
        tell(law.name, None)
        try:
            cases, note = await law.look(make)
        except (SpecFault, RunFault, ModelFault, WorldFault) as fault:
            results.append(Result(law.name, False, str(fault)))
            tell(law.name, results[-1])
            continue
        wrong = [case for case in cases if case]
        seen = [f"{len(cases)} {law.counted}"] if law.counted else []
        if wrong:
            seen = [f"{len(wrong)} of {count}: {wrong[0]}" for count in seen] or wrong[:1]
        elif note:
            seen.append(note)
        results.append(Result(law.name, not wrong, "; ".join(seen)))
        tell(law.name, results[-1])
    return tuple(results)


def alike(first: Iterable[object], *others: Iterable[object]) -> LawResult:
    """Each case came out the same every time."""
    cases = []
    for before, *again in zip(first, *others, strict=True):
        other = next((other for other in again if other != before), before)
        cases.append("" if other == before else f"{other!r:.70} after {before!r:.70}")
    return LawResult(cases)


async def _condenses(make: Callable[[], Condenser]) -> LawResult:
    """Two successes and two failures; what becomes of a refused first request is information."""
    condenser = make()
    made = [await condenser(trace) for trace in trajectories()[:4]]
    unbegun = (await condenser(EMPTY)).faults
    note = f"{sum(len(condensation.items) for condensation in made)} items; a trajectory without steps: "
    return LawResult(
        [_badly_condensed(condensation) for condensation in made],
        note + (unbegun[0] if unbegun else "no fault"),
    )


def _badly_condensed(made: Condensation) -> str:
    if made.faults:
        return made.faults[0]
    if len(made.items) > MOST_ITEMS:
        return f"{len(made.items)} items"
    # what is stored is read again when a run is resumed
    lost = [
        item for item in made.items if not render(item).strip() or item_from_json(item_to_json(item)) != item
    ]
    return f"{lost[0]!r}"[:80] if lost else ""


async def _condensed_again(make: Callable[[], Condenser]) -> LawResult:
    """By a fresh one, with the same answers of the model."""
    return alike(*[[await by(trace) for trace in trajectories()[:4]] for by in (make(), make())])


CONDENSERS: tuple[Law[Condenser], ...] = (
    Law("any trajectory is condensed", "trajectories condensed", _condenses),
    Law("same answers same items", "trajectories condensed twice", _condensed_again),
)


def _drafts() -> list[tuple[Item, Trajectory]]:
    traces = (fixtures.PRESS, *trajectories()[:2], EMPTY)
    return [(item, trace) for item in fixtures.ITEMS for trace in traces]


async def _judges(make: Callable[[], Gate]) -> LawResult:
    """Good and bad drafts. Evidence is verbatim; only what does not apply comes without."""
    gate = make()
    findings = [(item, trace, await gate(item, trace)) for item, trace in _drafts()]
    counts = Counter(finding.finding for _, _, finding in findings).most_common()
    return LawResult(
        [_groundless(*finding) for finding in findings], ", ".join(f"{n} {word}" for word, n in counts)
    )


def _groundless(item: Item, trace: Trajectory, finding: Finding) -> str:
    if finding.finding == "ERROR":
        return finding.reason
    texts, quote = (render(item),) if finding.where == "item" else passages(trace), finding.quote or ""
    if finding.finding == "NOT_APPLICABLE" or (quote and any(quote in text for text in texts)):
        return ""
    return f"{finding.finding} quotes {quote[:60]!r}"


async def _judged_again(make: Callable[[], Gate]) -> LawResult:
    """Twice by one gate and once by a fresh one."""
    gate = make()
    return alike(*[[await by(*draft) for draft in _drafts()] for by in (gate, gate, make())])


GATES: tuple[Law[Gate], ...] = (
    Law("it answers with evidence", "drafts judged", _judges),
    Law("same draft same finding", "drafts judged three times", _judged_again),
)


def _apply(kind: Perturbation, slot: Slot, seed: int = SEED) -> Damaged | NotApplicable:
    return kind.apply(slot, fixed_generator(seed), DamageContext((replace(DONOR),)))


async def _same_damage(make: Callable[[], Perturbation]) -> LawResult:
    """Twice by one object, and once more by a fresh one; the slot is shown in other cells of the block."""
    kind = make()
    given = _applicable(kind, SLOTS)
    whole = [replace(slot) for slot in given]
    done = [[_apply(by, slot) for slot in given] for by in (kind, kind, make())]
    after = [[(answer, slot) for answer, slot in zip(answers, given, strict=True)] for answers in done]
    return alike(zip(done[0], whole, strict=True), *after)


async def _same_refusal(make: Callable[[], Perturbation]) -> LawResult:
    """Whether a kind applies, and why not, is read from the intact texts: the same for all seeds."""
    kind = make()
    slots = [slot for slot in (*SLOTS, *ODD) if slot.items]
    refusals = [[_refusal(_apply(kind, slot, seed)) for slot in slots] for seed in (SEED, SEED + 1, SEED + 2)]
    return alike(*refusals)


def _refusal(answer: Damaged | NotApplicable) -> str:
    return answer.reason if isinstance(answer, NotApplicable) else ""


async def _checks(make: Callable[[], Perturbation]) -> LawResult:
    """Damage that applies and was not done stops a run; a kind that never applies measures nothing."""
    kind = make()
    ordinary, odd = _applicable(kind, SLOTS), _applicable(kind, ODD)
    note = f"applies to {len(ordinary)} of {len(SLOTS)} ordinary slots and {len(odd)} odd ones"
    cases = [_explain_failure(kind, slot) for slot in (*ordinary, *odd)]
    return LawResult(cases if ordinary else [_refusal(_apply(kind, SLOTS[0]))], note)


def _explain_failure(kind: Perturbation, slot: Slot) -> str:
    done = _apply(kind, slot)
    if isinstance(done, NotApplicable):
        return f"it applied before, and now: {done.reason}"
    measured = check_damage(kind, slot, done)
    return "" if measured.passed else f"{measured.reason}, for {' '.join(slot.items)[:60]!r}"


def _applicable(kind: Perturbation, slots: Iterable[Slot]) -> list[Slot]:
    """Copies of the slots that can be damaged. An empty one is never: it counts as `without`."""
    # a copy is damaged: a kind that changes its slot must not change ours
    return [replace(slot) for slot in slots if slot.items and not _refusal(_apply(kind, replace(slot)))]


PERTURBATIONS: tuple[Law[Perturbation], ...] = (
    Law("same seed same damage", "slots damaged", _same_damage),
    Law("it applies whatever the seed", "slots tried under three seeds", _same_refusal),
    Law("its check holds", "damaged slots checked", _checks),
)


async def _recalls(make: Callable[[], OwnMemory]) -> LawResult:
    """It can be asked before it saw anything; after these trajectories it shows something for some task."""
    await _recall(make())
    slots = await _recall(await _taught(make, EMPTY))
    full = [slot for slot in slots if slot.items]
    n = sum(len(slot.text.split()) for slot in full) // max(1, len(full))
    note = f"{len(full)} of {len(slots)} slots have items, {n} words each"
    return LawResult([] if full else [note], note)


async def _same_slot(make: Callable[[], OwnMemory]) -> LawResult:
    """A resumed run begins with a fresh one and the same trajectories."""
    return alike(await _recall(await _taught(make)), await _recall(await _taught(make)))


async def _any_order(make: Callable[[], OwnMemory]) -> LawResult:
    """A recall teaches nothing: a slot does not depend on which tasks were asked about before."""
    memory = await _taught(make)
    turned = await _recall(await _taught(make), tasks_asked()[::-1])
    return alike(await _recall(memory), await _recall(memory), turned[::-1])


async def _can_be_damaged(make: Callable[[], OwnMemory]) -> LawResult:
    """By kind, to how many slots it applies; where it applies the damage must be done."""
    slots = await _recall(await _taught(make))
    fitting = {kind: _applicable(kind, slots) for kind in ALL}
    wrong = [
        (kind.name, _explain_failure(kind, slot)) for kind, of_kind in fitting.items() for slot in of_kind
    ]
    counts = ", ".join(f"{kind.name} {len(of_kind)}" for kind, of_kind in fitting.items())
    cases = [f"{name} fails its check: {why}" for name, why in wrong if why]
    return LawResult(cases, f"of {sum(bool(slot.items) for slot in slots)} slots: {counts}")


async def _taught(make: Callable[[], OwnMemory], *more: Trajectory) -> OwnMemory:
    memory = make()
    for trace in (*trajectories(), *more):
        await memory.write(trace)
    return memory


async def _recall(memory: OwnMemory, tasks: Sequence[tuple[Task, State]] | None = None) -> list[Slot]:
    return [await memory.recall(task, state) for task, state in tasks or tasks_asked()]


MEMORIES: tuple[Law[OwnMemory], ...] = (
    Law("it recalls text", "", _recalls),
    Law("same history same slot", "tasks asked twice", _same_slot),
    Law("the order of recalls does not matter", "tasks asked again", _any_order),
    Law("the standard kinds can damage it", "", _can_be_damaged),
)
