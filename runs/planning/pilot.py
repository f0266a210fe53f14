"""What a pilot run measured: outcomes, and the tokens of its trials and preparation, for another spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from loadbearing.arms.arm import NONE
from loadbearing.ledger.calls import Spending, spending
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.models.client.client import BATCHED
from loadbearing.models.client.prices import PriceTable
from loadbearing.models.client.types import Reply
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.folder.repair import alarm_of
from loadbearing.runs.planning.cost import NOTHING, UNKNOWN, Range
from loadbearing.runs.plugins.load import asks
from loadbearing.runs.prepare.trajectories import COLLECT
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run measured.

    Args:
        plan: as it was stated before the first trial.
        rows: its trials, errors among them.
        prepared: by purpose, the calls before and between the trials, all together.
        sources: trajectories that memories were made of, all backbones together.
    """

    plan: RunPlan
    rows: tuple[TrialRow, ...]
    prepared: Mapping[str, Reply]
    sources: int

    def trial_usd(self, arm: str, model: str, prices: PriceTable) -> Range | None:
        """What one trial of an arm costs with this model: as all others do where it was not played."""
        played = [row for row in self.rows if row.status != "error"]
        own = [row for row in played if row.arm == arm]
        return from_pilot(map(_tokens, own or [row for row in played if row.arm != NONE]), model, prices)

    def preparation(self, experiment: Experiment, n_train: int, n_test: int) -> Range | None:
        """What preparing costs, all backbones together; None where the pilot prepared otherwise."""
        spec, design, stream = experiment.spec, experiment.design, experiment.spec.mode == "stream"
        makers = {one: one for one in design.memories}
        if stream:  # each arm condenses for itself
            makers = {arm.name: arm.memory for arm in design.arms}
        asking = {name for name, one in spec.condensers.items() if asks(one.kind)}
        needed = {f"condense {name}" for name, memory in makers.items() if memory in asking}
        if not stream and spec.traces.source != "import" and (design.memories or design.systems):
            needed.add(COLLECT)
        if spec.mode != self.plan.mode or not self.sources or not self.prepared.keys() >= needed:
            return None
        names = makers.keys() | {arm.name for arm in design.arms}
        whole, sources = NOTHING, n_test * spec.repeats if stream else n_train
        for purpose, tokens in self.prepared.items():
            verb, _, name = purpose.partition(" ")
            if name not in names and purpose not in needed:
                continue
            # only what condenses and judges is done anew for each bank
            condenses = verb in BATCHED
            times = sources / self.sources * (design.draws / self.plan.draws if condenses else 1)
            for backbone in spec.backbone:
                model = spec.roles.condenser or backbone
                if purpose == COLLECT:
                    model = spec.traces.player or backbone
                elif verb == "gate":
                    model = gate_model(model, spec.roles.gate)
                usd = experiment.prices.usd(model, replace(tokens, batched=spec.engine.batch and condenses))
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
        rows, plan = tuple(ledger.trials()), plan_in_force(ledger)
        traces = sum(len(ledger.traces(backbone)) for backbone in plan.backbones) if plan else 0
        spent = spending(ledger.connection)
    if plan is None or all(row.status == "error" for row in rows):
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    blocks = {(row.backbone, row.task, row.repeat) for row in rows}
    prepared = {one.purpose: _tokens(one) for one in spent if one.purpose not in ("play", "")}
    return Pilot(plan, rows, prepared, len(blocks) if plan.mode == "stream" else traces)


def from_pilot(measured: Iterable[Reply], model: str, prices: PriceTable) -> Range | None:
    """What one trial costs, from trials of the same arm in a pilot run, each as the sum of its calls.

    Likely is their mean, low and high are two standard errors away. None without a trial.
    """
    costs = [prices.usd(model, one) for one in measured]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return UNKNOWN
    if not known:
        return None
    mean = fmean(known)
    reach = 2 * stdev(known) / sqrt(len(known)) if len(known) > 1 else mean
    return Range(max(0.0, mean - reach), mean, mean + reach)


def _tokens(one: TrialRow | Spending) -> Reply:
    read, written = one.cache_read_tokens, one.cache_write_tokens
    tokens = (one.input_tokens, one.output_tokens)
    return Reply("", *tokens, "", cache_read_tokens=read, cache_write_tokens=written)
