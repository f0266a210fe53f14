"""A bank of ReasoningBank's taken in: as a file of ours, with its trajectories beside it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memtrial.agents.traces import trace_to_json
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.interchange.bank_file import bank_line
from memtrial.memory.interchange.bank_report import BankReport
from memtrial.memory.interchange.upstream_bank import read_upstream_bank
from memtrial.memory.interchange.upstream_record import BankFormat
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.given_path import path_of
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.output_file import refuse_other, refuse_unwritable

BANK, TRACES = "bank.jsonl", "traces.jsonl"


@dataclass(frozen=True, slots=True)
class ImportedBank:
    """What was taken in, and where it stands; `traces` is None where no record has turns and an outcome."""

    bank: Path
    traces: Path | None
    report: BankReport


def import_bank(source: str | Path, folder: str | Path) -> ImportedBank:
    """Read a bank of WebArena or SWE, of either released version, and write it as files of ours.

    Args:
        source: the bank, `shopping.jsonl`; the cache of vectors beside it is read for the report.
        folder: gets `bank.jsonl`, for `perturb`, `gates label`, `export --bank` and an arm's `memory:`, and
            `traces.jsonl` for `condense`.

    Raises:
        SpecFault: the bank cannot be read; nothing was written.
        RunFault: writing failed.
    """
    path = path_of(source, "a bank of ReasoningBank, a file of JSON lines,", SpecFault)
    place = path_of(folder, "a folder for the bank", SpecFault)
    read = read_upstream_bank(path)
    layout: BankFormat = "swe" if read.report.form == "swe" else "webarena"
    bank, traces = place / BANK, place / TRACES
    trajectories = [entry.trajectory for entry in read.entries if entry.trajectory is not None]
    lines = (json.dumps(trace_to_json(trace), ensure_ascii=False) + "\n" for trace in trajectories)
    texts = {bank: "".join(bank_line(entry, layout) for entry in read.entries), traces: "".join(lines)}
    try:
        place.mkdir(parents=True, exist_ok=True)
        for target, text in texts.items():
            refuse_unwritable(target, path)
            refuse_other(target, text)
        write_whole(bank, texts[bank])
        if trajectories:
            write_whole(traces, texts[traces])
    except OSError as fault:
        raise RunFault(f"the bank cannot be written: {fault}") from fault
    return ImportedBank(bank, traces if trajectories else None, read.report)


def report_lines(report: BankReport) -> Iterator[str]:
    """What the terminal shows."""
    items, traces = how_many(report.n_items, "item"), how_many(report.n_traces, "trace")
    yield f"{how_many(report.n_records, 'record')} ({report.form}), {items}, {traces}"
    for ids, what in (
        (report.duplicates, "left out, a later record of the same task"),
        (report.number_ids, "an id that is a number, taken in as text; upstream never matches it"),
        (report.string_items, "items in one text, taken in whole; upstream reads its characters"),
        (report.first_of_several, "items with a client's raw answer behind, which was left out"),
        (report.blank, "a record without text"),
        (report.no_outcome, "no status, so no trace"),
        (report.no_query, "no query in the record"),
        (report.orphans, "a vector without a record; upstream shows nothing where it comes first"),
        (report.unsearched, "a record without a vector; upstream never finds it"),
    ):
        if ids:
            yield f"{len(ids):,} × {what}: {list_names(ids)}"
    if report.blank_lines:
        yield f"{how_many(report.blank_lines, 'blank line')} in the bank; upstream stops there"
    if report.unused:
        yield f"kept and not used: {list_names(report.unused)}"
    yield from _cache_lines(report)


def _cache_lines(report: BankReport) -> Iterator[str]:
    if report.n_vectors is None:
        yield "no cache of vectors beside it; without one upstream finds nothing"
        return
    lengths = " and ".join(map(str, report.lengths)) or "0"
    vectors = how_many(report.n_vectors, "vector")
    yield f"{vectors} of {lengths} numbers, not taken over: queries are embedded anew"
    if len(report.lengths) > 1:
        yield "vectors of several lengths; upstream cannot read such a cache"
