"""The clearest pair of each failure mode: two runs side by side, where they part, the item that did it."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from loadbearing.analysis.behaviour.energy import canonical
from loadbearing.analysis.failures.shares import MODES
from loadbearing.ledger.rows import EpisodeRow, Json, TrialRow
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.reserved_names import INTACT
from loadbearing.reports.evidence.failure_modes import FailedPair, failed_pairs
from loadbearing.reports.model.failure_rows import WorkedCase, WorkedStep

BEFORE, AFTER = 2, 5
"""Turns shown before the runs part, and from there on."""
MOST_SAID, MOST_ITEM = 200, 600
"""Characters of an action with what the world said to it, and of an item."""
_WORD = re.compile(r"[^\W_]{4,40}")
_WHOLE = 100
"""An item that holds the whole action is preferred to any that only shares words with it."""


def worked_cases(
    ledger: Ledger, trials: Sequence[TrialRow], codes: Mapping[str, Json]
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


def _worked(ledger: Ledger, pair: FailedPair, mode: str, reason: str) -> WorkedCase | None:
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
    """Each turn: what was done, and what the world said to it."""
    return [_cut(f"{step['action']} → {step['observation']}", MOST_SAID) for step in episode.steps]


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
    return _cut(parts[shared.index(best)], MOST_ITEM) if best >= max(1, min(2, len(own))) else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
