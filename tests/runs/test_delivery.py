"""Delivery proof: a memory text that was meant and did not stand in a request is named, and no other."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memtrial.agents.episode import Episode
from memtrial.agents.play import play
from memtrial.agents.react import ReAct
from memtrial.agents.slot import NOTHING, BrokenCheck, Firing, Slot
from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import ENFORCE, INJECTIONS, PREPEND, TRIGGER, WITHHOLD
from memtrial.arms.trigger_watch import Watched, watch
from memtrial.ledger.rows import RequestEntry
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render
from memtrial.models.client.types import Reply, Request
from memtrial.protocols import Carrier
from memtrial.runs.trials.delivery_proof import prove
from memtrial.runs.trials.trials import Trial
from memtrial.worlds.world import Task
from tests.support.scripted import CORRIDOR, Corridor, Scripted, caller_of

ITEMS = tuple(
    TheoryItem(f"In a corridor, do {word}", trigger, "Doors lead on.", "Corridors.", "heuristic")
    for word, trigger in (
        ("walk", 'state: "Door 1"'),
        ("hurry", 'action: "go on"'),
        ("wait", 'state: "Door 9"'),
    )
)
SHOWN = Slot("Notes.", tuple(f"# Memory Item {n}\n## Claim note {n} <&>\u2028" for n in range(len(ITEMS))))


@dataclass
class Sending(Scripted):
    """A provider that may tell which request did not stand verbatim, counted from 1."""

    spoils: int = 0

    async def answer(self, request: Request, repeat: int) -> Reply:
        said = await super().answer(request, repeat)
        return replace(said, verbatim=len(self.asked) != self.spoils)


@dataclass
class Tampered:
    """An injection that is not to be trusted with texts, nor, where it denies, with what it says of them.

    Args:
        denies: it says of everything that fired that it was not shown.
    """

    honest: Carrier
    change: Callable[[str], str]
    denies: bool

    def opening(self) -> str:
        return self.change(self.honest.opening())

    def turn(self, step: int, moment: Moment) -> str:
        return self.change(self.honest.turn(step, moment))

    def proposal(self, step: int, moment: Moment) -> str:
        return self.change(self.honest.proposal(step, moment))

    def firings(self) -> tuple[Firing, ...]:
        fired = self.honest.firings()
        return tuple(replace(one, shown=False) for one in fired) if self.denies else fired

    def broken(self) -> tuple[BrokenCheck, ...]:
        return self.honest.broken()


@dataclass
class Silent(Tampered):
    """Withholds an action, and does not say why."""

    change: Callable[[str], str] = str
    denies: bool = False

    def proposal(self, step: int, moment: Moment) -> str:
        return "No." if self.honest.proposal(step, moment) else ""


def proofs(
    kind: Any,
    change: Callable[[str], str] = lambda text: text,
    shown: Slot = SHOWN,
    spoils: int = 0,
    say: str = "Thought: on.\nAction: go on",
    denies: bool = False,
) -> tuple[RequestEntry, ...]:
    watched: tuple[Watched, ...] = watch(ITEMS)
    injection = Tampered(kind(shown, watched), change, denies)
    backend = Sending(lambda request, repeat: say, spoils=spoils)
    task: Task = CORRIDOR
    episode: Episode = asyncio.run(play(ReAct(), Corridor(limit=4), task, caller_of(backend), injection))
    trial = cast(Trial, SimpleNamespace(shown=shown, arm=SimpleNamespace(injection=kind)))
    made = prove(trial, episode)
    assert len(made) == len(backend.asked)
    # each proof speaks of the request that was really sent
    assert [one["messages"] for one in made] == [len(request.messages) for request, _ in backend.asked]
    return made


KINDS = tuple(kind for kind in INJECTIONS if kind != WITHHOLD)
"""All that show something; of a withheld memory nothing is meant to stand anywhere."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_honest_injection_is_never_named(kind):
    made = proofs(kind)
    assert all(one["verbatim"] for one in made)
    assert any(one["meant"] for one in made)


