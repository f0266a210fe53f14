"""What a ranking says of an item: where its score comes from, or why it is not shown."""

from dataclasses import dataclass
from math import fsum
from typing import Literal

from memtrial.memory.bank.bank_item import BankItem

PartName = Literal["similarity", "recency", "confidence", "diversity"]
Reason = Literal["standing", "similarity", "confidence", "budget"]
AbstentionCode = Literal["none_asked", "empty", "inactive", "dissimilar", "doubtful", "too_long"]


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a score: `points` is what it adds.

    Args:
        figure: a cosine or a share; of diversity the cosine with the nearest item chosen before.
        weight: how much it counts; of diversity at most 0.
    """

    name: PartName
    figure: float
    weight: float

    @property
    def points(self) -> float:
        return self.figure * self.weight


@dataclass(frozen=True, slots=True)
class Hit:
    """An item with its score.

    Args:
        parts: their points sum to the score.
        odds: log((wins + a) / (losses + b)), unbounded; it enters no score.
        withheld: why it would not be shown; None for an item that may be.
        probation: it is below the floor of confidence, and shown all the same.
    """

    item: BankItem
    parts: tuple[ScorePart, ...]
    odds: float
    withheld: Reason | None = None
    probation: bool = False

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def score(self) -> float:
        return fsum(part.points for part in self.parts)

    @property
    def words(self) -> str:
        """The score as a sum, as in `0.81 = 0.65 × 0.90 similarity + …`."""
        terms = (f"{part.weight:+.2f} × {part.figure:.3f} {part.name}" for part in self.parts if part.weight)
        return f"{self.score:.3f} = " + " ".join(terms).removeprefix("+").replace(" +", " + ").replace(
            " -", " - "
        )


@dataclass(frozen=True, slots=True)
class PassedItem:
    """An item that was next in turn and did not fit into the budget, so that a later one was tried.

    Args:
        tokens: of the block with it.
    """

    id: str
    score: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Abstention:
    """Why nothing is shown: a code for programs, a sentence for people."""

    code: AbstentionCode
    words: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a task is shown.

    Args:
        profile: the name of the profile.
        hits: the best first, an item of probation last.
        block: the text that is shown; empty where nothing is.
        passed: items that did not fit, in the order in which they were tried.
        abstention: why nothing is shown; None where something is.
        tokens: of the block, by the budget's tokenizer; None where the profile has no budget.
    """

    profile: str
    hits: tuple[Hit, ...] = ()
    block: str = ""
    passed: tuple[PassedItem, ...] = ()
    abstention: Abstention | None = None
    tokens: int | None = None
