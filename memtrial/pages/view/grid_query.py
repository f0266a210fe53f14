"""What the address of a run's page asks for: which tasks, in which cells, in which order."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args
from urllib.parse import urlencode

from memtrial.ledger.trial_cells import TaskOutcome, TaskSort
from memtrial.outcomes.failures.failure_columns import MODES

PER_PAGE = 100
OUTCOMES: Mapping[str, str] = {
    "lost": "lost: solved without memory, failed with it",
    "gained": "gained: failed without memory, solved with it",
    "solved": "solved",
    "failed": "failed",
    "error": "an error of the infrastructure",
}
"""What can be asked for, as it is offered."""


class QueryFault(ValueError):
    """An address asks for something that is not there; one line for the person who opened it."""


@dataclass(frozen=True, slots=True)
class GridQuery:
    """The words of an address; empty means all. Arms are called as they are shown.

    Args:
        fired: `yes` or `no`: an item fired, or none did.
        mode: how a failure was coded.
        page: of the tasks, from 1.
    """

    backbone: str = ""
    arm: str = ""
    condition: str = ""
    family: str = ""
    outcome: TaskOutcome = ""
    fired: str = ""
    mode: str = ""
    sort: TaskSort = "task"
    page: int = 1

    @property
    def firing(self) -> bool | None:
        return {"yes": True, "no": False}.get(self.fired)

    def of_cell(self, backbone: str, arm: str, condition: str) -> str:
        """The address of the tasks of one cell, in the same order."""
        return replace(self, backbone=backbone, arm=arm, condition=condition, page=1).address

    def sorted_by(self, word: TaskSort) -> str:
        """The address of the same tasks in another order."""
        return replace(self, sort=word, page=1).address

    def on_page(self, number: int) -> str:
        """The address of another page of them."""
        return replace(self, page=number).address

    @property
    def address(self) -> str:
        """What stands behind the path of a run's page."""
        words = {field.name: getattr(self, field.name) for field in fields(self)}
        return f"?{urlencode({name: value for name, value in words.items() if value != _PLAIN[name]})}"


_PLAIN = {field.name: field.default for field in fields(GridQuery)}


def read_query(given: Mapping[str, str]) -> GridQuery:
    """The words of an address that are known; others are passed over. QueryFault: a word is none of those."""
    known: dict[str, Any] = {name: given[name] for name in _PLAIN if given.get(name)}
    _refuse_unknown("outcome", known.get("outcome", ""), get_args(TaskOutcome))
    _refuse_unknown("sort", known.get("sort", "task"), get_args(TaskSort))
    _refuse_unknown("mode", known.get("mode", ""), ("", *MODES))
    _refuse_unknown("fired", known.get("fired", ""), ("", "yes", "no"))
    return GridQuery(**(known | {"page": read_page(known.get("page", "1"))}))


def read_page(number: str) -> int:
    """The number of a page. QueryFault: it is none."""
    if not (number.isascii() and number.isdecimal() and len(number) < 8 and int(number)):
        raise QueryFault(f"page is a number from 1; got {number!r}")
    return int(number)


def _refuse_unknown(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise QueryFault(f"{name} is one of {', '.join(filter(None, known))}; got {value!r}")
