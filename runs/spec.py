"""The spec: everything a run is, as a frozen value.

Unknown keys are errors. Every field has a default except environment, backbone and arms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from arms.arm import NONE, ORACLE, STANDARD
from gates.suite import NAMES as GATE_NAMES
from perturbations.members import ALL as PERTURBATIONS

WITHOUT, INTACT = "without", "intact"
PRIMARY = ("corrupt_invert", "irrelevant_swap")
KINDS = tuple(kind.name for kind in PERTURBATIONS if kind.name != WITHOUT)


class Part(BaseModel):
    """A frozen piece of a spec."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkshopSpec(Part):
    """The embedded world (environments/workshop). It calibrates; it is no evidence about language models."""

    world: Literal["workshop"]
    train: int = Field(96, ge=1, le=100_000)
    test: int = Field(120, ge=1, le=100_000)
    families: int = Field(12, ge=8, le=12)


class ScienceWorldSpec(Part):
    """The real benchmark (environments/scienceworld); `train` and `test` are variations of each task."""

    world: Literal["scienceworld"]
    tasks: tuple[str, ...] = ("find-non-living-thing",)
    train: int = Field(10, ge=1)
    test: int = Field(10, ge=1)
    step_limit: int = Field(30, ge=1, le=1000)
    simplifications: str = "easy"
    held_out: Literal["test", "dev"] = "test"


class TracesSpec(Part):
    """Where the trajectories come from that all condensers get.

    Args:
        source: `play` the training tasks without memory, `import` a trace file, or take the world's `expert`
            paths on a share of the training tasks and attempts on the rest.
        player: who plays; the backbone unless named.
        attempts: each training task is tried until it is solved, at most this often; the last try is the
            trace.
        expert_share: of the training tasks, with `expert`.
        view: what condensers and gates see of a trajectory.
    """

    source: Literal["play", "import", "expert"] = "play"
    path: Path | None = None
    player: str | None = None
    attempts: int = Field(1, ge=1, le=100)
    expert_share: float = Field(0.5, gt=0, le=1)
    view: Literal["full", "actions"] = "full"

    @model_validator(mode="after")
    def _path_with_import(self) -> TracesSpec:
        if (self.source == "import") != (self.path is not None):
            raise ValueError("traces.path goes with traces.source: import, and only with it")
        return self


class ControlSpec(Part):
    """Where the native condenser's prompts come from.

    Args:
        source: upstream's own file; without it, our wording of the same contract.
    """

    source: Path | None = None


class CondenserSpec(Part):
    """One condenser, named by its key.

    Args:
        gates: which gates run in the loop of a theory condenser (fork B).
        max_rounds: revisions at most.
    """

    kind: Literal["native", "theory", "nothing"]
    gates: tuple[str, ...] = GATE_NAMES
    max_rounds: int = Field(2, ge=0, le=10)

    @field_validator("gates")
    @classmethod
    def _known_gates(cls, gates: tuple[str, ...]) -> tuple[str, ...]:
        unknown = sorted(set(gates) - set(GATE_NAMES))
        if unknown:
            raise ValueError(f"no gate is named {', '.join(unknown)}; there are {', '.join(GATE_NAMES)}")
        return gates


class ArmSpec(Part):
    """An arm of your own: a condenser × an injection (fork A)."""

    name: str = Field(pattern=r"^[\w·.+-]+$")
    condenser: str
    injection: Literal["prepend", "trigger"] = "prepend"


class RolesSpec(Part):
    """Which model plays which role.

    Args:
        condenser: drafts and revises; the backbone unless named.
        gate: answers the gates; the condenser's model unless named, or simulated/examiner where that is
            simulated/scribe, which cannot judge.
    """

    condenser: str | None = None
    gate: str | None = None


class RetrievalSpec(Part):
    """What is shown for a task: the items of the `k` records whose source query is nearest."""

    unit: Literal["record"] = "record"
    k: int = Field(1, ge=1, le=100)
    key: Literal["query"] = "query"
    embedder: Literal["hashing"] = "hashing"
    leave_out: Literal["task", "template"] = "task"


