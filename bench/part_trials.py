"""What `try --sections` finds in made-up files, at the sizes that ship; takes minutes.

`python -m bench.part_trials [EXPERIMENTS]`: first 20 seeds of twelve sections of which two matter, then
EXPERIMENTS (200) of each kind. Tasks' ease is Beta distributed (mean .4, ICC .5); a section's effect differs
between tasks by `spread` up or down. The last rows play the confirmation as the whole file against the file
without one section, with the same screening, for as many trials a condition as named.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.inference.interval import p_zero, unit_sample
from memtrial.analysis.screening.half_fractions import draw_halves
from memtrial.analysis.screening.made_up_parts import MadeUpParts, make_up_parts, play_stages
from memtrial.analysis.screening.part_screening import ScreeningRules, choose, screen
from memtrial.analysis.screening.part_words import step_down
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules

RULES, SCREENING = AnalysisRules(), ScreeningRules()
TWO = (0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0)
MATTER = ("helps", "harms")


@dataclass(frozen=True, slots=True)
class PartCase:
    """One kind of file and trial.

    Args:
        effects: mean effect of each section; `spread`: how it differs between tasks.
        sign: sections whose mean is 0 help in some tasks and harm in others by so much.
        leave_out: trials of a condition where one section at a time is left out; 0: as it ships.
    """

    name: str
    effects: Sequence[float]
    tasks: int = 24
    size: StageSizes = StageSizes()
    spread: float = 0.15
    sign: float = 0.0
    leave_out: int = 0


CASES = (
    PartCase("two of 12 matter, .25", TWO),
    PartCase("none of 12 matters", (0.0,) * 12),
    PartCase("none on average, +-.15 by task", (0.0,) * 12, sign=0.15),
    PartCase("one helps, one harms", (0.25, *(0.0,) * 10, -0.25)),
    PartCase("two of 20", (*TWO, *(0.0,) * 8)),
    PartCase("two of 6, no screening", TWO[3:9]),
    PartCase("two of 12, 10 tasks", TWO, tasks=10),
    PartCase("two of 12, 10 tasks, 3 repeats", TWO, tasks=10, size=StageSizes(3)),
    PartCase("one at the margin, 144 tasks", (0.1, *(0.0,) * 11), tasks=144, spread=0.0),
    PartCase("one at the margin, 144 tasks, 2 repeats", (0.1, *(0.0,) * 11), 144, StageSizes(2), 0.0),
    PartCase("left out one at a time, 4 trials", TWO, leave_out=4),
    PartCase("left out one at a time, 6 trials", TWO, leave_out=6),
    PartCase("left out one at a time, 8 trials", TWO, leave_out=8),
)


def main(experiments: int) -> None:
    """Print a line for each case."""
    print("case | experiments | all that matter found | each | any false | false can go | can go | trials")
    print(_line(CASES[0], range(20)), flush=True)
    for case in CASES:
        print(_line(case, range(1000, 1000 + experiments)), flush=True)


def _line(case: PartCase, seeds: range) -> str:
    rows = list(_play(case, seeds))
    some = [part for part, mean in enumerate(case.effects) if mean]
    rest = [part for part, mean in enumerate(case.effects) if not mean]
    wanted = {part: "helps" if case.effects[part] > 0 else "harms" for part in some}
    hits = [[words[part] == word for part, word in wanted.items()] for words, _ in rows]
    every, each = sum(map(all, hits)), sum(map(sum, hits))
    false = sum(any(words[part] in MATTER for part in rest) for words, _ in rows)
    gone = sum(any(words[part] == "can go" for part in some) for words, _ in rows)
    absent = sum(words.count("can go") for words, _ in rows) / len(rows)
    n = len(rows)
    shares = (f"{every / n:.3f}", f"{each / n / len(some):.3f}") if some else ("-", "-")
    trials = np.mean([spent for _, spent in rows])
    numbers = (*shares, f"{false / n:.3f}", f"{gone / n:.3f}", f"{absent:.2f}", f"{trials:.0f}")
    return " | ".join((case.name, str(n), *numbers))


def _play(case: PartCase, seeds: range) -> Iterator[tuple[list[str], int]]:
    """The words of each experiment, and its trials."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        tasks = make_up_parts(case.tasks, case.effects, case.spread, rng)
        if case.sign:
            ways = case.sign * rng.choice((-1.0, 1.0), size=tasks.effects.shape)
            tasks = MadeUpParts(ways, np.full(case.tasks, 0.5))
        if case.leave_out:
            yield _leave_out(case, tasks, rng)
            continue
        judged = play_stages(tasks, case.size, SCREENING, RULES, rng)
        few = sum(part.stage == "confirmation" for part in judged)
        screened = case.size.screening_trials if len(judged) > SCREENING.most else 0
        fresh = case.size.fresh_trials(few) if few else 0
        yield [part.word for part in judged], case.tasks * (screened + fresh)


def _leave_out(case: PartCase, tasks: MadeUpParts, rng: np.random.Generator) -> tuple[list[str], int]:
    """The same screening, then the whole file against the file without each section that was chosen."""
    n_tasks, n_parts = tasks.effects.shape
    halves = draw_halves(n_tasks, case.size.pairs, n_parts, rng)
    both = np.stack([halves, ~halves], axis=2)
    screened = screen(halves, rng.binomial(1, tasks.chance(both)).astype(np.float64))
    assert screened is not None
    few, words = choose(screened, SCREENING), ["not settled"] * n_parts
    every = np.ones((n_tasks, n_parts), dtype=np.bool_)

    def draw(part: int | None) -> Floats:
        standing = every.copy()
        if part is not None:
            standing[:, part] = False
        scores: Floats = rng.binomial(case.leave_out, tasks.chance(standing)) / case.leave_out
        return scores

    whole, effects, p = draw(None), [], []
    for part in few:
        apart = whole - draw(part)
        sample = unit_sample(apart, np.arange(n_tasks), case.leave_out, (-1.0, 1.0))
        effects.append(float(sample.mean))
        p.append(float(p_zero(sample)))
    adjusted = step_down([*p, *[1.0] * (SCREENING.most - len(few))])
    for part, effect, value in zip(few, effects, adjusted.tolist(), strict=False):
        if value <= RULES.alpha:
            words[part] = "helps" if effect > 0 else "harms"
    conditions = (len(few) + 2) if few else 0  # the whole file, and none
    return words, n_tasks * (case.size.screening_trials + case.leave_out * conditions)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
