"""What a work tree of a task is made of: the start, and of the end the tests alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import FileTree, TreeFile


@dataclass(frozen=True, slots=True)
class _Part:
    """Some files of a tree."""

    whole: FileTree
    paths: frozenset[str]

    @property
    def name(self) -> str:
        return self.whole.name

    @property
    def files(self) -> tuple[TreeFile, ...]:
        return tuple(file for file in self.whole.files if file.path in self.paths)

    def read(self, files: Sequence[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        return self.whole.read(files)


def layers_of(task: CodingTask, hide_tests: bool, solved: bool = False) -> tuple[FileTree, ...]:
    """The trees, in the order in which they are written.

    Args:
        hide_tests: the tests of the change come only when the score is taken.
        solved: with the files of the change.
    """
    if solved:
        return (task.end,)
    return (task.start,) if hide_tests else (task.start, _Part(task.end, frozenset(task.tests)))
