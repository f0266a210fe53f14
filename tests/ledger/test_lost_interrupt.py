"""An interrupt that comes while SQLite calls a function of ours is one to whoever writes, and no fault."""

import signal
from contextlib import closing
from pathlib import Path

import pytest

from memtrial.call_records import CallBatch, SendRecord
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger


def interrupt(*_: object) -> bytes:
    """What happens where a seal is made and Ctrl-C is pressed."""
    signal.raise_signal(signal.SIGINT)
    return b""


def test_an_interrupt_within_a_write_is_raised_as_one_and_nothing_is_written(tmp_path: Path) -> None:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        ledger.connection.create_function("digest_of", -1, interrupt)
        with pytest.raises(KeyboardInterrupt):
            ledger.state("world", {"tasks": 3})
        with pytest.raises(KeyboardInterrupt):
            ledger.add_slots({"digest": "text"})
        with pytest.raises(KeyboardInterrupt):
            ledger.calls.commit(CallBatch(sends=(SendRecord(1, b"key", "m/a", 1e9),)))
    with closing(SqliteLedger.open_read_only(tmp_path / "ledger.sqlite")) as kept:
        assert kept.fact("world") is None
        assert list(kept.slots()) == []
        assert kept.connection.execute("SELECT count(*) FROM sends").fetchone() == (0,)
        assert not kept.damage
