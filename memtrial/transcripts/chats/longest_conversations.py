"""Conversations of which each request repeats what came before: the longest stands for all of them."""

from dataclasses import dataclass, field

from memtrial.transcripts.chats.chat_exchange import ChatExchange


@dataclass
class LongestConversations:
    """Where each conversation ends so far; it holds digests and no text."""

    _ends: dict[str, int] = field(default_factory=dict)

    def take(self, number: int, exchange: ChatExchange) -> int | None:
        """Note a request; the number of the earlier one that it goes on from or repeats, None for none."""
        marks = exchange.prefixes()
        before = next((self._ends.pop(mark) for mark in reversed(marks) if mark in self._ends), None)
        if marks:
            self._ends[marks[-1]] = number
        return before
