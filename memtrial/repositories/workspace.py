"""The work tree of one trial: a fresh folder with a git repository of its own, of exactly one commit.

The change that solves the task is neither in its files nor among its objects, and nothing later is.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
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
from memtrial.commands.sandbox import Sandbox
from memtrial.repositories.check_home import HOME, TEMPORARY, keep_home, renew_home
from memtrial.repositories.coding_task import PLACE, CodingTask
from memtrial.repositories.file_kinds import decides_score, shadows_runner
from memtrial.repositories.first_commit import begin_history
from memtrial.repositories.git_process import RepositoryFault
from memtrial.repositories.restored_tests import restore_tests
from memtrial.repositories.task_layers import layers_of
from memtrial.repositories.work_files import SUBMODULE, list_folders, put_file
from memtrial.repositories.work_patch import (
    INSTALLED,
    FileStanding,
    WorkPatch,
    changed_files,
    make_patch,
    record_installed,
    record_standing,
)

PASSED_ON = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME"),
    *("GOROOT", "GOPATH", "GOMODCACHE", "NVM_DIR", "PIP_CACHE_DIR", "npm_config_cache"),
)
"""Variables of the user's that a check gets; no key and no token is among them."""
INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".git")
"""What an agent would read, or git would find, in a folder above the work tree."""


MOST_TOOLS = 20
"""Changed files of installed tools that are named."""


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
        sandbox: what holds checks, set-ups, and agents.
    """

    timeout_s: float = 300.0
    pass_on: tuple[str, ...] = ()
    hide_tests: bool = False
    place: Path | None = None
    sandbox: Sandbox = Sandbox()


@dataclass(frozen=True, slots=True)
class WorkScore:
    """How a trial ended.

    Args:
        solved: the check ended with code 0.
        cause: why not: `check failed`, `time limit`, `work tree removed` or `work tree unusable`; else empty.
        tail: the end of what the check printed.
        edited_tests: files that decide the score and had been changed; they were put back before. Those of
            installed tools stand last, and were not put back.
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
        standing: how its files stood when it was made; `installed` those of tools and libraries.
        folders: of tools and libraries, by path.
        home: a folder with a copy of the home as it stood then.
    """

    task: CodingTask
    terms: CheckTerms
    root: Path
    identity: tuple[int, int]
    standing: Mapping[str, FileStanding]
    installed: Mapping[str, FileStanding]
    folders: frozenset[str]
    home: Path

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
        return _run(self.task.check, self.task, self.terms, self.root, stop)

    def restore_tests(self) -> None:
        """Put the tests, and what says how they are run, back. OSError where the work tree is not ours."""
        aside = Path(tempfile.mkdtemp(dir=self.root))
        restore_tests(self.tree, self.identity, self.task, {*self.standing, *self.folders}, aside)

    def score(self, stop: Event | None = None) -> WorkScore:
        """Put the tests back and run the check. Once, when nothing of the agent's runs any more."""
        if not self.stands:
            return WorkScore(False, "work tree removed", "", 0.0, (), WorkPatch())
        changed = changed_files(self.tree, self.standing)
        edited, patch = self._list_edited(changed), WorkPatch()
        try:
            scratch = Path(tempfile.mkdtemp(dir=self.root))
            patch = make_patch(self.tree, changed, layers_of(self.task, self.terms.hide_tests), scratch)
            self.restore_tests()
            renew_home(self.root, self.home)
            end = self.run_check(stop)
        except (OSError, RecursionError, CommandFault) as fault:
            return WorkScore(False, "work tree unusable", str(fault), 0.0, edited, patch)
        if not self.stands:
            cause = "work tree removed"
        else:
            cause = end.stopped or ("" if end.code == 0 else "check failed")
        return WorkScore(not cause, cause, end.tail, end.seconds, edited, patch)

    def _list_edited(self, changed: Sequence[str]) -> tuple[str, ...]:
        """Those of the changed files that decide the score, and tools that were there and are others now."""
        tests = [
            path
            for path in changed
            if decides_score(path, self.task.test_globs)
            or path in self.task.check_files
            or (path not in self.standing and shadows_runner(path))
        ]
        now = record_installed(self.tree) if self.installed else {}
        tools = (path for path, stood in self.installed.items() if now.get(path) != stood)
        return (*tests, *islice(tools, MOST_TOOLS))


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
    identity, opened = identify(root), ExitStack()
    try:
        refuse_instructions(root)
        tree = root / "tree"
        tree.mkdir()
        _make_beside(root)
        for layer in layers_of(task, terms.hide_tests, solved):
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
        try:
            kept = opened.enter_context(keep_home(root))
        except (OSError, RecursionError) as fault:
            raise SetupFault(f"the home that the set-up left cannot be kept: {fault!s:.200}") from fault
        standing, installed = record_standing(tree), record_installed(tree)
        folders, made = list_folders(tree, INSTALLED), (state.st_dev, state.st_ino)
        yield Workspace(task, terms, root, made, standing, installed, folders, kept)
    finally:
        opened.close()
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


def _set_up(task: CodingTask, terms: CheckTerms, root: Path, stop: Event | None) -> None:
    end = _run(task.setup, task, terms, root, stop)
    if end.stopped and end.stopped != TIME_LIMIT:
        raise SetupFault(f"the set-up was ended: {end.stopped}")
    if end.code is None:
        raise SetupFault(f"the set-up took more than {terms.timeout_s:g} s")
    if end.code != 0:
        raise SetupFault(f"the set-up ended with code {end.code}: {end.last_line}")


def _run(command: str, task: CodingTask, terms: CheckTerms, root: Path, stop: Event | None) -> ProcessEnd:
    """Run a check or a set-up, which may read the folder of its task."""
    limits, variables = ProcessLimits(terms.timeout_s), _variables(root, task, terms)
    order = ProcessOrder(shell_words(command), root / "tree", variables, limits, root)
    return run_process(terms.sandbox.show(task.described).hold(order, root), stop)


def _make_beside(root: Path) -> None:
    """The home and the temporary folder, anew where they are gone."""
    for name in (HOME, TEMPORARY):
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
        made[PLACE] = str(task.folder)
    passed = {name: os.environ[name] for name in (*PASSED_ON, *terms.pass_on) if name in os.environ}
    return {"PATH": os.defpath, **made, **passed}
