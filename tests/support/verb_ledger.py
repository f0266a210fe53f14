"""A ledger written row by row, for the verbs that read one."""

from hashlib import sha256
from pathlib import Path

from memtrial.call_purpose import PLAY
from memtrial.ledger.rows import CheckRow, CondensationRow, EpisodeRow, Status, TraceRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.types import Reply

ARMS, CONDITIONS = ("none", "control"), ("filler",)
CELLS = (("none", "without"), ("control", "intact"), ("control", "filler"))
INTACT, DAMAGED = "Notes.\n\nDo `push it` now.", "Notes.\n\nDo `wait here` now."
PLAN = {
    "name": "hand",
    "question": "q",
    "seed": 1,
    "simulated": True,
    "control": "control: embedded equivalent",
    "world": "w",
    "outcome": "success",
    "backbones": ["simulated/reader", "simulated/ignorer"],
    "arms": list(ARMS),
    "injections": {"control": "prepend"},
    "conditions": list(CONDITIONS),
    "primary": ["filler"],
    "pairs": [],
    "tasks": 3,
    "repeats": 2,
    "trials": 36,
    "planned": {"none": 12, "control": 24},
    "margin": 0.1,
    "alpha": 0.05,
    "flips": 999,
    "cluster": "family",
    "clusters": {"t0": "family, one"},
    "digests": {},
    "notes": [],
}


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def key(backbone: str, arm: str, condition: str, task: str, repeat: int) -> str:
    return digest(f"{backbone} {arm} {condition} {task} {repeat}")


def trial(backbone: str, cell: tuple[str, str], task: str, repeat: int, status: Status) -> TrialRow:
    text = {"without": "", "intact": INTACT, "filler": DAMAGED}[cell[1]]
    return TrialRow(
        key(backbone, *cell, task, repeat), backbone, *cell, task, "family", repeat, status,
        None if status == "error" else 0.25 + 0.5 * (status == "success"),
        {"success": "", "failure": "step limit", "error": "ProviderFault (overloaded): busy"}[status],
        digest(text), False, "source",
        ({"step": 0, "item": 0, "why": "state: x", "shown": False},), 2, 1, 700, 80, 5, 6, 0.125, 2, 0,
        boundary="provider" if status == "error" else None, fault="overloaded" * (status == "error"),
    )  # fmt: skip


def said(row: TrialRow) -> EpisodeRow:
    shown = {"without": "", "intact": INTACT, "filler": DAMAGED}[row.condition]
    calls = [{"key": "00", "step": 0, "messages": 2, "meant": digest(shown), "verbatim": True},
             {"key": "01", "step": 1, "messages": 4, "meant": digest(shown), "verbatim": False}]  # fmt: skip
    talk = (("system", f"Rules.\n{shown}"), ("user", "Observation: one"), ("assistant", "Act: \x1b[31mred"),
            ("user", "Observation: two"), ("assistant", "Action: two"))  # fmt: skip
    return EpisodeRow(
        row.key,
        tuple({"role": role, "content": content} for role, content in talk),
        ({"thought": "t", "action": "red", "observation": "o", "fault": "format"},),
        tuple(calls),
    )


def begun(folder: Path, settings: object = None) -> SqliteLedger:
    """A run that has collected and condensed, and is not at its first trial."""
    folder.mkdir(exist_ok=True)
    ledger = SqliteLedger(folder / "ledger.sqlite")
    ledger.state("identity", {"seed": 1})
    ledger.begin_session(settings if settings is not None else {"budget": {"max_cost_usd": 5.0}})
    for backbone in PLAN["backbones"]:  # type: ignore[attr-defined]
        shared = {"trace_id": "a", "task_id": "s0", "query": "q", "outcome": "success", "steps": []}
        own = {"trace_id": "b", "task_id": "s1", "query": backbone, "outcome": "failure", "steps": []}
        ledger.add_traces([TraceRow(backbone, "s0", shared), TraceRow(backbone, "s1", own)])
        body = {"trace_id": "a", "condenser": "native", "items": [{"markdown": "m"}], "findings": [],
                "dropped": [], "faults": ["f"]}  # fmt: skip
        ledger.add_condensations([CondensationRow(backbone, "native", "s0", body)])
    return ledger


def play(ledger: SqliteLedger, tasks: int = 3, errors: int = 2) -> list[TrialRow]:
    """Play the blocks of the first `tasks` tasks; the first `errors` trials are errors."""
    if ledger.fact("plan") is None:
        ledger.state("plan", PLAN)
    cache = CallCache(ledger.calls)
    played: list[TrialRow] = []
    for backbone in PLAN["backbones"]:  # type: ignore[attr-defined]
        for task in (f"t{number}" for number in range(tasks)):
            for repeat in range(2):
                rows = []
                for number, cell in enumerate(CELLS):
                    ended: Status = "success" if number % 2 else "failure"
                    status = "error" if len(played) + len(rows) < errors else ended
                    rows.append(trial(backbone, cell, task, repeat, status))
                ledger.add_slots({digest(text): text for text in ("", INTACT, DAMAGED)})
                ledger.add_trials(rows, [said(row) for row in rows if row.status != "error"])
                before, after = digest(INTACT), digest(DAMAGED)
                ledger.add_checks(
                    [CheckRow(backbone, *CELLS[2], task, repeat, True, True, "", before, after, {"flips": 1})]
                )
                played += rows
    send = cache.intend(b"one", "anthropic/x")
    cache.keep(b"one", "anthropic/x", Reply("answer", 700, 80, "x", usd=1.5), PLAY, send)
    cache.keep(b"two", "anthropic/x", Reply("other", 300, 20, "x", usd=None), PLAY, None)
    cache.fail(cache.intend(b"three", "anthropic/x"), "rate limit", "slow down", 0.25)
    cache.intend(b"four", "anthropic/x")
    cache.flush()
    return played
