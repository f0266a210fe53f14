"""What an ablation of gates found: effects, costs, and what the subsets had in common."""

from memtrial.analysis.estimands.subset_effects import Outcome, Told
from memtrial.analysis.failures.shares import MODES, Mode
from memtrial.result_record import ResultRecord


class GateEffect(ResultRecord):
    """The effect of a factor, or an interaction of two, on one outcome: a row of `effects`."""

    gate: str
    """The factor, a gate or a group of gates; `A × B`: an interaction."""
    factors: tuple[str, ...]
    backbone: str
    outcome: Outcome | Mode
    """A failure mode: its rate per task that is solved without memory, of intact trials."""
    condition: str
    """The damage; `without` for the utility, `intact` for a failure mode."""
    n_tasks: int
    n_clusters: int
    effect: float | None
    low: float | None
    """Of an interval that holds together with those of all other effects."""
    high: float | None
    p: float | None
    p_adjusted: float | None
    shapley: float | None
    """None where the design does not tell it, and of interactions."""
    shapley_low: float | None
    shapley_high: float | None
    unchanged: bool
    """No task differs. The interval says what that many tasks cannot rule out."""
    detectable: float | None = None
    """The size from which on an effect has 80 % power to be seen here; None without an interval, and of
    results written before."""
    calls_per_point: float | None = None
    """The gate's calls in this run for each percentage point of the effect; None where it is not above 0."""
    calls_per_point_low: float | None = None
    calls_per_point_high: float | None = None
    """None where the interval reaches 0: infinite."""

    @property
    def of_mode(self) -> bool:
        """The outcome is the rate of a failure mode; such effects are a family of their own."""
        return self.outcome in MODES

    @property
    def away(self) -> bool:
        """The interval leaves 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class GateCost(ResultRecord):
    """The answered calls of one gate, each counted once, and what it found in the drafts."""

    gate: str
    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """None where a price is unknown."""
    drafts: int
    """Different drafts that it judged, by rule or by model."""
    hits: int
    """Those in which it found something: WARN or FAIL."""
    hits_per_1000_calls: float | None
    hits_per_usd: float | None


class SharedBanks(ResultRecord):
    """How many of the banks were the same, and what that saved."""

    banks: int
    """Of all subsets, draws and backbones."""
    different: int
    episodes: int
    """Trials of the ablation's arms that were played, or shared the episode of another."""
    shared: int
    """Those that were not played, because a cell of the same block had the same prompts."""


class Ablation(ResultRecord):
    """The key `ablation` of the results."""

    told: Told
    factors: dict[str, tuple[str, ...]]
    """The gates that each switches."""
    subsets: dict[str, tuple[str, ...]]
    """The factors that are on, by arm."""
    effects: tuple[GateEffect, ...]
    cost: dict[str, GateCost]
    """By gate."""
    gate_calls: int
    """All calls of gates in the ledger; those of `cost` add up to them."""
    sharing: SharedBanks
    notes: tuple[str, ...]
