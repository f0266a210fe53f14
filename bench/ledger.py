"""SqliteLedger rows a second, as play commits them, against bare inserts of the same bytes."""

import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random

from bench.figure import Figure, beside, spent_by
from bench.words import WORDS
from memtrial.ledger.row_text import text_of
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.episode_packs import pack_episodes
from memtrial.ledger.sqlite.row_bodies import RowBodies
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

TRIALS, BLOCK = 4_000, 16


def figures() -> Iterator[Figure]:
    """Trials with their episodes, a block in a transaction."""
    rows = tuple(trial(number) for number in range(TRIALS))
    episodes = tuple(episode(row.key, Random(number)) for number, row in enumerate(rows))
    bodies, written = RowBodies(), []
    for start in range(0, TRIALS, BLOCK):
        some = rows[start : start + BLOCK]
        packed = pack_episodes(some, episodes[start : start + BLOCK])
        texts = (bodies.pack("trials", text_of(asdict(row))) for row in some)
        written += [(key, text, said) for text, (key, said) in zip(texts, packed, strict=True)]
    found = beside(
        lambda: spent_by(partial(_ledger, rows, episodes)), lambda: spent_by(partial(_bare, written)), 5
    )
    yield Figure(
        "ledger rows against bare inserts of the same bytes, already packed",
        f"{TRIALS} trials with episodes of 8 messages: {TRIALS / found.ours_s:,.0f} a second, bare"
        f" {TRIALS / found.peer_s:,.0f}",
        found.ratio,
        spread=found.spread,
    )


def trial(number: int) -> TrialRow:
    """A trial as play writes it."""
    return TrialRow(
        key=f"{number:064}",
        backbone="anthropic/claude-haiku-4-5",
        arm="artifact",
        condition="filler",
        task=f"workshop-test-{number // BLOCK}",
        family="press",
        repeat=0,
        status="success",
        score=1.0,
        cause="",
        slot="s" * 64,
        empty_slot=False,
        record="workshop-train-3",
        firings=({"step": 1, "item": 0, "why": "task: press", "shown": True},),
        calls=4,
        input_tokens=4000,
        output_tokens=100,
        carrying=4,
    )


def episode(key: str, rng: Random) -> EpisodeRow:
    """What was said in four turns."""
    said = [" ".join(rng.choices(WORDS, k=60)) for _ in range(8)]
    roles = ("user", "assistant")
    return EpisodeRow(
        key=key,
        conversation=tuple({"role": roles[at % 2], "content": text} for at, text in enumerate(said)),
        steps=tuple(
            {"thought": text, "action": "turn the valve", "observation": text, "fault": ""}
            for text in said[:4]
        ),
        calls=tuple(
            {"key": f"{turn:064}", "step": turn, "messages": 2 * turn, "meant": "s" * 64, "verbatim": True}
            for turn in range(4)
        ),
        start=said[0],
    )


def _ledger(rows: tuple[TrialRow, ...], episodes: tuple[EpisodeRow, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteLedger(Path(folder) / "ledger.sqlite")
        for start in range(0, TRIALS, BLOCK):
            store.add_slots({"s" * 64: "a slot"})
            store.add_trials(rows[start : start + BLOCK], episodes[start : start + BLOCK])
        store.close()


def _bare(written: list[tuple[str, bytes, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "bare.sqlite")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("CREATE TABLE trials (key TEXT PRIMARY KEY, body TEXT)")
        connection.execute("CREATE TABLE episodes (key TEXT PRIMARY KEY, body BLOB)")
        for start in range(0, TRIALS, BLOCK):
            some = written[start : start + BLOCK]
            with connection:
                connection.executemany("INSERT INTO trials VALUES (?, ?)", [(k, row) for k, row, _ in some])
                connection.executemany(
                    "INSERT INTO episodes VALUES (?, ?)", [(k, said) for k, _, said in some]
                )
        connection.close()


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
