"""A recorded decision: what stood before an agent when it acted, and the memory in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtrial.agents.slot import Slot
from memtrial.memory.heading import item_label
from memtrial.memory.markdown import item_texts
from memtrial.memory.words import content_words
from memtrial.models.client.content_blocks import Block, TextBlock, ToolResult
from memtrial.models.client.types import Message
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, exchangeable
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.runs.trials.adherence import ToldAction, tell

GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One decision of one episode, with memory as it stood there.

    Args:
        place: where it was recorded, for people.
        backbone: the model that decided; arm: whose memory it had.
        cluster: the unit of inference of its task.
        repeat, turn: of the episode, and in it, both from 0.
        messages: up to the reply, exactly as they were sent.
        choices: the texts of which the reply was to be one; none where it was free.
        slot: the memory, item by item; its text stands in the messages.
        texts: what stands for the slot's text under a condition; empty where it is taken away.
        due: what its items advise that applies here.
        instead: what `counter` advises in its place.
        gaps: what stands between each two items; none where that is a blank line, below the cue line.
        removable: the prompt would make sense without the memory.
        settings, wire: what else the request held that can change an answer, as of `Request`.
    """

    place: str
    backbone: str
    arm: str
    task: str
    cluster: str
    repeat: int
    turn: int
    messages: tuple[Message, ...]
    choices: tuple[str, ...]
    slot: Slot
    texts: Mapping[str, str] = field(default_factory=dict)
    due: tuple[ToldAction, ...] = ()
    instead: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    removable: bool = True
    settings: str = ""
    wire: str = ""

    @property
    def text(self) -> str:
        """The memory as it stands in the messages."""
        return self.write(self.slot)

    def write(self, slot: Slot) -> str:
        """The text of a slot as this memory is written; with blank lines where it has other items."""
        return weave(slot.items, self.gaps) if self.gaps else slot.text

    @property
    def items(self) -> tuple[int, ...]:
        """Positions of the items that can be left out: none where there is but one."""
        filled = tuple(place for place, item in enumerate(self.slot.items) if item.strip())
        return filled if len(filled) > 1 else ()

    def show(self, text: str) -> tuple[Message, ...]:
        """The messages with another text in the place of the memory; it is taken away where that is empty."""
        return tuple(_show(message, self.text, text) for message in self.messages)

    def leave_out(self, position: int) -> str:
        """The memory's text without one item; the numbers of the others close up."""
        rest = [item for place, item in enumerate(self.slot.items) if place != position and item.strip()]
        items = tuple(_renumber(item, n) for n, item in enumerate(rest, 1))
        if not self.gaps:
            return Slot(self.slot.cue, items).text
        gone = max(position - 1, 0)
        return weave(items, self.gaps[:gone] + self.gaps[gone + 1 :])

    def complies(self, action: str, items: Sequence[int] | None = None) -> bool | None:
        """Whether an action is what the items advise here, or not what they say to avoid, where that is all
        they say; None where they advise nothing that applies.

        Args:
            items: positions of those that count; all where it is None.
        """
        due = [told for told in self.due if items is None or told.item in items]
        to_do = [told for told in due if told.do]
        if to_do:
            return any(same_action(action, told.action) for told in to_do)
        return not any(same_action(action, told.action) for told in due) if due else None


def weave(items: Sequence[str], gaps: Sequence[str]) -> str:
    """Items with these gaps between them; with blank lines where their number does not fit."""
    if len(gaps) != len(items) - 1:
        return GAP.join(filter(None, items))
    return "".join(item + gap for item, gap in zip(items, (*gaps, ""), strict=True))


def find_due(items: Sequence[str], query: str, state: str, known: Repertoire) -> tuple[ToldAction, ...]:
    """What the items advise that applies where a task and a last observation read so.

    An item's own sentence says when it applies; its Trigger is not asked, as nothing waits for it here.

    Args:
        known: what the world accepts here; where something is known, nothing else is an action.
    """
    shown = frozenset(content_words(state))
    scene = shown | frozenset(content_words(query))
    told_actions = (
        tell(position, item, advice, None, True)
        for position, item in enumerate(items)
        for advice in exchangeable(item, known)[:MOST_ADVISED]
    )
    return tuple(told for told in told_actions if told.applies(scene, shown, False))


def find_instead(due: Sequence[ToldAction], countered: str, known: Repertoire) -> tuple[str, ...]:
    """What a text under `counter`, without its cue line, tells to do that the intact memory does not; none
    where nothing to be done is due."""
    if not any(told.do for told in due):
        return ()
    advised = (
        advice.action
        for item in item_texts(countered)
        for advice in exchangeable(item, known)[:MOST_ADVISED]
        if advice.do
    )
    return tuple(
        dict.fromkeys(
            action for action in advised if not any(same_action(action, told.action) for told in due)
        )
    )


def _show(message: Message, old: str, new: str) -> Message:
    """What an agent itself wrote stays: it may repeat what was never shown."""
    if message.role == "assistant":
        return message
    if isinstance(message.content, str):
        return replace(message, content=_put(message.content, old, new))
    return replace(message, content=tuple(_show_block(block, old, new) for block in message.content))


def _show_block(block: Block, old: str, new: str) -> Block:
    """A text, or what a tool gave back."""
    if isinstance(block, TextBlock):
        return replace(block, text=_put(block.text, old, new))
    if not isinstance(block, ToolResult) or block.content is None:
        return block
    if isinstance(block.content, str):
        return replace(block, content=_put(block.content, old, new))
    parts = tuple(
        replace(part, text=_put(part.text, old, new)) if isinstance(part, TextBlock) else part
        for part in block.content
    )
    return replace(block, content=parts)


def _put(text: str, old: str, new: str) -> str:
    if new or old not in text:
        return text.replace(old, new)
    # the blank line that set the memory apart goes with it
    return text.replace(GAP + old, "").replace(old + GAP, "").replace(old, "")


def _renumber(item: str, number: int) -> str:
    """An item under the number of its place, where a heading numbers it."""
    first, newline, rest = item.partition("\n")
    label = item_label(first)
    if label is None or not any(map(str.isdigit, first)):
        return item
    digits = "".join(sign for sign in first if sign.isdigit())
    return first.replace(digits, str(number), 1) + newline + rest
