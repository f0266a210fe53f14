"""`compare`: two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import JsonValue, TypeAdapter

from memtrial.cli.options import Json
from memtrial.console.escape import shorten
from memtrial.console.line_width import columns, fold
from memtrial.console.standard_output import put_either, width_of
from memtrial.faults import RunFault, SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT
from memtrial.runs.run_folder.folder import open_for_reading

if TYPE_CHECKING:
    from memtrial.analysis.result import Estimate, Key
    from memtrial.cli.results.run_comparison import ComparedEstimate, Comparison, Pair
    from memtrial.views.rows.results import Results

K = TypeVar("K")
T = TypeVar("T")

NO_VERDICT = (
    "A verdict that differs is no verdict on the difference: one run may have been larger, or lucky. To learn"
    " whether two arms differ, play them in one run and read its contrast."
)
LONGEST = 100


def compare_runs(
    first: Annotated[Path, typer.Argument(help="A run.", metavar="RUN")],
    second: Annotated[Path, typer.Argument(help="Another run.", metavar="RUN")],
    as_json: Json = False,
) -> None:
    """Print what two runs have in common and where they differ."""
    from memtrial.cli.results.run_comparison import Comparison
    from memtrial.views.evidence.untrusted import untrusted_alarm

    (folder, one, spec, tasks), (other_folder, other, other_spec, others) = (
        _read_run(first),
        _read_run(second),
    )
    shared = len(tasks & others)
    pairing = "The runs share no task: nothing is paired, and tasks may differ in how hard they are."
    if shared:
        pairing = (
            f"The runs share {how_many(shared, 'task')} of {len(tasks)} and {len(others)}. This is"
            " still no paired test: the estimates stand as each run computed them, over all of its own tasks."
        )
    mine, theirs = ({row.key: row for row in found.estimates} for found in (one, other))
    pairs = _both(spec, other_spec)
    said = Comparison(
        runs=(folder, other_folder),
        simulated=(one.simulated, other.simulated),
        identity={key: pair for key, pair in sorted(pairs.items()) if pair[0] != pair[1]},
        tasks={"first": len(tasks), "second": len(others), "shared": shared},
        notes=(pairing, NO_VERDICT),
        estimates=tuple(_compare_rows(key, *pair) for key, pair in _both(mine, theirs).items()),
        errors=_both(one.errors, other.errors),
        cost=_both(one.cost, other.cost),
    )
    width = width_of() or LONGEST
    lines = (part for line in _comparison_lines(said, width) for part in fold(line, width))
    put_either(TypeAdapter(Comparison).dump_python(said, mode="json"), lines, as_json)
    for name, found in ((folder, one), (other_folder, other)):
        if alarm := untrusted_alarm(found.untrusted):
            raise RunFault(f"{name}: {alarm}")


def _read_run(named: Path) -> tuple[str, Results, Mapping[str, JsonValue], frozenset[str]]:
    """A run's folder, results, identity, and the tasks it played."""
    from memtrial.ledger.run_plan import identity_in_force, plan_in_force
    from memtrial.runs.run_folder.lock_surroundings import beside_of
    from memtrial.views.results.run_results import results

    with open_for_reading(named) as (folder, ledger):
        if plan_in_force(ledger) is None:
            raise SpecFault(f"compare needs two runs with trials; {folder} has not come as far as its first")
        tasks = ledger.tasks_played()
        return str(folder), results(ledger, beside_of(folder, ledger)), identity_in_force(ledger) or {}, tasks


def _both(first: Mapping[K, T], second: Mapping[K, T]) -> dict[K, Pair[T | None]]:
    """Every key of either, the first one's order first."""
    return {key: (first.get(key), second.get(key)) for key in dict.fromkeys((*first, *second))}


def _compare_rows(key: Key, mine: Estimate | None, theirs: Estimate | None) -> ComparedEstimate:
    from memtrial.cli.results.run_comparison import ComparedEstimate

    verdict, difference = "one run only", None
    if mine is not None and theirs is not None:
        verdict = "same" if mine.verdict == theirs.verdict else "changed"
        if mine.estimate is not None and theirs.estimate is not None:
            difference = theirs.estimate - mine.estimate
    return ComparedEstimate(key, (mine, theirs), difference, verdict)


def _comparison_lines(comparison: Comparison, width: int) -> Iterator[str]:
    from memtrial.outcomes.grouping import group_by
    from memtrial.views.numbers import count, dollars

    yield f"first:  {comparison.runs[0]}"
    yield f"second: {comparison.runs[1]}"
    if any(comparison.simulated):
        yield "Simulated participants: this is no evidence about any language model."
    if comparison.identity:
        yield f"They differ in {how_many(len(comparison.identity), 'key')}:"
        for key, (value, other) in comparison.identity.items():
            yield f"  {key}: {shorten(repr(value), LONGEST)} -> {shorten(repr(other), LONGEST)}"
    else:
        yield "They are the same experiment, key by key."
    yield from comparison.notes
    yield ""
    tables = group_by(comparison.estimates, lambda row: _table_of(row.key))
    for (estimand, backbone), compared in tables.items():
        yield f"{estimand}, {backbone}"
        yield from columns([("", "first", "second", "change", "verdict"), *map(_line, compared)], width)
        yield ""
    rows = [("arm", "errors", "calls", "cost")]
    for arm in dict.fromkeys((*comparison.errors, *comparison.cost)):
        spent = comparison.cost.get(arm, (None, None))
        lost = " | ".join(map(count, comparison.errors.get(arm, (None, None))))
        calls = " | ".join(count(value.calls if value else None) for value in spent)
        rows.append((arm, lost, calls, " | ".join(dollars(value.usd if value else None) for value in spent)))
    yield from columns(rows, width)


def _table_of(key: Key) -> tuple[str, str]:
    """What a table of estimates has in common: estimand and backbone."""
    backbone, estimand, *_ = key
    return estimand, backbone


def _line(row: ComparedEstimate) -> tuple[str, ...]:
    from memtrial.reports.text.verdict_glossary import printed_word
    from memtrial.views.numbers import interval, with_sign

    _, _, arm, versus, condition, share = row.key
    part = "" if share is None else f" at {share:.0%}"
    shown = ("not there" if estimate is None else interval(estimate) for estimate in row.runs)
    words = ["no row" if estimate is None else printed_word(estimate.verdict) for estimate in row.runs]
    verdict = {"same": words[0], "changed": f"CHANGED: {words[0]} -> {words[1]}"}
    name = f"{arm}{'' if versus == INTACT else f' - {versus}'}, {condition}{part}"
    return (name, *shown, with_sign(row.difference), verdict.get(row.verdict, " | ".join(words)))
