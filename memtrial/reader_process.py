"""What a process that reads somebody's file needs: the libraries of this one, and a bound on its memory.

The library that reads Parquet and Arrow ends its process at some damaged files, which nothing in it can
catch.
"""

import os
import resource
import sys

READER_MEMORY = 8 << 30
"""Bytes of memory that such a process may take: a few damaged bytes can name any size."""


def reader_variables() -> dict[str, str]:
    """Its environment: the same libraries as here, wherever they were found; one thread, as the time of a
    start is what counts."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONIOENCODING": "utf-8",
        "POLARS_MAX_THREADS": "1",
    }


def bound_process(memory: int = READER_MEMORY) -> None:
    """Bound the memory of this process, in bytes, and let it leave no core file."""
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory)):
        _, hard = resource.getrlimit(limit)
        kept = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (kept, hard))
