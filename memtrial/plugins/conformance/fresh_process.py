"""A store in a process of its own, where Python hashes texts otherwise: a resumed run is such a process."""

import asyncio
import os
import subprocess
import sys

from memtrial.faults import RunFault
from memtrial.plugins.conformance.fixtures import SEED, caller_for
from memtrial.plugins.conformance.laws import Law, LawResult
from memtrial.plugins.conformance.store_laws import MakeStore, digest_reads
from memtrial.plugins.own_memory import load_memory
from memtrial.protocols import MemoryStore

HASH_SEEDS = ("1", "2")


def law_across_processes(source: str) -> Law[MemoryStore]:
    """The law that a store, `path/to/module.py:Object`, gives out the same in two processes."""

    async def look(make: MakeStore) -> LawResult:
        here, there = await digest_reads(make), await asyncio.to_thread(_digest_elsewhere, source)
        return LawResult(["" if here == there else "a fresh process lists or gives out other items"])

    return Law("another process gives the same items", "", look)


def _digest_elsewhere(source: str) -> str:
    """The digest that a fresh process prints last; RunFault where it came to no end."""
    seed = next(seed for seed in HASH_SEEDS if seed != os.environ.get("PYTHONHASHSEED"))
    # it imports what this process does
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        # -P: no file of the folder that the command is given in is taken for a module of Python's
        [sys.executable, "-P", "-m", __name__, source],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        why = done.stderr.strip().rpartition("\n")[2][:200]
        raise RunFault(f"a fresh process ended with code {done.returncode}: {why}")
    return done.stdout.rpartition(" ")[2].strip()


def print_digest(source: str) -> None:
    """Fill the store that is named, and print the digest of what it gives out."""
    caller = caller_for(source)
    digest = asyncio.run(digest_reads(lambda: load_memory(source, caller, SEED)))
    sys.stdout.write(f" {digest}\n")


if __name__ == "__main__":
    print_digest(sys.argv[1])
