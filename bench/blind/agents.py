"""What `memtrial try` says of participants that do not read their memory, in many seeds; not in `make bench`.

    python -m bench.blind.agents 200 24            # seeds, tasks; then, if wanted, repeats

One run of this product is played, with every default of `try`. Its plan then judges the outcomes that a
participant draws, and what it says stands in its results in the place of what was played, of which sentence
and words are made. `other_tools.py` is beside it.

Which words are wrong is decided by `docs/verdicts.md`: `load-bearing`, `carries` and `reversed` of whoever
does not read, `inert` where the damage moves the score, `helps`, `harms` and `none` where the memory as a
whole does something else. That any text lifts or hinders is no word on the content: `helps` and `harms` are
right there.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

import memtrial as mt
from bench.blind.participants import (
    CONDITIONS,
    COUNTER,
    INTACT,
    INVERTED,
    PARTICIPANTS,
    WITHOUT,
    DrawnTrials,
    TriedParticipant,
    draw_trials,
    seeded,
)
from memtrial.analysis.analyse import analyse
from memtrial.analysis.inference.cost_ratio import compare_costs
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.api.trial import ARM
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import NONE
from memtrial.protocol.masked_view import view_of
from memtrial.protocol.run_cells import analysis_plan
from memtrial.reports.text.memory_answer import answer_memory
from memtrial.reports.text.memory_words import name_words
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.results import Results

NOTES = (
    "When the lamp is red, press the green button.\n"
    "When the bell rings, open the north door.\n"
    "When the siren wails, close the south gate.\n"
)
"""A memory that rules can turn, so that every kind of damage is played, as where a model writes it."""
OF_CONTENT = ("load-bearing", "carries", "reversed")


@dataclass(frozen=True, slots=True)
class PlayedTry:
    """A run by the defaults of `try`, whose trials can end otherwise.

    Args:
        results: of it, as it was played.
    """

    results: Results
    plan: RunPlan

    def with_outcomes(self, drawn: DrawnTrials) -> Results:
        """What the product says of these outcomes: all that words rest on is made anew, no more."""
        cells, tasks, repeats = drawn.solved.shape
        cell, task, repeat = (axis.ravel() for axis in np.indices((cells, tasks, repeats)))
        names = [f"task {number:02}" for number in range(tasks)]
        columns = {
            "backbone": [self.plan.backbones[0]] * cell.size,
            "arm": [NONE if CONDITIONS[one] == WITHOUT else ARM for one in cell],
            "condition": [CONDITIONS[one] for one in cell],
            "task": [names[one] for one in task],
            "repeat": repeat,
            "score": drawn.solved.ravel().astype(float),
        }
        # every trial was delivered; one text in all tasks gives no measure of how oddly it reads
        facts = RunFacts(unseen=self.plan.reported, fluent=frozenset())
        found = analyse(Outcomes(pl.DataFrame(columns)), analysis_plan(self.plan), facts)
        means = drawn.solved.mean((1, 2))
        scores = [
            row.model_copy(update={"score": float(means[CONDITIONS.index(row.condition)])})
            for row in self.results.cells
        ]
        return self.results.model_copy(
            update={
                "estimates": found.estimates,
                "verdicts": found.verdicts,
                "utility": found.utility,
                "cells": tuple(scores),
                "cost_ratios": tuple(self._costs(drawn)),
            }
        )

    def _costs(self, drawn: DrawnTrials) -> Iterator[ConditionCost]:
        used = np.exp(np.log(drawn.tokens).mean(2))
        for place, name in enumerate(CONDITIONS):
            ratio = None
            if name != INTACT:
                family = len(CONDITIONS) - 1
                ratio = compare_costs(used[CONDITIONS.index(INTACT)], used[place], self.plan.alpha, family)
            tokens, solved = float(drawn.tokens[place].mean()), float(drawn.solved[place].mean())
            n_trials = drawn.solved[place].size
            yield ConditionCost(self.plan.backbones[0], ARM, name, n_trials, solved, tokens, None, ratio)


def look(task, memory) -> bool:
    """The agent of the one run that is played: it takes its memory, so that nothing is undelivered."""
    return bool(memory.text) or True


def play_try(n_tasks: int, repeats: int = 1) -> PlayedTry:
    """Play a run by the defaults of `try`."""
    with TemporaryDirectory(prefix="blind-") as folder:
        options = mt.TrialOptions(out=Path(folder, "run"), repeats=repeats)
        found = mt.trial(look, [f"task {number}" for number in range(n_tasks)], NOTES, options=options)
        with closing(open_ledger_to_read(Path(folder, "run", "ledger.sqlite"))) as ledger:
            return PlayedTry(found, view_of(ledger, None).plan)


@dataclass(frozen=True, slots=True)
class TrialWords:
    """Words of one trial of a memory.

    Args:
        memory: what is said of it as a whole; `drops`: of each kind of damage.
        headline: of the sentence.
        fails: words as `--fail-on` takes them.
        wrong: what of `memory` and `drops` is not so; `further`: the same of all other rows.
        bills: words on tokens, by the condition that the intact one is held against; `misbilled`: those
            that are not so.
    """

    memory: str
    drops: dict[str, str]
    headline: str
    fails: tuple[str, ...]
    wrong: tuple[str, ...]
    further: tuple[str, ...]
    bills: dict[str, str]
    misbilled: tuple[str, ...]


def hear(who: TriedParticipant, found: Results) -> TrialWords:
    """What is said of a participant, and what of it is wrong."""
    backbone, costs = found.backbones[0], found.cost_ratios
    bills = {cost.condition: cost.versus_tokens.word for cost in costs if cost.versus_tokens}
    main = [row for row in found.estimates if row.estimand in ("utility", "drop")]
    return TrialWords(
        found.utility[backbone][ARM],
        found.verdicts[backbone][ARM],
        answer_memory(found, "NOTES", ARM, costs).sentence.split(": ")[1],
        name_words(found, ARM, costs),
        tuple(f"{row.verdict} {row.condition}" for row in main if is_wrong(who, row)),
        tuple(
            f"{row.verdict} {row.estimand} {row.condition}"
            for row in found.estimates
            if row not in main and is_wrong(who, row)
        ),
        bills,
        tuple(f"{word} than {name}" for name, word in bills.items() if is_misbilled(who, name, word)),
    )


def is_wrong(who: TriedParticipant, row: Estimate) -> bool:
    """Whether a row's word is not so."""
    if row.estimand == "utility":
        right = {1.0: "helps", -1.0: "harms", 0.0: "none"}[who.gain]
        return row.verdict not in (right, "inconclusive", "untestable")
    if row.verdict == "inert" and row.estimand == "drop":
        return who.moves.get(row.condition, 0.0) != who.moves.get(INTACT, 0.0)
    return row.verdict in OF_CONTENT and (not who.reads or row.verdict == "reversed")


