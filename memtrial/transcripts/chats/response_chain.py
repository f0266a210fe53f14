"""Responses that name the one they go on from, put together: each request holds only what is new."""

from collections.abc import Sequence
from dataclasses import replace

from memtrial.transcripts.chats.chat_exchange import ChatExchange
from memtrial.transcripts.log_text import Json


def follow_responses(exchanges: Sequence[ChatExchange]) -> tuple[dict[int, ChatExchange], int]:
    """What is left of the exchanges, by number, and how many went on from one that had gone on already.

    A chain stands in the place of its last exchange, with all items from the first. Of two that go on from
    the same one the first is taken.
    """
    kept = dict(enumerate(exchanges))
    ends = dict[str, tuple[int, list[Json]]]()
    passed, forks = set[str](), 0
    for number, exchange in enumerate(exchanges):
        if exchange.follows in passed:
            forks += 1
            del kept[number]
            continue
        items = list[Json]()
        if exchange.follows in ends:
            before, items = ends.pop(exchange.follows)
            passed.add(exchange.follows)
            del kept[before]
        items += [*exchange.messages, *exchange.reply]
        if exchange.name:
            ends[exchange.name] = number, items
    for number, items in ends.values():
        if len(items) > len(exchanges[number].messages) + len(exchanges[number].reply):
            kept[number] = replace(exchanges[number], messages=tuple(items), reply=())
    return kept, forks
