"""Items of a comparison that the bank has already: what an earlier run taught, in the same words again."""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.memory.bank.distillation.distil_reply import shown_words
from memtrial.memory.bank.distillation.distilled_items import Distillation, DistilledItem
from memtrial.memory.bank.events.item_queries import list_items_of
from memtrial.memory.bank.events.redacted_events import redact_value
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.item import Item
from memtrial.memory.words import folded_words

DROPPED = "an item repeats what an earlier run taught"


def drop_repeats(bank: ReasoningBank, made: Distillation, compared: Sequence[LabelledRun]) -> Distillation:
    """Without the items that say of an earlier run what the bank has of it, whatever became of that item.

    What the writer names as the latest run's own stays, also in words that the bank has: it is another
    run's, and stands under another task. Other words for the same are a consolidation's.
    """
    names = [run.trajectory.trace_id for run in compared]
    known = {_words(item.item) for item in list_items_of(bank.log, names)} if names and made.items else set()

    def is_new(item: DistilledItem) -> bool:
        words = redact_value(bank.words_of(item), bank.log.redact)
        return item.attempt == len(compared) + 1 or _words(words) not in known

    kept = tuple(item for item in made.items if is_new(item))
    return replace(made, items=kept, dropped=(*made.dropped, *[DROPPED] * (len(made.items) - len(kept))))


def _words(item: Item) -> tuple[str, ...]:
    """Of its advice: a title and a description may be worded anew each time."""
    return tuple(folded_words(shown_words(item).casefold()))
