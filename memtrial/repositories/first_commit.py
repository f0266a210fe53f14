"""The only commit of a work tree: its files as they stand, under one name and one date, without a remote."""

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memtrial.repositories.git_process import run_git
from memtrial.repositories.work_files import walk

SIGNED = "Developer <developer@localhost> 946684800 +0000"


def begin_history(tree: Path) -> None:
    """Make the folder a git repository of one commit, the same in every trial of a task; no remote."""
    with run_git(("init", "--quiet", "--template=", "--initial-branch=main"), tree) as output:
        output.read()
    with tempfile.TemporaryFile() as stream:
        stream.write(f"commit refs/heads/main\ncommitter {SIGNED}\ndata 5\nstart\n".encode())
        for mode, path, content in _read_back(tree):
            stream.write(b'M %s inline "%s"\ndata %d\n' % (mode, _quote_path(path), len(content)))
            stream.write(content + b"\n")
        stream.seek(0)
        with run_git(("fast-import", "--quiet", "--date-format=raw"), tree, stream) as output:
            output.read()
    for words in (("read-tree", "HEAD"), ("update-index", "-q", "--refresh")):
        with run_git(words, tree, codes=(0, 1)) as output:
            output.read()


def _read_back(tree: Path) -> Iterator[tuple[bytes, str, bytes]]:
    """Mode, path and content of each file that was written."""
    for path, state in walk(tree, frozenset({".git"})):
        if stat.S_ISLNK(state.st_mode):
            yield b"120000", path, os.fsencode(os.readlink(tree / path))
        else:
            mode = b"100755" if state.st_mode & stat.S_IXUSR else b"100644"
            yield mode, path, (tree / path).read_bytes()


def _quote_path(path: str) -> bytes:
    raw = os.fsencode(path)
    return raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
