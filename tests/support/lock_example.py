"""Lock, families and monitoring of the example results: everything that can be said of them at once."""

from typing import Any

SEEN = {"estimate": 0.2, "p_adjusted": 0.001, "overall": 0.012, "crossed": True}
LOCK: dict[str, Any] = {
    "locked": True,
    "confirmatory": False,
    "says": "Exploratory: not as it was locked: lock.json: digests: world: locked aa, found bb.",
    "digest": "ab" * 32,
    "trials_before": 3,
    "complete": True,
    "differences": [
        {"where": "code", "key": "gates", "locked": "a", "found": "b", "says": "code: gates: a, b"}
    ],
    "differences_in_all": 4,
    "amendments": [{"reason": "why", "trials": 9, "changes": {}, "says": "Amendment 1, after 9 trials: why"}],
    "unmasked_looks": [{"trials": 12, "by": "report"}],
    "exploratory_analyses": ["banks"],
}
MULTIPLICITY: dict[str, Any] = {
    "primary": "hypotheses",
    "alpha": 0.05,
    "looks": 2,
    "order": ["hypotheses"],
    "gatekeeping": "serial",
    "families": [
        {"name": "hypotheses", "role": "primary", "order": 1, "confirmatory": True, "members": ["one"],
         "tested": 1, "rejected": 1, "adjusted_by": "max-T", "claim": "exploratory: no lock stands"},
    ],
    "exploratory": ["banks"],
}  # fmt: skip


def monitored(backbone: str, treatment: str, control: str, condition: str) -> dict[str, Any]:
    """One hypothesis over five tasks, with one look of two."""
    place = [backbone, treatment, control, condition]
    watched = {
        "backbone": backbone, "treatment": treatment, "control": control, "condition": condition,
        "n_units": 5, "e": 39.8, "anytime_p": 0.025,
    }  # fmt: skip
    look = {"number": 1, "tasks": 5, "level": 0.003, "seen": [{"place": place, **SEEN}], "stop": False}
    looks = {
        "planned": 2, "in_force": True, "rule": "all", "spacing": "equal: O'Brien-Fleming", "counts": [5, 10],
        "boundaries": [2.797, 1.977], "levels": [0.00517, 0.048], "taken": [look], "next": 10,
    }  # fmt: skip
    return {"threshold": 20.0, "tasks_complete": 5, "hypotheses": [watched], "looks": looks}
