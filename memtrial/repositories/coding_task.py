"""A coding task: what is to be done, the files it begins with, and the check that decides."""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from memtrial.repositories.file_trees import FileTree, GitTree

SCRIPTS = ("check.sh", "setup.sh")
"""Of check and set-up, in the folder of a task."""
PLACE = "MEMTRIAL_TASK"
"""Where checks find the folder of a task; an agent is not told."""
UNSEEN = "A check that you cannot see decides whether it is done."
WORD = re.compile(r"[^\s'\"|&;<>()$`=]+")


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
        script_digests: of the scripts in `folder`, in the order of SCRIPTS; empty of one that is not there.
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
    script_digests: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Names all that determines the task: equal only where the task is the same."""
        parts = (self.id, self.prompt, self.check, self.setup, self.start.name, self.end.name)
        told = "\0".join((*parts, *self.tests, "", *self.test_globs, *self.script_digests))
        return sha256(told.encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def check_files(self) -> frozenset[str]:
        """Files of the tree that the check names, as a script that runs the tests."""
        words = {word.removeprefix("./") for word in WORD.findall(self.check)}
        return frozenset(words.intersection(file.path for file in self.end.files))

    @property
    def answers(self) -> tuple[Path, ...]:
        """Folders and files that hold what solves or decides it; whoever works on it does not see them."""
        trees = (tree for tree in (self.start, self.end) if isinstance(tree, GitTree))
        return (*dict.fromkeys(tree.repository.whole for tree in trees), *self.described)

    @property
    def described(self) -> tuple[Path, ...]:
        """The folder where it is described, and the scripts elsewhere that links in it lead to."""
        if self.folder is None:
            return ()
        scripts = (self.folder / name for name in SCRIPTS)
        return (self.folder, *(script.resolve() for script in scripts if script.is_symlink()))

    @property
    def instructions(self) -> str:
        """The prompt, which tests have to pass, and how it is checked or that this is not shown."""
        tests = "".join(f"\n- {path}" for path in self.tests)
        shown = f"\n\nThese tests must pass:{tests}" if tests else ""
        if PLACE in self.check:
            return f"{self.prompt}{shown}\n\n{UNSEEN}"
        return f"{self.prompt}{shown}\n\nIt is done when this command ends with code 0: {self.check}"
