"""git, called so that nothing of a repository is carried out: no hook, filter, pager, helper or transport.

Only plumbing is called (`rev-list`, `cat-file`, `ls-tree`, `diff-tree`), which reads no index and no work
tree.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from types import MappingProxyType
from typing import IO

LONGEST_S = 120
"""Seconds for a call of git."""
LONGEST_FIELD = 64 * 1024
"""Bytes of a field that ends with a zero byte: a path, a mode."""
CHUNK = 64 * 1024
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "core.quotePath=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "core.fsync=none",  # what git writes here is a work tree of a trial, and temporary
    "fastimport.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.directory=*",
)
"""What wins over the repository's own settings. Any owner is safe, as nothing of it is carried out."""
VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": "Developer",
        "GIT_AUTHOR_EMAIL": "developer@localhost",
        "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
        "GIT_COMMITTER_NAME": "Developer",
        "GIT_COMMITTER_EMAIL": "developer@localhost",
        "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z",
    }
)
"""Nothing of the user's own `GIT_` variables; every commit that is made has the same author and date."""


class RepositoryFault(ValueError):
    """A repository, or a folder of tasks, cannot be read. The message is one line and says what to do."""


@dataclass(frozen=True, slots=True)
class GitRepository:
    """A repository on this machine.

    Args:
        folder: the git directory itself, absolute.
    """

    folder: Path

    @property
    def whole(self) -> Path:
        """The git directory with the objects: that of a linked work tree lies below it."""
        return self.folder.parents[1] if self.folder.parent.name == "worktrees" else self.folder

    @contextmanager
    def output_of(self, arguments: Sequence[str], given: bytes = b"") -> Iterator[IO[bytes]]:
        """Standard output of a call of git, to be read within. RepositoryFault where it fails."""
        with run_git((f"--git-dir={self.folder}", *arguments), self.folder, given) as output:
            yield output

    def fields(self, arguments: Sequence[str], given: bytes = b"") -> Iterator[bytes]:
        """Fields of an output of `-z`, one by one, so that no output has to fit into memory."""
        with self.output_of(arguments, given) as output:
            yield from _split_fields(output)

    def headers(self, objects: Iterable[str]) -> Iterator[tuple[str, int]]:
        """Kind and size in bytes of each object, without its content; `missing` and 0 where there is none."""
        given = "".join(f"{name}\n" for name in objects).encode()
        with self.output_of(("cat-file", "--batch-check", "--buffer"), given) as output:
            for line in output:
                parts = line.decode("ascii", "replace").split()
                yield (parts[1], int(parts[2])) if len(parts) == 3 else ("missing", 0)

    def contents(self, objects: Sequence[tuple[str, int]]) -> Iterator[bytes]:
        """The content of each object of this name and size in bytes, one by one.

        Raises:
            RepositoryFault: one is missing, damaged, or of another size; whoever asks has bounded the size.
        """
        given = "".join(f"{name}\n" for name, _ in objects).encode()
        with self.output_of(("cat-file", "--batch", "--buffer"), given) as output:
            for name, size in objects:
                header = output.readline(LONGEST_FIELD).split()
                if len(header) != 3 or header[2] != str(size).encode():
                    raise RepositoryFault(f"{self.folder}: object {name} is missing or damaged; run git fsck")
                content = output.read(size + 1)
                if len(content) != size + 1:
                    raise RepositoryFault(f"{self.folder}: object {name} ends too early; run git fsck")
                yield content[:-1]


def _split_fields(output: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := output.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        if len(rest) > LONGEST_FIELD:
            raise RepositoryFault(f"git named a path of more than {LONGEST_FIELD:,} bytes; it is not read")
        yield from whole


@contextmanager
def run_git(
    arguments: Sequence[str], folder: Path, given: bytes | IO[bytes] = b"", codes: tuple[int, ...] = (0,)
) -> Iterator[IO[bytes]]:
    """Standard output of git in a folder; whoever leaves early ends it.

    Args:
        given: standard input, as bytes or as a file.
        codes: exit codes that are no fault.

    Raises:
        RepositoryFault: git is not installed, failed, or came to no end.
    """
    settings = [word for setting in SETTINGS for word in ("-c", setting)]
    variables = {**VARIABLES, "PATH": os.environ.get("PATH", os.defpath)}
    with TemporaryFile() as errors, TemporaryFile() as held:
        if isinstance(given, bytes):
            held.write(given)
            held.seek(0)
            given = held
        try:
            process = subprocess.Popen(
                ["git", *settings, *arguments], cwd=folder, env=variables,
                stdin=given, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        except FileNotFoundError as fault:
            raise RepositoryFault("git is needed and not installed; install it") from fault
        watch = Timer(LONGEST_S, process.kill)
        watch.daemon = True
        watch.start()
        assert process.stdout is not None
        whole = False
        try:
            yield process.stdout
            whole = not process.stdout.read(1)
        finally:
            if not whole:
                process.kill()
            process.stdout.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(LONGEST_S)
            watch.cancel()
        if whole and process.returncode not in codes:
            errors.seek(0)
            told = errors.read(2000).decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
            verb = next((word for word in arguments if not word.startswith("-")), "git")
            why = f"came to no end in {LONGEST_S} s" if process.returncode < 0 else told[-1]
            raise RepositoryFault(f"git {verb} failed in {folder}: {why}")


def open_repository(path: Path) -> GitRepository:
    """The repository that a folder is in.

    Raises:
        RepositoryFault: there is none, or it holds no commit.
    """
    if not path.is_dir():
        raise RepositoryFault(f"a folder with a git repository is needed; {path} is none")
    try:
        with run_git(("rev-parse", "--absolute-git-dir"), path) as output:
            folder = Path(os.fsdecode(output.read(LONGEST_FIELD).rstrip(b"\n")))
    except RepositoryFault as fault:
        if "not installed" in str(fault):
            raise
        raise RepositoryFault(
            f"a git repository is needed; {path} is in none; name one with --repo"
        ) from fault
    repository = GitRepository(folder)
    resolve_commit(repository, "HEAD")
    return repository


def resolve_commit(repository: GitRepository, name: str) -> str:
    """The whole name of a commit. Raises RepositoryFault: there is none of this name."""
    try:
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        with repository.output_of(words) as output:
            return output.read(200).decode("ascii", "replace").strip()
    except RepositoryFault as fault:
        raise RepositoryFault(f"{repository.folder} has no commit {name}; name one that it has") from fault
