"""The text by which an item is found (REQUIREMENTS C12)."""

from dataclasses import astuple

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.ranking.ranking_profile import Key
from memtrial.memory.item import AdditiveItem, NativeItem, TheoryItem, TypedItem


def key_text(item: BankItem, key: Key) -> str:
    """What is embedded for an item; empty where it has no such text, and then it is near to nothing.

    `title_desc` of a theory is its Claim, of free text all of it. `trigger` is the Trigger, and where a
    schema has none the preconditions.
    """
    if key == "query":
        return item.origin.query
    words = item.item
    if key == "trigger":
        return words.trigger if isinstance(words, TypedItem) else "\n".join(item.details.preconditions)
    if key == "title_desc" and isinstance(words, TheoryItem):
        return words.claim
    if key == "title_desc" and isinstance(words, NativeItem | AdditiveItem):
        return "\n".join(filter(None, (words.title, words.description)))
    return "\n".join(filter(None, astuple(words)))


def record_of(item: BankItem) -> str:
    """Names the record of an item: its trajectory, its task where that is not known, else itself."""
    return item.origin.trajectory_id or item.origin.task_id or item.id
