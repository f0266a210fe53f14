"""Results for the tests of the reports: a full run, analysed for real, and one of almost nothing."""

from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.result import Estimate
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes
from memtrial.views.evidence.contrast_rows import (
    bank_rows,
    difference_rows,
    sensitivity_rows,
)
from memtrial.views.rows.results import Results
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


@cache
def full() -> Results:
    """A run of 80 tasks and three repeats, drawn from the chances above, with all that results may hold."""
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
    plan = AnalysisPlan(
        ARMS, tuple(effects), pairs, effects=tuple(effects.items()), rules=AnalysisRules(flips=499)
    )
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
        "cluster": "task",
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
        "hypotheses": [asdict(one) for one in analysis.hypotheses(CONDITIONS)],
        "estimates": [asdict(estimate) for estimate in analysis.estimates],
        "lock": LOCK,
        "multiplicity": MULTIPLICITY,
        "monitoring": monitored("simulated/skimmer", "artifact", "control", "corrupt_invert"),
        "differences": difference_rows(outcomes, plan),
        "sensitivity": sensitivity_rows(outcomes, plan),
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
                "broken": 5 + i,
                "withheld": 3 * i,
                "changed": i,
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
        "agent_failures": {arm: {"intact": {"step limit": 801 + i}} for i, arm in enumerate(analysis.errors)},
        "delivery": {"carrying": 123_456, "undelivered": 0, "trials": []},
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
        "reproduce": ["make demo", "memtrial run runs/specs/quickstart.yaml -S seed=20260"],
    }
    return Results.model_validate(results)


def past() -> tuple[str, ...]:
    """What `history` says of a run that was killed once."""
    return ("Session 1 began.", "It was killed.")


def bare(**parts: Any) -> Results:
    """A run of which nothing is known but its name, with some parts as named."""
    empty = {name: type(value)() for name, value in full() if isinstance(value, tuple | dict)}
    none = dict.fromkeys(("lock", "multiplicity", "monitoring", "delivery"))
    return full().model_copy(update={**empty, **none, "simulated": False, "question": "", **parts})


def estimate_row(estimand: str, arm: str, **fields: Any) -> Estimate:
    """An estimate of backbone `b`, on 60 tasks, with some fields as named."""
    made = Estimate(
        estimand=estimand, backbone="b", arm=arm, versus="intact", condition="filler", share=None,
        family="drops", n_tasks=60, n_clusters=60, n_missing=0, n_informative=60, estimate=None,
    )  # fmt: skip
    return replace(made, **fields)


HOSTILE = (
    """<script>alert("x")</script> & 'q' $x^2$ | `tick` *b* [l](http://x.example) 漢字 é \x1b[31m \ud800 """
    """\u202e {{ 7 * 7 }} </svg> #010201 id="a" """
)


@cache
def hostile() -> Results:
    """The full example with every piece of text made dangerous; words that a type or a verdict fixes stay."""
    kept = {"estimand", "differs", "status", "word", "scale", "code", "role"}
    shapes = ("lock", "multiplicity", "monitoring", "delivery", "table", "untrusted")

    def poison(value: Any, key: str = "") -> Any:
        if isinstance(value, list | tuple):
            return [poison(entry, key) for entry in value]
        if isinstance(value, dict):
            return {name: poison(entry, name) for name, entry in value.items()}
        return f"{HOSTILE}{value}" if isinstance(value, str) and key not in kept | {"verdict"} else value

    def keyed(value: dict[str, Any]) -> dict[str, Any]:
        """A mapping by arm, backbone, condition, cause or name."""
        return {
            HOSTILE + name: keyed(entry) if isinstance(entry, dict) and not _COUNTS & set(entry) else entry
            for name, entry in value.items()
        }

    body = full().model_dump()
    made = {name: poison(value, name) for name, value in body.items()}
    for name, value in body.items():
        if isinstance(value, dict) and name not in shapes:
            made[name] = keyed(value)
    for name in ("effects", "digests"):
        made[name] = {HOSTILE + key: value for key, value in body[name].items()}
    for one in made["attrition"].values():
        one["causes"] = keyed(one["causes"])
    for one in made["estimates"]:
        one["caveats"], one["because"] = (), {}
    return Results.model_validate(made)


_COUNTS = {"calls", "trials"}
