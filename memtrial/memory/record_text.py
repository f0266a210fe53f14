"""What records show: their condenser's own words, or their items under our headings."""

from collections.abc import Sequence

from memtrial.memory.heading import item_label
from memtrial.memory.item import Item
from memtrial.memory.markdown import item_texts, render, shown_text
from memtrial.memory.record_bank import Record
from memtrial.prompts.control_prompts import ReplyLayout


def show_records(records: Sequence[Record], layout: ReplyLayout) -> tuple[str, ...]:
    """What the records show together, item by item; a reply may be blank."""
    replies = [record.reply for record in records if record.reply is not None]
    if replies:
        return item_texts(shown_text(replies, layout))
    return show_items([item for record in records for item in record.items])


def show_items(items: Sequence[Item]) -> tuple[str, ...]:
    """The items, numbered in their order."""
    return tuple(render(item, number) for number, item in enumerate(items, 1))


def without_number(text: str) -> str:
    """An item's text less its heading `# Memory Item 2`: the same item stands at several places."""
    first, _, rest = text.partition("\n")
    return rest if item_label(first) is not None else text
