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
        plan: of the run, as it was stated before the first trial.
    """

    mode: str
    trials: Mapping[str, tuple[Reply, ...]]
    prepared: Mapping[str, Reply]
    sources: int
    plan: RunPlan
    draws: int = 1
    rows: tuple[TrialRow, ...] = ()

    def of(self, arm: str, model: str, experiment: Experiment) -> Range | None:
        """What one trial of an arm costs with this model: as all others do where it was not played."""
        others = [one for name, rows in self.trials.items() if name != NONE for one in rows]
        own = self.trials.get(arm) or others
        return from_pilot(own, model, experiment.prices)

    def preparation(self, experiment: Experiment, n_train: int, n_test: int) -> Range | None:
        """What preparing costs, all backbones together; None where the pilot prepared otherwise."""
        spec, design = experiment.spec, experiment.design
        stream, names = spec.mode == "stream", {arm.name for arm in design.arms}
        asking = {name for name, one in spec.condensers.items() if one.kind not in ("nothing", "raw")}
        makers = (
            {arm.name: arm.memory for arm in design.arms} if stream else {one: one for one in design.memories}
        )
        needed = {f"condense {name}" for name, memory in makers.items() if memory in asking}
        collects = not stream and spec.traces.source != "import" and bool(design.memories or design.systems)
        if spec.mode != self.mode or not self.sources:
            return None
        if not self.prepared.keys() >= needed | ({COLLECT} if collects else set()):
            return None
        sources, whole = n_test * spec.repeats if stream else n_train, NOTHING
        for purpose, tokens in self.prepared.items():
            verb, _, name = purpose.partition(" ")
            if name not in names | makers.keys() and not (collects and purpose == COLLECT):
                continue
            condenses = purpose.startswith(BATCHED)
            # only what condenses and judges is done anew for each bank
            times = sources / self.sources * (design.draws / self.draws if condenses else 1)
            for backbone in spec.backbone:
                model = spec.roles.condenser or backbone
                if purpose == COLLECT:
                    model = spec.traces.player or backbone
                elif verb == "gate":
                    model = gate_model(model, spec.roles.gate)
                asked = replace(tokens, batched=spec.engine.batch and condenses)
                usd = experiment.prices.usd(model, asked)
                whole += Range(usd, usd, usd).times(times)
        return whole


def read_pilot(named: Path) -> Pilot:
    """The trials of a run folder.

    Raises:
        SpecFault: there is no such run, it has played nothing, or rows of it were changed.
    """
    with reading(named) as (folder, ledger):
        if alarm := alarm_of(ledger.damage):
            raise SpecFault(f"--pilot needs a run that is whole; {folder}: {alarm}")
        rows = tuple(ledger.trials())
        plan = plan_in_force(ledger)
        traces = sum(len(ledger.traces(backbone)) for backbone in plan.backbones) if plan else 0
        other = [one for one in spending(ledger.connection) if one.purpose not in ("play", "")]
    by_arm: dict[str, list[Reply]] = {}
    for row in rows:
        if row.status != "error":
            by_arm.setdefault(row.arm, []).append(_tokens(row))
    if not by_arm or plan is None:
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    blocks = {(row.backbone, row.task, row.repeat) for row in rows}
    return Pilot(
        mode=plan.mode,
        trials={arm: tuple(played) for arm, played in by_arm.items()},
        prepared={one.purpose: _tokens(one) for one in other},
        sources=len(blocks) if plan.mode == "stream" else traces,
        draws=plan.draws,
        rows=rows,
        plan=plan,
    )


def _tokens(one: TrialRow | Spending) -> Reply:
    return Reply(
        "",
        one.input_tokens,
        one.output_tokens,
        "",
        cache_read_tokens=one.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens,
    )