def test_what_is_meant_grows_with_what_fired_and_is_all_there_by_prepend():
    assert len({one["meant"] for one in proofs(PREPEND)} - {""}) == 1
    by_trigger = [one["meant"] for one in proofs(TRIGGER)]
    # nothing; the withheld action; then the state of the second turn
    assert by_trigger[0] == ""
    assert all(by_trigger[1:])
    assert len(set(by_trigger)) == 3
    assert len({one["key"] for one in proofs(TRIGGER)}) == len(by_trigger)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.replace("<&>", "&lt;&amp;&gt;"),
        lambda text: text[:-1],
        str.upper,
        lambda text: text.removeprefix(SHOWN.cue),
    ],
    ids=["dropped", "escaped", "cut", "shouted", "without its cue"],
)
def test_a_text_that_was_dropped_or_altered_is_named_in_each_request(kind, change):
    for one in proofs(kind, change):
        assert one["verbatim"] == (not one["meant"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_was_meant_does_not_hang_on_what_the_injection_says(kind):
    assert proofs(kind, denies=True) == proofs(kind)
    assert not all(one["verbatim"] for one in proofs(kind, lambda text: "", denies=True))


def test_an_item_that_should_have_held_back_the_action_is_missed_from_that_turn_on():
    # the action was not even held back: the first turn has one request, and the item is missing in it
    lost = proofs(TRIGGER, lambda text: "" if "note 1" in text else text)
    assert [one["step"] for one in lost] == [0, 1, 2]
    assert not any(one["verbatim"] for one in lost)


def test_the_reason_for_which_an_action_is_withheld_is_missed_in_that_very_request():
    """That the same text stood there earlier is not enough."""
    item = replace(ITEMS[0], trigger="state: door", form="check: not action: go")
    shown = Slot(SHOWN.cue, (render(item),))
    for lost in (False, True):
        injection = ENFORCE(shown, watch((item,)))
        backend = Sending(lambda request, repeat: "Thought: on.\nAction: go on")
        if lost:
            injection = Silent(injection)
        episode = asyncio.run(play(ReAct(), Corridor(limit=2), CORRIDOR, caller_of(backend), injection))
        made = prove(
            cast(Trial, SimpleNamespace(shown=shown, arm=SimpleNamespace(injection=ENFORCE))), episode
        )
        assert [one["verbatim"] for one in made] == ([True, False, True, False] if lost else [True] * 4)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("spoils", [1, 2, 3])
def test_the_provider_is_believed_when_it_says_that_a_text_did_not_stand(kind, spoils):
    made = proofs(kind, spoils=spoils)
    wrong = [number for number, one in enumerate(made, 1) if not one["verbatim"]]
    assert wrong == ([spoils] if made[spoils - 1]["meant"] else [])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_agent_that_repeats_a_note_delivers_nothing(kind):
    told = f"Thought: {SHOWN.text}\nAction: go on"
    assert not any(one["verbatim"] for one in proofs(kind, lambda text: "", say=told) if one["meant"])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("shown", [NOTHING, Slot("", ("", "", ""))], ids=["none", "emptied"])
def test_where_nothing_is_shown_nothing_is_meant(kind, shown):
    assert not any(one["meant"] for one in proofs(kind, shown=shown))
    assert all(one["verbatim"] for one in proofs(kind, shown=shown, spoils=1))


@pytest.mark.parametrize("kind", [PREPEND, TRIGGER], ids=lambda kind: kind.name)
@pytest.mark.parametrize("looks", [True, False])
def test_an_agent_that_acts_and_asks_no_model_is_known_by_what_it_took(kind, looks):
    async def act(task, world, memory, ask):
        state = await world.begin()
        while not state.done:
            if looks:
                assert isinstance(memory.opening + memory.turn(), str)
            memory.propose("go on")
            state = await world.act("go on")

    for shown, due in ((SHOWN, True), (NOTHING, False)):
        carrier = kind(shown, watch(ITEMS))
        episode = asyncio.run(play(act, Corridor(limit=4), CORRIDOR, caller_of(Scripted(str)), carrier))
        trial = cast(Trial, SimpleNamespace(shown=shown, arm=SimpleNamespace(injection=kind)))
        made = prove(trial, episode)
        assert [(entry["key"], bool(entry["meant"]), entry["verbatim"]) for entry in made] == (
            [("", True, looks)] if due else []
        )
