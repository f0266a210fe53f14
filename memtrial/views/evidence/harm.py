"""Harm looked at closely: what precedes a failure with memory, and the clearest pair of each mode."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest

from memtrial.analysis.behaviour.course_distance import canonical
from memtrial.analysis.failures.harm_model import harm_model
from memtrial.analysis.failures.shares import MODES
from memtrial.console.escape import shorten
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import EpisodeRow, Json, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.reserved_names import INTACT, NONE
from memtrial.protocol.masked_view import View
from memtrial.protocols import LedgerStore
from memtrial.views.evidence.failure_modes import failure_modes
from memtrial.views.evidence.mode_rates import Codes, FailedPair, failed_pairs
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
    examples = []
    for mode in MODES:
        ranked = []
        for case, code in codes.items():
            if code.get("mode") == mode and case in pairs:
                example = _work_case(ledger, pairs[case], mode, str(code.get("reason") or ""))
                if example is not None:
                    damaged = example.condition != INTACT
                    ranked.append(
                        (
                            damaged,
                            not example.item,
                            example.turns_solved + example.turns_failed,
                            case,
                            example,
                        )
                    )
        if ranked:
            examples.append(min(ranked, key=lambda entry: entry[:4])[-1])
    return tuple(examples)


def _work_case(ledger: LedgerStore, pair: FailedPair, mode: str, reason: str) -> WorkedCase | None:
    solved, failed = ledger.episode(pair.solved.key), ledger.episode(pair.failed.key)
    if solved is None or failed is None:
        return None
    both = list(zip_longest(_said_texts(solved), _said_texts(failed)))
    acts = zip_longest(
        *([canonical(str(step["action"])) for step in episode.steps] for episode in (solved, failed))
    )
    parting = next((turn for turn, (first, second) in enumerate(acts) if first != second), None)
    if parting is None:
        return None
    action = str(failed.steps[parting]["action"]) if parting < len(failed.steps) else ""
    shown = range(max(0, parting - BEFORE), min(len(both), parting + AFTER))
    task_text = failed.conversation[1]["content"].partition("\n\n")[0] if len(failed.conversation) > 1 else ""
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
            WorkedStep(turn=turn + 1, solved=both[turn][0] or "", failed=both[turn][1] or "")
            for turn in shown
        ),
        item=_item(ledger.slot(pair.failed.slot) or "", action, task_text),
        reason=reason,
    )


def _said_texts(episode: EpisodeRow) -> list[str]:
    return [shorten(f"{step['action']} → {step['observation']}", MOST_SAID) for step in episode.steps]


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
    return shorten(parts[shared.index(best)], MOST_ITEM) if best >= max(1, min(2, len(own))) else ""


FIELDS = ("title", "description", "content", "claim", "trigger", "mechanism", "scope", "form")
WHEN = ("trigger", "description")
"""The fields that say when an item counts, of either schema."""
_LETTERS = re.compile(r"[^\W\d_]{3,40}")
Made = Mapping[tuple[str, str, str, int], Json]
"""What a condenser made: by backbone, condenser, source task and draw."""


def harm_rows(ledger: LedgerStore, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[HarmRow, ...]:
    """A row a backbone: intact trials that were shown items, in blocks that were solved without memory."""
    solved = {
        (trial.backbone, trial.task, trial.repeat): trial.key
        for trial in trials
        if trial.arm == NONE and trial.status == "success"
    }
    cases: dict[str, list[TrialRow]] = {backbone: [] for backbone in plan.backbones}
    for trial in trials:
        block = (trial.backbone, trial.task, trial.repeat)
        if trial.condition == INTACT and trial.status != "error" and trial.carrying and block in solved:
            cases[trial.backbone].append(trial)
    made = {(row.backbone, row.condenser, row.task, row.draw): row.body for row in ledger.condensations()}
    openings = {task: _opening_words(ledger, key) for (_, task, _), key in solved.items()}
    rows = []
    for number, (backbone, own) in enumerate(cases.items()):
        known = [_known_features(ledger, trial, plan, made, openings[trial.task]) for trial in own]
        model = harm_model(
            {name: [trial[name] for trial in known] for name in (known[0] if known else ())},
            [trial.status == "failure" for trial in own],
            [trial.task for trial in own],
            [plan.clusters.get(trial.task) or trial.task for trial in own],
            generator(plan.seed, Stream.FAILURE_MODES, 2, number),
        )
        rows.append(HarmRow(backbone=backbone, **asdict(model)))
    return tuple(rows)


def _known_features(
    ledger: LedgerStore, trial: TrialRow, plan: RunPlan, made: Made, opening: frozenset[str]
) -> dict[str, float]:
    """The features of one trial, by the names under which a reader meets them.

    What the agent did upon an item is none: it is the failure itself rather than what comes before it.
    """
    memory, _ = plan.levels.get(trial.arm, ("", ""))
    draw = trial.repeat % plan.draws if trial.arm in plan.drawn else 0
    body = made.get((trial.backbone, memory, trial.record, draw), {})
    listed = body.get("items")
    items = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    parts = {name: _words(str(item.get(name, "")) for item in items) for name in FIELDS}
    total = sum(map(len, parts.values()))
    when = {word for name in WHEN for word in parts[name]}
    flags = _flags(body.get("findings"), {str(item.get("markdown", "")) for item in items})
    return {
        "words": float(len((ledger.slot(trial.slot) or "").split())),
        **{
            f"share of words in {name}": len(words) / total if total else 0.0 for name, words in parts.items()
        },
        "words of its moment in the task": len(when & opening) / len(when) if when else 0.0,
        "similarity of the record's task": trial.similarity or 0.0,
        "flags of gates": float(flags),
        "items whose moment came": float(sum(exposure["fired"] is not None for exposure in trial.exposures)),
    }


def _flags(findings: object, kept: set[str]) -> int:
    """Findings against items as they were stored."""
    listed = [entry for entry in findings if isinstance(entry, dict)] if isinstance(findings, list) else []
    return sum(
        finding.get("finding") in ("WARN", "FAIL") and finding.get("draft") in kept for finding in listed
    )


def _opening_words(ledger: LedgerStore, key: str) -> frozenset[str]:
    """The words of the task and of the first observation, as the agent was shown them without memory."""
    episode = ledger.episode(key)
    task_text = episode.conversation[1]["content"] if episode and len(episode.conversation) > 1 else ""
    return frozenset(_words([task_text]))


def _words(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in _LETTERS.findall(text.casefold())]


def coded_modes(ledger: LedgerStore, view: View) -> FailureModes | None:
    """By who coded last; None where nobody has."""
    coded = last_coded(ledger)
    return None if coded is None else coded_by(*coded, ledger, view)


def last_coded(ledger: LedgerStore) -> tuple[str, Codes] | None:
    """Who coded last, and what was said of each case; None where nobody has."""
    return next(reversed(ledger.codes().items()), None)


def coded_by(coder: str, codes: Mapping[str, Json], ledger: LedgerStore, view: View) -> FailureModes:
    """The table, and beside it what precedes harm and a worked case a mode.

    Both would tell masked arms apart, by their items, and are left out until the arms are named.
    """
    modes = failure_modes(view.trials, view.plan, coder, codes)
    if view.mask:
        return modes
    predictors, worked = harm_rows(ledger, view.trials, view.plan), worked_cases(ledger, view.trials, codes)
    return modes.model_copy(update={"predictors": predictors, "worked": worked})
