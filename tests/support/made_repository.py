"""Small repositories, written straight into git's objects; nothing of the machine's settings counts."""

import os
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memtrial.repositories.git_process import GitRepository, open_repository
from memtrial.repositories.mining.mined_tasks import Mined, MiningOptions, mine

ENVIRONMENT = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
Entry = bytes | tuple[str, bytes] | None
"""A file's content, its mode and content (of a submodule its commit), or None where it goes."""


def git(folder: Path, *words: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env=ENVIRONMENT, input=given, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@dataclass
class MadeRepository:
    """Commits in the order of their making, each on top of the last one unless other parents are named."""

    folder: Path
    stream: list[bytes] = field(default_factory=list)
    n: int = 0

    def add(self, message: str, files: Mapping[str, Entry], parents: Sequence[int] | None = None) -> int:
        """The number of the commit, counted from 1."""
        parents = ([self.n] if self.n else []) if parents is None else parents
        self.n += 1
        text = message.encode()
        lines = [b"commit refs/heads/main\nmark :%d\n" % self.n]
        lines += [b"committer A Person <a@example.org> %d +0000\n" % (1_700_000_000 + self.n)]
        lines += [b"data %d\n%s\n" % (len(text), text)]
        lines += [b"%s :%d\n" % (b"merge" if at else b"from", parent) for at, parent in enumerate(parents)]
        for path, entry in files.items():
            mode, content = ("100644", entry) if isinstance(entry, bytes) else entry or ("", b"")
            quoted = b'"%s"' % os.fsencode(path).replace(b'"', b'\\"').replace(b"\n", b"\\n")
            if entry is None:
                lines.append(b"D %s\n" % quoted)
            elif mode == "160000":
                lines.append(b"M 160000 %s %s\n" % (content, quoted))
            else:
                lines.append(b"M %s inline %s\ndata %d\n" % (mode.encode(), quoted, len(content)))
                lines.append(content + b"\n")
        self.stream += lines
        return self.n

    def finish(self) -> GitRepository:
        self.folder.mkdir(exist_ok=True)
        git(self.folder, "init", "--quiet", "--template=", "--initial-branch=main")
        git(self.folder, "fast-import", "--quiet", given=b"".join(self.stream))
        return open_repository(self.folder)


def mine_in(folder: Path, n: int, options: MiningOptions) -> Mined:
    """The newest tasks of the repository in a folder."""
    return mine(open_repository(folder), n, options)


def claimed_blob(folder: Path, size: int) -> str:
    """An object that says it is this large and holds next to nothing: to read it fails, to ask does not."""
    name = "ab" + "cd" * 19
    place = folder / ".git" / "objects" / name[:2] / name[2:]
    place.parent.mkdir(parents=True)
    place.write_bytes(zlib.compress(b"blob %d\0" % size + b"x" * 100))
    return name


def step(number: int, more: Mapping[str, Entry] | None = None) -> dict[str, Entry]:
    """A source and its test: the test asks for a line of the source."""
    return {
        f"lib/part_{number}.txt": f"value {number}\n".encode(),
        f"tests/test_{number}.sh": f"grep -q 'value {number}' lib/part_{number}.txt\n".encode(),
        **(more or {}),
    }


CHECK, TESTS = "for t in {tests}; do sh $t || exit 1; done", ("tests/*.sh",)
"""What checks the steps, and which files are tests."""
FLAKY = b'test -e "$HOME/seen"; code=$?; touch "$HOME/seen"; exit $code\n'


def thirty_four(folder: Path) -> GitRepository:
    """34 commits of which 24 are tasks; of the others each is another kind."""
    made = MadeRepository(folder)
    made.add("Begin with the empty library", {"README.md": b"A library.\n"})
    for number in range(1, 12):
        made.add(f"Give part {number} its value (#{number})\n\nReviewed-by: B <b@example.org>", step(number))
    fork = made.add("Explain what the library is for", {"README.md": b"A library of values.\n"})
    side = made.add("Give part 12 its value", step(12), [fork - 1])
    made.add("Merge the branch of part 12", step(12), [fork, side])
    made.add("wip", step(90))
    made.add('Revert "wip"', {"lib/part_90.txt": None, "tests/test_90.sh": b"exit 0\n"})
    made.add("Add the other library here", step(91, {"other": ("160000", b"12" * 20)}))
    made.add("Draw the logo of parts", step(92, {"logo.png": b"\x89PNG\0\0"}))
    made.add("Try part 1 in another way", {"tests/test_1.sh": b"grep -q value lib/part_1.txt\n"})
    made.add("Keep one more value untested", {"lib/part_93.txt": b"value 93\n"})
    made.add("Count how often a part was seen", step(94, {"tests/test_94.sh": FLAKY}))
    for number in range(13, 25):
        made.add(f"Give part {number} its value", step(number))
    return made.finish()
