"""What became of each item in one episode: shown, its moment came, cited, acted upon, each at which turn."""

import re
from collections.abc import Sequence
from functools import lru_cache

from memtrial.agents.episode import Episode
from memtrial.agents.trajectory import Step
from memtrial.ledger.rows import ExposureEntry
from memtrial.memory.heading import field_heading
from memtrial.memory.leakage import Run, echo_runs, folded, runs, without_echo
from memtrial.perturbations.advice.known_actions import same_action
from memtrial.runs.trials.adherence import Told, scenes
from memtrial.runs.trials.trials import Trial

QUOTED = 6
"""So many neighbouring words of an item in a thought are a quotation."""
NAMED = 3
"""A title of so many words names its item."""
_NUMBER = re.compile(
    r"\b(?:items?|notes?|memory|memories)[ \t]++(?:no\.[ \t]*+)?#?(\d{1,3})\b", re.IGNORECASE
)


def exposed(trial: Trial, episode: Episode) -> tuple[ExposureEntry, ...]:
    """One entry for each item of the trial's slot, as the run meant it; turns count from 0. Of a whole bank
    only the items whose moment came have one.

    An item's moment comes when its Trigger holds or, where none speaks of it, what the text itself asks for
    stands there. It is acted upon when what the intact item advises is done at that turn or later.
    """
    items = trial.shown.items
    if not items:
        return ()
    by_trigger = trial.arm.injection.by_trigger
    own = {} if trial.intact.foreign else {one.item: one.step for one in reversed(episode.firings)}
    entered = {one.item: one.step for one in reversed(episode.firings) if one.shown}
    applied, acted = _moments(trial.told, episode)
    entries = []
    for at, item in enumerate(items):
        if trial.arm.reach == "bank" and at not in own:
            continue
        shown = entered.get(at) if by_trigger else 0 if item else None
        fired = min((turn for turn in (own.get(at), applied.get(at)) if turn is not None), default=None)
        said = None if shown is None else cited(at, item, episode.steps, shown)
        entries.append(ExposureEntry(item=at, shown=shown, fired=fired, cited=said, acted=acted.get(at)))
    return tuple(entries)


def _moments(told: Sequence[Told], episode: Episode) -> tuple[dict[int, int], dict[int, int]]:
    """By item, the first turn at which what it tells applies, and the first at which that is done."""
    applied: dict[int, int] = {}
    due: dict[int, list[Told]] = {}
    acted: dict[int, int] = {}
    for number, step, applies in scenes(told, episode):
        for one in applies:
            applied.setdefault(one.item, number)
            due.setdefault(one.item, []).append(one)
        for item, asked in due.items():
            if item not in acted and any(same_action(step.action, one.action) for one in asked):
                acted[item] = number
    return applied, acted


def cited(at: int, item: str, steps: Sequence[Step], since: int = 0) -> int | None:
    """The first turn whose thought names the item, by its number or title, or quotes it."""
    return next((n for n, step in enumerate(steps[since:], since) if _cites(at, item, step.thought)), None)


@lru_cache(maxsize=512)  # agents say the same thoughts again; a thought may be long
def _cites(at: int, item: str, thought: str) -> bool:
    if any(int(found) == at + 1 for found in _NUMBER.findall(thought)):
        return True
    quotes, sizes = _named(item)
    said = folded(thought)
    return any(run in quotes for size in sizes for run in runs(said, size))


_memory = lru_cache(maxsize=1024)(echo_runs)


@lru_cache(maxsize=2048)  # an item is shown in many trials
def _named(item: str) -> tuple[frozenset[Run], frozenset[int]]:
    """What names an item in a thought, runs of its words and its title; and how long these are."""
    headings = (field_heading(line) for line in item.splitlines())
    said = (folded(one.text) for one in headings if one is not None and one.name == "title")
    found = echo_runs((item,), QUOTED).union(title for title in said if len(title) >= NAMED)
    return found, frozenset(map(len, found))


def echoed(trial: Trial, episode: Episode) -> int:
    """Words of the thoughts that repeat, many in a row, the memory that was shown."""
    items = trial.shown.items
    if trial.arm.reach == "bank":
        items = tuple(items[one.item] for one in episode.firings if one.shown)
    memory = _memory(items)
    return sum(without_echo(step.thought, memory)[1] for step in episode.steps) if memory else 0
