"""The profiles that ship: what each document ranks by, as reconciled in REQUIREMENTS.

`upstream` and `paper` search by the query of the source task and show markdown; the paper's own harness shows
three items. `seed000` blends the odds of wins, bounded. `seed003` has its e-fold of 45 days as printed, and
calls it a half-life. `seed001` has a strict floor of confidence and fewer than 500 tokens. None lets
confidence
decay: that is a step of consolidation, which is off unless it is what is studied.
"""

from memtrial.memory.bank.ranking.ranking_profile import (
    ConfidenceForm,
    DiversityForm,
    Floor,
    RankingProfile,
    RecencyForm,
    ScoreWeights,
    Temperatures,
    TokenBudget,
)

UPSTREAM = RankingProfile(
    name="upstream",
    unit="record",
    k=1,
    preamble="markdown",
    temperatures=Temperatures(judge=0.0, extraction=1.0),
)
PAPER = RankingProfile(
    name="paper",
    preamble="markdown",
    temperatures=Temperatures(judge=0.0, extraction=0.0, rollout=0.7),
)
SEED000 = RankingProfile(
    name="seed000",
    weights=ScoreWeights(similarity=0.5, recency=0.2, confidence=0.3),
    confidence=ConfidenceForm(kind="log_odds"),
    diversity=DiversityForm(weight=0.1),
)
SEED001 = RankingProfile(
    name="seed001",
    key="title_desc",
    least_confidence=Floor(least=0.7, strict=True),
    budget=TokenBudget(tokens=500, strict=True),
)
SEED003 = RankingProfile(
    name="seed003",
    key="item",
    weights=ScoreWeights(similarity=0.65, recency=0.15, confidence=0.20),
    recency=RecencyForm(kind="efold"),
    diversity=DiversityForm(weight=0.1),
    temperatures=Temperatures(judge=0.0),
)
PROFILES = (UPSTREAM, PAPER, SEED000, SEED001, SEED003)


def profile_named(name: str) -> RankingProfile:
    """The shipped profile of a name; ValueError for any other."""
    for profile in PROFILES:
        if profile.name == name:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise ValueError(f"the name of a profile is needed: {known}; got {name!r:.80}")
