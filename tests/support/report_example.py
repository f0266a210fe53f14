"""Results dicts for the tests of the reports: a full run, analysed for real, and one of almost nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache

import numpy as np

from loadbearing.analysis.analyse import analyse
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.outcomes.outcomes import OutcomeRow, Outcomes
from loadbearing.reports.evidence.bank_variance import bank_rows
from loadbearing.reports.evidence.heterogeneity import heterogeneity_rows
from loadbearing.reports.evidence.sensitivity import sensitivity_rows
from loadbearing.reports.evidence.task_differences import difference_rows
from tests.support.effects import EFFECTS
from tests.support.lock_example import LOCK, MULTIPLICITY, monitored
from tests.support.plans import run_plan

ARMS = ("control", "artifact", "activation", "oracle")
CONDITIONS = ("filler", "corrupt_invert", "irrelevant_swap")
CHANCES = {
    "simulated/reader?uptake=0.9": {
        "intact": 0.8,
        "filler": 0.4,
        "corrupt_invert": 0.2,
        "irrelevant_swap": 0.4,
    },
    "simulated/skimmer": dict.fromkeys(("intact", *CONDITIONS), 0.75),
    "simulated/ignorer": dict.fromkeys(("intact", *CONDITIONS), 0.4),
    "simulated/lost": dict.fromkeys(("intact", *CONDITIONS), 0.05),
}
BASE = {"simulated/lost": 0.05}


TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def _side(outcome, text):
    return {"key": "ab" * 32, "outcome": outcome, "score": 0.5, "cause": "", "text": text}


@cache
def _analysed() -> str:
    """A run of 80 tasks and three repeats, drawn from the chances above, in the shape of results.json."""
    rng = np.random.default_rng(7)
    rows = []
    for backbone, chances in CHANCES.items():
        for task in range(80):
            ease = rng.uniform(-0.1, 0.1)
            cells = [("none", "without", BASE.get(backbone, 0.4))]
            cells += [(arm, condition, chance) for arm in ARMS for condition, chance in chances.items()]
            for arm, condition, chance in cells:
                for repeat in range(3):
                    score = float(rng.random() < np.clip(chance + ease, 0, 1))
                    lost = arm == "activation" and rng.random() < 0.01
                    shared = condition == "filler" and task % 4 == 0
                    rows.append(
                        OutcomeRow(
                            backbone=backbone,
                            arm=arm,
                            condition=condition,
                            task=f"task {task}",
                            cluster="",
                            repeat=repeat,
                            score=None if lost else score,
                            slot="" if arm == "none" else f"{'' if shared else arm} {condition} {task}",
                            empty_slot=arm == "artifact" and task % 20 == 0,
                        )
                    )
    outcomes = Outcomes(tuple(rows))
    pairs = (("artifact", "control"), ("activation", "control"))
    effects = {name: EFFECTS[name] for name in (*CONDITIONS, "without")}
    plan = AnalysisPlan(ARMS, tuple(effects), pairs, flips=499, effects=tuple(effects.items()))
    analysis = analyse(outcomes, plan)
    cells = [
        {
            "backbone": backbone,
            "arm": cell[0],
            "condition": cell[1],
            "n_trials": int(table.trials[:, at].sum()),
            "n_errors": int(table.errors[:, at].sum()),
            "score": float(np.nanmean(table.means[:, at])),
        }
        for backbone in outcomes.backbones
        if (table := outcomes.cells(backbone))
        for at, cell in enumerate(table.cells)
    ]
    results = {
        "name": "quickstart",
        "question": "Does the content of condensed memory carry weight, or is it decoration?",
        "seed": 20_260,
        "simulated": True,
        "status": "exploratory",
        "control": "control: embedded equivalent",
        "world": "workshop",
        "outcome": "success",
        "backbones": list(outcomes.backbones),
        "arms": ["none", *ARMS],
        "conditions": ["without", *CONDITIONS],
        "effects": effects,
        "tasks": 80,
        "repeats": 3,
        "margin": 0.1,
        "alpha": 0.05,
        "verdicts": analysis.verdicts,
        "utility": analysis.utility,
        "hypotheses": analysis.hypotheses,
        "estimates": [asdict(estimate) for estimate in analysis.estimates],
        "lock": LOCK,
        "multiplicity": MULTIPLICITY,
        "monitoring": monitored("simulated/skimmer", "artifact", "control", "corrupt_invert"),
        "differences": difference_rows(outcomes, plan),
        "sensitivity": sensitivity_rows(outcomes, plan),
        "heterogeneity": heterogeneity_rows(outcomes, plan),
        "banks": bank_rows(outcomes, plan, run_plan(draws=3)),
        "cells": cells,
        "errors": analysis.errors,
        "empty_slots": analysis.empty_slots,
        "manipulation": [
            {
                "arm": arm,
                "condition": condition,
                "n": 80 + i,
                "applicable": 79 - i,
                "passed": 60 - i,
                "words_changed": 0.9 + i / 1000,
                "content_words_left": 0.013 + i / 1000,
                "length_ratio": 1.004 + i / 1000,
                "flips": 2.119 + i / 1000 if condition == "corrupt_invert" else None,
                "not_applicable_because": ["no word left to invert"],
            }
            for i, (arm, condition) in enumerate((a, c) for a in ARMS for c in CONDITIONS)
        ],
        "firings": [
            {
                "backbone": backbone,
                "arm": arm,
                "condition": "intact",
                "shown": 0.0123 + i / 17,
                "shadow": 0.7 + i / 37,
            }
            for i, (backbone, arm) in enumerate((b, a) for b in CHANCES for a in ("none", "activation"))
        ],
        "condensation": [
            {
                "backbone": backbone,
                "condenser": condenser,
                "draws": 3 + i,
                "traces": 1101 + i,
                "items": 1301 + i,
                "drafts": 2401 + i,
                "flagged": 501 + i,
                "passed_after_revision": 371 + i,
                "dropped": 131 + i,
                "faults": 7 + i,
            }
            for i, (backbone, condenser) in enumerate((b, c) for b in CHANCES for c in ("native", "theory"))
        ],
        "shared_cells": ["control and artifact show the same filler on a quarter of the tasks."],
        "notes": list(analysis.notes),
        "attrition": {
            arm: {
                "trials": 3_600 + i,
                "planned": 3_700 + i if i else None,
                "errors": count,
                "share": count / (3_600 + i),
                "causes": {"rate limit": count - 1, "WorldFault": 1} if count else {},
            }
            for i, (arm, count) in enumerate(analysis.errors.items())
        },
        "agent_failures": {arm: {"step limit": 801 + i} for i, arm in enumerate(analysis.errors)},
        "delivery": {"carrying": 123_456, "undelivered": 0, "trials": []},
        "examples": [
            {
                "backbone": "simulated/skimmer",
                "arm": "artifact",
                "condition": "corrupt_invert",
                "task": f"task {i}",
                "repeat": 1,
                "differs": "outcome",
                "before": _side("success", "Do press the green lever before the red one."),
                "after": _side("failure", "Avoid pressing the green lever after the red one."),
                "turn": {
                    "number": 3 + i,
                    "before": {"thought": "The memory says green.", "action": "press green lever"},
                    "after": {"thought": "The memory says red.", "action": "press red lever"},
                },
            }
            for i in range(2)
        ],
        "preparation": [
            {"purpose": purpose, "calls": 701 + i, **dict.fromkeys(TOKENS, 8_001 + i), "usd": 0.5 + i}
            for i, purpose in enumerate(("collect", "condense native", "gate theory"))
        ],
        "models": [
            {
                "asked": asked,
                "answered": f"{asked}-2026",
                "calls": 9_001 + i,
                "temperatures": [None, 0.7],
                "batched": 31 + i,
                "altered": 41 + i,
            }
            for i, asked in enumerate(CHANCES)
        ],
        "cost": {
            arm: {
                "calls": 12_345 + i,
                "input_tokens": 2_345_678 + i,
                "output_tokens": 98_765 + i,
                "cache_read_tokens": 345_678 + i,
                "cache_write_tokens": 45_678 + i,
                "usd": usd,
            }
            for i, (arm, usd) in enumerate(
                zip(("none", *ARMS), (None, 0.0, 1.25, 12.5, 1234.5678), strict=True)
            )
        },
        "digests": {"spec": "0f" * 32, "bank native": "a1" * 32},
        "reproduce": ["make demo", "loadbearing run runs/specs/quickstart.yaml -S seed=20260"],
    }
    return json.dumps(results)


def full() -> dict:
    """A fresh copy of the full example, through JSON as a reader of results.json has it."""
    return json.loads(_analysed())


def past() -> dict:
    """What `history` tells of a run that was killed once."""
    sessions = [
        {"number": 1, "begun": "2026-11-01T20:00:00+00:00", "ended": "", "how": "killed"},
        {
            "number": 2, "begun": "2026-11-02T07:00:00+00:00", "ended": "2026-11-02T08:00:00+00:00",
            "how": "done",
        },
    ]  # fmt: skip
    requests = {"sent": 1_234, "answered": 1_230, "faults": {"rate limit": 3}, "open": 1}
    return {"sessions": sessions, "requests": requests, "sentences": ["Session 1 began.", "It was killed."]}


def bare() -> dict:
    """A run of which nothing is known but its name: every list empty, every mapping too."""
    empty = {key: type(value)() if isinstance(value, list | dict) else value for key, value in full().items()}
    return empty | {"simulated": False, "question": "", "notes": []}


HOSTILE = (
    """<script>alert("x")</script> & 'q' $x^2$ | `tick` *b* [l](http://x.example) 漢字 é \x1b[31m \ud800 """
    """\u202e {{ 7 * 7 }} </svg> #010201 id="a" """
)


def hostile() -> dict:
    """The full example with every piece of text made dangerous; words of verdicts stay."""
    kept = {"estimand", "verdict", "differs"}
    shapes = {"", "cell", "before", "after", "turn", "delivery"}
    shapes |= {"lock", "multiplicity", "monitoring", "looks"}

    def poison(value, key=""):
        if isinstance(value, dict):
            return {
                name if key in shapes else f"{HOSTILE}{name}": poison(entry, name)
                for name, entry in value.items()
            }
        if isinstance(value, list):
            return [poison(entry, "cell" if isinstance(entry, dict) else key) for entry in value]
        return f"{HOSTILE}{value}" if isinstance(value, str) and key not in kept else value

    results = full()
    words = {"verdicts": {}, "utility": {}}
    for name in words:
        for backbone, arms in results.pop(name).items():
            words[name][HOSTILE + backbone] = {HOSTILE + arm: _renamed(entry) for arm, entry in arms.items()}
    return poison(results) | words


def _renamed(entry):
    return {HOSTILE + name: word for name, word in entry.items()} if isinstance(entry, dict) else entry
