"""IrrelevantGeneric: platitudes in the same frame, none twice, and none that an agent could act on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.lexicon import NEGATORS, VERBS
from memtrial.memory.language.sentences import cut_sentences
from memtrial.memory.language.structure import skeleton
from memtrial.memory.words import content_words
from memtrial.models.simulated.advice import read
from memtrial.perturbations.irrelevant.irrelevant_generic import KINDS, IrrelevantGeneric
from memtrial.perturbations.manipulation_check import check
from memtrial.worlds.workshop.task_families import CONTROLS
from tests.support.damaging import damage, refusal
from tests.support.slots import CUE, NOTES, told, well_formed

PARTS = KINDS
POOL = [one for kind in PARTS for one in kind]
LONG = Slot(CUE, (" ".join(f"Pull lever{i} when lamp{i} is lit, then wait." for i in range(40)),))


def damaged(slot: Slot, seed: int = 0) -> Slot:
    return damage(IrrelevantGeneric(), slot, seed, NOTHING)


@settings(deadline=None, max_examples=40)
@given(slot=st.one_of(well_formed, told), seed=st.integers(0, 5))
def test_word_for_word_in_the_same_frame(slot: Slot, seed: int) -> None:
    after = damaged(slot, seed)
    assert refusal(IrrelevantGeneric(), slot, NOTHING) == ""
    found = check(IrrelevantGeneric(), slot, after)
    assert found.passed, found
    assert found.length_ratio == 1.0
    assert [skeleton(item) for item in after.items] == [skeleton(item) for item in slot.items]


@pytest.mark.parametrize("seed", range(5))
def test_no_sentence_comes_twice_in_a_long_item(seed: int) -> None:
    (text,) = damaged(LONG, seed).items
    assert len(text.split()) == len(LONG.items[0].split()) >= 300
    sentences = cut_sentences(text)
    assert len(set(sentences)) == len(sentences) > 25


def test_the_sentences_are_drawn() -> None:
    assert len({damaged(LONG, seed).digest for seed in range(6)}) == 6


def test_the_pool_advises_nothing() -> None:
    """No verb an agent could follow, no negation, no word that a world's action is made of."""
    said = {word for one in POOL for word in one.split()}
    world = {word for control in CONTROLS for text in control for word in content_words(text)}
    assert not said & NEGATORS
    assert said & VERBS <= {"respect", "trust"}  # nouns here
    assert not {word for one in POOL for word in content_words(one)} & world
    assert all(len(set(kind)) == len(kind) >= 10 for kind in PARTS)


def test_a_word_of_the_memory_is_not_said_again() -> None:
    slot = Slot(CUE, ("Steady practice sustains lasting friendship in modern society; patience rewards.",))
    assert refusal(IrrelevantGeneric(), slot, NOTHING) == ""
    after = damaged(slot)
    assert not set(content_words(after.items[0])) & set(content_words(slot.items[0]))


def test_memory_made_of_all_of_them_declines() -> None:
    assert "general sentences already" in refusal(IrrelevantGeneric(), Slot(CUE, (" ".join(POOL),)), NOTHING)


def test_a_script_without_spaces_declines() -> None:
    assert "without spaces" in refusal(IrrelevantGeneric(), Slot(CUE, ("当灯亮时，先检查仪表。",)), NOTHING)


@pytest.mark.parametrize("note", NOTES[:8])
def test_a_reader_finds_no_condition_of_the_note_in_it(note: str) -> None:
    (text,) = damaged(Slot("", (note,))).items
    quotes = [span for advice in read(note) for act in advice.acts for span in act.spans]
    assert not any(span in text for span in quotes)
    assert not any(advice.states or advice.exclusions for advice in read(text))
