"""The participants of `participants.py` before two other tools that try a memory; not in `make bench`.

In an environment of its own, for nothing here needs these packages:

    python3 -m venv /tmp/peers
    /tmp/peers/bin/pip install placebo-cli==0.1.0 ablate-cli==0.5.1
    PYTHONPATH=. /tmp/peers/bin/python -m bench.blind.other_tools 200 24        # seeds, tasks

Each tool judges as its command does, by its own functions, with its own number of trials and its own margin.
placebo-cli gets the conditions `without`, `intact` and `filler`, its sham being text as long that says
nothing; it resamples 200 times here and 4,000 by itself. ablate-cli compares `intact` with `without`, by
success and by tokens; turns stand still, so that tokens of a turn are tokens. Its `ablate ablate` tries eight
sections of a file that nobody reads; it resamples 200 times here and 2,000 by itself.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from ablate.ablation.pipeline import confirm, screen, select_candidates
from ablate.config.parse import Section, split_sections
from ablate.config.variant import ConfigVariant
from ablate.record import TelemetryRecord, TrialRecord
from ablate.report.analysis import analyze
from placebo_cli.stats import Trial, compare, verdict

from bench.blind.participants import (
    FILLER,
    INTACT,
    PARTICIPANTS,
    WITHOUT,
    DrawnTrials,
    TriedParticipant,
    draw_trials,
    seeded,
)

RESAMPLES, SCREENING_RESAMPLES = 200, 200
SECTIONS = 8
PLACEBO_TRIALS, ABLATE_TRIALS = 3, 5
"""What each plays of a task and condition by default."""
SHOWN = (WITHOUT, INTACT, FILLER)
TURNS = 10


def by_placebo(drawn: DrawnTrials, seed: int) -> str:
    """Its verdict. What its verdict does not look at is not computed."""
    arms = ("baseline", "treatment", "sham")
    trials = [
        Trial(str(task), arm, bool(solved))
        for arm, of_arm in zip(arms, drawn.solved, strict=True)
        for task, of_task in enumerate(of_arm)
        for solved in of_task
    ]
    against = compare(trials, "treatment", "baseline", RESAMPLES, seed)
    better = against is not None and against.ci95.low > 0
    sham = compare(trials, "treatment", "sham", RESAMPLES, seed + 1) if better else None
    return verdict(trials, against, sham).label


def by_ablate(drawn: DrawnTrials, seed: int) -> tuple[str, str]:
    """Its verdicts on success and on tokens."""
    records = [
        _record(str(task), arm, repeat, bool(solved), int(drawn.tokens[place, task, repeat]))
        for place, arm in ((1, "A"), (0, "B"))
        for task, of_task in enumerate(drawn.solved[place])
        for repeat, solved in enumerate(of_task)
    ]
    found = analyze(records, ("A", "B"), seed=seed)
    words = {metric.spec.key: metric.verdict.verdict.value for metric in found.metrics}
    return words["pass_rate"], words["tokens_per_turn"]


def _record(task: str, arm: str, repeat: int, solved: bool, tokens: int) -> TrialRecord:
    return TrialRecord(
        trial_id=f"{task}-{arm}-{repeat}",
        run_id="drawn",
        task_id=task,
        variant_id=arm,
        variant_hash=arm,
        replicate=repeat,
        agent="drawn",
        started_at="2026-01-01T00:00:00",
        duration_s=1.0,
        telemetry=TelemetryRecord(input_tokens=tokens, turns=TURNS),
        assertions=[],
        passed=solved,
    )


def by_sections(n_tasks: int, seed: int) -> tuple[str, ...]:
    """What is said of sections that do nothing, by its screening and by its confirmation."""
    stream = np.random.default_rng([29, n_tasks, seed])
    text = "".join(f"## Part {number}\n\n{'Do as it says here. ' * 12}\n\n" for number in range(SECTIONS))
    sections: list[Section] = split_sections(text)

    def play(variants: Sequence[ConfigVariant], trials: int, label: str) -> list[TrialRecord]:
        names = tuple(variant.id for variant in variants)
        drawn = draw_trials(PARTICIPANTS[0], names, n_tasks, trials, stream)
        return [
            _record(str(task), name, repeat, bool(drawn.solved[place, task, repeat]), 1000)
            for place, name in enumerate(names)
            for task in range(n_tasks)
            for repeat in range(trials)
        ]

    found = screen(sections, play, model="drawn", seed=seed, n_resamples=SCREENING_RESAMPLES)
    chosen = confirm(sections, select_candidates(found), play, trials=ABLATE_TRIALS, seed=seed)
    words = {each.pass_rate_verdict.value for each in chosen}
    return (
        *(["an interval without 0"] if any(not row.is_deletion_candidate for row in found.rows) else []),
        *(["a section starred"] if any(row.significant for row in found.rows) else []),
        *(["a section confirmed"] if words & {"REGRESSION", "IMPROVEMENT"} else []),
        *(["a real effect, not to be deleted"] if any(_is_kept(each.analysis) for each in chosen) else []),
    )


def _is_kept(analysis) -> bool:
    """The recommendation's "Do not delete … which is a real effect"."""
    found = analysis.metric("pass_rate").verdict
    return found.verdict.value == "INCONCLUSIVE" and found.excludes_zero


def shares(words: Iterable[str]) -> str:
    """Every word with its share, in percent."""
    counted = Counter(words)
    total = sum(counted.values())
    return ", ".join(f"{word} {100 * n / total:.1f}" for word, n in counted.most_common())


def lines(who: TriedParticipant, seeds: int, n_tasks: int) -> Iterable[str]:
    """What each says of a participant."""
    placebo = [
        by_placebo(draw_trials(who, SHOWN, n_tasks, PLACEBO_TRIALS, seeded(who, n_tasks, seed)), seed)
        for seed in range(seeds)
    ]
    yield f"{who.name}: placebo-cli: {shares(placebo)}"
    ablate = [
        by_ablate(draw_trials(who, SHOWN[:2], n_tasks, ABLATE_TRIALS, seeded(who, n_tasks, seed)), seed)
        for seed in range(seeds)
    ]
    for place, what in enumerate(("success", "tokens")):
        yield f"{who.name}: ablate-cli, {what}: {shares(words[place] for words in ablate)}"


if __name__ == "__main__":
    n_seeds, many = int(sys.argv[1]), int(sys.argv[2])
    print(f"{n_seeds} trials each, {many} tasks; shares in %")
    for who in PARTICIPANTS:
        print(*lines(who, n_seeds, many), sep="\n", flush=True)