def is_misbilled(who: TriedParticipant, name: str, word: str) -> bool:
    """Whether the intact condition does not use more, less or as much as this one, as is said."""
    apart = who.spends.get(INTACT, 0.0) - who.spends.get(name, 0.0)
    right = "more" if apart > 0 else "less" if apart < 0 else "as much"
    return word not in (right, "open")


def summarise(who: TriedParticipant, heard: Sequence[TrialWords]) -> Iterator[str]:
    """A row of the table and what stands behind it; shares of the trials, in percent."""

    def share(flags: Iterable[bool]) -> str:
        return f"{100 * sum(flags) / len(heard):.1f}"

    def shares(words: Iterable[str]) -> str:
        counted = Counter(words).most_common()
        return ", ".join(f"{word} {100 * n / len(heard):.1f}" for word, n in counted) or "none"

    figures = (
        share("load-bearing" in words.drops.values() for words in heard),
        share(words.memory == "harms" for words in heard),
        share(words.memory == "helps" for words in heard),
        share(bool(words.wrong) for words in heard),
        share(bool(words.further) for words in heard),
        share(bool(words.misbilled) for words in heard),
    )
    yield f"| {who.name} | {' | '.join(figures)} |"
    yield f"    wrong: {shares(word for words in heard for word in words.wrong)}"
    yield f"    wrong further down: {shares(word for words in heard for word in words.further)}"
    yield f"    headline: {shares(words.headline for words in heard)}"
    yield f"    --fail-on: {shares(word for words in heard for word in words.fails)}"
    for name in (COUNTER, INVERTED):
        yield f"    {name}: {shares(words.drops[name] for words in heard)}"
    yield f"    bill, without: {shares(words.bills[WITHOUT] for words in heard)}"


HEADINGS = ("load-bearing", "harms", "helps", "any wrong word", "wrong further down", "wrong bill")

if __name__ == "__main__":
    seeds, n_tasks, repeats = (*map(int, sys.argv[1:]), 1)[:3]
    print(f"{seeds} trials each, {n_tasks} tasks, {repeats} of each in a condition; shares in %")
    print(f"| who | {' | '.join(HEADINGS)} |", flush=True)
    tried = play_try(n_tasks, repeats)
    for who in PARTICIPANTS:
        streams = (seeded(who, n_tasks, seed) for seed in range(seeds))
        drawn = (draw_trials(who, CONDITIONS, n_tasks, repeats, stream) for stream in streams)
        heard = [hear(who, tried.with_outcomes(trials)) for trials in drawn]
        print(*summarise(who, heard), sep="\n", flush=True)
