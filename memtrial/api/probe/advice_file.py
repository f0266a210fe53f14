"""What items advise, as somebody wrote it down: a JSON line an item."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.faults import SpecFault
from memtrial.memory.record_text import without_number
from memtrial.memory.words import content_words
from memtrial.prompts.plain_text import text_of
from memtrial.runs.trials.adherence import ToldAction

NEEDED = (
    '--advised needs a JSON line an item: {"item": "its text, or how it begins", "actions": ["…"],'
    ' "when": "…"}'
)
SHORTEST = 8
"""Characters that tell one item from another."""


class AdvisedItem(BaseModel):
    """A line: an item, by its text or its beginning, what it advises, and what must stand there then."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    item: str = Field(min_length=SHORTEST)
    actions: tuple[str, ...] = Field(min_length=1)
    when: str = ""


@dataclass(frozen=True, slots=True)
class AdviceList:
    """What was written down, in place of what is read from the items that it names."""

    items: tuple[AdvisedItem, ...]

    def tell(self, decision: RecordedDecision) -> RecordedDecision:
        """The decision with the advice that applies there; other items keep what is read from them."""
        named = {
            place: found for place, text in enumerate(decision.slot.items) if (found := self._find(text))
        }
        if not named:
            return decision
        scene = frozenset(content_words("\n".join(message.text for message in decision.messages)))
        due = [told for told in decision.due if told.item not in named]
        for place, advised in named.items():
            when = frozenset(content_words(advised.when))
            if when <= scene:
                due += [ToldAction(action, None, True, item=place) for action in advised.actions]
        return replace(decision, due=tuple(due))

    def _find(self, text: str) -> AdvisedItem | None:
        whole = _squeeze(without_number(text))
        return next((line for line in self.items if whole.startswith(_squeeze(line.item))), None)


def read_advice(path: Path) -> AdviceList:
    """The list in a file. SpecFault where it cannot be read, or a line is none."""
    lines = []
    for number, line in enumerate(text_of(path, NEEDED, SpecFault).splitlines(), 1):
        if line.strip():
            try:
                lines.append(AdvisedItem.model_validate_json(line))
            except ValidationError as fault:
                raise SpecFault(f"{NEEDED}; {path}, line {number}: {_say(fault.errors()[0])}") from fault
    if not lines:
        raise SpecFault(f"{NEEDED}; {path} is empty")
    return AdviceList(tuple(lines))


def _say(error: Mapping[str, object]) -> str:
    place = error["loc"]
    where = ".".join(map(str, place)) if isinstance(place, tuple) and place else "the line"
    return f"{where}: {error['msg']}"


def _squeeze(text: str) -> str:
    return " ".join(text.split())
