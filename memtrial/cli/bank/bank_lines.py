"""Items and changes of a bank as lines, and items as JSON."""

from collections.abc import Sequence
from datetime import UTC, datetime

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.events.audit_trail import AuditLine
from memtrial.memory.bank.events.item_body import item_body
from memtrial.memory.item import Item, ProseItem, TheoryItem

LONGEST = 60
"""Characters of an item's own words in a line."""


def item_lines(items: Sequence[BankItem]) -> list[str]:
    """Two lines an item, and one of how many there are."""
    lines = []
    for item in items:
        uses, where = item.uses, item.origin.project or "no project"
        used = f"{uses.cited} citations, won {uses.wins}, lost {uses.losses}" if uses.cited else "never cited"
        lines.append(f"{item.id}  {name_words(item.item)}")
        lines.append(
            f"  version {item.version}, {item.standing}, confidence {item.confidence:.3f}, {where}; {used}"
        )
    n_active = sum(item.standing == "active" for item in items)
    return [*lines, f"{len(items)} items, {n_active} active"]


def name_words(words: Item) -> str:
    """What an item is called: its title or Claim, or how its text begins."""
    match words:
        case TheoryItem():
            text = words.claim
        case ProseItem():
            text = words.text
        case _:
            text = words.title
    line = " ".join(text[: 4 * LONGEST].split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} …"


def audit_lines(changes: Sequence[AuditLine]) -> list[str]:
    """A line a change: its number and time (UTC), what changed, who did it and why."""
    return [
        f"{change.sequence}  {time_of(change.moment)}  {change.what}; {change.who}"
        + (f": {change.why}" if change.why else "")
        for change in changes
    ] or ["nothing was changed yet"]


def time_of(moment: float) -> str:
    """Seconds since 1970 as date and time, UTC."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M:%S")


def describe_item(item: BankItem) -> dict[str, object]:
    """An item for programs."""
    return item_body(item)
