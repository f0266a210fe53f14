"""Names of facts that hold more than one thing: each is written and read here alone."""

from collections.abc import Iterable
from hashlib import sha256

from memtrial.ledger.row_text import read_mapping
from memtrial.ledger.rows import Json

CODED = "failure coded by "
"""How the name of a code begins."""


def name_lost(backbone: str, task: str = "") -> str:
    """The fact that a training task left no trajectory; without a task how all of a backbone begin."""
    return f"lost trace of {backbone}: {task}"


def name_code(coder: str, case: str) -> str:
    """The fact of how a coder coded a case, which is named by a digest."""
    return f"{CODED}{coder}: {case}"


def name_case(solved: str, failed: str) -> str:
    """A failure beside a trial that solved its task, by both keys; it says nothing of arm or condition."""
    return sha256(f"{solved} {failed}".encode()).hexdigest()[:16]


def group_codes(facts: Iterable[tuple[str, str]]) -> dict[str, dict[str, Json]]:
    """Codes by coder, then by case, of facts whose names are given without `CODED`."""
    by_coder: dict[str, dict[str, Json]] = {}
    for name, body in facts:
        coder, _, case = name.rpartition(": ")
        by_coder.setdefault(coder, {})[case] = read_mapping(body)
    return by_coder
