"""The code that runs: a digest of every room's sources, and the commit where it is known."""

import subprocess
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

ROOMS = (
    *("prompts", "models", "worlds", "agents", "memory", "judges", "gates", "condensers", "perturbations"),
    *("arms", "ledger", "outcomes", "analysis", "protocol", "views", "reports", "console", "plugins", "runs"),
    *("pages", "api", "cli"),
)
SOURCES = frozenset((".py", ".jinja", ".css", ".yaml", ".json", ".txt"))
HOME = Path(str(files("memtrial")))


@cache  # a process loads its sources once
def code_digests(home: Path = HOME) -> dict[str, str]:
    """Sha256 over names and bytes of the sources, by room."""
    digests = {"memtrial": _digest_of(home, home.glob("*.py"))}
    for room in ROOMS:
        folder = home / room
        paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
        digests[room] = _digest_of(folder, (path for path in paths if path.suffix in SOURCES))
    return digests


def _digest_of(folder: Path, paths: Iterable[Path]) -> str:
    whole = sha256()
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in paths):
        body = path.read_bytes()
        whole.update(f"{name} {len(body)}\n".encode() + body)
    return whole.hexdigest()


def made_with() -> dict[str, str]:
    """Versions of the package and of the libraries that compute, and the commit where there is one.

    Recorded, not compared: the sources tell.
    """
    versions = {name: version(name) for name in ("memtrial", "numpy", "scipy", "statsmodels")}
    if (HOME.parent / ".git").exists():
        asked = ["git", "rev-parse", "HEAD"]
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(
                asked, cwd=HOME.parent, capture_output=True, text=True, check=True, timeout=10
            )
            versions["commit"] = done.stdout.strip()
    return versions
