"""The bank of an evolution's arms: a few switches of its own, or the whole configuration of document 003."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_validator

from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_config import BankConfig
from memtrial.memory.bank.bank_settings import BankSettings, ConfidenceRule, LearnMode
from memtrial.memory.bank.confidence.initial_confidence import InitialPolicy
from memtrial.memory.bank.ranking.own_profile import make_profile
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.runs.spec.sections import SpecPart


class BankPart(SpecPart):
    """The bank of every arm.

    Args:
        profile: a shipped profile's name, or a mapping of its switches.
        initial, rule: how confidence begins, and how citations change it.
        canonical: items are kept without what names one instance.
        consolidate: after so many new items it is consolidated; None: never.
        config: all of it, in the place of the others.
    """

    profile: str | dict[str, Any] = "paper"
    initial: InitialPolicy = "linear"
    rule: ConfidenceRule = "beta"
    canonical: bool = False
    consolidate: int | None = Field(None, ge=1)
    config: BankConfig | None = None

    @field_validator("profile")
    @classmethod
    def _known_profile(cls, value: str | dict[str, Any]) -> str | dict[str, Any]:
        try:
            _profile_of(value)
        except SpecFault as fault:
            raise ValueError(str(fault)) from fault
        return value

    @model_validator(mode="after")
    def _config_stands_alone(self) -> "BankPart":
        usual = BankPart.model_fields
        others = [name for name in usual if name != "config" and getattr(self, name) != usual[name].default]
        if self.config is not None and others:
            raise ValueError(f"config states all of a bank; {others[0]} beside it is one too many")
        return self

    @property
    def ranking(self) -> RankingProfile:
        """How its items are ranked."""
        return _profile_of(self.profile) if self.config is None else self.config.profile()

    def settings(self, learn: LearnMode, signs: bool = False) -> BankSettings:
        """Those of an arm's bank; `signs` where it is searched in the midst of tasks, too."""
        if self.config is not None:
            return replace(self.config.settings(learn), signs=signs)
        canonical = self.canonical and learn != "raw"
        return BankSettings(
            self.ranking, learn, self.initial, self.rule, canonical, self.consolidate, signs=signs
        )


def fill_from_config(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A spec with what its bank's configuration states of other parts: models, the embedder, k and r of arms.

    What the spec states itself goes first.

    Raises:
        ValueError: the configuration does not fit, or an arm scales where it says that nothing does.
    """
    bank = raw.get("bank")
    given = bank.get("config") if isinstance(bank, Mapping) else None
    if not isinstance(given, Mapping | BankConfig):
        return raw
    try:
        config = BankConfig.model_validate(given)
    except ValidationError:
        return raw  # said where the bank is read
    models = {"judge": config.judge.model, "contradictions": config.consolidate.contradictions}
    named = {role: model for role, model in models.items() if model is not None}
    filled = {"embedder": config.retrieve.embedder, **raw}
    if isinstance(roles := raw.get("roles", {}), Mapping):
        filled["roles"] = {**named, **roles}
    if isinstance(arms := raw.get("arms"), Mapping):
        filled["arms"] = {name: _fill_arm(name, arm, config) for name, arm in arms.items()}
    return filled


def _fill_arm(name: object, arm: Any, config: BankConfig) -> Any:
    mode = arm.get("mode") if isinstance(arm, Mapping) else None
    if mode not in ("parallel", "sequential"):
        return arm
    if not config.matts.enabled:
        raise ValueError(f"arm {name!r} is {mode}, and the bank's configuration has matts.enabled: false")
    each = {"parallel": {"k": config.matts.parallel_k}, "sequential": {"r": config.matts.sequential_r}}
    return {**each[mode], **arm}


def _profile_of(value: str | dict[str, Any]) -> RankingProfile:
    return make_profile({"base": value} if isinstance(value, str) else value)
