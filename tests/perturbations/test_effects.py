"""What a kind of damage does to a memory stands on it, once; reserved names agree with it."""

from memtrial.arms import arm
from memtrial.outcomes import reserved_names
from memtrial.perturbations.composite import compose
from memtrial.perturbations.kinds import ALL

KINDS = {kind.name: kind for kind in ALL}


def test_every_kind_says_what_it_does() -> None:
    effects = {effect: {name for name, kind in KINDS.items() if kind.aim.effect == effect} for effect in
               ("meaning", "removal", "wording", "other")}  # fmt: skip
    known = {
        "meaning": {"corrupt_invert", "corrupt_mask", "irrelevant_swap", "counter"},
        "removal": {"filler", "empty", "without"},
        "wording": {"paraphrase"},
        "other": {"shuffle", "irrelevant_generic", "instructed"},
    }
    assert all(effects[effect] >= names for effect, names in known.items())
    assert compose("instructed+corrupt_invert", ALL).aim.effect == "meaning"


def test_reserved_names_are_those_of_kinds_and_arms() -> None:
    assert KINDS[reserved_names.PLACEBO].aim.effect == "wording"
    assert KINDS[reserved_names.INSTRUCTED].aim.instructs
    assert {reserved_names.MEANING, reserved_names.REMOVAL} <= {kind.aim.effect for kind in ALL}
    assert (reserved_names.NONE, reserved_names.ORACLE) == (arm.NONE, arm.ORACLE)


def test_raw_trajectories_get_the_faithful_contrast_of_the_paper() -> None:
    assert [kind.name for kind in ALL if kind.aim.raw != "no"] == ["shuffle", "empty", "irrelevant_swap"]
    assert [kind.name for kind in ALL if kind.aim.raw == "only"] == ["shuffle"]
