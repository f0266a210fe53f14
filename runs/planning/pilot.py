"""What a pilot run measured: outcomes, and the tokens of its trials, for another spec."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

from loadbearing.arms.arm import NONE
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.models.client.prices import PriceTable
from loadbearing.models.client.types import Reply
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.open_run import alarm_of, reading
from loadbearing.runs.planning.cost import UNKNOWN, Range


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run measured.

    Args:
        plan: as it was stated before the first trial.
        rows: its trials, errors among them.
    """

    plan: RunPlan
    rows: tuple[TrialRow, ...]

    def trial_usd(self, arm: str, model: str, prices: PriceTable) -> Range | None:
        """What one trial of an arm costs with this model: as all others do where it was not played."""
        played = [row for row in self.rows if row.status != "error"]
        own = [row for row in played if row.arm == arm]
        return from_pilot(map(_tokens, own or [row for row in played if row.arm != NONE]), model, prices)


def read_pilot(named: Path) -> Pilot:
    """The trials of a run folder.

    Raises:
        SpecFault: there is no such run, it has played nothing, or rows of it were changed.
    """
    with reading(named) as (folder, ledger):
        if alarm := alarm_of(ledger.damage):
            raise SpecFault(f"--pilot needs a run that is whole; {folder}: {alarm}")
        rows, plan = tuple(ledger.trials()), plan_in_force(ledger)
    if plan is None or all(row.status == "error" for row in rows):
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    return Pilot(plan, rows)


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


def _tokens(one: TrialRow) -> Reply:
    read, written = one.cache_read_tokens, one.cache_write_tokens
    tokens = (one.input_tokens, one.output_tokens)
    return Reply("", *tokens, "", cache_read_tokens=read, cache_write_tokens=written)
