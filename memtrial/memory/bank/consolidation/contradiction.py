"""The port that says whether two items contradict each other, and answers given before behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from memtrial.memory.bank.bank_item import BankItem


class Contradicts(Protocol):
    """How strongly two items contradict each other, in [0, 1]; None where nobody can say.

    The same for both orders. What nobody can say is neither linked nor merged.
    """

    def __call__(self, first: BankItem, second: BankItem) -> float | None: ...


@dataclass(frozen=True)
class AnsweredPairs:
    """Answers that were given before, by the ids of both items, the smaller first."""

    strengths: Mapping[tuple[str, str], float]

    def __call__(self, first: BankItem, second: BankItem) -> float | None:
        low, high = sorted((first.id, second.id))
        return self.strengths.get((low, high))
