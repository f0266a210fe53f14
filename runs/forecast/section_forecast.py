"""What a trial of the sections of a memory file comes to before anything is spent."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from memtrial.analysis.planning.power import ClosedForm
from memtrial.analysis.planning.variance import ASSUMED_DROP
from memtrial.analysis.screening.part_words import STAGES
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules
from memtrial.console.display import duration, money
from memtrial.outcomes.count_words import how_many
from memtrial.runs.forecast.trial_forecast import UNKNOWN, Rehearsal, tasks_line

POWER_OF_A_STAGE = 0.9
"""Of each, so that both have one of about 0.8."""


@dataclass(frozen=True, slots=True)
class SectionForecast:
    """What is about to be done.

    Args:
        about: the memory, the agent and the model, in a phrase each.
        kind: what the sections are: section, point or paragraph.
        family: how many sections may be confirmed; where that is all, there is no screening.
        threshold: largest p of a section that is chosen.
        played: trials that are played already.
        most_s: seconds that a trial may take at most; `at_once`: trials that are played at a time.
    """

    about: tuple[str, ...]
    tasks: int
    left_out: dict[str, int]
    kind: str
    sections: int
    family: int
    size: StageSizes
    rules: AnalysisRules
    threshold: float
    played: int
    rehearsal: Rehearsal
    most_s: float
    at_once: int
    max_usd: float | None

    @property
    def screening(self) -> int:
        """Trials of the screening."""
        return self.tasks * self.size.screening_trials if self.sections > self.family else 0

    @property
    def confirmation(self) -> int:
        """Trials of the confirmation, at most: how many depends on how many sections are chosen."""
        counts = range(1, self.family + 1) if self.screening else (self.family,)
        return self.tasks * max(map(self.size.fresh_trials, counts))

    @property
    def left(self) -> int:
        """Trials that are still to be played, at most."""
        return max(0, self.screening + self.confirmation - self.played)

    @property
    def detectable(self) -> float | None:
        """The smallest effect that both stages show with a power of about 0.8; None: none."""
        fresh = self._power(self.size.fresh_pairs, self.rules.alpha / self.family)
        wanted = POWER_OF_A_STAGE if self.screening else 0.8
        least = [fresh.detectable(self.tasks, wanted)]
        if self.screening:
            least.append(self._power(self.size.pairs, self.threshold).detectable(self.tasks, wanted))
        known = [effect for effect in least if effect is not None]
        return max(known) if len(known) == len(least) and max(known) <= 1 else None

    @property
    def tasks_to_let_go(self) -> int | None:
        """Tasks in which a section without any effect is shown to have none, with a power of 0.8."""
        pairs = self.size.pairs if self.screening else self.size.fresh_pairs
        level = self.rules.alpha / (STAGES * self.sections)
        return self._power(pairs, level).tasks_equivalent(self.rules.margin)

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "about": list(self.about),
            "tasks": self.tasks,
            "left_out": self.left_out,
            "kind": self.kind,
            "sections": self.sections,
            "confirmed_at_most": self.family,
            "screening": self.screening,
            "confirmation_at_most": self.confirmation,
            "left_at_most": self.left,
            "rehearsal": asdict(self.rehearsal),
            "most_s": self.most_s,
            "max_usd": self.max_usd,
            "detectable": self.detectable,
            "tasks_to_let_go": self.tasks_to_let_go,
        }

    def lines(self) -> Iterator[str]:
        """What is asked about before anything is spent."""
        yield from self.about
        yield tasks_line(self.tasks, self.left_out)
        yield f"Parts: the file's {how_many(self.sections, self.kind)}."
        if self.screening:
            pairs = self.size.repeats * self.size.pairs
            yield (
                f"Screening: {self.screening:,} trials: each task with {how_many(pairs, 'pair')} of random"
                " halves of the sections, and without the file."
            )
            yield (
                f"Confirmation: at most {self.confirmation:,} fresh trials for the {self.family} most likely"
                " sections, if any is likely; all others stand."
            )
        else:
            yield f"Trials: {self.confirmation:,}; with so few sections all are confirmed at once."
        again = f"; {self.played:,} trials are played already" if self.played else ""
        yield f"Time: {self._time()}{again}."
        yield f"Cost: {self._cost()}."
        least = self.detectable
        shown = "no effect, however large" if least is None else f"an effect from {least:.2f} on"
        yield f"Can show of a section, with a power of about 0.8, of a score from 0 to 1: {shown}."
        yield from (f"Cannot show: {line}" for line in self._limits())

    def _power(self, pairs: int, alpha: float) -> ClosedForm:
        return ClosedForm(self.size.repeats * pairs, ASSUMED_DROP, alpha)

    def _limits(self) -> Iterator[str]:
        needed = self.tasks_to_let_go
        if needed is None or needed > self.tasks:
            many = "more tasks than there are" if needed is None else f"about {how_many(needed, 'task')}"
            repeats = "" if self.size.repeats > 1 else ", or fewer with --repeats"
            yield (
                f"that a section can go (less than {self.rules.margin:g} of a score), unless trials of a task"
                f" end alike: that takes {many}{repeats}."
            )
        yield "what two sections do only together, or only in each other's place."

    def _time(self) -> str:
        seen = self.rehearsal.seconds
        if seen is None:
            return f"{UNKNOWN}; a trial ends after {duration(self.most_s)} at most"
        likely = duration(seen.likely * self.left / self.at_once)
        return f"at most about {likely}, from {how_many(self.rehearsal.trials, 'trial')} before"

    def _cost(self) -> str:
        bound = "; --max-cost stops it" if self.max_usd is None else f"; it stops at {money(self.max_usd)}"
        seen = self.rehearsal.usd
        if seen is None:
            why = UNKNOWN if not self.rehearsal.trials else "unknown: no trial before said what it cost"
            return f"{why}{bound}"
        return f"at most about {money(seen.likely * self.left)}{bound}"
