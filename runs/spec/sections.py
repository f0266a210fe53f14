"""The parts of a spec, each a frozen value. Unknown keys are errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memtrial.agents.trajectory_views import View
from memtrial.analysis_rules import MOST_FLIPS, STANDARD_RULES, AnalysisRules
from memtrial.models.client.limits import MAX_REPLY_BYTES
from memtrial.plugins.plugin_names import with_settings


class SpecPart(BaseModel):
    """A frozen piece of a spec."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _no_yes_for_a_number(cls, raw: Any) -> Any:
        """YAML reads `yes` and `on` as true, which pydantic would take for 1."""
        for key, value in raw.items() if isinstance(raw, dict) else ():
            field = cls.model_fields.get(key) if isinstance(key, str) else None
            kinds = () if field is None else (field.annotation, *get_args(field.annotation))
            if isinstance(value, bool) and {int, float} & set(kinds):
                raise ValueError(f"{key} is a number; got {str(value).lower()}")
        return raw


def settings_in(raw: Any, key: str, words: Sequence[str] = ()) -> Any:
    """The keys of a part with its `settings` in the name that stands under `key`; `words` are names that ship
    and take some."""
    if not isinstance(raw, dict) or "settings" not in raw:
        return raw
    return {name: value for name, value in raw.items() if name != "settings"} | {
        key: with_settings(raw.get(key), raw["settings"], words)
    }


class TracesSpec(SpecPart):
    """Where the condensers' trajectories come from; `view` is the part of each that they see: by default all
    of it, or what upstream's condenser saw where its verified prompts are the control.

    Training tasks are played without memory by `player` (default: the backbone) until solved, at most
    `attempts` times; `expert`: an `expert_share` of them are the world's own solutions; `import`: `path`.
    """

    source: Literal["play", "import", "expert"] = "play"
    path: Path | None = None
    player: str | None = None
    attempts: int = Field(1, ge=1, le=100)
    expert_share: float = Field(0.5, gt=0, le=1)
    view: View | None = None

    @model_validator(mode="after")
    def _path_with_import(self) -> TracesSpec:
        if (self.source == "import") != (self.path is not None):
            raise ValueError("traces.path goes with traces.source: import, and only with it")
        return self


class ControlSpec(SpecPart):
    """`source` is upstream's file of the native condenser's prompts; without it, our own wording is used.

    `cue_source` is upstream's file with the cue line, for `cue: upstream`; by default near `source`.
    """

    source: Path | None = None
    cue_source: Path | None = None


EMBEDDER = r"^(hashing|[\w.-]+/.+)$"


class RolesSpec(SpecPart):
    """Which model plays which role.

    Args:
        condenser: drafts and revises; by default the backbone.
        gate: answers the gates; by default the condenser's model (simulated/examiner for simulated/scribe).
        gate_calibration: what `gates regress --out` wrote of that judge. Without a fresh one its FAIL leads
            to a revision and drops nothing.
        judge: runs the decision check before the first trial: it says what a sample of slots advises, intact
            and damaged. Without a judge there is no check. It also reads what the perturber writes; for that,
            where no judge is named, the first backbone that is a real model.
        coder: codes the run's failures where `failures RUN` names nobody: a model, or `rules`.
        grader: judges whether an episode is a success, in the place of the world, and blind to the arm: a
            model, or `oracle`, the world itself.
        perturber: writes the damage of corrupt_invert, counter, paraphrase, corrupt_mask and
            oddity+corrupt_invert: a model, or `rules`. By default the first backbone that is neither
            simulated nor a replay, else rules. What a program and the judge accept is shown; for the rest
            what the rules give, and nothing of counter and paraphrase.
    """

    condenser: str | None = None
    gate: str | None = None
    gate_calibration: Path | None = None
    judge: str | None = None
    perturber: str | None = None
    coder: str | None = None
    grader: str | None = None


class GradingSpec(SpecPart):
    """How `roles.grader` is asked.

    Args:
        form: of its answer: JSON with a confidence, two lines (Thoughts, Status), or a single word.
        regrade: share of the episodes that are judged once more, and by another wording.
        oracle: the world's own outcome is recorded beside it, and the judge is held against that.
    """

    form: Literal["json", "lines", "substring"] = "json"
    regrade: float = Field(0.2, ge=0, le=1)
    oracle: bool = True


class DecisionSpec(SpecPart):
    """The decision check: `slots` tasks are checked for each backbone, arm and condition."""

    slots: int = Field(24, ge=1, le=10_000)


class ReviewSpec(SpecPart):
    """How people review drafts; `blind`: without the findings of the gates."""

    blind: bool = False


