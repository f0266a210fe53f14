"""What may be set of a ReasoningBank beside its profile of ranking."""

from dataclasses import dataclass
from typing import Literal

from memtrial.memory.bank.confidence.eta_rule import ETA
from memtrial.memory.bank.confidence.initial_confidence import InitialPolicy
from memtrial.memory.bank.consolidation.consolidation_policy import ConsolidationPolicy
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import PAPER, SEED000, SEED003, profile_named

LearnMode = Literal["both", "success-only", "contrastive", "raw"]
"""What is made of runs: items of successes and failures; of successes alone; of successes, and of what tells
them from failures in runs of one task or of tasks that are alike; the runs themselves."""
LEARN_MODES: tuple[LearnMode, ...] = ("both", "success-only", "contrastive", "raw")
QueryForm = Literal["task", "task-and-start"]
"""What a bank is searched by before a task: its text, or that and what the world shows first."""
QUERY_FORMS: tuple[QueryForm, ...] = ("task", "task-and-start")
ConfidenceRule = Literal["beta", "eta"]
"""How confidence is learnt: by Beta posteriors, or by seeds/003's fixed steps, which drift upwards."""


@dataclass(frozen=True, slots=True)
class BankSettings:
    """How a bank learns and ranks.

    Args:
        initial: the confidence that a new item begins with.
        rule: what citations do to it.
        canonical: items are kept in their canonical form, without what names one instance (seeds/000, 003).
        consolidate: after so many new items the bank is consolidated; None: never.
        project: whose items these are, as `org/team/project`; empty: those of no project.
        signs: items are to state by which signs an agent sees that they apply now.
        policy: the thresholds of a consolidation.
        eta: the step of the rule `eta`, in (0, 1].
        most_items: of one run, or of one comparison, at most.
    """

    profile: RankingProfile = PAPER
    learn: LearnMode = "both"
    initial: InitialPolicy = "linear"
    rule: ConfidenceRule = "beta"
    canonical: bool = False
    consolidate: int | None = None
    project: str = ""
    signs: bool = False
    policy: ConsolidationPolicy = ConsolidationPolicy()
    eta: float = ETA
    most_items: int = MOST_ITEMS


def settings_of(profile: str, learn: LearnMode, consolidate: int | None = None) -> BankSettings:
    """Those of a shipped profile's document; ValueError where there is no such profile."""
    ranking = profile_named(profile)
    canonical = ranking in (SEED000, SEED003) and learn != "raw"
    return BankSettings(ranking, learn, canonical=canonical, consolidate=consolidate)
