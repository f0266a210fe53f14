"""The spec: everything a run is, as a frozen value.

Unknown keys are errors. Every field has a default except environment, backbone and arms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from memtrial.arms.arm import NONE, OF_THE_WORLD, STANDARD
from memtrial.commands.command_spec import CommandSpec, read_command
from memtrial.outcomes.reserved_names import INTACT, PLACEBO, WITHOUT
from memtrial.perturbations.composite import JOINT, compose
from memtrial.perturbations.damage_contract import ODDITY
from memtrial.perturbations.kinds import ALL as PERTURBATIONS
from memtrial.perturbations.kinds import NAMED
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_book import RULES
from memtrial.plugins.elsewhere_agent import ELSEWHERE
from memtrial.plugins.own_agent import SHIPPED as SHIPPED_AGENTS
from memtrial.plugins.plugin_names import is_plugin, settled_names
from memtrial.runs.spec.arm_spec import GIVEN, ArmSpec
from memtrial.runs.spec.condenser_factors import CondenserSpec, misfit
from memtrial.runs.spec.damage_writers import is_written, real_backbone
from memtrial.runs.spec.environment import Environment, GivenSpec
from memtrial.runs.spec.sampling import SamplingByRole
from memtrial.runs.spec.sections import (
    AblationSpec,
    AnalysisSpec,
    BudgetSpec,
    ControlSpec,
    DecisionSpec,
    EngineSpec,
    GradingSpec,
    RetrievalSpec,
    ReviewSpec,
    RolesSpec,
    SpecPart,
    TracesSpec,
)

PRIMARY = ("corrupt_invert", "irrelevant_swap", "counter")
AGENTS = tuple(agent.name for agent in SHIPPED_AGENTS)
KINDS = tuple(kind.name for kind in NAMED if kind.name != WITHOUT)


Named = Annotated[str, Field(pattern=r"^[\w·.+-]+$", max_length=100)]
"""What stands in tables, and in the names of files."""


class Spec(SpecPart):
    """One experiment.

    Args:
        agent: who plays: `react`, `direct`, `choice`, which takes one of the listed actions, or your own as
            `path/to/module.py:Object`, with arguments `{agent: module.py:Object, settings: {k: 1}}`, or a
            command in any language, `{command: "node agent.js {task_file}", outcome: exit}`; or `elsewhere`,
            a harness of yours, which gets the slots.
        mode: `frozen`: banks are made from the training tasks and stay as they are. `stream`: each arm's bank
            grows test task by test task from what the arm itself did.
        cue: the line above the items: ours, or upstream's from the checkout that `control` names.
        tuned: files that `memtrial tune` wrote; each takes the place of the instruction it was tuned from.
        conditions: kinds of damage, your own as `path/to/module.py:Object`, or with arguments
            `{condition: module.py:Object, settings: {k: 1}}`; `instructed`; `oddity+KIND`, the
            oddity placebo of a kind; and `instructed+KIND`.
        review: `blind` hides the gates' findings from people who review drafts.
        draws: banks of each condenser. `repeat`: each repeat shows a bank of its own, condensed anew from the
            same trajectories, so that what is said holds for the condenser and not for one bank (STATISTICS
            0b.5). `one`: all repeats show the same bank. Unless named: `repeat` where a condenser asks a
            model.
        leakage: a memory that holds a test task's text, answer or ground truth, or a record of the task
            itself, is refused; `count` plays all the same and says so. In mode stream, what an agent repeats
            of its memory is cut out of what is condensed; `count` leaves it in.
    """

    name: str = Field("experiment", pattern=r"^[A-Za-z0-9][\w.-]*$", max_length=100)
    question: str = "Does the content of condensed memory carry weight in what the agent does next?"
    seed: int = Field(0, ge=0, lt=2**63)
    environment: Environment
    agent: str | CommandSpec = "react"
    backbone: tuple[str, ...]
    mode: Literal["frozen", "stream"] = "frozen"
    cue: Literal["ours", "upstream"] = "ours"
    roles: RolesSpec = RolesSpec()
    traces: TracesSpec = TracesSpec()
    tuned: tuple[Path, ...] = ()
    control: ControlSpec = ControlSpec()
    condensers: dict[Named, CondenserSpec] = Field(
        default_factory=lambda: {kind: CondenserSpec(kind=kind) for kind in ("native", "theory", "raw")}
    )
    arms: tuple[str | ArmSpec, ...] = Field(min_length=1)
    conditions: tuple[str, ...] = (*PRIMARY, PLACEBO, f"{ODDITY}+{PRIMARY[0]}")
    repeats: int = Field(3, ge=1, le=1000)
    draws: Literal["one", "repeat"] | None = None
    sampling: SamplingByRole = SamplingByRole()
    review: ReviewSpec = ReviewSpec()
    leakage: Literal["refuse", "count"] = "refuse"
    retrieval: RetrievalSpec = RetrievalSpec()
    decision: DecisionSpec = DecisionSpec()
    grading: GradingSpec = GradingSpec()
    ablation: AblationSpec | None = None
    analysis: AnalysisSpec = AnalysisSpec()
    budget: BudgetSpec = BudgetSpec()
    engine: EngineSpec = EngineSpec()
    display: Literal["full", "plain", "log", "none"] = "full"

    @field_validator("agent", mode="before")
    @classmethod
    def _settled_agent(cls, value: object) -> object:
        if isinstance(value, Mapping) and "command" in value:
            return read_command(value)
        return settled_names([value], "agent")[0]

    @field_validator("agent")
    @classmethod
    def _known_agent(cls, value: str | CommandSpec) -> str | CommandSpec:
        if isinstance(value, CommandSpec):
            return value
        if not is_plugin(value) and value not in (*AGENTS, ELSEWHERE, GIVEN):
            there = ", ".join((*AGENTS, ELSEWHERE))
            raise ValueError(f"no agent is named {value!r}; there are {there}, or path/to/module.py:Object")
        return value

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

    @field_validator("conditions", mode="before")
    @classmethod
    def _settled_conditions(cls, value: object) -> object:
        return settled_names(value, "condition")

    @field_validator("conditions")
    @classmethod
    def _known_conditions(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        plain = {name for name in value if not is_plugin(name)}
        joint = sorted(name for name in plain if JOINT in name)
        for name in joint:
            compose(name, PERTURBATIONS)
        unknown = sorted(plain - {*joint, *KINDS, WITHOUT, INTACT})
        if unknown:
            raise ValueError(f"no perturbation is named {', '.join(unknown)}; there are {', '.join(KINDS)}")
        if len(set(value)) < len(value):
            raise ValueError(f"each condition once; got {list(value)}")
        return value

    @field_validator("arms")
    @classmethod
    def _known_arms(cls, arms: tuple[str | ArmSpec, ...]) -> tuple[str | ArmSpec, ...]:
        standard = {arm.name for arm in STANDARD} | {NONE}
        names = [arm if isinstance(arm, str) else arm.name for arm in arms]
        if len(set(names)) < len(names):
            raise ValueError(f"each arm needs a name of its own; got {names}")
        for arm in arms:
            if isinstance(arm, str) and arm not in standard:
                there = ", ".join(sorted(standard))
                raise ValueError(f"no arm is named {arm!r}; the standard ones are {there}")
            if isinstance(arm, ArmSpec) and arm.name in standard:
                raise ValueError(f"{arm.name!r} is a standard arm; give yours another name")
        return arms

    @model_validator(mode="after")
    def _parts_fit(self) -> Spec:
        if wrong := next(self._misfits(), ""):
            raise ValueError(wrong)
        return self

    def _misfits(self) -> Iterator[str]:
        """What does not fit together, in sentences."""
        primary = self.analysis.primary or ()
        if len(set(primary)) < len(primary):
            yield f"analysis.primary takes each condition once; got {list(primary)}"
        if missing := sorted(set(primary) - set(self.perturbations)):
            having = list(self.perturbations)
            yield f"analysis.primary names {', '.join(missing)}; the run damages by {having}"
        for name in (kind for kind in self.perturbations if JOINT in kind):
            first, _, second = name.partition(JOINT)
            against = second if first == ODDITY else first
            if against not in self.conditions:
                yield f"condition {name} is read against {against}; name that as well"
        if taken := [name for name in OF_THE_WORLD if name in self.condensers]:
            yield f"no condenser can be named {taken[0]!r}: that is the world's own memory"
        if wrong := misfit(self.condensers):
            yield wrong
        if self.mode == "stream" and any(condenser.like for condenser in self.condensers.values()):
            yield "mode: stream has other traces in each arm, so no condenser follows another"
        if self.ablation is not None:
            arms = {arm if isinstance(arm, str) else arm.name for arm in self.arms}
            on = {name for names in self.ablation.subsets.values() for name in names}
            if not (self.ablation.subsets.keys() <= arms and on <= self.ablation.factors.keys()):
                yield "ablation.subsets needs arms of the spec, and factors of ablation.factors"
        if self.cue == "upstream" and self.control.source is None and self.control.cue_source is None:
            yield "cue: upstream is read from your checkout; name it as control.source"
        asking = [arm.name for arm in self.arms if isinstance(arm, ArmSpec) and arm.discuss]
        if asking and self.cue == "upstream":
            yield (
                f"arm {asking[0]!r}: discuss needs cue: ours; got cue: upstream, which asks that of every arm"
            )
        if self.retrieval.leave_out == "template" and self.traces.source == "import":
            yield "retrieval.leave_out: template cannot go with imported traces, which name none"
        if self.mode == "stream" and self.traces.source != "play":
            yield "mode: stream makes its memory from its own trials; leave traces.source out"
        if self.mode == "stream" and self.roles.judge is not None:
            yield "roles.judge reads slots before the first trial; with mode: stream leave it out"
        if self.mode == "stream" and self.roles.grader is not None:
            yield "roles.grader needs mode: frozen; mode: stream remembers what the world said"
        if isinstance(self.environment, GivenSpec):
            yield from self._misfits_of_given()
        if isinstance(self.agent, CommandSpec):
            yield from self._misfits_of_told("agent.command does", "a command gets")
        if self.agent == ELSEWHERE:
            yield from self._misfits_of_told("agent: elsewhere does", "an agent elsewhere gets")
        if self.roles.grader is not None and self.analysis.outcome == "score":
            yield "roles.grader says success or failure; got analysis.outcome: score; use success"
        if self.mode == "stream" and any(
            condenser.review == "human" for condenser in self.condensers.values()
        ):
            yield "review: human waits before the first trial; with mode: stream leave it out"
        if self.mode == "stream" and self.analysis.looks > 1:
            yield "analysis.looks need a lock, and mode: stream cannot be locked; leave looks out"
        if self.mode == "stream" and self.draws == "repeat":
            yield "mode: stream grows every arm's bank anew in each repeat; leave draws out"
        far = [arm.name for arm in self.arms if isinstance(arm, ArmSpec) and arm.reach == "bank"]
        if far and self.mode == "stream":
            yield (
                f"arm {far[0]!r}: reach: bank needs a bank that is whole before the first trial; got mode:"
                " stream, where it grows; use reach: retrieved"
            )
        asked = self.roles.perturber if self.roles.perturber != RULES else None
        if far and (self.roles.judge or asked):
            yield (
                f"arm {far[0]!r}: roles.judge and roles.perturber read what a task is shown; got reach: bank,"
                " where that is the whole bank; leave them out, or use reach: retrieved"
            )
        if asked is None:
            return
        if self.mode == "stream":
            yield "roles.perturber writes before the first trial; with mode: stream leave it out"
        if self.roles.judge is None and real_backbone(self.backbone) is None:
            yield "roles.perturber needs a second reader; got no roles.judge; name one, or leave it out"
        if not is_written(self.conditions):
            having = list(self.conditions)
            yield f"roles.perturber writes {', '.join(CLAIMS)}; conditions has {having}; leave it out"

    def _misfits_of_given(self) -> Iterator[str]:
        """What given tasks cannot do: they are no world to act in, and teach nothing."""
        if self.agent in AGENTS:
            yield (
                f"world: given is scored by its agent; got agent: {self.agent}, which scores nothing; name"
                " yours as path/to/module.py:Object"
            )
        if self.mode == "stream":
            yield "world: given has no course of its own to remember; use mode: frozen"
        named = [arm if isinstance(arm, str) else arm.condenser for arm in self.arms]
        if made := [name for name in named if name not in (None, NONE)]:
            yield (
                f"world: given has no training tasks to make memory from, as arm {made[0]!r} needs; give an"
                " arm its memory: notes.md, or path/to/module.py:Object"
            )

    def _misfits_of_told(self, does: str, gets: str) -> Iterator[str]:
        """What an agent cannot do that acts in no world of ours, and is told its memory once."""
        if not isinstance(self.environment, GivenSpec):
            yield (
                f"{does} tasks of yours; got another world; use environment: {{world: given, tasks:"
                " tasks.jsonl}"
            )
        for arm in self.arms:
            if isinstance(arm, ArmSpec) and arm.injection != "prepend":
                yield (
                    f"arm {arm.name!r}: {gets} its memory once, before it starts; got injection:"
                    f" {arm.injection}; use prepend"
                )

    @property
    def primary(self) -> tuple[str, ...]:
        """The conditions whose contrasts are the hypotheses, a family of their own."""
        asked = self.analysis.primary
        return asked if asked is not None else tuple(name for name in PRIMARY if name in self.conditions)

    @property
    def perturbations(self) -> tuple[str, ...]:
        """The conditions that damage the slot, in the order given. `without` and `intact` always run."""
        return tuple(name for name in self.conditions if name not in (WITHOUT, INTACT))
