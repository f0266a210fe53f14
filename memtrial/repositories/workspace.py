"""The work tree of one trial: a fresh folder with a git repository of its own, of exactly one commit.

The change that solves the task is neither in its files nor among its objects, and nothing later is.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from memtrial.commands.folder_removal import identify, remove_folder
from memtrial.commands.process_order import (
    TIME_LIMIT,
    CommandFault,
    ProcessEnd,
    ProcessLimits,
    ProcessOrder,
    ProcessStopped,
    shell_words,
)
from memtrial.commands.process_run import run_process
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_kinds import decides_score
from memtrial.repositories.file_trees import FileTree, TreeFile
from memtrial.repositories.first_commit import begin_history
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.restored_tests import restore_tests
from memtrial.repositories.work_files import SUBMODULE, put_file
from memtrial.repositories.work_patch import (
    FileStanding,
    WorkPatch,
    changed_files,
    make_patch,
    record_standing,
)

PASSED_ON = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME"),
    *("GOROOT", "GOPATH", "GOMODCACHE", "NVM_DIR", "PIP_CACHE_DIR", "npm_config_cache"),
)
"""Variables of the user's that a check gets; no key and no token is among them."""
INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".git")
"""What an agent would read, or git would find, in a folder above the work tree."""


class SetupFault(RuntimeError):
    """The set-up of a task failed in a fresh work tree. One line."""


@dataclass(frozen=True, slots=True)
class CheckTerms:
    """How a work tree is made and checked.

    Args:
        timeout_s: seconds for a check, and for a set-up.
        pass_on: more variables of the user's that checks and set-ups get.
        hide_tests: the tests of the change come into the work tree only when it is scored.
        place: where work trees are made; the system's folder for temporary files unless named.
    """

    timeout_s: float = 300.0
    pass_on: tuple[str, ...] = ()
    hide_tests: bool = False
    place: Path | None = None


@dataclass(frozen=True, slots=True)
class WorkScore:
    """How a trial ended.

    Args:
        solved: the check ended with code 0.
        cause: why not: `check failed`, `time limit`, `work tree removed` or `work tree unusable`; else empty.
        tail: the end of what the check printed.
        edited_tests: files that decide the score and had been changed; they were put back before.
        patch: what was changed, those included.
    """

    solved: bool
    cause: str
    tail: str
    seconds: float
    edited_tests: tuple[str, ...]
    patch: WorkPatch


@dataclass(frozen=True, slots=True)
class Workspace:
    """A work tree, and folders beside it that are the home and the temporary folder of what runs in it.

    Args:
        root: the folder that holds all of it.
        identity: device and inode of the work tree, by which it is known again.
        standing: how its files stood when it was made.
    """

    task: CodingTask
    terms: CheckTerms
    root: Path
    identity: tuple[int, int]
    standing: Mapping[str, FileStanding]

    @property
    def tree(self) -> Path:
        """Where the agent works."""
        return self.root / "tree"

    @property
    def variables(self) -> dict[str, str]:
        """The environment of what runs in it."""
        return _variables(self.root, self.task, self.terms)

    @property
    def stands(self) -> bool:
        """The work tree is still the folder that was made."""
        with suppress(OSError):
            state = self.tree.lstat()
            return (state.st_dev, state.st_ino) == self.identity
        return False

    def run_check(self, stop: Event | None = None) -> ProcessEnd:
        """Run the check on the files as they stand. CommandFault where the work tree is gone."""
        _make_beside(self.root)
        return run_process(order_of(self.task.check, self.tree, self.variables, self.terms.timeout_s), stop)

    def score(self, stop: Event | None = None) -> WorkScore:
        """Put the tests back and run the check. Once, when nothing of the agent's runs any more."""
        if not self.stands:
            return WorkScore(False, "work tree removed", "", 0.0, (), WorkPatch())
        changed = changed_files(self.tree, self.standing)
        scratch = Path(tempfile.mkdtemp(dir=self.root))
        patch = make_patch(self.tree, changed, _layers(self.task, self.terms), scratch)
        edited = tuple(path for path in changed if decides_score(path, self.task.test_globs))
        try:
            restore_tests(self.tree, self.identity, self.task, self.standing.keys())
            end = self.run_check(stop)
        except (OSError, RecursionError, CommandFault) as fault:
            return WorkScore(False, "work tree unusable", str(fault), 0.0, edited, patch)
        if not self.stands:
            cause = "work tree removed"
        else:
            cause = end.stopped or ("" if end.code == 0 else "check failed")
        return WorkScore(not cause, cause, end.tail, end.seconds, edited, patch)


