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
from memtrial.memory.bank.events.episode_queries import list_episodes
from memtrial.memory.bank.events.item_queries import get_item
from memtrial.memory.bank.events.kept_episode import read_trajectory
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.taught_runs import Taught, asker_of
from memtrial.memory.record_text import show_items

NOT_ASKED = Distillation(calls=0)
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
    taught: Taught
    lacking: str = ""


def rate_item(bank: ReasoningBank, ask: AskText | None, rating: Rating) -> RatedItem:
    """Note a rating, and set the item's confidence.

    Of an unhelpful item a guardrail is distilled, from the last run of the task that the bank holds:
    what went wrong, and what to do instead. It is written first, so that nothing is changed where no answer
    comes. An item is held against a task once: a second rating counts, and asks nothing.

    Args:
        ask: who distils; None: nobody does.

    Raises:
        MemoryFault: there is no such item; nothing is changed.
    """
    item = get_item(bank.log, rating.item_id)
    taught, lacking = (Taught((), NOT_ASKED), "") if rating.helpful else _guard(bank, ask, rating, item)
    word: Outcome = "success" if rating.helpful else "failure"
    cause = Cause(RATER, rating.why or f"rated {'helpful' if rating.helpful else 'unhelpful'}")
    bank.log.append([SignalSeen(item.id, "explicit", rating.task_id, word)], cause)
    (trusted,) = confidence_after(bank.log, [item], rating.helpful, bank.settings.rule, {}, bank.settings.eta)
    bank.log.append([ConfidenceSet(item.id, trusted)], cause)
    return RatedItem(get_item(bank.log, item.id), taught, lacking)


def _guard(bank: ReasoningBank, ask: AskText | None, rating: Rating, item: BankItem) -> tuple[Taught, str]:
    """Have a guardrail distilled of the run, which failed by the rater's word, whatever its judge said; and
    why there is none."""
    none = Taught((), NOT_ASKED)
    why = bank.log.redact(f"item {item.id} was rated unhelpful in task {rating.task_id}")
    runs = list_episodes(bank.log, rating.task_id) if rating.task_id else ()
    if not runs:
        return none, f"the bank holds no run of task {rating.task_id!r}"
    if bank.log.read("SELECT 1 FROM log WHERE kind = 'ItemAdded' AND why = ?", (why,)):
        return none, f"the item was held against task {rating.task_id!r} before"
    if ask is None:
        return none, "nobody was asked for one"
    last = runs[-1].episode
    said = f"the agent was told this, and it was rated unhelpful: {show_items([item.item])[0]}"
    reason = "\n".join(filter(None, [said, rating.why]))
    failed = replace(read_trajectory(last), outcome="failure", reason=reason)
    made = distil_run(asker_of(bank, ask), failed)
    by_rater = (LabelledRun(failed, RATER),)
    kept = bank.keep_of(made.items, by_rater, Cause("bank", why)) if made.items else ()
    lacking = "" if kept else made.fault or "; ".join(made.dropped) or "the writer names no failure"
    return Taught(kept, made), lacking
