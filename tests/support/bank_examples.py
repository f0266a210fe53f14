"""Items of a bank, made short, for tests."""

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin, ItemUses, Outcome
from memtrial.memory.item import Item, NativeItem, ProseItem

DAY = 86_400.0
NOW = 1_000 * DAY


def read_words(text: str) -> Item:
    """Prose, or title / description / content."""
    parts = text.split(" / ")
    return NativeItem(*parts) if len(parts) == 3 else ProseItem(text)


def make_item(
    name: str,
    text: str = "Read it.",
    confidence: float = 0.7,
    days: float = 10.0,
    outcome: Outcome = "success",
    uses: ItemUses = ItemUses(),
    project: str = "",
) -> BankItem:
    """An item that is so many days old."""
    details = ItemDetails("Read it twice.") if outcome == "failure" else ItemDetails()
    origin = ItemOrigin("task", "query", outcome, project=project)
    return BankItem(name, 1, read_words(text), origin, NOW - days * DAY, confidence, details, uses)
