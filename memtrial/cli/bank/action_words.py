"""Which words and options each action of `memory` takes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memtrial.faults import SpecFault
from memtrial.memory.interchange.upstream_record import BankFormat

Action = Literal[
    "list", "search", "cache", "audit", "meters", "weeks", "rate", "consolidate", "rollback", "export",
    "import", "queue", "work", "rewrite", "bench",
]  # fmt: skip
TAKES: Mapping[Action, tuple[int, int, str]] = {
    "list": (0, 0, "FOLDER and nothing more"),
    "search": (1, 1, "FOLDER and the QUERY, the text of a task"),
    "cache": (0, 0, "FOLDER, --near TEXT and --out, a new folder for the small bank"),
    "audit": (0, 1, "FOLDER, and at most one ID"),
    "meters": (0, 0, "FOLDER and nothing more"),
    "weeks": (0, 0, "FOLDER and nothing more"),
    "rate": (1, 1, "FOLDER and the ID of an item"),
    "consolidate": (0, 0, "FOLDER and nothing more"),
    "rollback": (1, 1, "FOLDER and ID@VERSION, as rm_01J…@1"),
    "export": (1, 1, "FOLDER and a FILE that ends in .jsonl or .parquet"),
    "import": (1, 1, "FOLDER and the FILE that export wrote, or a bank of ReasoningBank's"),
    "queue": (1, 1, "FOLDER and the FILE of sessions, JSON lines"),
    "work": (0, 0, "FOLDER and nothing more"),
    "rewrite": (0, 0, "FOLDER and nothing more"),
    "bench": (0, 0, "no folder: its banks are in a temporary one"),
}
"""How many words stand behind the folder, and which."""
_SEARCHES: tuple[Action, ...] = ("search", "cache")
_WRITES: tuple[Action, ...] = ("work", "rewrite")
OPTIONS: Mapping[str, tuple[Action, ...]] = {
    "--project": ("list", "search", "cache", "meters", "weeks", "import", "queue", *_WRITES),
    "--profile": _SEARCHES,
    "--explain": ("search",),
    "--domain": _SEARCHES,
    "--tag": _SEARCHES,
    "--most": _SEARCHES,
    "--near": ("cache",),
    "--out": ("cache",),
    "--embedder": (*_SEARCHES, "rate", "consolidate", *_WRITES),
    "--base-url": (*_SEARCHES, "rate", "consolidate", *_WRITES),
    "--writer": (*_WRITES, "rate"),
    "--judge": ("consolidate",),
    "--config": ("consolidate", *_WRITES),
    "--apply": ("consolidate", "rewrite"),
    "--who": ("consolidate", "rollback"),
    "--why": ("rollback", "rate"),
    "--helpful": ("rate",),
    "--task": ("rate",),
    "--verdicts": ("audit",),
    "--form": ("export",),
    "--csv": ("weeks",),
    "--sizes": ("bench",),
}
"""Whose options they are."""


@dataclass(frozen=True, slots=True)
class MemoryAsked:
    """The words and options of a command line, as `memory` names them; `folder` is where the bank lies."""

    folder: Path
    words: tuple[str, ...]
    project: str | None = None
    profile: str | None = None
    explain: bool = False
    domain: str | None = None
    tags: tuple[str, ...] = ()
    most: int | None = None
    embedder: str | None = None
    apply: bool = False
    who: str = ""
    why: str = ""
    verdicts: bool = False
    near: str | None = None
    out: Path | None = None
    writer: str | None = None
    judge: str | None = None
    config: Path | None = None
    form: BankFormat | None = None
    as_json: bool = False
    base_urls: tuple[str, ...] = ()
    helpful: bool | None = None
    task: str = ""
    as_csv: bool = False


def check_words(action: Action, words: tuple[str, ...], named: Iterable[str]) -> None:
    """SpecFault where an action is given other words than it takes, or another's option."""
    fewest, upmost, needed = TAKES[action]
    if not fewest <= len(words) <= upmost:
        raise SpecFault(f"memory {action} takes {needed}; got {' '.join(words) or 'nothing more'}")
    for option in named:
        if action not in OPTIONS[option]:
            whose = ", of ".join(f"memory {name}" for name in OPTIONS[option])
            raise SpecFault(f"{option} is an option of {whose}; not of memory {action}")
