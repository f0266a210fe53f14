"""The plan of an analysis: what is compared and by which rules, fixed before the first score is seen."""

from dataclasses import dataclass

from memtrial.analysis_rules import STANDARD_RULES, AnalysisRules
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
        channel_pairs: (treatment, control) arms that show one memory by two injections (fork A). Compared as
            `pairs` are, in a secondary family that is tested after the hypotheses.
        primary: the conditions whose contrasts are the hypotheses: a family of their own, so that a secondary
            contrast changes none of their p-values. Empty: all of them.
        rules: margin, error rate, and the random sign vectors.
        positive_control: the arm whose memory is known to hold the answer; None or no arm of `arms`: none.
        effects: what some of the conditions do to a memory: `meaning`, `removal` or another word.
        placebo: the perturbation that rewords and keeps the meaning.
        factors: each with its levels, the one that others are held against first.
        levels: the level of each factor, by arm, of the arms that are compared by their factors.
        draws: banks of each condenser. With two or more, the trials of one repeat share a bank.
        cells: (arm, condition) to be played; empty: every arm under every condition.
        uneven: (treatment, control, condition) whose two arms were not damaged alike: such a contrast is no
            hypothesis, and stands among the others. Known from the texts, before any score.
        withheld: the arms whose memory is shown to nobody: negative controls of every utility.
    """

    arms: tuple[str, ...]
    conditions: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    primary: tuple[str, ...] = ()
    rules: AnalysisRules = STANDARD_RULES
    positive_control: str | None = ORACLE
    effects: tuple[tuple[str, str], ...] = ()
    placebo: str = PLACEBO
    factors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    levels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    draws: int = 1
    cells: tuple[Cell, ...] = ()
    uneven: tuple[tuple[str, str, str], ...] = ()
    channel_pairs: tuple[tuple[str, str], ...] = ()
    withheld: tuple[str, ...] = ()

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
        return 2 * self.rules.margin
