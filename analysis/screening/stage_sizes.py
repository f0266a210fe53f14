"""How many trials each of the two stages takes."""

from dataclasses import dataclass

from memtrial.analysis.screening.half_fractions import lay_out_few


@dataclass(frozen=True, slots=True)
class StageSizes:
    """The size of a trial of parts, a task; the defaults were chosen by simulation (`bench/part_trials.py`).

    Args:
        repeats: by which both stages are multiplied.
        pairs: pairs of halves in the screening: 1, 2 or 4.
        fresh_pairs: pairs in the confirmation, however many parts were chosen.
    """

    repeats: int = 1
    pairs: int = 4
    fresh_pairs: int = 8

    def fresh_repeats(self, n_few: int) -> int:
        """How often each text of the confirmation is played."""
        return max(1, self.repeats * self.fresh_pairs // len(lay_out_few(n_few)))

    @property
    def screening_trials(self) -> int:
        """Of a task, the one without memory included."""
        return self.repeats * (2 * self.pairs + 1)

    def fresh_trials(self, n_few: int) -> int:
        """Of a task, the ones without memory included."""
        return self.fresh_repeats(n_few) * (2 * len(lay_out_few(n_few)) + 1)
