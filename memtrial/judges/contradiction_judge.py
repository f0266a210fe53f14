"""A judge behind the port of a bank's consolidation: whether two items advise the opposite."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from memtrial.judges.advice_comparison import ModelComparer
from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.bank.consolidation.consolidator import ItemPair
from memtrial.memory.bank.consolidation.contradiction import AnsweredPairs
from memtrial.memory.markdown import render
from memtrial.models.client.client import Caller


@dataclass(frozen=True)
class AskedContradiction:
    """A judge that is asked about a pair when a consolidation comes to it.

    Args:
        wait: waits for an answer where the consolidation does not run on the loop that asks.
    """

    caller: Caller
    wait: Callable[[Coroutine[Any, Any, AnsweredPairs]], AnsweredPairs]

    def __call__(self, first: BankItem, second: BankItem) -> float | None:
        """As the port says; ModelFault where no answer could be had at all."""
        return self.wait(judge_pairs([(first, second)], self.caller))(first, second)


async def judge_pairs(pairs: Iterable[ItemPair], caller: Caller) -> AnsweredPairs:
    """Ask about each pair; one whose answer cannot be read has none, and is neither linked nor merged.

    Raises:
        ModelFault: no answer could be had at all.
    """
    answers = await asyncio.gather(*(_judge_pair(first, second, caller) for first, second in pairs))
    return AnsweredPairs({ids: strength for ids, strength in answers if strength is not None})


async def _judge_pair(
    first: BankItem, second: BankItem, caller: Caller
) -> tuple[tuple[str, str], float | None]:
    low, high = sorted((first, second), key=lambda item: item.id)
    compared = await ModelComparer(caller)(_show_advice(low), _show_advice(high))
    opposite = any(pair.relation == "opposite" for pair in compared.pairs)
    return (low.id, high.id), None if compared.fault else float(opposite)


def _show_advice(item: BankItem) -> str:
    """The item as an agent is shown it, and what to do instead of what went wrong."""
    return f"{render(item.item)}\n\n{item.details.instead}".strip()
