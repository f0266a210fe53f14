"""What every carrier must do: the levels of the factor `injection`, and two of somebody's own."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent

import pytest

from memtrial.agents.slot import NOTHING, BrokenCheck, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import WITHHOLD, InjectionKind
from memtrial.arms.trigger_watch import Watched, watch
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render
from memtrial.protocols import Carrier
from tests.support.carriers import MEMBERS, FirstTurn

TRIGGERS = ('state: "slack"', 'state: "frost"', 'state: "smoke"', "action: pull")
HEURISTIC, CHECK = "heuristic", 'check: action: wait | not state: "frost"'
ITEMS = tuple(
    TheoryItem(f"When {number}, do `pull {number}`.", trigger, "So it goes.", "Here.", form)
    for number, (trigger, form) in enumerate(zip(TRIGGERS, (CHECK, *[HEURISTIC] * 3), strict=True))
)
"""Three wait for a state, one for a proposed action; one states a check."""
SLOT = Slot("Notes from earlier tasks:", tuple(render(item, n) for n, item in enumerate(ITEMS, 1)))
TURNS = (
    Moment("Start the loom.", "The belt hangs slack.", "wait"),
    Moment("Start the loom.", "Nothing happens.", "pull the belt"),
    Moment("Start the loom.", "There is frost, and slack.", "wait"),
    Moment("Start the loom.", "Nothing happens.", "wait"),
)
"""What is observed in each turn, and the action that is then proposed."""
COMES_UP = {0, 1, 2}
"""The turns in which an item comes up: slack, the action, frost."""
BREAKS = [2]
"""The turns in which a proposed action breaks a check."""
DAMAGED = Slot(SLOT.cue, tuple(item.replace("do `pull", "do `push") for item in SLOT.items))
Make = Callable[[Slot, tuple[Watched, ...]], Carrier]


@dataclass
class Shown:
    """What one episode was shown: from the start, with each turn, and where its action was proposed."""

    opening: str
    turns: list[str] = field(default_factory=list)
    proposals: list[str] = field(default_factory=list)
    firings: tuple[Firing, ...] = ()
    broken: tuple[BrokenCheck, ...] = ()

    @property
    def texts(self) -> list[str]:
        return [self.opening, *self.turns, *self.proposals]


def carry(kind: InjectionKind, shown: Slot = SLOT, intact: Slot = SLOT) -> Shown:
    watched = kind.watch(intact.items) if kind.watch else watch(ITEMS if intact.items else ())
    carrier = kind(shown, watched)
    seen = Shown(carrier.opening())
    for step, moment in enumerate(TURNS):
        seen.turns.append(carrier.turn(step, replace(moment, action="")))
        seen.proposals.append(carrier.proposal(step, moment))
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
    if kind is WITHHOLD:
        assert not any(shown.texts)
    elif kind.by_trigger:
        assert not shown.opening
    else:
        assert SLOT.text in shown.opening + shown.turns[0]


@every_kind
def test_an_item_fires_once_and_its_text_enters_in_that_very_turn(kind: InjectionKind) -> None:
    shown = carry(kind)
    assert len({firing.item for firing in shown.firings}) == len(shown.firings)
    for firing in shown.firings:
        if firing.shown:
            entering = [shown.turns[firing.step], shown.proposals[firing.step]]
            assert any(text.startswith(SLOT.cue) and SLOT.items[firing.item] in text for text in entering)
    if kind.by_trigger:
        entered = sum(text.count(item) for text in shown.texts for item in SLOT.items)
        withheld = sum(check.withheld for check in shown.broken)
        assert entered == withheld + sum(firing.shown for firing in shown.firings)
    else:
        assert not any(firing.shown for firing in shown.firings)


def watches_triggers(kind: InjectionKind) -> bool:
    return kind.needs_trigger or not kind.by_trigger


@every_kind
def test_what_comes_up_is_logged_whether_or_not_it_is_shown(kind: InjectionKind) -> None:
    """Adherence and timing of all arms are read from it. A proposed action brings something up, too."""
    if watches_triggers(kind):
        assert {firing.step for firing in carry(kind).firings} == COMES_UP
        assert len(carry(kind).firings) == len(COMES_UP)


@every_kind
def test_a_check_that_an_action_breaks_is_logged_whether_or_not_it_is_executed(kind: InjectionKind) -> None:
    shown = carry(kind)
    if watches_triggers(kind):
        assert [check.step for check in shown.broken] == BREAKS
    for check in shown.broken:
        assert (SLOT.items[check.item] in shown.proposals[check.step]) is check.withheld


@every_kind
def test_when_items_come_up_does_not_depend_on_what_is_shown(kind: InjectionKind) -> None:
    """Otherwise damage would reach the moment, too, and not the text alone."""
    assert carry(kind, DAMAGED).firings == carry(kind).firings


@every_kind
def test_two_episodes_share_nothing(kind: InjectionKind) -> None:
    """Neither what came up, nor the text: the second one shows another slot, the third the first again."""
    first, second, third = carry(kind), carry(kind, DAMAGED), carry(kind)
    assert first == third
    assert any(second.texts) or kind is WITHHOLD
    assert not any(item in text for text in second.texts for item in SLOT.items)


@every_kind
def test_no_memory_is_no_text(kind: InjectionKind) -> None:
    shown = carry(kind, NOTHING, NOTHING)
    assert not any(shown.texts)
    assert not shown.firings


def test_the_example_of_the_page_is_the_one_that_is_tried_here() -> None:
    page = Path(__file__).parents[2] / "docs" / "your_carrier.md"
    assert indent(inspect.getsource(FirstTurn), "    ") in page.read_text(encoding="utf-8")


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


class DeafToActions(FirstTurn):
    def proposal(self, step: int, moment: Moment) -> str:
        return ""


class Lenient(FirstTurn):
    def broken(self) -> tuple[BrokenCheck, ...]:
        return ()


class Cached(FirstTurn):
    first: str = ""

    def __init__(self, shown: Slot, watched: tuple[Watched, ...]) -> None:
        super().__init__(shown, watched)
        Cached.first = self.text = Cached.first or self.text


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (Chatty, test_it_shows_nothing_but_the_slot),
        (Silent, test_what_comes_up_is_logged_whether_or_not_it_is_shown),
        (Late, test_what_is_not_by_trigger_is_shown_whole_before_the_first_action),
        (DeafToActions, test_what_comes_up_is_logged_whether_or_not_it_is_shown),
        (DeafToActions, test_a_check_that_an_action_breaks_is_logged_whether_or_not_it_is_executed),
        (Lenient, test_a_check_that_an_action_breaks_is_logged_whether_or_not_it_is_executed),
        (Cached, test_two_episodes_share_nothing),
        (Boastful, test_an_item_fires_once_and_its_text_enters_in_that_very_turn),
    ],
)
def test_a_carrier_that_breaks_a_law_is_found(wrong: Make, law: Callable[[InjectionKind], None]) -> None:
    with pytest.raises(AssertionError):
        law(InjectionKind("wrong", wrong, by_trigger=False, needs_trigger=False))
