"""The commits of a repository and what each changed, from git's own objects."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memtrial.repositories.git_process import GitRepository, RepositoryFault

LARGEST_COMMIT = 256 * 1024
"""Bytes of a commit's own object, its message included."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. A message that is too large to be read is empty."""

    sha: str
    parents: tuple[str, ...]
    message: str

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.strip().split("\n")[0].strip()


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit did to one file; mode 0 where there was or is none."""

    path: str
    old_mode: int
    new_mode: int
    old_blob: str
    new_blob: str

    @property
    def undone(self) -> "FileChange":
        """The change that takes this one back."""
        return FileChange(self.path, self.new_mode, self.old_mode, self.new_blob, self.old_blob)


def read_commits(repository: GitRepository, most: int) -> tuple[Commit, ...]:
    """The newest commits that lead to HEAD, newest first; all of them where they are fewer than `most`."""
    # where a shallow clone ends git lists no parent, though the commit's object names one
    with repository.output_of(("rev-list", "--parents", f"--max-count={most}", "HEAD")) as output:
        lines = [line.split() for line in output.read().decode("ascii", "replace").splitlines()]
    names = [line[0] for line in lines]
    sizes = [size for _, size in repository.headers(names)]
    readable = [(name, size) for name, size in zip(names, sizes, strict=True) if 0 < size <= LARGEST_COMMIT]
    objects = dict(zip((name for name, _ in readable), repository.contents(readable), strict=True))
    read = (parse_commit(name, objects.get(name, b"")) for name in names)
    return tuple(replace(commit, parents=tuple(line[1:])) for commit, line in zip(read, lines, strict=True))


def parse_commit(sha: str, content: bytes) -> Commit:
    """A commit of git's object."""
    head, _, message = content.partition(b"\n\n")
    parents, encoding = [], "utf-8"
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key == b"encoding":
            encoding = value.decode("ascii", "replace")
    try:
        text = message.decode(encoding, "replace")
    except LookupError:  # an encoding that nobody knows
        text = message.decode("utf-8", "replace")
    return Commit(sha, tuple(parents), text.replace("\r\n", "\n"))


def read_changes(
    repository: GitRepository, commits: Iterable[Commit], most_files: int
) -> Mapping[str, tuple[FileChange, ...]]:
    """By commit what it changed against its one parent; of a larger commit `most_files` + 1 files."""
    names = [commit.sha for commit in commits if len(commit.parents) == 1]
    kept: dict[str, list[FileChange]] = {name: [] for name in names}
    words = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv")
    given = "".join(f"{name}\n" for name in names).encode()
    fields = repository.fields(words, given)
    current: list[FileChange] = []
    for field in fields:
        if not field.startswith(b":"):
            current = kept[field.decode("ascii", "replace")]
            continue
        path = next(fields, None)
        parts = field[1:].decode("ascii", "replace").split()
        if path is None or len(parts) != 5:
            raise RepositoryFault(f"{repository.folder}: git listed a change that cannot be read")
        if len(current) <= most_files:
            current.append(
                FileChange(os.fsdecode(path), int(parts[0], 8), int(parts[1], 8), parts[2], parts[3])
            )
    return {name: tuple(changes) for name, changes in kept.items()}


def find_reverts(
    commits: Sequence[Commit], changes: Mapping[str, tuple[FileChange, ...]]
) -> Mapping[str, str]:
    """By commit the earlier one whose whole change it takes back; the commits newest first."""
    made: dict[frozenset[FileChange], str] = {}
    reverts: dict[str, str] = {}
    for commit in reversed(commits):
        if change := frozenset(changes.get(commit.sha, ())):
            undone = frozenset(file.undone for file in change)
            if undone in made:
                reverts[commit.sha] = made[undone]
            made[change] = commit.sha
    return reverts


def count_lines(repository: GitRepository, commit: Commit) -> Iterator[tuple[str, int | None]]:
    """By file how many lines a commit added and took away; None where the file is binary.

    The files are read for this: whoever asks has bounded their sizes.
    """
    words = ("diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv")
    for field in repository.fields((*words, commit.parents[0], commit.sha)):
        parts = field.split(b"\t", 2)
        if len(parts) == 3:
            numbers = parts[0].isdigit() and parts[1].isdigit()
            yield os.fsdecode(parts[2]), int(parts[0]) + int(parts[1]) if numbers else None
