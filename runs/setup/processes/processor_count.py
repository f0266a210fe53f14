"""How many processors there are, which a report asks that loads nothing of a run."""

import os
import sys


def count_processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
