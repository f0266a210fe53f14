import asyncio
import sqlite3
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from memtrial.models.client.types import Message, ModelFault, Reply, Request
from memtrial.models.providers.open import is_simulated, open_backend

COLUMNS = """CREATE TABLE calls (key BLOB PRIMARY KEY, asked TEXT, answered TEXT, reply TEXT,
    input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
    usd REAL, stop TEXT,
    temperature REAL, verbatim INTEGER, purpose TEXT, send INTEGER)"""
REAL = "anthropic/claude-test"
PLAYED = "simulated/reader?uptake=0.5"
TALK = (Message("system", "s"), Message("user", "“u”"))
FULL = Reply("yes", 5, 7, "claude-test-1", False, 11, 13, "length", 0.5, False, 0.25)


def recorded(folder: Path, *calls: tuple[Request, int, Reply]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute(COLUMNS)
    for request, repeat, r in calls:
        key = sha256(request.digest + repeat.to_bytes(8, "big", signed=True)).digest()
        row = (key, request.model, r.model, r.text, r.input_tokens, r.output_tokens, r.cache_read_tokens)
        row += (r.cache_write_tokens, r.usd, r.stop, r.temperature, r.verbatim, "play", None)
        connection.execute(f"INSERT INTO calls VALUES ({','.join('?' * 14)})", row)
    connection.commit()
    connection.close()
    return f"replay/{folder}"


def test_what_was_recorded_comes_again_and_nothing_is_paid(tmp_path: Path) -> None:
    asked = Request(REAL, TALK, 0.5, 99)
    model = recorded(tmp_path / "a run", (asked, 3, FULL))
    backend = open_backend(model)
    assert backend.free
    reply = asyncio.run(backend.answer(replace(asked, model=model), 3))
    assert reply == replace(FULL, usd=0.0)
    asyncio.run(backend.close())


@pytest.mark.parametrize(
    "other",
    [
        (Request(REAL, TALK, 0.5, 99), 4),
        (Request(REAL, TALK, 0.5, 99), -3),
        (Request(REAL, TALK, None, 99), 3),
        (Request(REAL, TALK, 0.5, 100), 3),
        (Request(REAL, TALK[1:], 0.5, 99), 3),
    ],
)
def test_what_was_never_asked_has_no_answer(tmp_path: Path, other: tuple[Request, int]) -> None:
    model = recorded(tmp_path, (Request(REAL, TALK, 0.5, 99), 3, FULL))
    backend = open_backend(model)
    with pytest.raises(ModelFault, match="has no answer of 'anthropic/claude-test'") as raised:
        asyncio.run(backend.answer(replace(other[0], model=model), other[1]))
    assert "\n" not in str(raised.value)


def test_of_several_models_one_is_named_with_its_settings(tmp_path: Path) -> None:
    other = replace(FULL, text="no")
    model = recorded(tmp_path, (Request(REAL, TALK), 0, FULL), (Request(PLAYED, TALK), 0, other))
    with pytest.raises(ModelFault, match=r"several models.*claude-test, simulated/reader\?uptake"):
        open_backend(model)
    with pytest.raises(ModelFault, match="no 'openai/x'"):
        open_backend(f"{model}?model=openai/x")
    for asked, text in ((REAL, "yes"), (PLAYED, "no")):
        name = f"{model}?model={asked}"
        assert asyncio.run(open_backend(name).answer(Request(name, TALK), 0)).text == text
        assert is_simulated(name) is asked.startswith("simulated")


def test_a_replay_of_a_replay_of_what_was_played_is_simulated_too(tmp_path: Path) -> None:
    first = recorded(tmp_path / "one", (Request(PLAYED, TALK), 0, FULL))
    second = recorded(tmp_path / "two", (Request(first, TALK), 0, FULL))
    assert is_simulated(second)
    assert is_simulated(PLAYED)
    assert not is_simulated(REAL)


def test_the_ledger_is_only_read(tmp_path: Path) -> None:
    model = recorded(tmp_path, (Request(REAL, TALK), 0, FULL))
    before = (tmp_path / "ledger.sqlite").read_bytes()
    backend = open_backend(model)
    asyncio.run(backend.answer(Request(model, TALK), 0))
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        backend.calls.connection.execute("DELETE FROM calls")
    asyncio.run(backend.close())
    assert (tmp_path / "ledger.sqlite").read_bytes() == before


def test_what_is_no_recorded_run_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "ledger.sqlite").write_text("hello " * 1000)
    (tmp_path / "old").mkdir()
    sqlite3.connect(tmp_path / "old" / "ledger.sqlite").execute(
        "CREATE TABLE calls (key BLOB)"
    ).connection.close()
    recorded(tmp_path / "empty")
    cases = {
        "replay/": "ledger.sqlite",
        f"replay/{tmp_path}/none": "ledger.sqlite",
        f"replay/{tmp_path}/text": "cannot be read",
        f"replay/{tmp_path}/old": "cannot be read as a ledger",
        f"replay/{tmp_path}/empty": "nothing to replay",
        f"replay/{tmp_path}/empty?modell=x": "one setting, model=",
        f"replay/{tmp_path}/empty?model=": "one setting, model=",
        f"replay/{tmp_path}/nul\0": "ledger.sqlite",
    }
    for model, said in cases.items():
        with pytest.raises(ModelFault, match=said) as raised:
            open_backend(model)
        assert "\n" not in str(raised.value)
