"""Small whole runs against the scripted server, and the laws that hold after every one of them."""

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from memtrial.ledger.accounts import Sending
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_accounts import SqliteAccounts
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_answers import Answers, answers_from
from memtrial.models.scripted.scripted_server import Running, Script
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec, run_spec
from tests.support.said_lines import Line, Lines
from tests.support.small import write_spec

KEY = "sk-test-0123456789-abcdef"
CLAUDE, GPT = "anthropic/claude-haiku-4-5", "openai/gpt-4.1-nano"
SMALL = """
name: nightly
seed: 3
environment: {world: workshop, train: 8, test: 3}
backbone: BACKBONE
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer}
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
arms: [none, control, activation]
conditions: [filler]
repeats: 1
engine: {attempts: 4, first_wait_s: 0.01, max_connections: 8, call_timeout_s: 20}
"""


def said(*lines: tuple[str, str]) -> Answers:
    """Answers by match and text."""
    return Lines(tuple(Line(match, ScriptedAnswer(text)) for match, text in lines))


def script(*faults: ScriptedFault, answers: Answers | None = None, **more: Any) -> Script:
    return Script(answers or answers_from("simulated/reader"), faults, **more)


def surroundings(url: str) -> dict[str, str]:
    """The environment of somebody whose providers are all at one address."""
    return {
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": KEY,
        "OPENAI_API_KEY": KEY,
    }


def carry_out(
    folder: Path,
    url: str,
    model: str,
    settings: tuple[str, ...] = (),
    retry_errors: bool = False,
    reports: bool = False,
    told: bool = False,
) -> int:
    """One session of the small spec in `folder/out`; the exit code. With `reports` as `run` does it, with
    `told` its results.json alone."""
    spec = load_spec(write_spec(folder, SMALL.replace("BACKBONE", model)), list(settings))
    around = surroundings(url)
    if reports:
        return run_spec(
            spec, folder / "out", False, None, "none", True, False, retry_errors, environment=around
        )
    return play_spec(spec, folder / "out", None, retry_errors, around, told)


def trials(folder: Path) -> list[TrialRow]:
    ledger = SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")
    rows = list(ledger.trials())
    ledger.close()
    return rows


def sent(folder: Path) -> Sending:
    connection = sqlite3.connect(folder / "out" / "ledger.sqlite")
    found = SqliteAccounts(connection).network_use()
    connection.close()
    return found


ANSWERED = "SELECT (SELECT count(*) FROM calls) + (SELECT coalesce(sum(calls), 0) FROM free_calls)"
"""How many calls were answered, those that cost nothing among them."""


def query(folder: Path, text: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / "out" / "ledger.sqlite")
    rows = connection.execute(text).fetchall()
    connection.close()
    return rows


def refuse_unlawful(folder: Path, server: Running | None, attempts: int = 4) -> Counter[str]:
    """What holds after every undisturbed session; the trials by status."""
    rows = trials(folder)
    assert len({row.key for row in rows}) == len(rows)
    for row in rows:
        assert row.status in ("success", "failure", "error")
        assert (row.score is None) == (row.status == "error")
        # an error is the infrastructure's and says so; nothing of it is ever held against the agent
        assert ("Fault" in row.cause) == (row.status == "error")
    per_request = query(folder, "SELECT key, count(*) FROM sends GROUP BY key")
    assert max(count for _, count in per_request) <= attempts
    stands = sent(folder)
    assert stands.open == 0
    if server is not None:
        assert server.counts()["requests"] == stands.sent
    refuse_key(folder)
    return Counter(row.status for row in rows)


def refuse_key(folder: Path) -> None:
    """The key is in no byte of any file."""
    files = [path for path in (folder / "out").rglob("*") if path.is_file()]
    assert len(files) > 3
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
