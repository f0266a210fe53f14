"""What a process that runs has used, as Linux tells it."""

import os
from pathlib import Path


def processor_s(pid: int) -> float:
    """Seconds of a process that is there; none of one that has gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """What it has in memory now."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except OSError:
        return 0.0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def children_of(pid: int) -> tuple[int, ...]:
    """The processes that it began and has not waited for; none of one that has gone."""
    try:
        return tuple(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))
    except OSError:
        return ()
