"""The code that runs: a digest of every room's sources, and the commit where it is known."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

ROOMS = (
    *("prompts", "models", "environments", "episodes", "memory", "judges", "gates", "condensers"),
    *("perturbations", "arms", "ledger", "outcomes", "analysis", "reports", "runs", "cli"),
)
SOURCES = frozenset((".py", ".jinja", ".css", ".yaml", ".json"))
LIBRARIES = ("numpy", "scipy", "statsmodels")
HOME = Path(__file__).resolve().parents[2]


def code_digests(home: Path = HOME) -> dict[str, str]:
    """Sha256 over names and bytes of the sources, by room."""
    return {room: _digest(home / room) for room in ROOMS}


def made_with() -> dict[str, str]:
    """Versions of the package and of the libraries that compute, and the commit where there is one.

    Recorded, not compared: the sources tell.
    """
    found = {name: version(name) for name in ("loadbearing", *LIBRARIES)}
    commit = _commit()
    return found | ({"commit": commit} if commit else {})


def _digest(room: Path) -> str:
    whole = sha256()
    paths = (path for path in room.rglob("*") if path.suffix in SOURCES and "__pycache__" not in path.parts)
    for path in sorted(paths, key=lambda one: one.relative_to(room).as_posix()):
        body = path.read_bytes()
        whole.update(f"{path.relative_to(room).as_posix()} {len(body)}\n".encode())
        whole.update(body)
    return whole.hexdigest()


def _commit() -> str:
    if not (HOME / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=HOME, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
