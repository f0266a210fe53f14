"""A simulated participant finds memory below any cue line, by its place in the prompt."""

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.react import SYSTEM, TURN, WITHHELD
from memtrial.agents.slot import Slot
from memtrial.models.client.types import Message, Request
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.models.simulated.prompt import CUE, Scene, look
from memtrial.prompts.templates import cue_line
from memtrial.protocols import Backend
from tests.support.slots import slots

RULES = "You work in a workshop.\n- turn NAME\n- wait\nThe task is done when the machine runs."
TASK, SEEN = "Get the glaze kiln running.", "The grate smokes. There are two valves."
ACTIONS = ("turn the ivory valve", "turn the slate valve", "wait")

paragraphs = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1).map(str.strip)
cues = (
    st.lists(paragraphs.filter(bool), min_size=1, max_size=12)
    .map(" ".join)
    .filter(lambda text: not CUE.search(text) and not re.match(r"Actions?:|Observation:|Task:", text))
)
FIXED = (
    "Of these memory items, discuss each item before you act: does it count today?",
    "Below are some memory items that may help you.\nDiscuss each of them first.",
    "Here is what worked before: do not trust it.",
)


def conversation(memory: str, place: str, turns: int = 2) -> tuple[Message, ...]:
    """A ReAct conversation with the memory in one of its three places."""
    said = [Message("system", SYSTEM.render({"rules": RULES, "memory": memory if place == "system" else ""}))]
    for number in range(turns):
        last = number == turns - 1
        shown = {"task": "" if number else TASK, "observation": SEEN, "actions": ACTIONS}
        text = TURN.render(shown | {"memory": memory if last and place == "turn" else ""})
        said.append(Message("user", text))
        if not last or place == "withheld":
            said.append(Message("assistant", "Thought: I try.\nAction: wait"))
    if place == "withheld":
        said.append(Message("user", WITHHELD.render({"action": "wait", "memory": memory})))
    return tuple(said)


def seen(scene: Scene) -> Scene:
    """All but what the cue itself is part of."""
    return replace(scene, opening="", rules=scene.rules.rstrip())


@pytest.mark.parametrize("place", ["system", "turn", "withheld"])
@given(cue=st.one_of(cues, st.sampled_from(FIXED)), slot=slots(least=1))
def test_below_any_cue_stands_what_would_stand_below_ours(place: str, cue: str, slot: Slot) -> None:
    ours, theirs = (look(conversation(Slot(one, slot.items).text, place)) for one in (cue_line(), cue))
    assert seen(theirs) == seen(ours)
    assert theirs.blocks == ("\n\n".join(filter(None, slot.items)).strip() or "-",)
    assert (theirs.task, theirs.observation, theirs.actions) == (TASK, SEEN, ACTIONS)
    assert theirs.done == ("wait",)  # what was withheld has not been done


@pytest.mark.parametrize("place", ["system", "turn", "withheld"])
@pytest.mark.parametrize("cue", FIXED)
def test_an_empty_frame_is_a_block_still(place: str, cue: str) -> None:
    frame = "# Memory Item 1\n## Title\n## Description\n## Content"
    assert look(conversation(f"{cue}\n\n{frame}", place)).blocks == (frame,)
    assert look(conversation(cue, place)).blocks == ("-",)


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_without_memory_there_is_no_block(turns: int) -> None:
    scene = look(conversation("", "system", turns))
    assert scene.blocks == ()
    assert scene.rules.startswith("You work in a workshop.")
    assert (scene.observation, scene.actions) == (SEEN, ACTIONS)


@pytest.mark.parametrize("cue", [cue_line(), *FIXED])
@pytest.mark.parametrize("place", ["system", "turn", "withheld"])
def test_advice_is_followed_under_any_cue_and_the_cue_itself_is_none(cue: str, place: str) -> None:
    items = ('When "The grate smokes", do `turn the slate valve`.',)
    reader, ignorer = (open_simulated(f"simulated/{name}") for name in ("reader", "ignorer"))

    def acts(who: Backend, text: str, repeat: int) -> str:
        asked = Request("simulated/reader", conversation(text, place))
        return asyncio.run(who.answer(asked, repeat)).text.rpartition("Action: ")[2]

    text = Slot(cue, items).text
    assert {acts(reader, text, repeat) for repeat in range(8)} == {"turn the slate valve"}
    assert {acts(ignorer, text, repeat) for repeat in range(16)} != {"turn the slate valve"}
    # a cue that speaks of an action is above the items, and is no item
    loud = Slot('When "The grate smokes", do `turn the ivory valve`.', items).text
    assert {acts(reader, loud, repeat) for repeat in range(8)} == {"turn the slate valve"}
