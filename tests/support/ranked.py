"""Items of the ReasoningBank and pools of them, as tests of ranking take them."""

from collections.abc import Sequence

import numpy as np

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin, ItemUses, Outcome
from memtrial.memory.bank.ranking.item_pool import ItemPool, pool_items
from memtrial.memory.item import NativeItem

DAY = 86_400.0
NOW = 1_800_000_000.0


def bank_item(
    id: str,
    age_days: float = 0.0,
    confidence: float = 0.8,
    uses: ItemUses | None = None,
    outcome: Outcome = "success",
    task_id: str = "",
    text: str = "",
) -> BankItem:
    """An item of a task of its own, made so many days ago."""
    words = NativeItem(f"Title {id}", f"About {id}.", text or f"Do {id}.")
    origin = ItemOrigin(task_id or f"task-{id}", f"query of {id}", outcome, trajectory_id=task_id)
    return BankItem(id, 1, words, origin, NOW - age_days * DAY, confidence, ItemDetails(), uses or ItemUses())


def pool_of(items: Sequence[BankItem], vectors: Sequence[Sequence[float]]) -> ItemPool:
    return pool_items(items, np.array(vectors, dtype=np.float64).reshape(len(items), -1))


def toward(*cosines: float) -> list[list[float]]:
    """Vectors with these cosines with the first axis, and each an axis of its own besides."""
    n = len(cosines)
    rows = np.zeros((n, n + 1))
    for number, cosine in enumerate(cosines):
        rows[number, 0], rows[number, number + 1] = cosine, np.sqrt(1 - cosine * cosine)
    return [list(row) for row in rows]


def axis(dimensions: int) -> np.ndarray:
    """The query: the first axis."""
    return np.eye(dimensions)[0]
