"""What a memory must not hold of a task that it is tested on: the task's text, its answer, its ground truth.

Texts are compared by neighbouring words, so a thousand items and a thousand tasks are read once each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.heading import item_label
from memtrial.memory.language.structure import parts
from memtrial.memory.words import content_words, folded_words
from memtrial.worlds.world import Task, Truth

Kind = Literal["self-retrieval", "template-mate", "task text", "answer", "ground truth", "memory echo"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Run = tuple[str, ...]
"""Neighbouring words, case-folded."""
LONG = 8
"""So many neighbouring words of a task's text in an item are no chance."""
LEAST = 4
"""A task's text of fewer words could stand anywhere."""
SHORT = 4
"""Characters of an answer's longest content word; a yes, or a digit, is no secret."""
LONGEST = 24
"""Words of an answer or a lesson that are compared, the first ones: texts are read once for each length."""
FEW = 32
"""Runs of words that are looked for one by one in a text."""
CUT = "[memory text left out]"


@dataclass(frozen=True, slots=True)
class Leak:
    """One place where a memory gives a test task away.

    Args:
        task: the test task.
        memory, source: whose item it is, and of which source task.
        text: the words that do so.
    """

    kind: Kind
    task: str
    memory: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Secret:
    """What only somebody who has seen this test task, or its solution, can say."""

    kind: Kind
    task: str


@lru_cache(maxsize=4096)  # agents say the same thoughts again, and each is held against every item
def fold_words(text: str) -> Run:
    """The words that are compared."""
    return tuple(folded_words(text.casefold()))


def runs(words: Sequence[str], size: int) -> Iterator[Run]:
    """All runs of so many neighbouring words."""
    return (tuple(words[start : start + size]) for start in range(len(words) - size + 1))


@dataclass(frozen=True)
class Secrets:
    """The secrets of all test tasks, by the words that tell them, found in a text in linear time."""

    told: Mapping[Run, tuple[Secret, ...]] = field(default_factory=dict)

    def within(self, text: str) -> dict[Secret, Run]:
        """The secrets that a text tells, each with the first words that do."""
        words, secrets_found = fold_words(text), dict[Secret, Run]()
        for size in sorted({len(run) for run in self.told}):
            for run in runs(words, size):
                for secret in self.told.get(run, ()):
                    secrets_found.setdefault(secret, run)
        return secrets_found


def secrets_of(
    tasks: Sequence[Task], truths: Mapping[str, Truth], train: Iterable[str], imported: Iterable[str] = ()
) -> Secrets:
    """What gives each test task away.

    A task's text counts by those of its words that no training task and no other test task shares. An answer
    counts unless the task itself says it or all of its words are short, a lesson if it has LONG words.

    Args:
        truths: by test task, where the world states them.
        train: texts of the training tasks.
        imported: of the tasks of imported traces; one that holds all of a test task's is no training task.
    """
    whole = Secrets(
        {
            run: (Secret("task text", task.id),)
            for task in tasks
            if len(run := fold_words(task.query)) >= LEAST
        }
    )
    others = (text for text in dict.fromkeys(imported) if not whole.within(text))
    known = {run for text in (*train, *others) for run in _text_runs(text)}
    owners: dict[Run, list[str]] = {}
    for task in tasks:
        for run in dict.fromkeys(_text_runs(task.query)):
            if run not in known:
                owners.setdefault(run, []).append(task.id)
    told: dict[Run, list[Secret]] = {
        run: [Secret("task text", ids[0])] for run, ids in owners.items() if len(ids) == 1
    }
    queries = {task.id: " ".join(fold_words(task.query)) for task in tasks}
    for task_id, truth in truths.items():
        for answer in truth.answers:
            run = fold_words(answer)[:LONGEST]
            told_by = max(map(len, content_words(answer)), default=0)
            if told_by >= SHORT and f" {' '.join(run)} " not in f" {queries[task_id]} ":
                told.setdefault(run, []).append(Secret("answer", task_id))
        run = fold_words(truth.lesson)[:LONGEST]
        if len(run) >= LONG:
            told.setdefault(run, []).append(Secret("ground truth", task_id))
    return Secrets({run: tuple(found) for run, found in told.items()})


