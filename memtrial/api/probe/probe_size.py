"""Which decisions are asked again, so that the calls stay within what is allowed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memtrial.api.probe.probe_calls import AskingRules
from memtrial.api.probe.probed_cells import list_cells
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.types import Reply

CHARACTERS = 4
"""Of a token, on average."""
REPLY_TOKENS, CHOICE_TOKENS = 120, 8


@dataclass(frozen=True, slots=True)
class ProbeSize:
    """What is asked, and what it comes to.

    Args:
        usd: a forecast, from lengths of texts and listed prices; None where a price is not known.
    """

    decisions: tuple[RecordedDecision, ...]
    calls: int
    usd: float | None


def take_enough(listed: Iterable[RecordedDecision], calls: int) -> list[RecordedDecision]:
    """The first decisions of an arm, as many as there can be use for: those that are equal count once."""
    taken: list[RecordedDecision] = []
    seen: set[tuple[object, ...]] = set()
    n = 0
    for decision in listed:
        if n >= calls:
            break
        taken.append(decision)
        if decision.messages not in seen:
            seen.add(decision.messages)
            # at least: a kind that does not apply to this memory has no cell
            n += 2 + len(decision.items)
    return taken


def choose_decisions(
    by_arm: Sequence[Sequence[RecordedDecision]],
    rules: AskingRules,
    conditions: Sequence[str],
    calls: int,
    prices: PriceTable,
) -> ProbeSize:
    """The first decisions of each arm whose calls are within what is allowed; at least one of each.

    Where one reply tells all, the same prompt a second time tells nothing, and is left out.
    """
    chosen: list[RecordedDecision] = []
    total, usd = 0, 0.0
    known = True
    for decisions in by_arm:
        spent, seen = 0, set[tuple[object, ...]]()
        for decision in decisions:
            cells = list_cells(decision, conditions)
            needed = rules.count_calls(cells)
            if rules.exact and decision.messages in seen:
                continue
            if spent and spent + needed > calls:
                break
            seen.add(decision.messages)
            chosen.append(decision)
            spent += needed
            price = prices.of(rules.model or decision.backbone)
            known = known and price is not None
            if price is not None:
                length = sum(len(message.text) for message in decision.messages)
                out = CHOICE_TOKENS if decision.choices else REPLY_TOKENS
                usd += needed * price.usd(Reply("", length // CHARACTERS, out, ""))
        total += spent
    return ProbeSize(tuple(chosen), total, usd if known else None)
