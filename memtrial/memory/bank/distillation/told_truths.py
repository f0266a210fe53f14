"""Right answers that a distiller was shown, in training alone: none of them may stand in an item.

Source: REQUIREMENTS C19, R-21.
"""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank.distillation.distilled_items import Distillation, DistilledItem
from memtrial.memory.leakage import fold_words, says
from memtrial.memory.record_text import show_items

Truths = tuple[str, ...]
"""Texts that only somebody who has seen a task's solution can say; none outside of training."""


def join_truths(truths: Truths) -> str:
    """As they stand in the prompt; empty for none."""
    return "; ".join(truths)


def drop_told(made: Distillation, runs: Sequence[Trajectory], truths: Truths) -> Distillation:
    """Without the items that tell a right answer which the agent neither saw nor said in its runs."""
    answers = (" ".join(fold_words(truth)) for truth in truths)
    secret = [answer for answer in answers if answer and not any(says(run, answer) for run in runs)]
    kept = tuple(item for item in made.items if not _tells(item, secret))
    n_told = len(made.items) - len(kept)
    if not n_told:
        return made
    return replace(made, items=kept, dropped=(*made.dropped, *["an item told the right answer"] * n_told))


def _tells(made: DistilledItem, secret: Sequence[str]) -> bool:
    details = made.details
    texts = (
        *show_items([made.item]), details.instead, details.exemplar, *details.preconditions, *details.pitfalls
    )  # fmt: skip
    words = [f" {' '.join(fold_words(text))} " for text in texts]
    return any(f" {answer} " in text for answer in secret for text in words)
