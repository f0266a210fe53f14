"""Memories that nobody wrote, for timings: as long as real ones, with vectors of no meaning."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin
from memtrial.memory.bank.events.bank_events import BankEvent, ItemAdded, VectorAdded
from memtrial.memory.item import NativeItem
from memtrial.models.embeddings.embedding import Array

PROJECT = "timing/team/shop"
DOMAINS = ("shop.orders", "shop.search", "shop.returns", "shop.account")
CREATED = 1_800_000_000.0
STEPS = 6


@dataclass(frozen=True, slots=True)
class MadeMemory:
    """An item and the vector of its words, shape (d,) at length one."""

    item: BankItem
    vector: Array

    @property
    def events(self) -> tuple[BankEvent, BankEvent]:
        """What adds it to a bank."""
        added = VectorAdded(self.item.id, "item", self.vector.astype("<f4").tobytes())
        return ItemAdded(self.item), added


def make_memories(first: int, count: int, dimensions: int, rng: np.random.Generator) -> Iterator[MadeMemory]:
    """The memories of the numbers from `first` on; their words do not depend on `rng`, their vectors do."""
    for number in range(first, first + count):
        yield MadeMemory(make_item(number), make_vector(dimensions, rng))


def make_vector(dimensions: int, rng: np.random.Generator) -> Array:
    """A direction, each as likely as any other; shape (d,)."""
    drawn = rng.standard_normal(dimensions, dtype=np.float32)
    vector: Array = drawn / np.linalg.norm(drawn)
    return vector


def make_item(number: int) -> BankItem:
    """Some 500 characters of advice; each fifth is of a failure."""
    steps = [
        f"{step}. Open page {number + step} of the orders, and compare its total." for step in range(1, STEPS)
    ]
    words = NativeItem(
        f"Check order {number} before it is sent",
        f"Where an order of kind {number % 97} is changed, its total is read again before it is confirmed.",
        " ".join(steps),
    )
    origin = ItemOrigin(
        f"task-{number // 2}",
        f"What does order {number // 2} cost after it was changed?",
        "success" if number % 5 else "failure",
        project=PROJECT,
        domain=DOMAINS[number % len(DOMAINS)],
        tags=("orders",),
    )
    created = CREATED - 60.0 * (number % 100_000)
    details = ItemDetails(preconditions=("an order is open",))
    return BankItem(f"rm_{number:026d}", 1, words, origin, created, 0.5 + (number % 40) / 100, details)
