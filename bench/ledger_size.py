"""Bytes a trial in the ledger of a simulated run, against its rows as JSON lines under zstd."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import zstandard

from bench.figure import Figure
from memtrial.api.run import RunOptions, run
from memtrial.call_purpose import write_purpose
from memtrial.ledger.row_text import text_of
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocols import LedgerStore
from memtrial.runs.spec.read_spec import load_spec

SPEC = Path("runs/specs/quickstart.yaml")
TEST_TASKS = 16
WANTED = 2_500
"""Bytes a trial."""


def figures() -> Iterator[Figure]:
    """One run of the demonstration's spec, with fewer tasks."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run(load_spec(SPEC, [f"environment.test={TEST_TASKS}"]), RunOptions(out=out, report=False))
        path = out / "ledger.sqlite"
        with closing(SqliteLedger.open_read_only(path)) as ledger:
            n_trials = ledger.accounts.trials_played()
            lines = [text.encode() for text in _list_lines(ledger)]
        ours = path.stat().st_size / n_trials
    packer = zstandard.ZstdCompressor(level=9)
    alone = sum(len(packer.compress(line)) for line in lines) / n_trials
    together = len(packer.compress(b"\n".join(lines))) / n_trials
    detail = f"{n_trials:,} trials: {ours:,.0f} bytes, lines"
    yield Figure(
        "bytes a trial of a ledger against its rows as JSON lines, each under zstd",
        f"{detail} {alone:,.0f}",
        ours / alone,
        1.0,
    )
    # no row of it can be read alone, found, or told from one that was changed
    yield Figure("the same against all lines as one stream", f"{detail} {together:,.0f}", ours / together)
    yield Figure(f"bytes a trial of a ledger against {WANTED:,}", f"{ours:,.0f}", ours / WANTED, 1.0)


def _list_lines(ledger: LedgerStore) -> Iterator[str]:
    """Each row as JSON."""
    rows: Iterator[Any] = chain(ledger.trials(), ledger.checks(), ledger.condensations())
    said = (ledger.episode(key) for key in sorted(ledger.finished_keys()))
    yield from map(text_of, map(asdict, chain(rows, filter(None, said))))
    for call in ledger.calls.free_calls():
        yield text_of(asdict(call) | {"key": call.key.hex(), "purpose": write_purpose(call.purpose)})
    yield from map(text_of, chain(ledger.slots(), ledger.shared_traces()))


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
