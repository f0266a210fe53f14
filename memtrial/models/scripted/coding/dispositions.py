"""What a scripted model of a coding agent makes of its memory: pure functions of task and memory shown.

They know what is true of them, so that an experiment with them has a known answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from memtrial.models.simulated.advice import read
from memtrial.models.simulated.odd_text import MARK, reads_oddly

LONG = 2_000
"""Characters of a memory over which one of them stumbles."""
ODDITIES = ("repetition", "grammar", "negation")
"""What another of them stumbles over, besides marks in brackets: rules of the participants' `odd_text.py`."""
IDLE_LOOKS = 6
"""How many more looks at the work tree a model takes that works through a memory first."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A file as the change leaves it; `path` is relative to the work tree."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class ScriptedTask:
    """A task whose right and wrong changes are known.

    Args:
        prompt: words of the task by which it is known in a request.
        lesson: the advice of a memory that says how it is solved, in a sentence.
        topic: the word that a memory on this task mentions, whatever it says.
        easy: it is solved without any memory.
        skill: the name of a skill that is activated first; empty for none.
        recall: the name of a tool that is asked for memory first, with the topic; empty for none.
    """

    prompt: str
    solution: tuple[FileEdit, ...]
    wrong: tuple[FileEdit, ...]
    lesson: str
    topic: str = ""
    easy: bool = False
    skill: str = ""
    recall: str = ""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What is done about a task: whether the right change is made, and after how many looks around."""

    solves: bool
    looks: int = 0


Disposition = Callable[[ScriptedTask, str], Conduct]
"""Says what is done about a task, given all memory that was shown; empty where none was."""


def teaches(memory: str, lesson: str) -> bool:
    """Whether a memory gives the same advice, in whatever words around it; its opposite is other advice."""
    wanted = _list_advice(lesson)
    return bool(wanted) and wanted <= _list_advice(memory)


def _list_advice(text: str) -> frozenset[tuple[tuple[str, ...], ...]]:
    """What is to be done or avoided, as the words of its actions in their order, a negation among them."""
    return frozenset(tuple(act.words for act in advice.acts) for advice in read(text))


def read_all(task: ScriptedTask, memory: str) -> Conduct:
    """Solve what is easy, and what the memory says how to solve."""
    return Conduct(task.easy or teaches(memory, task.lesson))


def read_half(task: ScriptedTask, memory: str) -> Conduct:
    """As `read_all`, of the first half of the memory."""
    return read_all(task, memory[: len(memory) // 2])


def ignore(task: ScriptedTask, memory: str) -> Conduct:  # noqa: ARG001
    """Solve what is easy, whatever the memory says."""
    return Conduct(task.easy)


def spend(task: ScriptedTask, memory: str) -> Conduct:  # noqa: ARG001
    """Solve everything; any memory leads to more looks, whatever it says."""
    return Conduct(True, IDLE_LOOKS if memory.strip() else 0)


def heed_mention(task: ScriptedTask, memory: str) -> Conduct:
    """Solve where the memory mentions the topic, also where it says the opposite of the lesson."""
    return Conduct(task.easy or bool(task.topic and task.topic in memory))


def lift_by_any_text(task: ScriptedTask, memory: str) -> Conduct:
    """Solve where there is any memory."""
    return Conduct(task.easy or bool(memory.strip()))


def stumble_over_length(task: ScriptedTask, memory: str, longest: int = LONG) -> Conduct:
    """As `ignore`, but a memory of more than so many characters makes it fail."""
    return Conduct(False) if len(memory) > longest else ignore(task, memory)


def stumble_over_oddity(task: ScriptedTask, memory: str) -> Conduct:
    """As `ignore`, but a text that reads oddly makes it fail."""
    odd = MARK.search(memory) is not None or any(reads_oddly(memory, rule) for rule in ODDITIES)
    return Conduct(False) if odd else ignore(task, memory)
