"""The code that runs: a digest of every room's sources, and the commit where it is known."""

import subprocess
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
    found = {}
    for room in ROOMS:
        whole, folder = sha256(), home / room
        paths = (one for one in folder.rglob("*") if one.suffix in SOURCES and "__pycache__" not in one.parts)
        for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in paths):
            body = path.read_bytes()
            whole.update(f"{name} {len(body)}\n".encode() + body)
        found[room] = whole.hexdigest()
    return found


def made_with() -> dict[str, str]:
    """Versions of the package and of the libraries that compute, and the commit where there is one.

    Recorded, not compared: the sources tell.
    """
    found = {name: version(name) for name in ("memtrial", "numpy", "scipy", "statsmodels")}
    if (HOME.parent / ".git").exists():
        asked = ["git", "rev-parse", "HEAD"]
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(
                asked, cwd=HOME.parent, capture_output=True, text=True, check=True, timeout=10
            )
            found["commit"] = done.stdout.strip()
    return found
