"""What every carrier must do: the levels of the factor `injection`, and one of somebody's own."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from memtrial.agents.slot import NOTHING, BrokenCheck, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import INJECTIONS, InjectionKind
from memtrial.arms.trigger_watch import Watched, Watching, watch
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render
from memtrial.protocols import Carrier

ITEMS = tuple(
    TheoryItem(f"When {word}, do `pull {word}`.", f'state: "{word}"', "So it goes.", "Here.", "heuristic")
    for word in ("slack", "frost", "smoke")
)
SLOT = Slot("Notes from earlier tasks:", tuple(render(item, n) for n, item in enumerate(ITEMS, 1)))
TURNS = (
    Moment("Start the loom.", "The belt hangs slack."),
    Moment("Start the loom.", "Nothing happens."),
    Moment("Start the loom.", "There is frost, and slack."),
    Moment("Start the loom.", "Nothing happens."),
)
Make = Callable[[Slot, tuple[Watched, ...]], Carrier]


class FirstTurn:
    """Shows the whole slot with the first turn, below the task; what comes up later is only logged."""

    def __init__(self, shown: Slot, watched: tuple[Watched, ...]) -> None:
        self.text, self.log = shown.text, Watching(shown, watched, at_once=True)

    def opening(self) -> str:
        return ""

    def turn(self, step: int, moment: Moment) -> str:
        self.log.turn(step, moment)
        return "" if step else self.text

    def proposal(self, step: int, moment: Moment) -> str:
        return self.log.proposal(step, moment)

    def firings(self) -> tuple[Firing, ...]:
        return self.log.firings()

    def broken(self) -> tuple[BrokenCheck, ...]:
        return self.log.broken()


OWN = InjectionKind("first turn", FirstTurn, by_trigger=False, needs_trigger=False)
MEMBERS = (*INJECTIONS, OWN)


@dataclass
class Shown:
    """What one episode was shown: from the start, and by turn."""

    opening: str
    turns: list[str] = field(default_factory=list)
    firings: tuple[Firing, ...] = ()
    broken: tuple[BrokenCheck, ...] = ()

    @property
    def texts(self) -> list[str]:
        return [self.opening, *self.turns]


def carry(kind: InjectionKind, shown: Slot = SLOT, intact: Slot = SLOT) -> Shown:
    watched = kind.watch(intact.items) if kind.watch else watch(ITEMS if intact.items else ())
    carrier = kind(shown, watched)
    seen = Shown(carrier.opening())
    for step, moment in enumerate(TURNS):
        entering = carrier.turn(step, moment)
        withheld = carrier.proposal(step, Moment(moment.task, moment.state, "wait"))
        seen.turns.append(entering + withheld)
    seen.firings, seen.broken = carrier.firings(), carrier.broken()
    assert carrier.opening() == seen.opening
    return seen


every_kind = pytest.mark.parametrize("kind", MEMBERS, ids=lambda kind: kind.name)


@every_kind
def test_it_shows_nothing_but_the_slot(kind: InjectionKind) -> None:
    for text in carry(kind).texts:
        left = text.replace(SLOT.cue, "")
        for item in SLOT.items:
            left = left.replace(item, "")
        assert not left.strip()


@every_kind
def test_what_is_not_by_trigger_is_shown_whole_before_the_first_action(kind: InjectionKind) -> None:
    shown = carry(kind)
    if kind.by_trigger:
        assert not shown.opening
    else:
        assert SLOT.text in shown.opening + shown.turns[0]


@every_kind
def test_an_item_fires_once_and_its_text_enters_in_that_very_turn(kind: InjectionKind) -> None:
    shown = carry(kind)
    assert len({firing.item for firing in shown.firings}) == len(shown.firings)
    for firing in shown.firings:
        if firing.shown:
            assert SLOT.items[firing.item] in shown.turns[firing.step]
            assert shown.turns[firing.step].startswith(SLOT.cue)
    if kind.by_trigger:
        entered = sum(text.count(item) for text in shown.turns for item in SLOT.items)
        assert entered == sum(firing.shown for firing in shown.firings)
    else:
        assert not any(firing.shown for firing in shown.firings)


@every_kind
def test_what_comes_up_is_logged_whether_or_not_it_is_shown(kind: InjectionKind) -> None:
    """Adherence and timing of all arms are read from it."""
    if kind.needs_trigger or not kind.by_trigger:
        assert {firing.step for firing in carry(kind).firings} == {0, 2}
        assert len(carry(kind).firings) == 2


@every_kind
def test_when_items_come_up_does_not_depend_on_what_is_shown(kind: InjectionKind) -> None:
    """Otherwise damage would reach the moment, too, and not the text alone."""
    damaged = Slot(SLOT.cue, tuple(item.replace("pull", "push") for item in SLOT.items))
    assert carry(kind, damaged).firings == carry(kind).firings


@every_kind
def test_two_episodes_share_nothing(kind: InjectionKind) -> None:
    assert carry(kind) == carry(kind)


@every_kind
def test_no_memory_is_no_text(kind: InjectionKind) -> None:
    shown = carry(kind, NOTHING, NOTHING)
    assert not any(shown.texts)
    assert not shown.firings


class Chatty(FirstTurn):
    def turn(self, step: int, moment: Moment) -> str:
        return f"Remember this! {super().turn(step, moment)}"


class Late(FirstTurn):
    def turn(self, step: int, moment: Moment) -> str:
        return super().turn(step - 1, moment) if step else ""


class Silent(FirstTurn):
    def firings(self) -> tuple[Firing, ...]:
        return ()


class Boastful(FirstTurn):
    def firings(self) -> tuple[Firing, ...]:
        return (Firing(1, 0, "slack", True),)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (Chatty, test_it_shows_nothing_but_the_slot),
        (Silent, test_what_comes_up_is_logged_whether_or_not_it_is_shown),
        (Late, test_what_is_not_by_trigger_is_shown_whole_before_the_first_action),
        (Boastful, test_an_item_fires_once_and_its_text_enters_in_that_very_turn),
    ],
)
def test_a_carrier_that_breaks_a_law_is_found(wrong: Make, law: Callable[[InjectionKind], None]) -> None:
    with pytest.raises(AssertionError):
        law(InjectionKind("wrong", wrong, by_trigger=False, needs_trigger=False))
