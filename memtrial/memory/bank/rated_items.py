"""What somebody says of an item, helpful or not: it bears on confidence; of the latter comes a guardrail.

Source: seeds/001 (learning from failure: explicit feedback marks an approach as unhelpful, and the distiller
extracts an anti-pattern); REQUIREMENTS C-08.
"""

from dataclasses import dataclass, replace

from memtrial.memory.bank.bank_item import BankItem, Outcome
from memtrial.memory.bank.cited_items import confidence_after
from memtrial.memory.bank.distillation.distil import AskText, distil_run
from memtrial.memory.bank.distillation.distilled_items import Distillation
from memtrial.memory.bank.events.bank_events import Cause, ConfidenceSet, SignalSeen
from memtrial.memory.bank.events.episode_queries import list_episodes, list_signals
from memtrial.memory.bank.events.item_queries import get_item
from memtrial.memory.bank.events.kept_episode import read_trajectory
from memtrial.memory.bank.reasoning_bank import LabelledRun, ReasoningBank
from memtrial.memory.bank.taught_runs import Taught, asker_of
from memtrial.memory.record_text import show_items

RATER = "rating"
"""Who judged a run whose item was rated unhelpful."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What somebody says of an item.

    Args:
        task_id: in which task it was followed; empty where that is not said.
        why: in the rater's words; the distiller reads them.
    """

    item_id: str
    helpful: bool
    task_id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What became of a rating.

    Args:
        item: as it is trusted now.
        taught: the guardrail; without one where the item helped.
        lacking: why an unhelpful item gave no guardrail; empty where it gave one.
    """

    item: BankItem
    taught: Taught = Taught((), Distillation(calls=0))
    lacking: str = ""


def rate_item(bank: ReasoningBank, ask: AskText, rating: Rating) -> RatedItem:
    """Note a rating, and set the item's confidence.

    Of an unhelpful item a guardrail is distilled, from the last run of the task that the bank holds:
    what went wrong, and what to do instead.

    The same item is held against a task once: a second rating counts, and asks nothing.

    Raises:
        MemoryFault: there is no such item; nothing is changed.
    """
    item = get_item(bank.log, rating.item_id)
    held = any(
        (seen.signal, seen.task_id, seen.outcome) == ("explicit", rating.task_id, "failure")
        for seen in list_signals(bank.log, item.id)
    )
    word: Outcome = "success" if rating.helpful else "failure"
    cause = Cause(RATER, rating.why or f"rated {'helpful' if rating.helpful else 'unhelpful'}")
    bank.log.append([SignalSeen(item.id, "explicit", rating.task_id, word)], cause)
    (trusted,) = confidence_after(bank.log, [item], rating.helpful, bank.settings.rule)
    bank.log.append([ConfidenceSet(item.id, trusted)], cause)
    now = get_item(bank.log, item.id)
    if rating.helpful:
        return RatedItem(now)
    if held:
        return RatedItem(now, lacking=f"the item was held against task {rating.task_id!r} before")
    return _guard(bank, ask, rating, now)


def _guard(bank: ReasoningBank, ask: AskText, rating: Rating, item: BankItem) -> RatedItem:
    """Have a guardrail distilled of the run, which failed by the rater's word, whatever its judge said."""
    runs = list_episodes(bank.log, rating.task_id) if rating.task_id else ()
    if not runs:
        return RatedItem(item, lacking=f"the bank holds no run of task {rating.task_id!r}")
    last = runs[-1].episode
    said = f"the agent was told this, and it was rated unhelpful: {show_items([item.item])[0]}"
    reason = "\n".join(filter(None, [said, rating.why]))
    failed = replace(read_trajectory(last), outcome="failure", reason=reason)
    made = distil_run(asker_of(bank, ask), failed)
    kept = bank.keep_items(
        made.items, LabelledRun(failed, RATER), last.id, f"item {item.id} was rated unhelpful"
    )
    lacking = "" if kept else made.fault or "; ".join(made.dropped) or "the distiller names no failure"
    return RatedItem(item, Taught(kept, made), lacking)
