"""The spec of an evolution: one world, arms that learn in different ways, and streams of tasks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from memtrial.evolution.configured_bank import BankPart, fill_from_config
from memtrial.evolution.rollout_variants import VariantKind
from memtrial.faults import SpecFault
from memtrial.judges.success import ORACLE
from memtrial.memory.bank.bank_config import read_config_file
from memtrial.memory.bank.bank_settings import LearnMode, QueryForm
from memtrial.prompts.plain_text import text_of
from memtrial.runs.spec.environment import Environment
from memtrial.runs.spec.read_spec import LISTED, MOST_BYTES, NEEDED, first_of, read_yaml
from memtrial.runs.spec.sampling import SamplingByRole
from memtrial.runs.spec.sections import EMBEDDER, BudgetSpec, EngineSpec, SpecPart
from memtrial.runs.spec.spec import Named, Spec
from memtrial.worlds.world import Split

KEYS = "`memtrial schema evolution` lists all keys"
Mode = Literal["vanilla", "bank", "parallel", "sequential"]
Learn = Literal["none", LearnMode]
Retrieval = Literal["before", "within"]
MOST_TRIES = 64


class EvolveArm(SpecPart):
    """One way to do the tasks.

    Args:
        mode: `vanilla`: each task once, without memory. `bank`: once, with what was learnt before.
            `parallel`: `k` tries, of which the judge's best is handed in. `sequential`: one try, and `r`
            passes in which the agent checks and corrects it; the last is handed in.
        learn: what the bank makes of runs; `none`: more tries alone, as the pair of an arm at equal compute.
        vary: how tries of `parallel` differ.
        query: what the bank is searched by: the task's text, or that and what the world shows first.
        retrieve: `before`: once, before the task. `within`: also when what is observed meets an item's signs.
    """

    mode: Mode = "bank"
    learn: Learn = "both"
    k: int = Field(1, ge=1, le=MOST_TRIES)
    r: int = Field(0, ge=0, le=MOST_TRIES)
    vary: tuple[VariantKind, ...] = ("seed",)
    query: QueryForm = "task"
    retrieve: Retrieval = "before"

    @model_validator(mode="before")
    @classmethod
    def _vanilla_learns_nothing(cls, raw: Any) -> Any:
        if isinstance(raw, Mapping) and raw.get("mode") == "vanilla":
            return {"learn": "none", **raw}
        return raw

    @model_validator(mode="after")
    def _numbers_go_with_modes(self) -> "EvolveArm":
        if self.mode == "vanilla" and self.learn != "none":
            raise ValueError(f"mode: vanilla learns nothing; got learn: {self.learn}; use mode: bank")
        if (self.k > 1) != (self.mode == "parallel"):
            raise ValueError(f"k of 2 or more goes with mode: parallel, and only with it; got k: {self.k}")
        if (self.r > 0) != (self.mode == "sequential"):
            raise ValueError(f"r of 1 or more goes with mode: sequential, and only with it; got r: {self.r}")
        if self.learn == "none" and (self.query, self.retrieve) != ("task", "before"):
            raise ValueError(
                f"query and retrieve say how a bank is searched; an arm with learn: none has none; got"
                f" query: {self.query}, retrieve: {self.retrieve}"
            )
        if self.learn == "raw" and self.retrieve == "within":
            raise ValueError(
                "retrieve: within needs items that state signs; learn: raw keeps runs as they are"
            )
        if not self.vary:
            raise ValueError("vary names one way at least: seed, temperature, decomposition or tools")
        return self

    @property
    def tries(self) -> int:
        """Episodes a task, at most."""
        return self.k + self.r


class EvolveRoles(SpecPart):
    """`writer` distils, by default the backbone; `judge` says what a success is: a model, or `oracle`, the
    world itself; `contradictions` says, where a bank is consolidated, which items tell the opposite: a model,
    or None, their words."""

    writer: str | None = None
    judge: str = ORACLE
    contradictions: str | None = None


class EvolveSpec(SpecPart):
    """One evolution.

    Args:
        arms: by name. Those of one stream do the same tasks in the same order.
        streams: orders of the tasks. What memory learns depends on all that came before: one stream is one
            observation of it.
        split: whose tasks: a bank that grew on `train` may be put on trial on the others.
        tasks: how many of them a stream has; None: all.
        bank: of every arm; in a file, the path of a YAML in document 003's form takes its place.
        calls_a_task: requests of the agent for one task, over all its tries, at most; None: no such limit.
        train: the writer is shown the right answers, which is for training alone; it stands in the manifest.
    """

    name: str = Field("evolution", pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=100)
    question: str = "Does a memory that grows task by task help with the tasks that come later?"
    seed: int = Field(0, ge=0, lt=2**63)
    environment: Environment
    agent: str = "react"
    backbone: tuple[str, ...] = Field(min_length=1)
    roles: EvolveRoles = EvolveRoles()
    bank: BankPart = BankPart()
    embedder: str = Field("hashing", pattern=EMBEDDER)
    arms: dict[Named, EvolveArm]
    streams: int = Field(20, ge=1, le=10_000)
    split: Split = "test"
    tasks: int | None = Field(None, ge=1)
    calls_a_task: int | None = Field(None, ge=1)
    train: bool = False
    sampling: SamplingByRole = SamplingByRole()
    budget: BudgetSpec = BudgetSpec()
    engine: EngineSpec = EngineSpec()
    display: Annotated[Literal["full", "plain", "log", "none"], Field()] = "full"

    @model_validator(mode="before")
    @classmethod
    def _as_configured(cls, raw: Any) -> Any:
        return fill_from_config(raw) if isinstance(raw, Mapping) else raw

    @field_validator("backbone", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("arms")
    @classmethod
    def _arms_are_compared(cls, arms: dict[str, EvolveArm]) -> dict[str, EvolveArm]:
        if len(arms) < 2:
            raise ValueError(f"two arms at least are needed, to be compared; got {', '.join(arms) or 'none'}")
        return arms

    @field_validator("engine")
    @classmethod
    def _tasks_have_an_order(cls, engine: EngineSpec) -> EngineSpec:
        if (engine.processes or 1) > 1:
            raise ValueError(
                f"in an evolution each task is shown what came before; got processes: {engine.processes};"
                " leave it out"
            )
        return engine

    def as_run(self) -> Spec:
        """The spec of a run with the same parts, by which models, keys, prices and files are checked.

        Raises:
            ValidationError: a part does not fit.
        """
        roles: dict[str, Any] = {"condenser": self.roles.writer}
        if self.roles.judge != ORACLE:
            roles["grader"] = self.roles.judge
        if self.roles.contradictions is not None:
            roles["judge"] = self.roles.contradictions
        return Spec.model_validate(
            {
                "name": self.name,
                "seed": self.seed,
                "environment": self.environment.model_dump(),
                "agent": self.agent,
                "backbone": self.backbone,
                "roles": roles,
                "arms": ["none", {"name": "evolved", "memory": "bank"}],
                "conditions": ["filler"],
                "retrieval": {"embedder": self.embedder},
                "sampling": self.sampling.model_dump(),
                "budget": self.budget.model_dump(),
                "engine": self.engine.model_dump(),
                "display": self.display,
            }
        )


def load_evolve(path: Path) -> EvolveSpec:
    """The spec of a file; SpecFault, in one line, where it cannot be read or does not fit."""
    raw = read_yaml(text_of(path, NEEDED, SpecFault, MOST_BYTES), str(path))
    if not isinstance(raw, dict):
        raise SpecFault(f"a spec is a YAML mapping; {path} holds something else")
    raw.setdefault("name", path.stem)
    if isinstance(bank := raw.get("bank"), str):
        raw["bank"] = {"config": read_config_file(Path(bank)).model_dump()}
    try:
        spec = EvolveSpec.model_validate(raw)
        spec.as_run()
    except ValidationError as fault:
        # the keys of an evolution are its own
        raise SpecFault(first_of(fault, str(path), {}).replace(LISTED, KEYS)) from fault
    return spec
