"""What sessions of an agent, whose requests are asked again, come to before anything is spent."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from memtrial.console.display import duration, money
from memtrial.outcomes.count_words import how_many
from memtrial.runs.forecast.trial_forecast import Rehearsal, tasks_line


@dataclass(frozen=True, slots=True)
class SessionForecast:
    """What is about to be done.

    Args:
        about: the memory, the agent and the model, in a phrase each.
        tasks: each is played in a session; `left_out`: how many were not taken, by kind.
        played: sessions that were played already.
        calls: of the model at most, once sessions are played.
        most_s: seconds that a session may take at most; `at_once`: sessions that are played at a time.
        max_usd: where sessions and calls stop; None: nowhere.
    """

    about: tuple[str, ...]
    tasks: int
    left_out: dict[str, int]
    played: int
    calls: int
    rehearsal: Rehearsal
    most_s: float
    at_once: int
    max_usd: float | None

    @property
    def left(self) -> int:
        """Sessions that are still to be played."""
        return self.tasks - self.played

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return {
            "about": list(self.about),
            "tasks": self.tasks,
            "left_out": self.left_out,
            "sessions": self.tasks,
            "left": self.left,
            "calls_at_most": self.calls,
            "rehearsal": asdict(self.rehearsal),
            "most_s": self.most_s,
            "max_usd": self.max_usd,
        }

    def lines(self) -> Iterator[str]:
        """What is asked about before anything is spent."""
        yield from self.about
        yield tasks_line(self.tasks, self.left_out)
        again = f", {self.played:,} of them played already" if self.played else ""
        yield f"Sessions: {self.tasks:,}{again}; each task once, with the memory intact; no score is judged."
        yield (
            f"Then: at most {how_many(self.calls, 'call')}, each as long as a request of the agent, ask these"
            " again; what they cost is said before they are sent."
        )
        yield f"Time: {self._time()}."
        yield f"Cost: {self._cost()}."
        yield "Cannot show: whether the memory helps, only whether what the agent does next depends on it."

    def _time(self) -> str:
        seen = self.rehearsal.seconds
        if seen is None:
            return f"unknown until a session was played; one ends after {duration(self.most_s)} at most"
        return f"about {duration(seen.likely * self.left / self.at_once)} for the sessions that are left"

    def _cost(self) -> str:
        bound = "; --max-cost stops it" if self.max_usd is None else f"; it stops at {money(self.max_usd)}"
        seen = self.rehearsal.usd
        if seen is None:
            return f"unknown until a session was played{bound}"
        return f"about {money(seen.likely * self.left)} for the sessions that are left{bound}"
