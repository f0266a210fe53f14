"""What `memtrial try` says of participants that do not read their memory, in many seeds; not in `make bench`.

    python -m bench.blind.agents 200 24            # seeds, tasks; then, if wanted, repeats

One run of this product is played, with every default of `try`; its trials are then given the outcomes that a
participant draws, and `results` reads them as it reads any run. `other_tools.py` is beside it.

Which words are wrong is decided by `docs/verdicts.md`: `load-bearing`, `carries` and `reversed` of whoever
does not read, `inert` where the damage moves the score, `helps`, `harms` and `none` where the memory as a
whole does something else. That any text lifts or hinders is no word on the content: `helps` and `harms` are
right there.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

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
from memtrial.analysis.result import Estimate
from memtrial.api.trial import ARM
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow
from memtrial.protocols import LedgerStore
from memtrial.reports.text.memory_answer import answer_memory
from memtrial.reports.text.memory_words import name_words
from memtrial.views.results.run_results import results
from memtrial.views.rows.results import Results

NOTES = (
    "When the lamp is red, press the green button.\n"
    "When the bell rings, open the north door.\n"
    "When the siren wails, close the south gate.\n"
)
"""A memory that rules can turn, so that every kind of damage is played, as where a model writes it."""
OF_CONTENT = ("load-bearing", "carries", "reversed")


class DrawnLedger:
    """A played run's ledger in which the trials ended otherwise."""

    def __init__(self, ledger: LedgerStore, rows: Sequence[TrialRow]) -> None:
        self._ledger, self._rows = ledger, rows

    def trials(self) -> Iterator[TrialRow]:
        return iter(self._rows)

    def __getattr__(self, name: str):
        return getattr(self._ledger, name)


def look(task, memory) -> bool:
    """The agent of the one run that is played: it takes its memory, so that nothing is undelivered."""
    return bool(memory.text) or True


@contextmanager
def played(n_tasks: int, repeats: int = 1) -> Iterator[LedgerStore]:
    """The ledger of a run by the defaults of `try`."""
    with TemporaryDirectory(prefix="blind-") as folder:
        options = mt.TrialOptions(out=Path(folder, "run"), repeats=repeats)
        mt.trial(look, [f"task {number}" for number in range(n_tasks)], NOTES, options=options)
        ledger = open_ledger_to_read(Path(folder, "run", "ledger.sqlite"))
        try:
            yield ledger
        finally:
            ledger.close()


def read_drawn(ledger: LedgerStore, drawn: DrawnTrials) -> Results:
    """What the product says of these outcomes."""
    rows = list(ledger.trials())
    place = {name: number for number, name in enumerate(sorted({row.task for row in rows}))}
    ended = []
    for row in rows:
        cell = CONDITIONS.index(row.condition), place[row.task], row.repeat
        solved, tokens = bool(drawn.solved[cell]), int(drawn.tokens[cell])
        status = "success" if solved else "failure"
        ended.append(
            replace(row, score=float(solved), status=status, calls=1, input_tokens=tokens, usd=tokens * 3e-6)
        )
    return results(DrawnLedger(ledger, ended))


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
    with played(n_tasks, repeats) as ledger:
        for who in PARTICIPANTS:
            streams = (seeded(who, n_tasks, seed) for seed in range(seeds))
            drawn = (draw_trials(who, CONDITIONS, n_tasks, repeats, stream) for stream in streams)
            heard = [hear(who, read_drawn(ledger, trials)) for trials in drawn]
            print(*summarise(who, heard), sep="\n", flush=True)
