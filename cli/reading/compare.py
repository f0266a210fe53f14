"""`compare`: two runs side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import JsonValue

from loadbearing.analysis.result import Estimate, Key
from loadbearing.cli.options import Json
from loadbearing.ledger.lock_facts import plan_in_force
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import shortened
from loadbearing.reports.base.line_width import columns, folded
from loadbearing.reports.base.numbers import count, dollars, interval, signed
from loadbearing.reports.evidence.untrusted import untrusted_alarm
from loadbearing.reports.model.play import Cost
from loadbearing.reports.model.results import Results
from loadbearing.reports.results.results import results
from loadbearing.reports.text.verdict_entry import printed
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.open_run import reading
from loadbearing.runs.lock.freeze import beside_of
from loadbearing.runs.progress.standard_output import put, put_json, width_of

T = TypeVar("T")
Pair = tuple[T, T]

NO_VERDICT = (
    "A verdict that differs is no verdict on the difference: one run may have been larger, or lucky. To learn"
    " whether two arms differ, play them in one run and read its contrast."
)
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared of one run."""

    folder: str
    identity: Mapping[str, JsonValue]
    results: Results
    tasks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Numbers:
    """An estimate as one of the runs has it."""

    estimate: float | None
    low: float | None
    high: float | None
    n_tasks: int
    n_clusters: int
    verdict: str

    @classmethod
    def of(cls, row: Estimate | None) -> Numbers | None:
        """The part of a row that is compared; None of none."""
        if row is None:
            return None
        return cls(row.estimate, row.low, row.high, row.n_tasks, row.n_clusters, row.verdict)


@dataclass(frozen=True, slots=True)
class ComparedEstimate:
    """One estimate in both runs; None for one that has no such row.

    Args:
        verdict: same, changed or one run only.
    """

    estimand: str
    backbone: str
    arm: str
    versus: str
    condition: str
    share: float | None
    runs: Pair[Numbers | None]
    difference: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class SharedTasks:
    """Tasks that were played in each run, and in both."""

    first: int
    second: int
    shared: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of everything; in each pair the first run stands first."""

    runs: Pair[str]
    simulated: Pair[bool]
    identity: dict[str, Pair[JsonValue]]
    tasks: SharedTasks
    notes: Pair[str]
    estimates: tuple[ComparedEstimate, ...]
    errors: dict[str, Pair[int | None]]
    cost: dict[str, Pair[Cost | None]]


def compare(
    first: Annotated[Path, typer.Argument(help="A run.", metavar="RUN")],
    second: Annotated[Path, typer.Argument(help="Another run.", metavar="RUN")],
    as_json: Json = False,
) -> None:
    """Two runs side by side: what differs in design, verdicts, estimates and cost."""
    compare_runs(first, second, as_json)


def compare_runs(first: Path, second: Path, as_json: bool) -> None:
    """Print what two runs have in common and where they differ.

    Raises:
        SpecFault: one of them is no run, or has not come as far as its first trial.
        RunFault: rows of one of them were changed; said after all was shown.
    """
    one, other = _read(first), _read(second)
    said = comparison(one, other)
    if as_json:
        body = asdict(said)
        body["cost"] = {arm: [cost and cost.model_dump() for cost in pair] for arm, pair in said.cost.items()}
        put_json(body)
    else:
        width = width_of(sys.stdout) or LONGEST
        put("\n".join(part for line in _told(said, width) for part in folded(line, width)))
    for run in (one, other):
        if alarm := untrusted_alarm(run.results.untrusted):
            raise RunFault(f"{run.folder}: {alarm}")


def _read(named: Path) -> Compared:
    with reading(named) as (folder, ledger):
        if plan_in_force(ledger) is None:
            raise SpecFault(f"compare needs two runs with trials; {folder} has not come as far as its first")
        identity = ledger.fact("identity")
        if not isinstance(identity, dict):
            raise SpecFault(f"compare needs runs that state what they are; the ledger of {folder} does not")
        return Compared(str(folder), identity, results(ledger, beside_of(folder, ledger)), _tasks(ledger))


def _tasks(ledger: Ledger) -> frozenset[str]:
    return frozenset(task for (task,) in ledger.connection.execute("SELECT DISTINCT task FROM trials"))


def comparison(one: Compared, other: Compared) -> Comparison:
    """Hold two runs against each other."""
    shared = SharedTasks(len(one.tasks), len(other.tasks), len(one.tasks & other.tasks))
    return Comparison(
        runs=(one.folder, other.folder),
        simulated=(one.results.simulated, other.results.simulated),
        identity={
            key: (one.identity.get(key), other.identity.get(key))
            for key in sorted(one.identity.keys() | other.identity.keys())
            if one.identity.get(key) != other.identity.get(key)
        },
        tasks=shared,
        notes=(_pairing(shared), NO_VERDICT),
        estimates=_estimates(one.results, other.results),
        errors=_both(one.results.errors, other.results.errors),
        cost=_both(one.results.cost, other.results.cost),
    )


def _pairing(tasks: SharedTasks) -> str:
    if not tasks.shared:
        return "The runs share no task: nothing is paired, and tasks may differ in how hard they are."
    return (
        f"The runs share {how_many(tasks.shared, 'task')} of {tasks.first} and {tasks.second}. This is still"
        " no paired test: the estimates stand as each run computed them, over all of its own tasks."
    )


def _estimates(one: Results, other: Results) -> tuple[ComparedEstimate, ...]:
    """Every row of either run, the first run's order first."""
    mine, theirs = ({row.key: row for row in found.estimates} for found in (one, other))
    return tuple(_compared(key, mine.get(key), theirs.get(key)) for key in dict.fromkeys((*mine, *theirs)))


