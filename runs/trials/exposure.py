"""What became of each item in one episode: shown, its moment came, cited, acted upon, each at which turn."""

import re
from collections.abc import Sequence
from functools import lru_cache

from memtrial.agents.episode import Episode
from memtrial.agents.trajectory import Step
from memtrial.ledger.rows import ExposureEntry
from memtrial.memory.heading import field_heading
from memtrial.memory.leakage import Run, echo_runs, echoes, fold_words, runs, without_echo
from memtrial.perturbations.advice.known_actions import same_action
from memtrial.runs.trials.adherence import ToldAction, scenes
from memtrial.runs.trials.trials import Trial

QUOTED = 6
"""So many neighbouring words of an item in a thought are a quotation."""
NAMED = 3
"""A title of so many words names its item."""
_NUMBER = re.compile(
    r"\b(?:items?|notes?|memory|memories)[ \t]++(?:no\.[ \t]*+)?#?(\d{1,3})\b", re.IGNORECASE
)


def list_exposures(trial: Trial, episode: Episode) -> tuple[ExposureEntry, ...]:
    """One entry for each item of the trial's slot, as the run meant it; turns count from 0. Of a whole bank
    only the items whose moment came have one.

    An item's moment comes when its Trigger holds or, where none speaks of it, what the text itself asks for
    stands there. It is acted upon when what the intact item advises is done at that turn or later.
    """
    items = trial.shown.items
    if not items:
        return ()
    by_trigger = trial.arm.injection.by_trigger
    own = {} if trial.intact.foreign else {firing.item: firing.step for firing in reversed(episode.firings)}
    entered = {firing.item: firing.step for firing in reversed(episode.firings) if firing.shown}
    applied, acted = find_moments([action for action in trial.told_actions if action.do], episode)
    entries = []
    for position, item in enumerate(items):
        if trial.arm.reach == "bank" and position not in own:
            continue
        shown = entered.get(position) if by_trigger else 0 if item else None
        fired = min(
            (turn for turn in (own.get(position), applied.get(position)) if turn is not None), default=None
        )
        citing = None if shown is None else find_citation(position, item, episode.steps, shown)
        entries.append(
            ExposureEntry(item=position, shown=shown, fired=fired, cited=citing, acted=acted.get(position))
        )
    return tuple(entries)


def find_moments(
    told_actions: Sequence[ToldAction], episode: Episode
) -> tuple[dict[int, int], dict[int, int]]:
    """By item, the first turn at which what it tells applies, and the first at which that is done, then or
    later."""
    applied: dict[int, int] = {}
    due: dict[int, list[ToldAction]] = {}
    acted: dict[int, int] = {}
    for number, step, applies in scenes(told_actions, episode):
        for action in applies:
            applied.setdefault(action.item, number)
            due.setdefault(action.item, []).append(action)
        for item, asked in due.items():
            if item not in acted and any(same_action(step.action, action.action) for action in asked):
                acted[item] = number
    return applied, acted


def find_citation(position: int, item: str, steps: Sequence[Step], since: int = 0) -> int | None:
    """The first turn whose thought names the item, by its number or title, or quotes it."""
    return next(
        (n for n, step in enumerate(steps[since:], since) if _cites(position, item, step.thought)), None
    )


@lru_cache(maxsize=2048)  # agents say the same thoughts again; a thought may be long
def _cites(position: int, item: str, thought: str) -> bool:
    if any(int(number) == position + 1 for number in _NUMBER.findall(thought)):
        return True
    titles = _list_titles(item)
    if titles:
        thought_words = fold_words(thought)
        sizes = frozenset(map(len, titles))
        if any(run in titles for size in sizes for run in runs(thought_words, size)):
            return True
    return echoes(thought, item, QUOTED)


@lru_cache(maxsize=4096)  # an item is shown in many trials
def _list_titles(item: str) -> frozenset[Run]:
    """The titles of an item that name it in a thought."""
    headings = (field_heading(line) for line in item.splitlines())
    titles = (
        fold_words(heading.text) for heading in headings if heading is not None and heading.name == "title"
    )
    return frozenset(title for title in titles if len(title) >= NAMED)


def count_echoed_words(trial: Trial, episode: Episode) -> int:
    """Words of the thoughts that repeat, many in a row, the memory that was shown."""
    items = trial.shown.items
    if trial.arm.reach == "bank":
        items = tuple(items[firing.item] for firing in episode.firings if firing.shown)
    repeating = [step.thought for step in episode.steps if any(echoes(step.thought, item) for item in items)]
    if not repeating:
        return 0
    memory = echo_runs(items)
    return sum(without_echo(thought, memory)[1] for thought in repeating)