class AnalysisSpec(Part):
    """The plan of the analysis, fixed before the first trial.

    Args:
        outcome: `success`, or `score` for the world's dense score.
        primary: the conditions whose contrasts are the hypotheses; unless named, those of corrupt_invert
            and irrelevant_swap that the run has.
        pairs: (treatment, control); the standard ones unless named.
        cluster: the unit of inference. Tasks that show the same record share its luck (STATISTICS 0c.5).
    """

    margin: float = Field(0.10, gt=0, lt=1)
    alpha: float = Field(0.05, gt=0, lt=0.5)
    flips: int = Field(9_999, ge=199, le=1_000_000)
    outcome: Literal["success", "score"] = "success"
    primary: tuple[str, ...] | None = None
    pairs: tuple[tuple[str, str], ...] | None = None
    cluster: Literal["task", "record", "family"] = "record"


class EngineSpec(Part):
    """How the run is carried out; not part of its identity."""

    workers: int = Field(1, ge=1, le=64)


class Spec(Part):
    """One experiment."""

    name: str = Field("experiment", pattern=r"^[A-Za-z0-9][\w.-]*$")
    question: str = "Does the content of condensed memory carry weight in what the agent does next?"
    seed: int = Field(0, ge=0)
    environment: Annotated[WorkshopSpec | ScienceWorldSpec, Field(discriminator="world")]
    backbone: tuple[str, ...]
    roles: RolesSpec = RolesSpec()
    traces: TracesSpec = TracesSpec()
    control: ControlSpec = ControlSpec()
    condensers: dict[str, CondenserSpec] = Field(
        default_factory=lambda: {
            "native": CondenserSpec(kind="native"),
            "theory": CondenserSpec(kind="theory"),
        }
    )
    arms: tuple[str | ArmSpec, ...] = Field(min_length=1)
    conditions: tuple[str, ...] = ("corrupt_invert", "irrelevant_swap", "filler")
    repeats: int = Field(3, ge=1, le=1000)
    temperature: float | None = Field(None, ge=0, le=2)
    retrieval: RetrievalSpec = RetrievalSpec()
    analysis: AnalysisSpec = AnalysisSpec()
    engine: EngineSpec = EngineSpec()

    @field_validator("backbone", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("backbone")
    @classmethod
    def _each_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or len(set(value)) < len(value):
            raise ValueError(f"backbone needs at least one model string, each once; got {list(value)}")
        return value

    @field_validator("conditions")
    @classmethod
    def _known_conditions(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = sorted(set(value) - {*KINDS, WITHOUT, INTACT})
        if unknown:
            raise ValueError(f"no perturbation is named {', '.join(unknown)}; there are {', '.join(KINDS)}")
        if len(set(value)) < len(value):
            raise ValueError(f"each condition once; got {list(value)}")
        return value

    @model_validator(mode="after")
    def _arms_have_what_they_need(self) -> Spec:
        missing = sorted(set(self.analysis.primary or ()) - set(self.perturbations))
        if missing:
            having = list(self.perturbations)
            raise ValueError(f"analysis.primary names {', '.join(missing)}; the run damages by {having}")
        if ORACLE in self.condensers:
            raise ValueError(f"no condenser can be named {ORACLE!r}: that is the world's own lesson")
        if self.retrieval.leave_out == "template" and self.traces.source == "import":
            raise ValueError("retrieval.leave_out: template cannot go with imported traces, which name none")
        standard = {arm.name for arm in STANDARD} | {NONE}
        names = [arm if isinstance(arm, str) else arm.name for arm in self.arms]
        if len(set(names)) < len(names):
            raise ValueError(f"each arm needs a name of its own; got {names}")
        for arm in self.arms:
            if isinstance(arm, str):
                if arm not in standard:
                    raise ValueError(
                        f"no arm is named {arm!r}; the standard ones are {', '.join(sorted(standard))}"
                    )
            elif arm.name in standard:
                raise ValueError(f"{arm.name!r} is a standard arm; give yours another name")
        return self

    @property
    def primary(self) -> tuple[str, ...]:
        """The conditions whose contrasts are the hypotheses, a family of their own."""
        asked = self.analysis.primary
        return asked if asked is not None else tuple(name for name in PRIMARY if name in self.conditions)

    @property
    def perturbations(self) -> tuple[str, ...]:
        """The conditions that damage the slot, in the order given. `without` and `intact` always run."""
        return tuple(name for name in self.conditions if name in KINDS)