def leave_as_is(tree: Path, home: Path) -> None:
    """Add nothing."""


@contextmanager
def open_workspace(
    task: CodingTask,
    terms: CheckTerms,
    solved: bool = False,
    stop: Event | None = None,
    fill: Callable[[Path, Path], None] = leave_as_is,
) -> Iterator[Workspace]:
    """A fresh work tree, set up; it is taken away in the end, and no link is followed for that.

    Args:
        solved: with the files of the change, as a check of the task itself needs them.
        fill: writes more into the work tree and the home beside it, before the one commit is made.

    Raises:
        SetupFault: the set-up failed.
        ProcessStopped: `stop` was set.
        TreeFault: the files cannot be written.
        RepositoryFault: the repository is damaged, or the place is not outside of it.
    """
    if stop is not None and stop.is_set():
        raise ProcessStopped("stopped")
    root = Path(tempfile.mkdtemp(prefix="work-", dir=terms.place)).resolve()
    identity = identify(root)
    try:
        refuse_instructions(root)
        tree = root / "tree"
        tree.mkdir()
        _make_beside(root)
        for layer in _layers(task, terms, solved):
            for file, content in layer.read([file for file in layer.files if file.mode != SUBMODULE]):
                put_file(tree, file.path, content, file.mode)
            for file in layer.files:
                if file.mode == SUBMODULE:  # as in a clone that leaves submodules alone
                    (tree / file.path).mkdir(parents=True, exist_ok=True)
        fill(tree, root / "home")
        begin_history(tree)
        state = tree.lstat()
        if task.setup:
            _set_up(task, terms, root, stop)
        if not tree.is_dir():
            raise SetupFault("the set-up removed its own work tree")
        yield Workspace(task, terms, root, (state.st_dev, state.st_ino), record_standing(tree))
    finally:
        remove_folder(identity)


def refuse_instructions(root: Path) -> None:
    """RepositoryFault where a folder above holds instructions that an agent would read, or a repository."""
    for above in root.parents:
        for name in INSTRUCTIONS:
            if os.path.lexists(above / name):
                raise RepositoryFault(
                    f"work trees are made in {root.parent}, and {above} holds {name}, which every trial would"
                    " read; name another folder in TMPDIR"
                )


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


def _layers(task: CodingTask, terms: CheckTerms, solved: bool = False) -> tuple[FileTree, ...]:
    """What a work tree is made of, in the order in which it is written."""
    if solved:
        return (task.end,)
    return (task.start,) if terms.hide_tests else (task.start, _Part(task.end, frozenset(task.tests)))


def _set_up(task: CodingTask, terms: CheckTerms, root: Path, stop: Event | None) -> None:
    order = order_of(task.setup, root / "tree", _variables(root, task, terms), terms.timeout_s)
    end = run_process(order, stop)
    if end.stopped and end.stopped != TIME_LIMIT:
        raise SetupFault(f"the set-up was ended: {end.stopped}")
    if end.code is None:
        raise SetupFault(f"the set-up took more than {terms.timeout_s:g} s")
    if end.code != 0:
        raise SetupFault(f"the set-up ended with code {end.code}: {end.last_line}")


def order_of(command: str, folder: Path, variables: Mapping[str, str], seconds: float) -> ProcessOrder:
    """A check or a set-up, as the runner takes it."""
    return ProcessOrder(shell_words(command), folder, variables, ProcessLimits(seconds))


def _make_beside(root: Path) -> None:
    """The home and the temporary folder, anew where they are gone."""
    for name in ("home", "tmp"):
        (root / name).mkdir(exist_ok=True)


def _variables(root: Path, task: CodingTask, terms: CheckTerms) -> dict[str, str]:
    """The user's own keys are not among them. The tree comes first for Python, before what is installed."""
    tree = root / "tree"
    sources = [path for path in (tree / "src", tree) if path.is_dir()]
    made = {
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CI": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, sources)),
    }
    if task.folder is not None:
        made["MEMTRIAL_TASK"] = str(task.folder)
    passed = {name: os.environ[name] for name in (*PASSED_ON, *terms.pass_on) if name in os.environ}
    return {"PATH": os.defpath, **made, **passed}
