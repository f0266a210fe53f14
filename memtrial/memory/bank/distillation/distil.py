"""Distil: ask once, ask once more where nothing could be read, and count what is dropped then."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.memory.bank.bank_item import Outcome
from memtrial.memory.bank.distillation.distil_messages import (
    SAME_TASK,
    SHORT_CONTENT,
    Messages,
    ask_again,
    ask_of_attempts,
    ask_of_drafts,
    ask_of_run,
)
from memtrial.memory.bank.distillation.distil_reply import read_distillation
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS, Distillation

AskText = Callable[[Messages], str]
"""A model's answer to a conversation; whoever waits for it runs in a thread of its own."""


def distil_run(
    ask: AskText,
    run: Trajectory,
    view: View = "full",
    content: str = SHORT_CONTENT,
    truth: str = "",
    most: int = MOST_ITEMS,
) -> Distillation:
    """Strategies of a success, guardrails of a failure, at most so many (seeds/003 section 5)."""
    return _distil(ask, ask_of_run(run, view, content, truth, most), run.outcome, most)


def distil_attempts(
    ask: AskText,
    runs: Sequence[Trajectory],
    view: View = "full",
    scope: str = SAME_TASK,
    truth: str = "",
    most: int = MOST_ITEMS,
) -> Distillation:
    """What tells successes from failures; runs that all failed are compared too (R-26).

    Raises:
        ValueError: fewer than two runs.
    """
    if len(runs) < 2:
        raise ValueError(f"at least two attempts are compared; got {len(runs)}")
    return _distil(ask, ask_of_attempts(runs, view, scope, truth, most), None, most)


def distil_drafts(
    ask: AskText, drafts: Sequence[Trajectory], view: View = "full", most: int = MOST_ITEMS
) -> Distillation:
    """What a correction mended, or spoilt; no call, and no item, where the outcome stayed what it was.

    Of wrong and then right the item is a correction, of right and then wrong a guardrail; both say what went
    wrong and what to do instead.
    """
    if len(drafts) < 2 or drafts[0].outcome == drafts[-1].outcome:
        return Distillation(calls=0)
    return _distil(ask, ask_of_drafts(drafts, view, most), "failure", most)


def _distil(ask: AskText, messages: Messages, outcome: Outcome | None, most: int) -> Distillation:
    reply = ask(messages)
    made = read_distillation(reply, outcome, most)
    if not made.fault:
        return made
    again = read_distillation(ask(ask_again(messages, reply, made.fault)), outcome, most)
    return replace(again, calls=2)
