"""What decides a ranking, as one frozen value: the documents' switches, checked where they are made.

Sources: seeds/003 section 3, seeds/000 section 4, seeds/001; REQUIREMENTS C2, C6, C7, C9, C10, C12, C22.
"""

from math import fsum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memtrial.memory.bank.preambles.shown_block import PreambleForm
from memtrial.memory.bank.ranking.tokenizer import TokenizerName

Unit = Literal["record", "item"]
"""What k counts: all items of one trajectory together, or each item."""
Key = Literal["query", "item", "title_desc", "trigger"]
"""Which text of an item is searched."""
SUM_WITHIN = 1e-9

CHECKED = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ScoreWeights(BaseModel):
    """How much each part of a score counts, each in [0, 1], 1 together. Diversity acts in selection (C7)."""

    model_config = CHECKED
    similarity: float = Field(ge=0, le=1)
    recency: float = Field(default=0.0, ge=0, le=1)
    confidence: float = Field(default=0.0, ge=0, le=1)

    @model_validator(mode="after")
    def _sum_to_one(self) -> "ScoreWeights":
        total = fsum((self.similarity, self.recency, self.confidence))
        if abs(total - 1) > SUM_WITHIN:
            raise ValueError(f"similarity, recency and confidence sum to 1; here they sum to {total:g}")
        return self


class RecencyForm(BaseModel):
    """How an item's age lowers a figure: to a half in `days` (`half_life`), or to 1/e (`efold`)."""

    model_config = CHECKED
    kind: Literal["half_life", "efold"] = "half_life"
    days: float = Field(default=45.0, gt=0)


class ConfidenceForm(BaseModel):
    """What stands for an item's confidence in its score, in [0, 1].

    Args:
        kind: `stored`: as stored. `log_odds`: the logistic of log((wins + a) / (losses + b)), which is
            (wins + a) / (wins + losses + a + b). `usage`: the logistic of log(1 + citations), which lifts
            what is cited often, whatever came of it. `boosted`: as stored, times 1 + .2 tanh(log(1 +
            citations)).
        wins_prior: a of `log_odds`.
        losses_prior: b of `log_odds`.
        decay_days: the half-life of the figure since the last citation, or since the item was made; None: it
            does not decay. What is stored, and the floor, never do.
    """

    model_config = CHECKED
    kind: Literal["stored", "log_odds", "usage", "boosted"] = "stored"
    wins_prior: float = Field(default=1.0, gt=0)
    losses_prior: float = Field(default=1.0, gt=0)
    decay_days: float | None = Field(default=None, gt=0)


class DiversityForm(BaseModel):
    """How selection avoids near copies of what it has chosen.

    Args:
        kind: `penalty`: score - weight * cosine to the nearest chosen item. `lambda`: weight * score
            - (1 - weight) * that cosine.
        weight: in [0, 1].
    """

    model_config = CHECKED
    kind: Literal["penalty", "lambda"] = "penalty"
    weight: float = Field(default=0.0, ge=0, le=1)


class Floor(BaseModel):
    """A figure that must be reached, or, where strict, exceeded."""

    model_config = CHECKED
    least: float = Field(ge=-1, le=1)
    strict: bool = False

    @property
    def words(self) -> str:
        """As in `above 0.7`."""
        return f"{'above' if self.strict else 'at least'} {self.least:g}"

    def passes(self, figure: float) -> bool:
        """Whether the figure is enough."""
        return figure > self.least if self.strict else figure >= self.least


class TokenBudget(BaseModel):
    """How many tokens the whole block may have, its heading too; strict: fewer than that."""

    model_config = CHECKED
    tokens: int = Field(gt=0)
    strict: bool = False
    tokenizer: TokenizerName = "cl100k_base"

    @property
    def words(self) -> str:
        """As in `fewer than 500 tokens (cl100k_base)`."""
        return f"{'fewer than' if self.strict else 'at most'} {self.tokens} tokens ({self.tokenizer})"

    def holds(self, count: int) -> bool:
        """Whether a block of so many tokens may be shown."""
        return count < self.tokens if self.strict else count <= self.tokens


class Temperatures(BaseModel):
    """Of what the judge, the writer of items and an agent are asked; None: the source is silent.

    The first two are what is sent where a run's `sampling` states none; an agent's own is `sampling.agent`.
    """

    model_config = CHECKED
    judge: float | None = Field(default=None, ge=0, le=2)
    extraction: float | None = Field(default=None, ge=0, le=2)
    rollout: float | None = Field(default=None, ge=0, le=2)


class RankingProfile(BaseModel):
    """All that decides which items a task is shown.

    Args:
        name: in reports and logs.
        k: records or items at most; 0 shows none.
        least_confidence: the floor of the stored confidence, for what is shown; a search lists all.
        least_similarity: the floor of the cosine.
        probation: the last of the k places goes to an item below the floor of confidence: it can be cited.
        preamble: the form of the block.

    Raises:
        ValueError: a figure out of its range, or probation without a floor or with fewer than two places.
    """

    model_config = CHECKED
    name: str = Field(min_length=1)
    unit: Unit = "item"
    k: int = Field(default=3, ge=0)
    key: Key = "query"
    weights: ScoreWeights = ScoreWeights(similarity=1.0)
    recency: RecencyForm = RecencyForm()
    confidence: ConfidenceForm = ConfidenceForm()
    diversity: DiversityForm = DiversityForm()
    least_confidence: Floor | None = None
    least_similarity: Floor | None = None
    budget: TokenBudget | None = None
    probation: bool = False
    preamble: PreambleForm = "strategies"
    temperatures: Temperatures = Temperatures()

    @model_validator(mode="after")
    def _can_have_probation(self) -> "RankingProfile":
        if self.probation and (self.least_confidence is None or self.k < 2):
            came = "no least_confidence" if self.least_confidence is None else f"k = {self.k}"
            raise ValueError(
                f"probation takes the last of two places or more, below least_confidence; there is {came}"
            )
        return self
