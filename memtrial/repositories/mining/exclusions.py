"""Which commits are left out, and why: what can be seen before anything is run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from memtrial.repositories.file_kinds import FileKind, can_run, classify
from memtrial.repositories.git_process import GitRepository
from memtrial.repositories.mining.commit_message import clean_message, is_revert, is_usable
from memtrial.repositories.mining.git_history import Commit, FileChange
from memtrial.repositories.work_files import SUBMODULE

ExclusionKind = Literal[
    "merge", "root", "no usable message", "revert", "nothing changed", "submodule", "link out of the tree",
    "too large", "binary", "unusable file name", "documents only", "generated files only", "tests only",
    "no tests", "no check known", "set-up failed", "passed before", "failed after", "flaky", "time limit",
    "work tree removed",
]  # fmt: skip
ORDER: tuple[ExclusionKind, ...] = get_args(ExclusionKind)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A commit, or a task of a folder, that is no task, and the reason in one line."""

    id: str
    subject: str
    kind: ExclusionKind
    line: str


@dataclass(frozen=True, slots=True)
class CommitLimits:
    """How large a change may be: files, and bytes of each of them before and after."""

    files: int = 50
    file_bytes: int = 1024 * 1024


def count_kinds(left_out: Iterable[LeftOut]) -> Mapping[ExclusionKind, int]:
    """How many of each kind, in a fixed order."""
    counts = Counter(each.kind for each in left_out)
    return {kind: counts[kind] for kind in ORDER if counts[kind]}


def see_message(commit: Commit, reverts: Mapping[str, str]) -> tuple[ExclusionKind, str] | None:
    """What parents and message say against a commit."""
    if len(commit.parents) > 1:
        return "merge", f"it has {len(commit.parents)} parents"
    if not commit.parents:
        return "root", "it has no parent to begin with"
    if is_revert(commit.message):
        return "revert", "its message says that it takes an earlier commit back"
    if commit.sha in reverts:
        return "revert", f"it takes back all that {reverts[commit.sha][:12]} changed"
    if not is_usable(clean_message(commit.message)):
        return "no usable message", f"the message {commit.subject[:60]!r} does not say what is to be done"
    return None


def see_changes(
    repository: GitRepository, changes: Sequence[FileChange], limits: CommitLimits
) -> tuple[ExclusionKind, str] | None:
    """What modes and sizes of the changed files say against a commit; no content is read."""
    if not changes:
        return "nothing changed", "it changes no file"
    if len(changes) > limits.files:
        return "too large", f"it changes more than {limits.files:,} files"
    for change in changes:
        if SUBMODULE in (change.old_mode, change.new_mode):
            return "submodule", f"it changes the submodule {change.path[:100]!r}"
    blobs = [
        (change.path, blob)
        for change in changes
        for mode, blob in ((change.old_mode, change.old_blob), (change.new_mode, change.new_blob))
        if mode
    ]
    headers = repository.headers(blob for _, blob in blobs)
    for (path, _), (kind, size) in list(zip(blobs, headers, strict=True)):
        if kind != "blob":
            return "too large", f"{path[:100]!r} is not in this clone"
        if size > limits.file_bytes:
            return "too large", f"{path[:100]!r} has {size:,} bytes, more than {limits.file_bytes:,}"
    return None


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files that a commit changed, by kind.

    Args:
        tests: new or altered test files, fixtures and helpers among them.
        checks: those of them that a test command takes.
    """

    tests: tuple[str, ...]
    checks: tuple[str, ...]
    sources: tuple[str, ...]


def sort_files(
    changes: Sequence[FileChange], globs: Sequence[str]
) -> ChangedFiles | tuple[ExclusionKind, str]:
    """The changed files by kind, or what their kinds say against a commit."""
    by_kind: dict[FileKind, list[FileChange]] = {"test": [], "document": [], "generated": [], "source": []}
    for change in changes:
        by_kind[classify(change.path, globs)].append(change)
    tests = tuple(change.path for change in by_kind["test"] if change.new_mode)
    checks = tuple(path for path in tests if can_run(path, globs))
    if not by_kind["source"]:
        if by_kind["test"]:
            return "tests only", "it changes tests and no source"
        if by_kind["document"]:
            return "documents only", "it changes documents and house-keeping alone"
        return "generated files only", "it changes lock files and other files that tools make"
    if not checks:
        return "no tests", "it brings or alters no test that a command can run"
    return ChangedFiles(tests, checks, tuple(change.path for change in by_kind["source"]))
