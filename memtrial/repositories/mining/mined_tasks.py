"""Tasks from the history of a repository, newest first, each tried before it is taken."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event

from memtrial.commands.sandbox import SandboxMode
from memtrial.repositories.check_choice import choose_check, fill_check
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import GitTree, TreeFault, TreeLimits
from memtrial.repositories.git_process import GitRepository
from memtrial.repositories.mining.commit_message import clean_message
from memtrial.repositories.mining.exclusions import (
    CommitLimits,
    ExclusionKind,
    LeftOut,
    see_changes,
    see_message,
    sort_files,
)
from memtrial.repositories.mining.git_history import (
    Commit,
    FileChange,
    count_lines,
    find_reverts,
    read_changes,
    read_commits,
)
from memtrial.repositories.mining.kept_validations import find_validation, keep_validation
from memtrial.repositories.mining.validation import validate
from memtrial.repositories.workspace import CheckTerms

MOST_WORKERS = 2
"""Tasks that are validated at once: checks use the machine's cores themselves."""
MOST_BROKEN = 10
"""So many commits whose own files fail, and none that is a task: the machine lacks something."""
BROKEN: tuple[ExclusionKind, ...] = ("set-up failed", "failed after", "no check known")
Progress = Callable[[bool], None]
"""Called for each commit that was looked at: whether it is a task."""


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """How tasks are taken from a repository.

    Args:
        check: a command with `{tests}`; chosen by the language of the tests where empty.
        setup: a command that makes a fresh work tree ready.
        test_globs: what says which files are tests; the conventions of the languages where empty.
        most_commits: how many commits are looked at, the newest first.
        sandbox: whether checks and set-ups, and agents, are held, as `find_sandbox` takes it.
        kept: a folder where validations are kept for the next time; None keeps none.
    """

    check: str = ""
    setup: str = ""
    test_globs: tuple[str, ...] = ()
    most_commits: int = 1000
    commit_limits: CommitLimits = CommitLimits()
    tree_limits: TreeLimits = TreeLimits()
    terms: CheckTerms = CheckTerms()
    sandbox: SandboxMode = "auto"
    kept: Path | None = None


@dataclass(frozen=True, slots=True)
class Mined:
    """What a history gave.

    Args:
        tasks: newest first.
        left_out: the commits that were looked at and are no task, newest first.
        n_commits: how many there were to look at, the newest `most_commits` of all.
        n_seen: how many of them were looked at until there were enough tasks.
        gave_up: no more were looked at, as the first `MOST_BROKEN` that could be tried all failed.
    """

    tasks: tuple[CodingTask, ...]
    left_out: tuple[LeftOut, ...]
    n_commits: int
    n_seen: int
    gave_up: bool = False


@dataclass(frozen=True, slots=True)
class _History:
    """A repository as far as it is looked at."""

    repository: GitRepository
    commits: tuple[Commit, ...]
    changes: dict[str, tuple[FileChange, ...]] = field(default_factory=dict)
    reverts: dict[str, str] = field(default_factory=dict)


def mine(
    repository: GitRepository, n: int, options: MiningOptions, progress: Progress | None = None
) -> Mined:
    """The newest `n` commits that are tasks, or as many as there are.

    Raises:
        RepositoryFault: the repository is damaged.
    """
    history = _read_history(repository, options)
    tasks: list[CodingTask] = []
    left_out: list[LeftOut] = []
    n_seen = 0
    for commit, outcome in _tried(history, options):
        n_seen += 1
        if isinstance(outcome, CodingTask):
            tasks.append(outcome)
        else:
            left_out.append(LeftOut(commit.sha[:12], commit.subject[:100], *outcome))
        if progress is not None:
            progress(isinstance(outcome, CodingTask))
        if len(tasks) == n:
            break
        if not tasks and sum(each.kind in BROKEN for each in left_out) == MOST_BROKEN:
            return Mined((), tuple(left_out), len(history.commits), n_seen, gave_up=True)
    return Mined(tuple(tasks), tuple(left_out), len(history.commits), n_seen)


def _read_history(repository: GitRepository, options: MiningOptions) -> _History:
    commits = read_commits(repository, options.most_commits)
    changes = dict(read_changes(repository, commits, options.commit_limits.files))
    return _History(repository, commits, changes, dict(find_reverts(commits, changes)))


Trying = CodingTask | tuple[ExclusionKind, str]


def _tried(history: _History, options: MiningOptions) -> Iterator[tuple[Commit, Trying]]:
    """Each commit and what came of it, in their order; a few are tried at once."""
    stop = Event()
    rest = iter(history.commits)
    with ThreadPoolExecutor(MOST_WORKERS) as workers:

        def begin(commit: Commit) -> tuple[Commit, Future[Trying]]:
            return commit, workers.submit(_try_commit, history, commit, options, stop)

        waiting = [begin(commit) for commit in islice(rest, MOST_WORKERS)]
        try:
            while waiting:
                commit, future = waiting.pop(0)
                outcome = future.result()
                waiting += [begin(commit) for commit in islice(rest, 1)]
                yield commit, outcome
        finally:
            stop.set()
            for _, future in waiting:
                future.cancel()


def _try_commit(history: _History, commit: Commit, options: MiningOptions, stop: Event) -> Trying:
    task = make_task(history, commit, options)
    if not isinstance(task, CodingTask):
        return task
    validation = None if options.kept is None else find_validation(options.kept, task, options.terms)
    if validation is None:
        validation = validate(task, options.terms, stop)
        if options.kept is not None:
            keep_validation(options.kept, task, options.terms, validation)
    return task if validation.kind is None else (validation.kind, validation.line)


def make_task(history: _History, commit: Commit, options: MiningOptions) -> Trying:
    """The task of a commit, not tried yet, or why it is none; the files are read last."""
    repository, changes = history.repository, history.changes.get(commit.sha, ())
    if against := see_message(commit, history.reverts) or see_changes(
        repository, changes, options.commit_limits
    ):
        return against
    sorted_files = sort_files(changes, options.test_globs)
    if isinstance(sorted_files, tuple):
        return sorted_files
    start, end = (GitTree(repository, name, options.tree_limits) for name in (commit.parents[0], commit.sha))
    try:
        at_top = frozenset(file.path for tree in (start, end) for file in tree.files if "/" not in file.path)
    except TreeFault as fault:
        return fault.kind, str(fault)
    lines = dict(count_lines(repository, commit))
    if binary := [path for path, n_lines in lines.items() if n_lines is None]:
        return "binary", f"{binary[0][:100]!r} is binary"
    check = _check_of(sorted_files.checks, at_top, options.check)
    if not check:
        return (
            "no check known",
            f"no command is known for {sorted_files.checks[0][:100]!r}; name one with --check",
        )
    return CodingTask(
        id=commit.sha[:12],
        prompt=clean_message(commit.message),
        check=check,
        setup=options.setup,
        start=start,
        end=end,
        tests=sorted_files.tests,
        sources=sorted_files.sources,
        n_lines=sum(lines.get(path) or 0 for path in sorted_files.sources),
        test_globs=options.test_globs,
        detected=not options.check,
    )


def _check_of(tests: Sequence[str], at_top: frozenset[str], given: str) -> str:
    return fill_check(given, tests) if given else choose_check(tests, at_top)
