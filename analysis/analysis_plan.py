"""The plan of an analysis: what is compared and by which rules, fixed before the first score is seen."""

from dataclasses import dataclass

from memtrial.outcomes.outcomes import Cell
from memtrial.outcomes.reserved_names import INSTRUCTED, MEANING, ORACLE, PLACEBO


@dataclass(frozen=True, slots=True)
class AnalysisPlan:
    """Everything that a verdict depends on, apart from the outcomes.

    Args:
        arms: arms with memory, the positive control among them; `none` is understood.
        conditions: what is done to the slot, without `intact`; `first+second` where one thing is done after
            another, `instructed` where the agent is told to follow its items.
        pairs: (treatment, control) arms whose drops are compared.
        primary: the conditions whose contrasts are the hypotheses: a family of their own, so that a secondary
            contrast changes none of their p-values. Empty: all of them.
        margin: smallest effect that matters, in points of score, for every estimand.
        alpha: error rate, two-sided for effects and one-sided for equivalence; intervals hold 1 - alpha.
        flips: random sign vectors where enumeration is too long; `seed` is theirs.
        positive_control: the arm whose memory is known to hold the answer; None or no arm of `arms`: none.
        effects: what some of the conditions do to a memory: `meaning`, `removal` or another word.
        placebo: the perturbation that rewords and keeps the meaning.
        factors, levels: names of factors, and the level of each in some of the arms, fully crossed.
        draws: banks of each condenser. With two or more, the trials of one repeat share a bank.
        cells: (arm, condition) to be played; empty: every arm under every condition.

    Raises:
        ValueError: a number out of range.
    """

    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    primary: tuple[str, ...] = ()
    margin: float = 0.10
    alpha: float = 0.05
    flips: int = 9_999
    seed: int = 0
    positive_control: str | None = ORACLE
    effects: tuple[tuple[str, str], ...] = ()
    placebo: str = PLACEBO
    factors: tuple[str, ...] = ()
    levels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    draws: int = 1
    cells: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 < self.margin < 1.0:
            raise ValueError(f"margin is a share of the score between 0 and 1, got {self.margin!r}")
        if not 0.0 < self.alpha < 0.5:
            raise ValueError(f"alpha lies between 0 and 0.5, got {self.alpha!r}")
        if self.flips < 1:
            raise ValueError(f"at least one sign vector has to be drawn, got flips={self.flips!r}")

    @property
    def damages(self) -> tuple[str, ...]:
        """The conditions that are one kind of damage to the arm's own memory, the placebo among them."""
        return tuple(name for name in self.conditions if "+" not in name and name != INSTRUCTED)

    @property
    def semantic(self) -> tuple[str, ...]:
        """The conditions that change what the text says: under these the positive control has to drop."""
        return tuple(name for name, effect in self.effects if effect == MEANING)

    @property
    def floor(self) -> float:
        """An intact score at or below this leaves no room for a drop that could be told from none."""
        return 2 * self.margin
