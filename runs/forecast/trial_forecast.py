"""What a trial of an agent's memory comes to before anything is spent: its cost and what it can show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from memtrial.analysis.verdicts.undecidable import open_cell_lines
from memtrial.console.display import duration, money
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.runs.forecast.applicable_damage import ApplicableDamage
from memtrial.runs.forecast.spec_forecast import Forecast

UNKNOWN = "unknown until the first trial (--limit 1 plays one of each condition and stops)"

BY_MODEL = "What the rules leave out a model can often write: --perturber anthropic/... names one."


@dataclass(frozen=True, slots=True)
class Spread:
    """Low, likely and high."""

    low: float
    likely: float
    high: float

    def times(self, n: int) -> "Spread":
        """Of so many."""
        return Spread(self.low * n, self.likely * n, self.high * n)


def tasks_line(tasks: int, left_out: Mapping[str, int]) -> str:
    """How many tasks are tried, and how many were not taken, by kind."""
    kinds = ", ".join(f"{kind} {n:,}" for kind, n in left_out.items())
    gone = f"; {sum(left_out.values()):,} left out ({kinds})" if kinds else ""
    return f"Tasks: {tasks:,}{gone}."


def spread_of(values: Sequence[float]) -> Spread | None:
    """Least, mean and greatest; None of nothing."""
    return Spread(min(values), fmean(values), max(values)) if values else None


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What trials took that were played before; None where none was, or nobody knows.

    Args:
        trials: how many there were.
        seconds, usd: of one trial.
    """

    trials: int = 0
    seconds: Spread | None = None
    usd: Spread | None = None


@dataclass(frozen=True, slots=True)
class TrialForecast:
    """What is about to be done.

    Args:
        about: the memory, the agent and the model, in a phrase each.
        tasks: what will be played; `left_out`: how many were not taken, by kind.
        played: trials of this run that are played already.
        most_s: seconds that a trial may take at most.
        at_once: trials that are played at a time.
        max_usd: where the run stops; None: nowhere.
        details: what the design can show.
    """

    about: tuple[str, ...]
    tasks: int
    left_out: dict[str, int]
    repeats: int
    damage: ApplicableDamage
    played: int
    rehearsal: Rehearsal
    most_s: float
    at_once: int
    max_usd: float | None
    details: Forecast

    @property
    def conditions(self) -> tuple[str, ...]:
        """Those that are played, as far as is known."""
        return (WITHOUT, INTACT, *self.damage.played, *self.damage.by_model)

    @property
    def trials(self) -> int:
        """All of them, those that are played included."""
        return self.tasks * self.repeats * len(self.conditions)

    @property
    def left(self) -> int:
        """Trials that are still to be played."""
        return max(0, self.trials - self.played)

    @property
    def utility(self) -> float | None:
        """The smallest effect of having the memory that is shown with power 0.8; None: none."""
        return self.details.estimands["utility"].detectable

    @property
    def drop(self) -> float | None:
        """The same of a damage."""
        return self.details.estimands["drop"].detectable

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "about": list(self.about),
            "tasks": self.tasks,
            "left_out": self.left_out,
            "repeats": self.repeats,
            "conditions": list(self.conditions),
            "inapplicable": self.damage.inapplicable,
            "trials": self.trials,
            "left": self.left,
            "rehearsal": asdict(self.rehearsal),
            "most_s": self.most_s,
            "max_usd": self.max_usd,
            "detectable": {"utility": self.utility, "drop": self.drop},
        }

    def lines(self) -> Iterator[str]:
        """What is asked about before anything is spent."""
        yield from self.about
        yield tasks_line(self.tasks, self.left_out)
        size = f"{how_many(self.tasks, 'task')} x {how_many(len(self.conditions), 'condition')}"
        again = f", {self.played:,} of them played already" if self.played else ""
        yield f"Trials: {self.trials:,}{again}: {size} x {how_many(self.repeats, 'repeat')}."
        yield f"Conditions: {', '.join(self.conditions)}."
        yield from (f"Not played: {name}: {why}." for name, why in self.damage.inapplicable.items())
        if self.damage.inapplicable and not self.damage.by_model:
            yield BY_MODEL
        if self.details.damage_note:
            usd = self.details.damage_usd.likely
            note = self.details.damage_note
            yield f"{note[0].upper()}{note[1:]}{f'; about {money(usd)}' if usd else ''}."
        yield f"Time: {self._time()}."
        yield f"Cost: {self._cost()}."
        shown = f"{_effect('having the memory', self.utility)}; {_effect('damage to it', self.drop)}"
        yield f"Can show, with a power of 0.8, of a score from 0 to 1: {shown}."
        yield from (f"Cannot show: {line}" for line in self._limits())

    def _time(self) -> str:
        seen = self.rehearsal.seconds
        if seen is None:
            return f"{UNKNOWN}; a trial ends after {duration(self.most_s)} at most"
        each = Spread(*(value / self.at_once for value in (seen.low, seen.likely, seen.high)))
        low, likely, high = (duration(value) for value in asdict(each.times(self.left)).values())
        return f"about {likely} ({low} to {high}), from {how_many(self.rehearsal.trials, 'trial')} before"

    def _cost(self) -> str:
        bound = "" if self.max_usd is None else f"; it stops at {money(self.max_usd)}"
        seen = self.rehearsal.usd
        if seen is None:
            open_end = "" if self.max_usd is not None else "; --max-cost stops it"
            why = UNKNOWN if not self.rehearsal.trials else "unknown: no trial before said what it cost"
            return f"{why}{open_end}{bound}"
        low, likely, high = (money(value) for value in asdict(seen.times(self.left)).values())
        return f"about {likely} ({low} to {high}){bound}"

    def _limits(self) -> Iterator[str]:
        enough = self.details.estimands["utility"].tasks
        if enough is not None and enough > self.tasks:
            yield f"smaller effects; {how_many(enough, 'task')} would show one of {self.details.effect:g}."
        if not self.damage.played and not self.damage.by_model:
            yield "whether the content counts, since no damage applies to this memory."
        yield from (f"load-bearing under {line}" for line in self._never())
        yield "what the agent did, only how its tasks ended."

    def _never(self) -> Iterator[str]:
        shown = {*self.conditions}
        cells = [cell for cell in self.details.open_cells if cell.condition in shown]
        yield from open_cell_lines(cells)


def _effect(cause: str, least: float | None) -> str:
    """From which size on an effect is shown."""
    if least is None or least > 1:
        return f"no effect of {cause}, however large"
    return f"an effect of {cause} from {least:.2f} on"
