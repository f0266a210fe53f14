"""What every memory store must do. Each law fills a fresh one with the same trajectories."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import isfinite

from memtrial.memory.stored_item import MemoryFault, StoredItem
from memtrial.plugins.conformance.fixtures import tasks_asked, trajectories
from memtrial.plugins.conformance.laws import Law, LawResult
from memtrial.protocols import MemoryStore

MakeStore = Callable[[], MemoryStore]
FEW, MANY, SHOWN = 2, 50, 3
OTHER_TEXT = "Another text, in the place of the one that stood here."


async def _fill(make: MakeStore) -> MemoryStore:
    store = make()
    for trajectory in trajectories():
        await store.write(trajectory)
    return store


async def _read_all(store: MemoryStore, k: int, turned: bool = False) -> list[tuple[StoredItem, ...]]:
    """What each task is given, in the order of the tasks, whichever is asked for first."""
    tasks = tasks_asked()[::-1] if turned else tasks_asked()
    items = [await store.read(task, state, k) for task, state in tasks]
    return items[::-1] if turned else items


async def _lists(make: MakeStore) -> LawResult:
    """It can be read before it holds anything; what it holds has ids of its own, and texts."""
    await _read_all(make(), FEW)
    store = await _fill(make)
    read = await _read_all(store, MANY)
    listed = store.list()
    ids = [item.id for item in listed]
    cases = ["" if item.text.strip() else f"item {item.id!r} has no text" for item in listed]
    cases.append("" if len(set(ids)) == len(ids) else "two items have one id")
    cases.append("" if any(read) else "it gives nothing out for any task")
    return LawResult(
        cases, f"{len(listed)} items, {sum(map(bool, read))} of {len(read)} tasks are given some"
    )


async def _reads(make: MakeStore) -> LawResult:
    """At most k items that it lists, the best first, none twice; fewer where fewer are asked for."""
    store, cases = await _fill(make), []
    for k in (0, 1, FEW, MANY):
        for given in await _read_all(store, k):
            texts = {item.id: item.text for item in store.list()}
            scores = [item.score for item in given]
            checks = {
                f"{len(given)} items where {k} were asked for": len(given) <= k,
                "an item that it does not list": all(item.id in texts for item in given),
                "an item with another text than it lists": all(
                    _shows(store, texts.get(item.id), item.text) for item in given
                ),
                "a score that is no finite number": all(map(isfinite, scores)),
                "scores that rise": scores == sorted(scores, reverse=True),
                "an item twice": len({item.id for item in given}) == len(given),
            }
            cases.append(next((why for why, held in checks.items() if not held), ""))
    whole, part = await _read_all(store, MANY), await _read_all(store, 1)
    cases += [
        "" if few == many[:1] else "its first item depends on how many are asked for"
        for few, many in zip(part, whole, strict=True)
    ]
    return LawResult(cases)


async def digest_reads(make: MakeStore) -> str:
    """Sha256 of all that a filled store lists and gives out, to be compared with another process."""
    store = await _fill(make)
    return sha256(repr((store.list(), await _read_all(store, MANY))).encode()).hexdigest()


def _shows(store: MemoryStore, held: str | None, shown: str) -> bool:
    """Whether an item is shown as it is held; one that composes what it shows has the held text in it."""
    composes = getattr(store, "takes_damage", False)
    return held is not None and (held in shown if composes else held == shown)


async def _same_items(make: MakeStore) -> LawResult:
    """A resumed run begins with a fresh one, and the same trajectories in the same order."""
    first, again = await _read_all(await _fill(make), FEW), await _read_all(await _fill(make), FEW)
    return LawResult([_tell_change(*pair) for pair in zip(first, again, strict=True)])


def _tell_change(before: Sequence[StoredItem], after: Sequence[StoredItem]) -> str:
    """In what a second reading for a task is not the first; empty where they are alike."""
    # by their texts: a score that is no number is not even equal to itself
    if repr(before) == repr(after):
        return ""
    first, then = [item.id for item in before], [item.id for item in after]
    if first != then:
        return f"items {_few(then)} after {_few(first)}"
    other = next((new.id for old, new in zip(before, after, strict=True) if old.text != new.text), None)
    return "the same items with other scores" if other is None else f"item {other!r} with another text"


def _few(ids: Sequence[str]) -> str:
    """The first ids of many."""
    more = f" and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
    return (", ".join(f"{id!r:.40}" for id in ids[:SHOWN]) or "none") + more


async def _lists_in_order(make: MakeStore) -> LawResult:
    """Whatever is written comes below what stands there; what stays keeps its place."""
    store, before, cases, gone = make(), list[str](), list[str](), 0
    for trajectory in trajectories():
        await store.write(trajectory)
        after = [item.id for item in store.list()]
        kept = [id for id in before if id in after]
        cases.append("" if after[: len(kept)] == kept else f"{_few(after)} after {_few(before)}")
        gone += len(before) - len(kept)
        before = after
    return LawResult(cases, f"items that a later writing took away: {gone}" if gone else "")


async def _learns_nothing(make: MakeStore) -> LawResult:
    """What a task is given does not depend on what was asked before, nor does what is listed.

    A store that keeps its items to itself lists those that it gave out: nothing else may join the list.
    """
    store = await _fill(make)
    before = {item.id for item in store.list()}
    first = await _read_all(store, MANY)
    listed = store.list()
    given = {item.id for items in first for item in items}
    again, turned = await _read_all(store, MANY), await _read_all(await _fill(make), MANY, turned=True)
    strange = [item.id for item in listed if item.id not in before | given]
    cases = [
        f"reading added item {strange[0]!r}, which was not given out" if strange else "",
        "" if store.list() == listed else "reading again changed what it lists",
    ]
    for before_items, *later in zip(first, again, turned, strict=True):
        cases.append(next(filter(None, (_tell_change(before_items, items) for items in later)), ""))
    return LawResult(cases)


async def _replaces(make: MakeStore) -> LawResult:
    """Another text stands in the place of one, where it is listed and wherever it is given out; all others
    stay where they are."""
    store = await _fill(make)
    given_out = {item.id for given in await _read_all(store, MANY) for item in given}
    # the one that was written first: put anywhere else, it would stand in another place
    changed = next((item.id for item in store.list() if item.id in given_out), None)
    if changed is None:
        return LawResult(["there is nothing to replace"])
    expected = {item.id: item.text for item in store.list()} | {changed: OTHER_TEXT}
    try:
        store.replace(changed, OTHER_TEXT)
    except MemoryFault as fault:
        return LawResult([f"it lists item {changed!r:.40} and does not replace it: {fault}"])
    now_listed = [(item.id, item.text) for item in store.list()]
    cases = ["" if now_listed == list(expected.items()) else "it lists other texts, or in another order"]
    for given in await _read_all(store, MANY):
        wrong = [item.id for item in given if not _shows(store, expected.get(item.id), item.text)]
        cases.append(f"item {wrong[0]!r} is given out with another text" if wrong else "")
    try:
        store.replace("no such item", OTHER_TEXT)
    except MemoryFault as fault:
        cases.append("" if "\n" not in str(fault) else "its fault has several lines")
    else:
        cases.append("it replaces an item that it does not have")
    return LawResult(cases)


STORES: tuple[Law[MemoryStore], ...] = (
    Law("it holds items and lists them", "", _lists),
    Law("it lists in the order of writing", "writings", _lists_in_order),
    Law("it gives out at most k, the best first", "readings", _reads),
    Law("same history same items", "tasks asked twice", _same_items),
    Law("reading teaches it nothing", "tasks asked again", _learns_nothing),
    Law("a text can be replaced", "texts compared", _replaces),
)
