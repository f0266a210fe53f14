"""A ledger for the tests of the reports: two backbones, five arms, all that may go wrong in a night."""

from hashlib import sha256

import numpy as np

from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from tests.support.effects import EFFECTS

ARMS = {
    "raw": ("irrelevant_swap", "shuffle", "empty"),
    "control": ("filler", "corrupt_invert", "irrelevant_swap", "paraphrase"),
    "artifact": ("filler", "corrupt_invert", "irrelevant_swap", "paraphrase"),
    "oracle": ("filler", "corrupt_invert", "irrelevant_swap", "paraphrase"),
}
CONDITIONS = ("filler", "corrupt_invert", "irrelevant_swap", "paraphrase", "shuffle", "empty")
BACKBONES = ("anthropic/reader", "openai/ignorer")
TEXTS = {
    "intact": "## Claim When the lamp is dark, do *press the green lever* first.\n## Scope Holds at bench 3.",
    "corrupt_invert": "## Claim When the lamp is dark, avoid *press the red lever* first.\n"
    "## Scope Holds at bench 3.",
    "paraphrase": "## Claim Start with *press the green lever* if the lamp is dark.\n"
    "## Scope Valid at bench 3.",
}


def fill_ledger(
    ledger: SqliteLedger,
    n_tasks: int = 16,
    repeats: int = 2,
    spoil: int = 0,
    backwards: bool = False,
) -> None:
    """A run with errors, failures, episodes, calls and three sessions, one of which was killed.

    Args:
        spoil: in how many trials of `artifact` on the first backbone one request lost its memory text.
        backwards: trials are added in the opposite order.
    """
    rng = np.random.default_rng(11)
    cells = [("none", "without")]
    cells += [(arm, name) for arm, names in ARMS.items() for name in ("intact", *names)]
    ledger.state("plan", _ledger_plan(n_tasks, repeats, len(cells)))
    for number in range(3):
        ledger.begin_session({})
        if number != 1:
            ledger.end_session(number + 1, "interrupted" if number == 0 else "done")
    _fill_calls(ledger)
    rows, episodes, texts = [], [], {}
    for backbone in BACKBONES:
        for task in range(n_tasks):
            for repeat in range(repeats):
                for arm, condition in cells:
                    reads = backbone == BACKBONES[0] and condition in ("intact", "paraphrase")
                    solved = bool(rng.random() < (0.9 if reads else 0.35))
                    broken = bool(rng.random() < 0.03)
                    spoiled = spoil > 0 and (backbone, arm) == (BACKBONES[0], "artifact")
                    spoil -= spoiled
                    place = (backbone, arm, condition, f"bench {task:02d}", repeat)
                    row = _row(place, solved, broken, spoiled)
                    rows.append(row)
                    if arm != "none":
                        texts[row.slot] = _text(row)
                    if not broken:
                        episodes.append(_episode(row, solved))
    ledger.add_slots(texts)
    ledger.add_trials(rows[::-1] if backwards else rows, episodes)


def _ledger_plan(n_tasks, repeats, n_cells):
    blocks = len(BACKBONES) * n_tasks * repeats
    return {
        "name": "overnight",
        "question": "Does the content of condensed memory carry weight?",
        "seed": 3,
        "simulated": False,
        "control": "control: embedded equivalent",
        "world": "workshop",
        "outcome": "success",
        "backbones": list(BACKBONES),
        "arms": ["none", *ARMS],
        "injections": dict.fromkeys(ARMS, "prepend"),
        "conditions": list(CONDITIONS),
        "effects": {name: EFFECTS[name] for name in CONDITIONS},
        "arm_conditions": {arm: list(names) for arm, names in ARMS.items()},
        "primary": ["corrupt_invert"],
        "pairs": [["artifact", "control"], ["raw", "control"]],
        "tasks": n_tasks,
        "repeats": repeats,
        "trials": blocks * n_cells,
        "planned": {"none": blocks} | {arm: blocks * (1 + len(names)) for arm, names in ARMS.items()},
        "temperature": 0.7,
        "margin": 0.1,
        "alpha": 0.05,
        "flips": 499,
        "cluster": "task",
        "clusters": {},
        "digests": {"world": "0f" * 32},
        "notes": [],
    }


def _row(place, solved, broken, spoiled):
    backbone, arm, condition, task, repeat = place
    causes = ("ProviderFault (rate limit): slow down", "WorldFault: the world went away")
    whose = (("provider", "rate limit"), ("world", "WorldFault"))[repeat % 2] if broken else (None, "")
    cause = causes[repeat % 2] if broken else "" if solved else ("step limit", "format")[repeat % 2]
    return TrialRow(
        key=sha256(repr(place).encode()).hexdigest(),
        backbone=backbone, arm=arm, condition=condition, task=task, family="bench", repeat=repeat,
        status="error" if broken else "success" if solved else "failure",
        score=None if broken else float(solved),
        cause=cause,
        slot="" if arm == "none" else f"{arm} {condition} {task}",
        empty_slot=False, record="", calls=4, cached=1, input_tokens=900, output_tokens=80,
        cache_read_tokens=500, cache_write_tokens=20,
        usd=0.0012 if backbone.startswith("anthropic") else None if arm == "oracle" else 0.0005,
        carrying=0 if arm == "none" else 4, undelivered=int(spoiled),
        boundary=whose[0], fault=whose[1],
    )  # fmt: skip


def _text(row):
    return f"{row.task}\n{TEXTS.get(row.condition, 'Put one thing after another and look again.')}"


def _episode(row, solved):
    lever = "green" if solved else "red"
    steps = [
        {"thought": "I look first.", "action": "look", "observation": "A lamp.", "fault": ""},
        {"thought": f"It says {lever}.", "action": f"press {lever} lever", "observation": "", "fault": ""},
    ]
    return EpisodeRow(row.key, ({"role": "system", "content": "You work."},), tuple(steps), ())


def _fill_calls(ledger):
    """Answered calls, faults, and two requests that were in flight, in the tables of the call cache."""
    asked_for = (
        ("play", BACKBONES[0], 0.01, 1.0, 1),
        ("play", BACKBONES[1], None, 0.7, 1),
        ("condense theory", BACKBONES[0], 0.02, None, 1),
        ("condense theory", BACKBONES[0], 0.03, None, 0),
        ("gate theory", "openai/judge", None, None, 1),
    )
    calls = []
    for send, (purpose, asked, usd, temperature, verbatim) in enumerate(asked_for, 1):
        counts = (100, 10, 50, 5)
        sent = ("end", temperature, verbatim, purpose, send, 0, None, None, None)
        calls.append((bytes([send]), asked, f"{asked}-1", "", *counts, usd, *sent))
    faults = [(6, "rate limit", "", 0.0, None), (7, "time-out", "", 0.0, None)]
    with ledger.connection as connection:
        connection.executemany(f"INSERT INTO calls VALUES ({', '.join('?' * 18)})", calls)
        connection.executemany("INSERT INTO sends VALUES (?, ?, 'x', 0)", [(i, b"") for i in range(1, 10)])
        connection.executemany("INSERT INTO send_faults VALUES (?, ?, ?, ?, ?)", faults)
