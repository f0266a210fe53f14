"""What is known of the items of a trial before it ends, and whether that predicts a failure with memory."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from loadbearing.analysis.failures.harm_model import harm_model
from loadbearing.ledger.json_values import Json
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.reserved_names import INTACT, NONE
from loadbearing.reports.model.failure_rows import HarmRow

FIELDS = ("title", "description", "content", "claim", "trigger", "mechanism", "scope", "form")
WHEN = ("trigger", "description")
"""The fields that say when an item counts, of either schema."""
_WORD = re.compile(r"[^\W\d_]{3,40}")
Made = Mapping[tuple[str, str, str, int], Json]
"""What a condenser made: by backbone, condenser, source task and draw."""


def harm_rows(ledger: Ledger, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[HarmRow, ...]:
    """A row a backbone: intact trials that were shown items, in blocks that were solved without memory."""
    solved = {
        (one.backbone, one.task, one.repeat): one.key
        for one in trials
        if one.arm == NONE and one.status == "success"
    }
    cases: dict[str, list[TrialRow]] = {backbone: [] for backbone in plan.backbones}
    for one in trials:
        block = (one.backbone, one.task, one.repeat)
        if one.condition == INTACT and one.status != "error" and one.carrying and block in solved:
            cases[one.backbone].append(one)
    made = {(row.backbone, row.condenser, row.task, row.draw): row.body for row in ledger.condensations()}
    openings = {task: _opening(ledger, key) for (_, task, _), key in solved.items()}
    rows = []
    for at, (backbone, own) in enumerate(cases.items()):
        known = [_known(ledger, one, plan, made, openings[one.task]) for one in own]
        model = harm_model(
            {name: [one[name] for one in known] for name in (known[0] if known else ())},
            [one.status == "failure" for one in own],
            [one.task for one in own],
            [plan.clusters.get(one.task) or one.task for one in own],
            generator(plan.seed, Stream.FAILURE_MODES, 2, at),
        )
        rows.append(HarmRow(backbone=backbone, **asdict(model)))
    return tuple(rows)


def _known(
    ledger: Ledger, trial: TrialRow, plan: RunPlan, made: Made, opening: frozenset[str]
) -> dict[str, float]:
    """The features of one trial, by the names under which a reader meets them.

    What the agent did upon an item is none: it is the failure itself rather than what comes before it.
    """
    memory, _ = plan.levels.get(trial.arm, ("", ""))
    draw = trial.repeat % plan.draws if trial.arm in plan.drawn else 0
    body = made.get((trial.backbone, memory, trial.record, draw), {})
    listed = body.get("items")
    items = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    parts = {name: _words(str(one.get(name, "")) for one in items) for name in FIELDS}
    total = sum(map(len, parts.values()))
    when = {word for name in WHEN for word in parts[name]}
    flags = _flags(body.get("findings"), {str(one.get("markdown", "")) for one in items})
    return {
        "words": float(len((ledger.slot(trial.slot) or "").split())),
        **{f"share of words in {name}": len(said) / total if total else 0.0 for name, said in parts.items()},
        "words of its moment in the task": len(when & opening) / len(when) if when else 0.0,
        "similarity of the record's task": trial.similarity or 0.0,
        "flags of gates": float(flags),
        "items whose moment came": float(sum(one["fired"] is not None for one in trial.exposures)),
    }


def _flags(findings: object, kept: set[str]) -> int:
    """Findings against items as they were stored."""
    listed = [one for one in findings if isinstance(one, dict)] if isinstance(findings, list) else []
    return sum(one.get("finding") in ("WARN", "FAIL") and one.get("draft") in kept for one in listed)


def _opening(ledger: Ledger, key: str) -> frozenset[str]:
    """The words of the task and of the first observation, as the agent was shown them without memory."""
    episode = ledger.episode(key)
    told = episode.conversation[1]["content"] if episode and len(episode.conversation) > 1 else ""
    return frozenset(_words([told]))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text.casefold())]