def _compared(key: Key, mine: Estimate | None, theirs: Estimate | None) -> ComparedEstimate:
    backbone, estimand, arm, versus, condition, share = key
    verdict, difference = "one run only", None
    if mine is not None and theirs is not None:
        verdict = "same" if mine.verdict == theirs.verdict else "changed"
        if mine.estimate is not None and theirs.estimate is not None:
            difference = theirs.estimate - mine.estimate
    runs = Numbers.of(mine), Numbers.of(theirs)
    return ComparedEstimate(estimand, backbone, arm, versus, condition, share, runs, difference, verdict)


def _both(one: Mapping[str, T], other: Mapping[str, T]) -> dict[str, Pair[T | None]]:
    return {arm: (one.get(arm), other.get(arm)) for arm in dict.fromkeys((*one, *other))}


def _told(said: Comparison, width: int) -> Iterator[str]:
    yield f"first:  {said.runs[0]}"
    yield f"second: {said.runs[1]}"
    if any(said.simulated):
        yield "Simulated participants: this is no evidence about any language model."
    if said.identity:
        yield f"They differ in {how_many(len(said.identity), 'key')}:"
        for key, (one, other) in said.identity.items():
            yield f"  {key}: {shortened(repr(one), LONGEST)} -> {shortened(repr(other), LONGEST)}"
    else:
        yield "They are the same experiment, key by key."
    yield from said.notes
    yield ""
    heads = ("estimate", "first", "second", "difference", "verdict")
    yield from columns([heads, *map(_line, said.estimates)], width)
    yield ""
    yield from columns([("arm", "errors", "calls", "cost"), *_costs(said)], width)


def _line(row: ComparedEstimate) -> tuple[str, ...]:
    share = f" {row.share:.0%}" if row.share is not None else ""
    name = f"{row.estimand}{share} {row.backbone} {row.arm} - {row.versus}, {row.condition}"
    shown = ("not there" if one is None else interval(one) for one in row.runs)
    words = ["no row" if one is None else printed(one.verdict) for one in row.runs]
    verdict = {"same": f"same: {words[0]}", "changed": f"CHANGED: {words[0]} -> {words[1]}"}
    return (name, *shown, signed(row.difference), verdict.get(row.verdict, " | ".join(words)))


def _costs(said: Comparison) -> Iterator[tuple[str, ...]]:
    for arm in dict.fromkeys((*said.errors, *said.cost)):
        spent = said.cost.get(arm, (None, None))
        yield (
            arm,
            " | ".join(count(one) for one in said.errors.get(arm, (None, None))),
            " | ".join(count(one.calls if one else None) for one in spent),
            " | ".join(dollars(one.usd if one else None) for one in spent),
        )
