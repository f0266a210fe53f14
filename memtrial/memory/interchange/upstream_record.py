"""A line of a bank as ReasoningBank's code writes and reads it: WebArena's has seven keys, that of SWE four.

Source: UPSTREAM 3.1, held against ed80611. Only `task_id` and `memory_items` are read back there, and both
have to be of the right type: an id that is a number is never matched, and a text in the place of the list is
read character by character.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from memtrial.agents.trajectory import Verdict

BankFormat = Literal["webarena", "swe"]
BETWEEN = "\n\n"
"""Upstream cuts a condenser's reply at blank lines, and joins the pieces by the same."""
STATUS: dict[Verdict, str] = {"success": "success", "failure": "fail"}


@dataclass(frozen=True, slots=True)
class UpstreamRecord:
    """What upstream keeps of one task.

    Args:
        reply: what its agent is shown, before it is cut into `memory_items`.
        think_list, action_list: the agent's turns; WebArena alone keeps them.
        template_id: the number of the task's template; WebArena alone keeps it.
    """

    task_id: str
    query: str
    reply: str
    outcome: Verdict
    think_list: Sequence[str] = ()
    action_list: Sequence[str] = ()
    template_id: int = 0

    def line(self, form: BankFormat) -> str:
        """The record as a line, byte for byte as upstream would write it."""
        pieces, status = self.reply.split(BETWEEN), STATUS[self.outcome]
        record: dict[str, object] = {"task_id": self.task_id, "query": self.query}
        if form == "swe":
            return _line(record | {"memory_items": pieces, "status": status})
        turns = {"think_list": list(self.think_list), "action_list": list(self.action_list)}
        return _line(
            record | turns | {"status": status, "memory_items": pieces, "template_id": self.template_id}
        )


def cache_line(task_id: str, query: str, vector: Sequence[float]) -> str:
    """A line of the cache of vectors, which upstream searches."""
    return _line({"id": task_id, "text": query, "embedding": list(vector)})


def _line(record: dict[str, object]) -> str:
    return json.dumps(record) + "\n"
