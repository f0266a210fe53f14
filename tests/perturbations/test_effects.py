"""What a kind of damage does to a memory stands on it, once; reserved names agree with it."""

from typing import get_args

from memtrial.arms import arm
from memtrial.outcomes import reserved_names
from memtrial.perturbations.aim import Effect
from memtrial.perturbations.composite import compose
from memtrial.perturbations.kinds import ALL

KINDS = {kind.name: kind for kind in ALL}


def test_every_kind_says_what_it_does() -> None:
    declared = {name: kind.aim.declared.effect for name, kind in KINDS.items()}
    effects = {
        word: {name for name, effect in declared.items() if effect == word} for word in get_args(Effect)
    }
    known = {
        "meaning": {"corrupt_invert", "corrupt_mask", "irrelevant_swap", "counter"},
        "removal": {"filler", "empty", "without"},
        "wording": {"paraphrase"},
        "other": {"shuffle", "irrelevant_generic", "instructed"},
    }
    assert all(effects[effect] >= names for effect, names in known.items())
    assert compose("instructed+corrupt_invert", ALL).aim.declared.effect == "meaning"


def test_reserved_names_are_those_of_kinds_and_arms() -> None:
    assert KINDS[reserved_names.PLACEBO].aim.declared.effect == "wording"
    assert KINDS[reserved_names.INSTRUCTED].aim.block == "instructed"
    assert {reserved_names.MEANING, reserved_names.REMOVAL} <= {kind.aim.declared.effect for kind in ALL}
    assert (reserved_names.NONE, reserved_names.ORACLE) == (arm.NONE, arm.ORACLE)


def test_raw_trajectories_get_the_faithful_contrast_of_the_paper() -> None:
    assert [kind.name for kind in ALL if kind.aim.declared.raw != "no"] == [
        "shuffle",
        "empty",
        "irrelevant_swap",
    ]
    assert [kind.name for kind in ALL if kind.aim.declared.raw == "only"] == ["shuffle"]