def _text_runs(query: str) -> Iterator[Run]:
    words = fold_words(query)
    return runs(words, min(LONG, len(words))) if len(words) >= LEAST else iter(())


def item_leaks(secrets: Secrets, memory: str, source: str, texts: Iterable[str]) -> Iterator[Leak]:
    """What the items of one source task tell of other tasks; of its own task a record may tell all."""
    secrets_found: dict[Secret, Run] = {}
    for text in texts:
        secrets_found = secrets.within(text) | secrets_found
    for secret, run in secrets_found.items():
        if secret.task != source:
            yield Leak(secret.kind, secret.task, memory, source, " ".join(run))


def says(trajectory: Trajectory, run: str) -> bool:
    """Whether these words stand side by side in what somebody saw or did there."""
    steps = (text for step in trajectory.steps for text in (step.thought, step.action, step.observation))
    return any(f" {run} " in f" {' '.join(fold_words(text))} " for text in (trajectory.start, *steps))


def remembers(trajectory: Trajectory, cue: str) -> bool:
    """Whether a trajectory holds a memory's heading or its cue line: it was played with a memory."""
    line = fold_words(cue)[:LONGEST]
    for step in trajectory.steps:
        for text in (step.thought, step.action, step.observation):
            if any(item_label(line) is not None for line in text.splitlines()):
                return True
            if len(line) >= LONG and line in set(runs(fold_words(text), len(line))):
                return True
    return False


def without_echo(thought: str, memory: frozenset[Run]) -> tuple[str, int]:
    """A thought without what it repeats of a memory, and how many words were cut.

    Args:
        memory: as `echo_runs` gives it.
    """
    if memory.isdisjoint(runs(fold_words(thought), LONG)):
        return thought, 0
    pieces = thought.split(" ")
    # the words of each piece between blanks, so that what is kept stays as it was written
    words = [(number, word) for number, piece in enumerate(pieces) for word in folded_words(piece.casefold())]
    gone = {
        number
        for first in range(len(words) - LONG + 1)
        if tuple(word for _, word in words[first : first + LONG]) in memory
        for number, _ in words[first : first + LONG]
    }
    kept = [CUT if number in gone else piece for number, piece in enumerate(pieces)]
    joined = [kept[0], *(after for before, after in pairwise(kept) if not before == after == CUT)]
    return " ".join(joined), len(gone)


def echo_runs(items: Iterable[str], size: int = LONG) -> frozenset[Run]:
    """What of a memory is looked for in the thoughts of the trial that it was shown in.

    The thoughts of a raw trajectory are left out: an agent thinks again in its own turns of phrase.
    """
    return frozenset(run for item in items for run in runs(_spoken_line(item).split(), size))


@lru_cache(maxsize=4096)  # agents say the same thoughts again, each of them beside the same items
def echoes(thought: str, item: str, size: int = LONG) -> bool:
    """Whether the thought repeats so many neighbouring words of an item, of which `echo_runs` lists all."""
    repeated = _list_quotes(thought, size)
    # in a short thought each run is looked for: to list all of an item takes longer
    if len(repeated) <= FEW:
        if not _may_echo(fold_words(thought), item, size):
            return False
        spoken = _spoken_line(item)
        return any(run in spoken for run in repeated)
    return not echo_runs((item,), size).isdisjoint(runs(fold_words(thought), size))


def _may_echo(words: Run, item: str, size: int) -> bool:
    """Whether so many neighbouring words are all somewhere in the item's text, which need not be cut into
    words for that: mostly they are not."""
    text, in_a_row = item.casefold().replace("’", "'"), 0
    for word in words:
        in_a_row = in_a_row + 1 if word in text else 0
        if in_a_row == size:
            return True
    return False


@lru_cache(maxsize=4096)
def _spoken_line(item: str) -> str:
    """What is looked for of an item, its words in a row with a blank around each."""
    spoken = " ".join(part.body for part in parts(item) if part.label != "thought")
    return f" {' '.join(folded_words(spoken.casefold()))} "


@lru_cache(maxsize=1024)
def _list_quotes(thought: str, size: int) -> tuple[str, ...]:
    """All runs of so many neighbouring words, with a blank around each word."""
    return tuple(f" {' '.join(run)} " for run in runs(fold_words(thought), size))
