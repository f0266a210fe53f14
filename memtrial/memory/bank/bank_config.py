"""Document 003's configuration of a bank, as its YAML states it: every switch in one file.

    reasoningbank:
      retrieve: {k: 3, alpha: 0.65, beta: 0.15, gamma: 0.20, delta: 0.10}
      consolidate: {run_every_new_items: 20}

What is left out is as the document prints it. Source: seeds/003 section 11; REQUIREMENTS F-45, F-47.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError, model_validator

from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_settings import BankSettings, ConfidenceRule, LearnMode
from memtrial.memory.bank.confidence.eta_rule import ETA
from memtrial.memory.bank.confidence.initial_confidence import InitialPolicy
from memtrial.memory.bank.consolidation.consolidation_policy import ConsolidationPolicy
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS
from memtrial.memory.bank.ranking.own_profile import make_profile
from memtrial.memory.bank.ranking.ranking_profile import CHECKED, Key, RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import SEED003
from memtrial.models.yaml_text import YamlFault, read_yaml
from memtrial.prompts.plain_text import text_of

ROOT = "reasoningbank"
LARGEST = 1 << 20
"""Bytes of a configuration."""
_MAPPING = TypeAdapter(dict[Annotated[str, Field(strict=True)], JsonValue])


class RetrieveSwitches(BaseModel):
    """How items are ranked: alpha of similarity, beta of recency, gamma of confidence, 1 together; delta of
    diversity.

    Args:
        recency_kind: `efold`, as the document's formula, or a true `half_life` of so many days.
        duplicate_threshold: the cosine from which on a consolidation takes two items for one.
    """

    model_config = CHECKED
    k: int = Field(3, ge=0)
    alpha: float = Field(0.65, ge=0, le=1)
    beta: float = Field(0.15, ge=0, le=1)
    gamma: float = Field(0.20, ge=0, le=1)
    delta: float = Field(0.10, ge=0, le=1)
    recency_half_life_days: float = Field(45.0, gt=0)
    recency_kind: Literal["efold", "half_life"] = "efold"
    duplicate_threshold: float = Field(0.87, ge=0, le=1)
    key: Key = "item"
    embedder: str = "hashing"


class JudgeSwitches(BaseModel):
    """`model` judges, as provider/name; without one the world does."""

    model_config = CHECKED
    model: str | None = None
    temperature: float | None = Field(0.0, ge=0, le=2)


class DistilSwitches(BaseModel):
    """How items are written; nothing is ever kept without redaction."""

    model_config = CHECKED
    max_items_per_traj: int = Field(MOST_ITEMS, ge=1, le=10)
    redact_pii: Literal[True] = True
    temperature: float | None = Field(None, ge=0, le=2)
    canonical: bool = True


class ConsolidateSwitches(BaseModel):
    """When a bank is consolidated (None: never), and by which thresholds.

    Args:
        contradictions: a model that is asked whether items contradict each other; None: their words say it.
    """

    model_config = CHECKED
    run_every_new_items: int | None = Field(20, ge=1)
    contradiction_threshold: float = Field(0.60, ge=0, le=1)
    prune_age_days: float = Field(180.0, gt=0)
    min_confidence_keep: float = Field(0.30, ge=0, le=1)
    contradictions: str | None = None


class ConfidenceSwitches(BaseModel):
    """How confidence begins, and how citations change it; `eta` is the step of the rule of that name."""

    model_config = CHECKED
    initial: InitialPolicy = "linear"
    rule: ConfidenceRule = "beta"
    eta: float = Field(ETA, gt=0, le=1)


class ScalingSwitches(BaseModel):
    """What an arm that names no number of its own takes: tries side by side, passes of check and correct."""

    model_config = CHECKED
    enabled: bool = True
    parallel_k: int = Field(6, ge=2, le=64)
    sequential_r: int = Field(3, ge=1, le=64)


class BankConfig(BaseModel):
    """The whole file.

    Raises:
        ValueError: a switch out of its range, or weights that do not sum to 1.
    """

    model_config = CHECKED
    retrieve: RetrieveSwitches = RetrieveSwitches()
    judge: JudgeSwitches = JudgeSwitches()
    distill: DistilSwitches = DistilSwitches()
    consolidate: ConsolidateSwitches = ConsolidateSwitches()
    confidence: ConfidenceSwitches = ConfidenceSwitches()
    matts: ScalingSwitches = ScalingSwitches()

    @model_validator(mode="after")
    def _can_rank(self) -> "BankConfig":
        try:
            self.profile()
        except SpecFault as fault:
            raise ValueError(str(fault)) from fault
        return self

    def profile(self) -> RankingProfile:
        """How it ranks."""
        asked = self.retrieve
        return make_profile(
            {
                "base": SEED003.name,
                "name": "configured",
                "k": asked.k,
                "key": asked.key,
                "weights": {
                    "similarity": asked.alpha, "recency": asked.beta, "confidence": asked.gamma
                },
                "recency": {"kind": asked.recency_kind, "days": asked.recency_half_life_days},
                "diversity": {"kind": "penalty", "weight": asked.delta},
                "temperatures": {
                    "judge": self.judge.temperature, "extraction": self.distill.temperature
                },
            }
        )  # fmt: skip

    def policy(self) -> ConsolidationPolicy:
        """The thresholds of its consolidation."""
        asked = self.consolidate
        return ConsolidationPolicy(
            duplicate_from=self.retrieve.duplicate_threshold,
            contradict_above=asked.contradiction_threshold,
            prune_days=asked.prune_age_days,
            keep_confidence=asked.min_confidence_keep,
        )

    def settings(self, learn: LearnMode = "both", project: str = "") -> BankSettings:
        """Those of a bank that learns so."""
        return BankSettings(
            self.profile(),
            learn,
            self.confidence.initial,
            self.confidence.rule,
            self.distill.canonical and learn != "raw",
            self.consolidate.run_every_new_items,
            project,
            policy=self.policy(),
            eta=self.confidence.eta,
            most_items=self.distill.max_items_per_traj,
        )


def read_config(text: str) -> BankConfig:
    """The configuration that a YAML text states; SpecFault, in one line, where it states none."""
    needed = f"a bank's configuration is a YAML mapping, as in `{ROOT}: {{retrieve: {{k: 3}}}}`"
    try:
        given = _MAPPING.validate_python(read_yaml(text))
    except YamlFault as fault:
        raise SpecFault(f"{needed}; {fault}") from fault
    except ValidationError as fault:
        raise SpecFault(f"{needed}; got {text.strip()!r:.80}") from fault
    inner = given.get(ROOT, given)
    if ROOT in given and len(given) > 1:
        raise SpecFault(f"{needed}; beside {ROOT!r} nothing stands; got {sorted({*given} - {ROOT})[0]!r:.60}")
    try:
        return BankConfig.model_validate(inner)
    except ValidationError as fault:
        raise SpecFault(f"a bank's configuration: {_first_fault(fault)}") from fault


def read_config_file(path: Path) -> BankConfig:
    """The same of a file."""
    return read_config(text_of(path, "a bank's configuration, a YAML file, is needed", SpecFault, LARGEST))


def write_config(config: BankConfig) -> str:
    """The configuration whole, as YAML; `read_config` gives it back."""
    import yaml

    return yaml.safe_dump({ROOT: config.model_dump()}, sort_keys=False, allow_unicode=True)


def _first_fault(fault: ValidationError) -> str:
    error = fault.errors(include_url=False)[0]
    path = [str(part) for part in error["loc"]]
    place = ".".join(path)
    if error["type"] == "extra_forbidden":
        section = BankConfig.model_fields.get(path[0]) if len(path) > 1 else None
        kind = BankConfig if section is None else section.annotation
        known = ", ".join(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) else ""
        return f"{place!r} is no key; there are {known}"
    came = "" if error["type"] in ("missing", "value_error") else f"; got {error['input']!r:.80}"
    return f"{place or 'its switches'}: {error['msg'].removeprefix('Value error, ')}{came}"
