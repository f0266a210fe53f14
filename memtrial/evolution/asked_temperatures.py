"""At which temperatures the judge and the writer of an evolution are asked: the spec's, else the profile's.

Source: seeds/003 section 4 (the judge at 0); REQUIREMENTS F-18, C29.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memtrial.evolution.evolve_spec import EvolveSpec
from memtrial.judges.success import ORACLE
from memtrial.runs.spec.sampling import SamplingSpec, settle_temperature


@dataclass(frozen=True, slots=True)
class AskedTemperatures:
    """What is sent; None where the provider's own is."""

    judge: float | None
    writer: float | None


def asked_temperatures(spec: EvolveSpec) -> AskedTemperatures:
    """The spec's `sampling` where it states one, else those of the bank's profile."""
    stated = spec.bank.ranking.temperatures
    return AskedTemperatures(
        settle_temperature(spec.sampling.judge, stated.judge),
        settle_temperature(spec.sampling.condenser, stated.extraction),
    )


def temperature_notes(spec: EvolveSpec) -> Iterator[str]:
    """A sentence for each role whose temperature is another than the profile's, since the spec says so."""
    profile, drawn = spec.bank.ranking, spec.sampling
    if spec.roles.judge != ORACLE:
        yield from _note("judge", drawn.judge, profile.temperatures.judge, profile.name)
    if any(arm.learn not in ("none", "raw") for arm in spec.arms.values()):
        yield from _note("writer", drawn.condenser, profile.temperatures.extraction, profile.name)


def _note(role: str, asked: SamplingSpec, stated: float | None, profile: str) -> Iterator[str]:
    sent = settle_temperature(asked, stated)
    if stated is not None and sent != stated:
        words = "the provider's own temperature" if sent is None else f"temperature {sent:g}"
        yield (
            f"The {role} is asked at {words}, as `sampling` says; profile {profile} of the bank states"
            f" {stated:g}."
        )
