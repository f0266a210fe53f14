"""What trials showed: which items came up by Trigger, and which cells answer from the same prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.model.play import FiringRow


def firing_rows(trials: Iterable[TrialRow]) -> tuple[FiringRow, ...]:
    """Share of each cell's trials with at least one firing: shown, or only logged (shadow)."""
    groups: dict[tuple[str, str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for trial in trials:
        shown = any(firing["shown"] for firing in trial.firings)
        shadow = any(not firing["shown"] for firing in trial.firings)
        groups[trial.backbone, trial.arm, trial.condition].append((shown, shadow))
    return tuple(
        FiringRow(
            backbone=backbone,
            arm=arm,
            condition=condition,
            shown=round(fmean(one for one, _ in group), 4),
            shadow=round(fmean(other for _, other in group), 4),
        )
        for (backbone, arm, condition), group in sorted(groups.items())
    )


def shared_cells(trials: Sequence[TrialRow], plan: RunPlan) -> list[str]:
    """Sentences on the cells that answer from the same prompts."""
    sentences = ["'none' and 'without' are one cell, shared by every arm."]
    empty: dict[str, int] = defaultdict(int)
    blocks: dict[tuple[str, str, int, str], list[str]] = defaultdict(list)
    for trial in trials:
        empty[trial.arm] += trial.empty_slot
        if plan.injections.get(trial.arm) == "prepend" and not trial.empty_slot:
            blocks[trial.backbone, trial.task, trial.repeat, trial.slot].append(
                f"{trial.arm}/{trial.condition}"
            )
    waiting = [t for t in trials if plan.injections.get(t.arm) == "trigger" and not t.empty_slot]
    silent = sum(not any(firing["shown"] for firing in trial.firings) for trial in waiting)
    if silent:
        sentences.append(
            f"In {silent} of {len(waiting)} trials with injection by trigger no item came up; they share the"
            " prompts and answers of 'without'."
        )
    for arm, count in sorted(empty.items()):
        if count:
            sentences.append(
                f"{how_many(count, 'trial')} of arm '{arm}' had an empty slot and the prompts of 'without'."
            )
    pairs: dict[str, int] = defaultdict(int)
    for cells in blocks.values():
        if len(cells) > 1:
            pairs[" and ".join(sorted(cells))] += 1
    sentences += [
        f"{names} showed the same text in {count} blocks." for names, count in sorted(pairs.items())
    ]
    return sentences
