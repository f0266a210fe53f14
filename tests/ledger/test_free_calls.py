"""Calls that cost nothing: many in a row, each counted once, asked again where their answer is wanted."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.call_purpose import COLLECT, PLAY, Purpose
from memtrial.call_records import CallBatch, FreeCall, KeptCall
from memtrial.ledger.calls.call_packs import pack_calls, unpack_calls
from memtrial.ledger.calls.call_settings import CallSettings
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.types import Message, ModelFault, Reply, Request, key_of
from memtrial.models.providers.open import is_simulated, open_backend
from memtrial.protocols import CallStore
from tests.models.test_claim_queue import OtherWorker

READER = "simulated/reader"
FREE = FreeCall(b"8 bytes.", READER, READER, PLAY, "end", None, True, 30, 7)
CALLS = tuple(replace(FREE, key=b"%08d" % number, output_tokens=number) for number in range(300))
ALL = (*CALLS, replace(FREE, purpose=COLLECT), replace(FREE, key=b"\0" * 8, temperature=0.0))


def request_to(model: str, text: str) -> Request:
    return Request(model, (Message("system", "Act."), Message("user", text)))


def ask(store: CallStore, *texts: str, purpose: Purpose = PLAY, model: str = READER) -> list[Reply]:
    """One session: what is asked at its end is kept."""
    client = ModelClient(CallCache(store), open_backend)

    async def each() -> list[Reply]:
        return [await client.ask(request_to(model, text), 0, purpose) for text in texts]

    replies = asyncio.run(each())
    client.cache.flush()
    return replies


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as opened:
        yield opened


def test_what_is_packed_comes_back_a_row_for_each_kind_in_few_bytes() -> None:
    packs = pack_calls(ALL)
    assert list(unpack_calls(packs)) == list(ALL)
    assert [pack.calls for pack in packs] == [300, 1, 1]
    assert packs[0].output_tokens == sum(range(300))
    assert len(packs[0].keys) + len(packs[0].tokens) < 12 * 300


@pytest.mark.parametrize(
    "change",
    [
        {"keys": b"7 bytes"},
        {"keys": "8 bytes."},
        {"keys": b"8 bytes." * 2},
        {"keys": b""},
        {"tokens": b"no frame at all"},
        {"tokens": b""},
        {"tokens": None},
        {"tokens": pack_calls(CALLS)[0].tokens},
        {"tokens": pack_calls([FREE])[0].tokens[:-1]},
    ],
)
def test_a_row_that_is_none_is_one_fault(change: dict[str, object]) -> None:
    (pack,) = pack_calls([FREE])
    with pytest.raises(LedgerFault, match="an intact ledger is needed"):
        list(unpack_calls([replace(pack, **change)]))  # type: ignore[arg-type]


def test_settings_are_found_by_the_key_and_by_no_bytes_of_two_neighbours() -> None:
    rows = [("m/a", None, b"0000000100000002"), ("m/b", 0.5, b"00000003")]
    settings = CallSettings(rows)
    asked = (b"00000001", b"00000002", b"00000003", b"00100000", b"99999999", b"short", b"")
    told = [settings.find(key) for key in asked]
    assert told == [("m/a", None), ("m/a", None), ("m/b", 0.5), None, None, None, None]
    assert CallSettings([]).find(b"00000001") is None


def test_calls_are_read_anew_where_the_ledger_is_looked_at_again(ledger: SqliteLedger) -> None:
    assert ledger.calls.free_purpose(FREE.key) is None
    with closing(SqliteLedger(ledger.path)) as other:
        other.calls.commit(CallBatch(free=(FREE,)))
    assert ledger.calls.free_purpose(FREE.key) is None
    ledger.look_again()
    assert ledger.calls.free_purpose(FREE.key) == PLAY


def test_a_simulated_participant_is_counted_once_and_leaves_no_text(ledger: SqliteLedger) -> None:
    first, again, other = ask(ledger.calls, "go", "go", "stay")
    assert (first.cached, again.cached, other.cached) == (False, True, False)
    assert again.text == first.text
    assert list(ledger.calls.records()) == []
    free = list(ledger.calls.free_calls())
    assert [call.key for call in free] == [key_of(request_to(READER, text), 0)[:8] for text in ("go", "stay")]
    assert [(call.input_tokens, call.output_tokens) for call in free] == [
        (reply.input_tokens, reply.output_tokens) for reply in (first, other)
    ]
    seen = ledger.path.read_bytes() + ledger.path.with_name("ledger.sqlite-wal").read_bytes()
    assert first.text.encode() not in seen
    assert ledger.accounts.network_use().sent == 0
    assert ledger.calls.spent() == (0.0, 0)


def test_of_equal_requests_at_the_same_time_one_is_counted_and_the_others_share_it(
    ledger: SqliteLedger,
) -> None:
    client = ModelClient(CallCache(ledger.calls), open_backend)

    async def together() -> list[Reply]:
        return await asyncio.gather(*(client.ask(request_to(READER, "go"), 0, PLAY) for _ in range(3)))

    first, *others = asyncio.run(together())
    assert (first.cached, others) == (False, [replace(first, cached=True)] * 2)
    assert client.stats().cached == 2
    client.cache.flush()
    assert len(list(ledger.calls.free_calls())) == 1
    resumed = ModelClient(CallCache(ledger.calls), open_backend)
    assert asyncio.run(resumed.ask(request_to(READER, "go"), 0, PLAY)) == replace(first, cached=True)
    assert resumed.stats().cached == 1


def test_after_a_resume_it_answers_the_same_and_is_not_counted_again(ledger: SqliteLedger) -> None:
    (first,) = ask(ledger.calls, "go")
    ledger.close()
    with closing(SqliteLedger(ledger.path)) as later:
        resumed = ask(later.calls, "go", "stay")
        assert resumed[0] == replace(first, cached=True)
        assert not resumed[1].cached
        assert later.accounts.counts().answers == 2
        assert not later.damage


def test_what_was_asked_for_something_else_too_is_counted_under_the_first_in_order(
    ledger: SqliteLedger,
) -> None:
    ask(ledger.calls, "go", "stay")
    ask(ledger.calls, "go", purpose=COLLECT)
    spent = {entry.purpose: entry.calls for entry in ledger.accounts.spending_by_purpose()}
    used = {purpose: calls for purpose, (calls, *_) in ledger.accounts.used_by_purpose().items()}
    assert (spent, used) == ({COLLECT: 1, PLAY: 1}, {COLLECT: 1, PLAY: 2})


def test_what_another_process_was_answered_is_taken_in_once(ledger: SqliteLedger) -> None:
    beside = CallCache(MemoryCallStore())
    client = ModelClient(beside, open_backend)
    asyncio.run(client.ask(request_to(READER, "go"), 0, PLAY))
    handed = beside.hand_over()
    assert (len(handed.calls), len(handed.free)) == (0, 1)
    assert beside.hand_over() == CallBatch()
    cache = CallCache(ledger.calls)
    assert not cache.knows_any(handed)
    cache.take_in(handed)
    assert cache.knows_any(handed), "what waits is known"
    cache.flush()
    assert CallCache(ledger.calls).knows_any(handed)
    ledger.calls.commit(handed)
    assert list(ledger.calls.free_calls()) == list(handed.free)


class FarStore(MemoryCallStore):
    """A store for whose answers one waits; it counts how often it was asked."""

    n_looks = 0

    def find(self, key: bytes) -> KeptCall | None:
        self.n_looks += 1
        return super().find(key)


def test_where_many_workers_write_nobody_waits_for_an_answer_that_can_be_made_again() -> None:
    store = FarStore()
    client = ModelClient(CallCache(store, OtherWorker({}, frozenset())), open_backend)
    replies = [asyncio.run(client.ask(request_to(READER, text), 0, PLAY)) for text in ("go", "stay", "go")]
    assert [reply.cached for reply in replies] == [False, False, True]
    client.cache.flush()
    assert asyncio.run(client.ask(request_to(READER, "stay"), 0, PLAY)).cached
    assert store.n_looks == 0


def test_a_call_that_was_changed_is_noticed_and_is_not_counted(ledger: SqliteLedger) -> None:
    ask(ledger.calls, "go")
    ask(ledger.calls, "stay")
    ledger.close()
    with closing(sqlite3.connect(ledger.path)) as stranger, stranger:
        stranger.execute("DROP TRIGGER free_calls_no_update")
        stranger.execute("UPDATE free_calls SET calls = 1000 WHERE number = 1")
    with closing(SqliteLedger(ledger.path)) as later:
        assert later.damage.rows == {"free_calls": 1}
        assert later.accounts.counts().answers == 1
        assert not ask(later.calls, "go")[0].cached, "it is asked again"
        assert later.accounts.counts().answers == 2


def test_a_run_of_simulated_participants_is_replayed_as_far_as_it_asked(ledger: SqliteLedger) -> None:
    (first,) = ask(ledger.calls, "go")
    ledger.close()
    name = f"replay/{ledger.path.parent}"
    assert is_simulated(name)
    with closing(SqliteLedger(ledger.path.with_name("again.sqlite"))) as target:
        assert ask(target.calls, "go", model=name) == [first]
        with pytest.raises(ModelFault, match=f"has no answer of '{READER}'"):
            ask(target.calls, "stay", model=name)
        # the other folder may be gone one day: what came from it is kept
        assert [call.reply for call in target.calls.records()] == [first.text]
