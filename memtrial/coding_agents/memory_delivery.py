"""Whether a memory file reached the agent's model, read from the requests that were sent."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.request_texts import list_shown_texts

DeliveryVerdict = Literal["given", "given in part", "never given", "never activated"]
NUMBERED = re.compile(r"^ {0,8}\d{1,7}(?:\t|: |→)")
"""What clients put before each line of a file that their model reads."""


@dataclass(frozen=True, slots=True)
class MemoryDelivery:
    """What of a memory file reached the model in a trial.

    Args:
        verdict: `given in part` where a client cut it; `never activated` where the model was shown that there
            is such a skill, or file of a memory folder, and did not ask for it.
        share: of the characters of its lines that stood, in their order, in one text of one request.
        first_request: the number of the first request with the largest share, from 1; None where it is 0.
    """

    verdict: DeliveryVerdict
    share: float
    first_request: int | None


def prove_memory(file: MemoryFile, text: str, bodies: Sequence[bytes]) -> MemoryDelivery:
    """Look for a text, as it was written in place of a memory file, in the requests of a trial.

    Args:
        text: what the condition showed; for the condition without, the intact text: `never given` is due.
        bodies: of the requests, in the order in which they were sent.
    """
    wanted = tuple(_list_expected(file, text))
    best, number, known = 0.0, None, False
    for place, body in enumerate(bodies, start=1):
        for shown in list_shown_texts(body):
            known = known or _is_announced(file, shown)
            share = measure_share(wanted, shown)
            if share > best:
                best, number = share, place
    if best == 0.0:
        return MemoryDelivery("never activated" if known else "never given", 0.0, None)
    return MemoryDelivery("given" if best == 1.0 else "given in part", best, number)


def measure_share(wanted: Sequence[str], shown: str) -> float:
    """The share of the characters of some lines that stand in a text, each after the one before."""
    lines, places = set(wanted), defaultdict[str, list[int]](list)
    for number, line in enumerate(shown.splitlines()):
        for form in {line.strip(), NUMBERED.sub("", line, count=1).strip()} & lines:
            places[form].append(number)
    last, arrived = -1, 0
    for line in wanted:
        numbers = places[line]
        after = bisect_right(numbers, last)
        if after < len(numbers):
            last, arrived = numbers[after], arrived + len(line)
    return arrived / total if (total := sum(map(len, wanted))) else 0.0


def _list_expected(file: MemoryFile, text: str) -> Iterator[str]:
    """The lines of a text that its client shows as they are."""
    hidden = False
    for line in text.splitlines():
        line = line.strip()
        if file.place.hides_comments:
            begins = line.startswith("<!--")
            ends = line.endswith("-->")
            if hidden or begins:
                hidden = not ends
                continue
        if line and not (file.place.fills_in and "$ARGUMENTS" in line):
            yield line


def _is_announced(file: MemoryFile, shown: str) -> bool:
    """The model was shown that there is such a file, which it has to ask for."""
    match file.place.kind:
        case "skill":
            described = (line for line in file.head.splitlines() if line.startswith("description:"))
            words = next(described, "").partition(":")[2].strip().strip("\"'")
            return bool(words) and words in shown
        case "memory folder":
            return file.path != "MEMORY.md" and file.path in shown
        case "instructions":
            return False