class RetrievalSpec(SpecPart):
    """What is shown for a task: items of the `k` records whose source query is nearest.

    Args:
        profile: `paper` sets unit to item and k to 3 (arXiv 2601.22436); other values of these are errors.
        unit: `record`: all items of these records; `item`: the `k` of their items nearest to the task.
        embedder: `hashing`, `openai/<model>` or another provider's.
    """

    profile: Literal["paper"] | None = None
    unit: Literal["record", "item"] = "record"
    k: int = Field(1, ge=1, le=100)
    key: Literal["query"] = "query"
    embedder: str = Field("hashing", pattern=EMBEDDER)
    leave_out: Literal["task", "template"] = "task"

    @model_validator(mode="before")
    @classmethod
    def _profile(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or raw.get("profile") != "paper":
            return raw
        wanted = {"unit": "item", "k": 3}
        other = sorted(key for key, value in wanted.items() if raw.get(key, value) != value)
        if other:
            raise ValueError(f"profile: paper sets {', '.join(other)} itself; leave that out")
        return raw | wanted


class AnalysisSpec(SpecPart):
    """The plan of the analysis, fixed before the first trial.

    Args:
        outcome: `success`, or `score` for the world's dense score.
        primary: the conditions whose contrasts are the hypotheses; by default those of corrupt_invert,
            irrelevant_swap and counter that the run has.
        pairs: (treatment, control); by default the standard ones.
        cluster: the unit of inference. Tasks that show the same record are correlated (STATISTICS 0c.5).
        looks: number of looks at the hypotheses, after equal numbers of tasks, the last at the end. Fixed by
            `memtrial lock`; by `stop`, a run may end at a look if all, or any, are decided.
    """

    margin: float = Field(STANDARD_RULES.margin, gt=0, lt=1)
    alpha: float = Field(STANDARD_RULES.alpha, gt=0, lt=0.5)
    flips: int = Field(STANDARD_RULES.flips, ge=199, le=MOST_FLIPS)
    outcome: Literal["success", "score"] = "success"
    primary: tuple[str, ...] | None = None
    pairs: tuple[tuple[str, str], ...] | None = None
    cluster: Literal["task", "record", "family"] = "record"
    looks: int = Field(1, ge=1, le=10)
    stop: Literal["all", "any"] = "all"

    def rules(self, seed: int) -> AnalysisRules:
        """The rules of the analysis, with the run's seed."""
        return AnalysisRules(self.margin, self.alpha, self.flips, seed)


class AblationSpec(SpecPart):
    """Arms whose condensers differ in their gates alone; `memtrial ablate` writes it.

    Args:
        factors: the gates that each switches, by its name.
        subsets: the factors that are on, by arm.
    """

    factors: dict[str, tuple[str, ...]]
    subsets: dict[str, tuple[str, ...]]


class PriceSpec(SpecPart):
    """Your own prices of a model, in US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(None, ge=0)
    cache_write: float | None = Field(None, ge=0)


class BudgetSpec(SpecPart):
    """What the run may spend, over all sessions; not part of its identity.

    Args:
        max_cost_usd: it stops after a balanced block, before it would spend more. Of a server of one's own,
            which has no price, no dollars are counted.
        max_calls: the same for requests that are sent, to whatever provider.
        max_hours: of all sessions; no block is begun after them, and those that are open are played to
            their end.
        allow_unknown_prices: any model without a price counts as free.
        prices: by model string; they override the built-in table.
    """

    max_cost_usd: float | None = Field(None, gt=0)
    max_calls: int | None = Field(None, ge=1)
    max_hours: float | None = Field(None, gt=0)
    allow_unknown_prices: bool = False
    prices: dict[str, PriceSpec] = Field(default_factory=dict)


class EngineSpec(SpecPart):
    """How the run is carried out; not part of its identity.

    Args:
        workers: episodes played in parallel, each in its own world. Default: three times the connections; 2
            if the world is a separate process; 1 if all models are simulated, or weights on this machine.
        max_connections: most parallel requests to one provider. Halved on a 429, then raised again.
        attempts: most times that one request is sent.
        call_timeout_s: seconds to wait for an answer to a request.
        first_wait_s: seconds before the second attempt if the provider names none; doubled each time.
        max_reply_bytes: limit for a reply or a vector; a larger one is an error, not retried.
        max_error_share: the run stops early when more of its trials than this are errors.
        processes: processes that damage memory and play trials, where models are simulated; rows are the same
            with any number. Default: as many as there are processors, where a run has so many trials that it
            is worth it; 1 with a world or an agent of your own.
        max_environments: worlds at a time, each in a process of its own, for worlds that take processor time;
            so many episodes are played at a time. A world that is a process anyway, as ScienceWorld, is only
            counted. Default: worlds compute in this process, between the calls to models; 2 where each is a
            process.
        attempts_together: begin all `traces.attempts` at a training task together, whichever succeeds; in a
            run that plays one episode at a time, as of simulated models, they come one after the other. With
            `false` none is begun after one that succeeded: the same trajectories, of fewer calls, later.
    """

    workers: int | None = Field(None, ge=1, le=1536)
    max_connections: int = Field(16, ge=1, le=512)
    attempts: int = Field(6, ge=1, le=20)
    call_timeout_s: float = Field(300, gt=0, le=3600)
    first_wait_s: float = Field(1.0, gt=0, le=60)
    max_reply_bytes: int = Field(MAX_REPLY_BYTES, ge=1024, le=64 * 1024 * 1024)
    max_error_share: float = Field(0.2, gt=0, le=1)
    processes: int | None = Field(None, ge=1, le=64)
    max_environments: int | None = Field(None, ge=1, le=64)
    attempts_together: bool = True
