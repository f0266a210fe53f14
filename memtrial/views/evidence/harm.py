"""Harm looked at closely: what precedes a failure with memory, and the clearest pair of each mode."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest

from memtrial.analysis.behaviour.energy_distance import canonical
from memtrial.analysis.failures.harm_model import harm_model
from memtrial.analysis.failures.shares import MODES
from memtrial.console.escape import shortened
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import EpisodeRow, Json, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import INTACT, NONE
from memtrial.protocol.lock_check import View
from memtrial.protocols import LedgerStore
from memtrial.views.evidence.failure_modes import FailedPair, failed_pairs, failure_modes
from memtrial.views.rows.failure_rows import FailureModes, HarmRow, WorkedCase, WorkedStep

BEFORE, AFTER = 2, 5
"""Turns shown before the runs part, and from there on."""
MOST_SAID, MOST_ITEM = 200, 600
"""Characters of an action with what the world said to it, and of an item."""
_WORD = re.compile(r"[^\W_]{4,40}")
_WHOLE = 100
"""An item that holds the whole action is preferred to any that only shares words with it."""


def worked_cases(
    ledger: LedgerStore, trials: Sequence[TrialRow], codes: Mapping[str, Json]
) -> tuple[WorkedCase, ...]:
    """A case a mode that somebody coded, in the order of the modes.

    The clearest pair is one with intact memory, whose item can be named, and of the fewest turns in all.
    """
    pairs = {pair.case: pair for pair in failed_pairs(trials)}
    found = []
    for mode in MODES:
        ranked = []
        for case, said in codes.items():
            if said.get("mode") == mode and case in pairs:
                one = _worked(ledger, pairs[case], mode, str(said.get("reason") or ""))
                if one is not None:
                    damaged = one.condition != INTACT
                    ranked.append((damaged, not one.item, one.turns_solved + one.turns_failed, case, one))
        if ranked:
            found.append(min(ranked, key=lambda entry: entry[:4])[-1])
    return tuple(found)


def _worked(ledger: LedgerStore, pair: FailedPair, mode: str, reason: str) -> WorkedCase | None:
    solved, failed = ledger.episode(pair.solved.key), ledger.episode(pair.failed.key)
    if solved is None or failed is None:
        return None
    both = list(zip_longest(_said(solved), _said(failed)))
    acts = zip_longest(*([canonical(str(step["action"])) for step in one.steps] for one in (solved, failed)))
    parting = next((at for at, (one, other) in enumerate(acts) if one != other), None)
    if parting is None:
        return None
    action = str(failed.steps[parting]["action"]) if parting < len(failed.steps) else ""
    shown = range(max(0, parting - BEFORE), min(len(both), parting + AFTER))
    told = failed.conversation[1]["content"].partition("\n\n")[0] if len(failed.conversation) > 1 else ""
    return WorkedCase(
        backbone=pair.failed.backbone,
        arm=pair.failed.arm,
        condition=pair.failed.condition,
        mode=mode,
        case=pair.case,
        task=pair.failed.task,
        parting=parting + 1,
        turns_solved=len(solved.steps),
        turns_failed=len(failed.steps),
        steps=tuple(
            WorkedStep(turn=at + 1, solved=both[at][0] or "", failed=both[at][1] or "") for at in shown
        ),
        item=_item(ledger.slot(pair.failed.slot) or "", action, told),
        reason=reason,
    )


def _said(episode: EpisodeRow) -> list[str]:
    return [shortened(f"{step['action']} → {step['observation']}", MOST_SAID) for step in episode.steps]


def _item(slot: str, action: str, task: str) -> str:
    """The part of the memory that names the action, or most of its words that the task does not name."""
    wanted = {*_WORD.findall(action.casefold())}
    own = wanted - {*_WORD.findall(task.casefold())}
    parts = [part for part in slot.split("\n\n")[1:] if part.strip()]  # the cue line comes first
    shared = [
        len(own & {*_WORD.findall(part.casefold())})
        + _WHOLE * (len(wanted) > 1 and canonical(action) in canonical(part))
        for part in parts
    ]
    best = max(shared, default=0)
    # one word of several is in many texts by chance
    return shortened(parts[shared.index(best)], MOST_ITEM) if best >= max(1, min(2, len(own))) else ""


FIELDS = ("title", "description", "content", "claim", "trigger", "mechanism", "scope", "form")
WHEN = ("trigger", "description")
"""The fields that say when an item counts, of either schema."""
_LETTERS = re.compile(r"[^\W\d_]{3,40}")
Made = Mapping[tuple[str, str, str, int], Json]
"""What a condenser made: by backbone, condenser, source task and draw."""


def harm_rows(ledger: LedgerStore, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[HarmRow, ...]:
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
    ledger: LedgerStore, trial: TrialRow, plan: RunPlan, made: Made, opening: frozenset[str]
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


def _opening(ledger: LedgerStore, key: str) -> frozenset[str]:
    """The words of the task and of the first observation, as the agent was shown them without memory."""
    episode = ledger.episode(key)
    told = episode.conversation[1]["content"] if episode and len(episode.conversation) > 1 else ""
    return frozenset(_words([told]))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _LETTERS.findall(text.casefold())]


def coded_modes(ledger: LedgerStore, view: View) -> FailureModes | None:
    """By who coded last; None where nobody has."""
    coded = list(ledger.codes().items())
    return coded_by(*coded[-1], ledger, view) if coded else None


def coded_by(coder: str, codes: Mapping[str, Json], ledger: LedgerStore, view: View) -> FailureModes:
    """The table, and beside it what precedes harm and a worked case a mode.

    Both would tell masked arms apart, by their items, and are left out until the arms are named.
    """
    found = failure_modes(view.trials, view.plan, coder, codes)
    if view.mask:
        return found
    predictors, worked = harm_rows(ledger, view.trials, view.plan), worked_cases(ledger, view.trials, codes)
    return found.model_copy(update={"predictors": predictors, "worked": worked})
