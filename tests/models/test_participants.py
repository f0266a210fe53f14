"""The other participants, and chance: each does what its disposition says, and draws from the text alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.models.client.types import Message
from memtrial.models.simulated.text import choice, uniform
from memtrial.perturbations.corrupt_mask import CorruptMask
from memtrial.perturbations.filler import Filler
from memtrial.perturbations.removal import Empty
from memtrial.prompts.templates import cue_line
from tests.support.damaging import damage
from tests.support.loom import (
    ADVISED,
    ALL,
    DUSTY,
    FROST,
    GULLIBLE,
    IGNORER,
    NATIVE,
    PANEL,
    PROSE,
    READER,
    SCHEMAS,
    SECOND,
    SKIMMER,
    SLACK,
    STARTLED,
    THEORY,
    N,
    actions,
    conversation,
    follows,
    replies,
    share,
    slot,
)

schemas = pytest.mark.parametrize("item", SCHEMAS.values(), ids=SCHEMAS)


@schemas
def test_the_gullible_follows_whatever_the_situation(item):
    for seen in (SLACK, FROST, "A room."):
        assert follows(GULLIBLE, conversation(slot(item), seen))


MEMORIES = {
    "nothing": "",
    **{name: slot(item) for name, item in SCHEMAS.items()},
    "avoid": slot(f"Never {ADVISED}."),
    "the cue alone": cue_line(),
    "filler": damage(Filler(), Slot(cue_line(), (THEORY,)), 0, NOTHING).text,
    "empty": damage(Empty(), Slot(cue_line(), (THEORY,)), 0, NOTHING).text,
}


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
def test_the_ignorer_explores_whatever_the_memory_says(memory):
    done = actions(IGNORER, conversation(memory, SLACK), 600)
    counts = np.array([done.count(action) for action in PANEL])
    assert counts.sum() == 600  # nothing but listed actions
    assert ((counts - 50) ** 2 / 50).sum() < 38  # chi-square, 11 degrees: one in ten thousand


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
def test_the_skimmer_is_careful_with_any_block_and_reads_none(memory):
    there = conversation(memory, *[DUSTY] * 3, done=("press the tin button", "turn the tin valve"))
    done = set(actions(SKIMMER, there))
    dusty = {"turn the zinc valve", "turn the brass valve", "press the zinc button", "wind the brass crank"}
    tried = {"press the tin button", "turn the tin valve"}
    if memory:
        assert done == set(PANEL) - dusty - tried
        assert share(SKIMMER, there) < 0.3  # in the last place of the list: not drawn to it
    else:
        assert done == set(PANEL)


def test_the_skimmer_is_as_careful_with_one_text_as_with_another():
    blocks = [memory for memory in MEMORIES.values() if memory]
    firsts = [share(SKIMMER, conversation(memory, DUSTY), PANEL[2]) for memory in blocks]
    assert max(firsts) - min(firsts) < 0.2


GARBAGE = {
    "masked": damage(CorruptMask(), Slot(cue_line(), (THEORY,)), 0, NOTHING).text,
    "masked prose": damage(CorruptMask(), Slot(cue_line(), (PROSE,)), 0, NOTHING).text,
    "filler": MEMORIES["filler"],
}
FLUENT = {name: MEMORIES[name] for name in MEMORIES if name != "filler"} | {
    "brackets": slot(
        "# Memory Item 1\n## Title Search\n## Content When lost, do Search[USA] and then Lookup[of]."
    ),
}


@pytest.mark.parametrize("memory", GARBAGE.values(), ids=GARBAGE)
def test_the_startled_stumbles_over_garbage_half_of_the_time(memory):
    done = actions(STARTLED, conversation(memory, SLACK), 400)
    assert 0.4 < done.count("think again") / 400 < 0.6
    assert set(done) - {"think again"} == set(PANEL)


@pytest.mark.parametrize("memory", FLUENT.values(), ids=FLUENT)
def test_the_startled_does_not_mind_text_and_does_not_read_it(memory):
    done = actions(STARTLED, conversation(memory, SLACK))
    assert set(done) == set(PANEL)
    assert done.count(ADVISED) < 0.3 * N


# -- uptake and chance -------------------------------------------------------------------------------------


def took(model: str, messages: list[Message], n: int = N) -> list[bool]:
    return ["note fits" in thought for thought, _ in replies(model, messages, n)]


@pytest.mark.parametrize("uptake", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("name", ["reader", "gullible"])
def test_uptake_is_the_share_of_episodes_in_which_an_item_is_followed(name, uptake):
    taken = took(f"simulated/{name}?uptake={uptake}", conversation(slot(NATIVE), SLACK), 1000)
    assert abs(np.mean(taken) - uptake) < 0.065  # four standard errors at one half


def test_uptake_is_drawn_once_for_an_episode_and_item():
    model, listed = f"{READER}?uptake=0.5", (*PANEL, SECOND)
    item = f"When the belt hangs slack, {ADVISED}, then {SECOND}."
    first = took(model, conversation(slot(item), SLACK, actions=listed))
    later = took(model, conversation(slot(item), SLACK, SLACK, done=(ADVISED,), actions=listed))
    assert later == first
    assert 0.3 < np.mean(first) < 0.7


def test_each_item_and_each_episode_has_a_draw_of_its_own():
    model = f"{READER}?uptake=0.5"
    other = "When the gauge trembles, wind the zinc crank."
    both = conversation(slot(NATIVE, f"# Memory Item 2\n{other}"), f"{SLACK} The gauge trembles.")
    done = actions(model, both, 1000)
    # the first item's, else the second's: a half, and a quarter
    assert abs(done.count(ADVISED) / 1000 - 0.5 - 0.25 / 12) < 0.07
    assert abs(done.count("wind the zinc crank") / 1000 - 0.25 - 0.25 / 12) < 0.07
    here = took(model, conversation(slot(NATIVE), SLACK), 1000)
    there = took(model, conversation(slot(NATIVE), f"{SLACK} Rain falls."), 1000)
    assert abs(np.mean(np.array(here) == np.array(there)) - 0.5) < 0.065


@pytest.mark.parametrize("model", [*ALL, f"{READER}?uptake=0.5"])
def test_the_same_request_and_repeat_have_the_same_answer(model):
    there = conversation(slot("Nothing to say."), SLACK)
    assert replies(model, there) == replies(model, there)
    assert len(set(actions(model, there))) > 1  # and repeats differ


@pytest.mark.parametrize("model", ALL)
def test_cells_with_different_prompts_are_independent(model):
    cells = [conversation(slot(f"Nothing to say, {word}."), SLACK) for word in ("early", "late")]
    one, other = (actions(model, cell, 1000) for cell in cells)
    alike = np.mean([first == second for first, second in zip(one, other, strict=True)])
    by_chance = sum(one.count(action) * other.count(action) for action in PANEL) / 1000**2
    assert abs(alike - by_chance) < 0.06


def test_chance_is_even_and_hangs_on_every_part():
    drawn = np.array([uniform("seed", repeat, "x") for repeat in range(4000)])
    assert ((drawn >= 0) & (drawn < 1)).all()
    assert abs(drawn.mean() - 0.5) < 0.02
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.06
    assert uniform("a", 1) != uniform("a", 2) != uniform("b", 2)
    assert uniform("ab", "c") != uniform("a", "bc")
    picked = [choice(("x", "y", "z"), repeat) for repeat in range(3000)]
    assert all(abs(picked.count(option) / 3000 - 1 / 3) < 0.04 for option in "xyz")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60), st.sampled_from(ALL), st.booleans())
def test_any_text_gets_an_answer_that_can_be_read(memory, observation, model, listed):
    messages = conversation(slot(memory), observation, actions=PANEL if listed else ())
    for _, action in replies(model, messages, 2):
        assert action
