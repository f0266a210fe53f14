"""Which models write and read the damage of a run, and why none does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtrial.models.client.types import LOCAL, provider_of
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_book import RULES
from memtrial.runs.spec.arm_spec import ArmSpec

if TYPE_CHECKING:
    from memtrial.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class DamageWriters:
    """Who writes and who reads; neither where rules write.

    Args:
        why: rules write although a real model plays; empty where that is as asked, or where nothing of the
            run is damage that a model can write.
    """

    model: str | None
    judge: str | None
    why: str = ""

    @property
    def note(self) -> str:
        """What a run says of them before anything is paid for; empty where there is nothing to say."""
        if self.model is None:
            return f"damage is written by rules: {self.why}" if self.why else ""
        return (
            f"damage is written by {self.model} and read blind by {self.judge}"
            " (roles.perturber: rules has rules do it)"
        )


def damage_writers(spec: Spec) -> DamageWriters:
    """The models that were named; by default, for both, the first backbone that is a real model."""
    asked, real = spec.roles.perturber, real_backbone(spec.backbone)
    if asked == RULES or not (asked or real) or not is_written(spec.conditions):
        return DamageWriters(None, None)
    if spec.mode == "stream":
        return DamageWriters(None, None, "in mode: stream memory grows while it is played")
    if any(isinstance(arm, ArmSpec) and arm.reach == "bank" for arm in spec.arms):
        return DamageWriters(None, None, "with reach: bank whole banks are damaged, record by record")
    return DamageWriters(asked or real, spec.roles.judge or real)


def real_backbone(backbones: Iterable[str]) -> str | None:
    """The first backbone that is neither simulated nor a replay."""
    return next((model for model in backbones if provider_of(model) not in LOCAL), None)


def is_written(conditions: Iterable[str]) -> bool:
    """Whether some condition is damage that a model can write, alone or under an instruction."""
    return any(name in CLAIMS or name.partition(JOINT)[2] in CLAIMS for name in conditions)
