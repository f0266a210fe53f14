"""The corpus: items of other hands, on which the rules are measured."""

import pytest

from memtrial.api.perturb import DamagedSlots, perturb
from memtrial.cli.tools.perturb import exit_code
from tests.support.corpus import damage_corpus, read_corpus

PARTS = ("development", "held_out")


def test_the_parts_share_nothing() -> None:
    development, held_out = map(read_corpus, PARTS)
    assert (len(development), len(held_out)) == (105, 95)
    assert not {item.text for item in development} & {item.text for item in held_out}
    assert {item.schema for item in development} == {"native", "theory", "note"}
    assert all(item.advises for item in (*development, *held_out))


@pytest.mark.parametrize("kind", ["corrupt_invert", "counter", "corrupt_mask", "oddity+corrupt_mask"])
def test_what_applies_to_the_corpus_passes_its_check(kind: str) -> None:
    slots = [slot for part in PARTS for _, slot in damage_corpus(part, kind) if slot.applicable]
    assert slots
    assert all(slot.passed for slot in slots), [slot.reason for slot in slots if not slot.passed]


def test_damage_that_fails_its_check_is_told_by_the_exit_code() -> None:
    done = perturb("Pull the lever.", "corrupt_invert")
    declined = perturb("A lever of brass for red lamps", "corrupt_invert")
    failed = DamagedSlots(slots=tuple(slot.model_copy(update={"passed": False}) for slot in done.slots))
    assert [exit_code(damaged) for damaged in (done, declined, failed)] == [0, 0, 1]
