"""A piece of work as a chain of decisions, what each gets wrong by habit, and what comes of a plan.

Source: the five scenarios of ReasoningBank's demonstration (scraping, payments, migration, a large CSV, a
deployment), of which no code was published. Signs, ways and losses are this project's own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from memtrial.worlds.world import Proposition

Loss = Callable[[int], int]
"""Of so many units of work, how many are lost where a decision goes wrong; at least one of two and more."""


@dataclass(frozen=True, slots=True)
class Sign:
    """What shows that a decision matters here, and what comes of going wrong.

    Args:
        shown: a sentence without a stop, with digits nowhere: it is the situation of a lesson.
        works: the one way that works where it shows.
        why: what that brings, a clause.
        symptom: what a run says where another way was taken.
        loses: of the units that are left, how many are lost then.
    """

    shown: str
    works: str
    why: str
    symptom: str
    loses: Loss

    @property
    def rule(self) -> Proposition:
        """The lesson that prevents this failure."""
        return Proposition(self.shown[0].lower() + self.shown[1:], self.works, self.why)


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of a plan.

    Args:
        habit: what is usually done, which works under neither sign.
        signs: what may show, one of them in each variant.
        idle: a further way, which works under neither sign.
    """

    habit: str
    signs: tuple[Sign, Sign]
    idle: str

    @property
    def ways(self) -> tuple[str, ...]:
        """All ways, the habit first."""
        return (self.habit, *(sign.works for sign in self.signs), self.idle)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of work.

    Args:
        brief: what is to be done; `{size}` and `{place}` stand for the variant's.
        unit: what the work is counted in, in the plural.
        sizes, places: what variants differ in, beside their signs.
    """

    name: str
    brief: str
    unit: str
    sizes: tuple[int, ...]
    places: tuple[str, ...]
    decisions: tuple[Decision, ...]

    @property
    def mixes(self) -> tuple[tuple[Sign, ...], ...]:
        """Every mix of signs, one of each decision."""
        return tuple(product(*(decision.signs for decision in self.decisions)))

    @property
    def rules(self) -> tuple[Proposition, ...]:
        """Every lesson of this work."""
        return tuple(sign.rule for decision in self.decisions for sign in decision.signs)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What came of carrying out a plan.

    Args:
        done, size: units of work.
        cause: the sign whose failure came first; None where all went well.
    """

    done: int
    size: int
    cause: Sign | None

    @property
    def share(self) -> float:
        """The share of the work that is done, in [0, 1]."""
        return self.done / self.size


def carry_out(signs: tuple[Sign, ...], plan: tuple[str, ...], size: int) -> RunReport:
    """Do the work by a plan, a way for each sign in order: each failure loses a part of what is left.

    The first failure is the one that is seen, as in a log that is read from its top.
    """
    left, cause = size, None
    for sign, way in zip(signs, plan, strict=True):
        if way != sign.works:
            left -= min(left, max(1, sign.loses(left)))
            cause = cause or sign
    return RunReport(left, size, cause)
