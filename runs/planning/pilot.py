"""What a pilot run measured: the tokens of its trials and of its preparation, priced for another spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from loadbearing.arms.arm import NONE
from loadbearing.ledger.calls import Spending, spending
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.models.client.client import BATCHED
from loadbearing.models.client.types import Reply
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.repair import alarm_of
from loadbearing.runs.planning.cost import NOTHING, Range, from_pilot
from loadbearing.runs.prepare.trajectories import COLLECT
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run measured.

    Args:
        mode: of the run; what is prepared differs between the two.
        trials: by arm, each as the sum of its calls.
        prepared: by purpose, the calls before and between the trials, all together.
        sources: trajectories that memories were made of, all backbones together.
        plan: as it was stated before the first trial.
        draws: banks of each condenser that asks a model.
        rows: its trials, errors among them.
    """

    mode: str
    trials: Mapping[str, tuple[Reply, ...]]
    prepared: Mapping[str, Reply]
    sources: int
    plan: RunPlan
    draws: int = 1
    rows: tuple[TrialRow, ...] = ()

    def of(self, arm: str, model: str, experiment: Experiment) -> Range | None:
        """What one trial of an arm costs with this model; an arm the pilot has not is like all its others."""
        others = [one for name, rows in self.trials.items() if name != NONE for one in rows]
        own = self.trials.get(arm) or others
        return from_pilot(own, model, experiment.prices)

    def preparation(self, experiment: Experiment, n_train: int, n_test: int) -> Range | None:
        """What preparing costs, all backbones together; None where the pilot has not prepared the like."""
        spec = experiment.spec
        if spec.mode != self.mode or not self.sources or not self._names() >= _wanted(experiment):
            return None
        n = n_test * spec.repeats if spec.mode == "stream" else n_train
        whole = NOTHING
        for backbone in spec.backbone:
            for purpose, tokens in self.prepared.items():
                if not _has(experiment, purpose):
                    continue
                batched = spec.engine.batch and purpose.startswith(BATCHED)
                model = _model(spec, backbone, purpose)
                usd = experiment.prices.usd(model, replace(tokens, batched=batched))
                # only what condenses and judges is done anew for each bank
                times = experiment.design.draws / self.draws if purpose.startswith(BATCHED) else 1
                whole += Range(usd, usd, usd).times(n / self.sources * times)
        return whole

    def _names(self) -> set[str]:
        return {name for name in self.prepared if not name.startswith("gate")}


def _wanted(experiment: Experiment) -> set[str]:
    """Purposes of the preparation that a pilot has to know."""
    spec, design = experiment.spec, experiment.design
    asking = {name for name, one in spec.condensers.items() if one.kind not in ("nothing", "raw")}
    if spec.mode == "stream":
        return {f"condense {arm.name}" for arm in design.arms if arm.memory in asking}
    wanted = {f"condense {name}" for name in design.memories if name in asking}
    played = spec.traces.source != "import" and (design.memories or design.systems)
    return wanted | ({COLLECT} if played else set())


def _has(experiment: Experiment, purpose: str) -> bool:
    """This spec asks for the like as well."""
    spec, design = experiment.spec, experiment.design
    if purpose == COLLECT:
        return spec.mode == "frozen" and spec.traces.source != "import"
    names = {arm.name for arm in design.arms}
    return purpose.partition(" ")[2] in (names if spec.mode == "stream" else names | set(design.memories))


def _model(spec: Spec, backbone: str, purpose: str) -> str:
    """Who is asked for this purpose."""
    condenser = spec.roles.condenser or backbone
    if purpose == COLLECT:
        return spec.traces.player or backbone
    return gate_model(condenser, spec.roles.gate) if purpose.startswith("gate") else condenser


def read_pilot(named: Path) -> Pilot:
    """The trials of a run folder.

    Raises:
        SpecFault: there is no such run, it has played nothing, or rows of it were changed.
    """
    with reading(named) as (folder, ledger):
        if alarm := alarm_of(ledger.damage):
            raise SpecFault(f"--pilot needs a run that is whole; {folder}: {alarm}")
        by_arm: dict[str, list[Reply]] = {}
        blocks = set()
        rows = tuple(ledger.trials())
        for row in rows:
            blocks.add((row.backbone, row.task, row.repeat))
            if row.status != "error":
                by_arm.setdefault(row.arm, []).append(
                    Reply(
                        "",
                        row.input_tokens,
                        row.output_tokens,
                        row.backbone,
                        cache_read_tokens=row.cache_read_tokens,
                        cache_write_tokens=row.cache_write_tokens,
                    )
                )
        plan = plan_in_force(ledger)
        traces = sum(len(ledger.traces(backbone)) for backbone in plan.backbones) if plan else 0
        other = [one for one in spending(ledger.connection) if one.purpose not in ("play", "")]
    if not by_arm or plan is None:
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    return Pilot(
        mode=plan.mode,
        trials={arm: tuple(rows) for arm, rows in by_arm.items()},
        prepared={one.purpose: _sum(one) for one in other},
        sources=len(blocks) if plan.mode == "stream" else traces,
        draws=plan.draws,
        rows=rows,
        plan=plan,
    )


def _sum(one: Spending) -> Reply:
    return Reply(
        "",
        one.input_tokens,
        one.output_tokens,
        "",
        cache_read_tokens=one.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens,
    )
