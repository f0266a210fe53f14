"""A coding task: what is to be done, the files it begins with, and the check that decides."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memtrial.repositories.file_trees import FileTree


@dataclass(frozen=True, slots=True)
class CodingTask:
    """One task.

    Args:
        id: the name; of a mined one the first 12 digits of the commit's.
        prompt: what is to be done.
        check: a shell command; it ends with code 0 where the task is solved.
        setup: a shell command that makes a fresh work tree ready; may be empty.
        start: the files before the change.
        end: the tests, and the files that configure them, are these when the score is taken.
        tests: files of `end` that the change brought or altered.
        sources: files that the change altered, which no prompt names.
        n_lines: how many lines of the sources it added and took away.
        test_globs: what says which files are tests; the conventions of the languages where empty.
        folder: where the task is described; checks and set-ups find it in `$MEMTRIAL_TASK`.
        detected: the check was not given but chosen.
    """

    id: str
    prompt: str
    check: str
    setup: str
    start: FileTree
    end: FileTree
    tests: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    n_lines: int = 0
    test_globs: tuple[str, ...] = ()
    folder: Path | None = None
    detected: bool = False

    @property
    def digest(self) -> str:
        """Names all that determines the task: equal only where the task is the same."""
        parts = (self.id, self.prompt, self.check, self.setup, self.start.name, self.end.name)
        told = "\0".join((*parts, *self.tests, "", *self.test_globs))
        return sha256(told.encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def instructions(self) -> str:
        """The prompt, and which tests have to pass and how they are run."""
        tests = "".join(f"\n- {path}" for path in self.tests)
        shown = f"\n\nThese tests must pass:{tests}" if tests else ""
        return f"{self.prompt}{shown}\n\nIt is done when this command ends with code 0: {self.check}"
