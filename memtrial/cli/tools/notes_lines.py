"""`gates check`: what it prints of files that people wrote by hand, and its exit code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from memtrial.console.escape import brief
from memtrial.console.standard_output import put_either
from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import how_many

if TYPE_CHECKING:
    from memtrial.gates.notes.note_report import CheckedFile, NoteFinding, NotesReport

QUOTED = 100
"""Characters of a quotation that are shown."""
SHOWN = 4
"""Sections whose tokens are shown, the largest; `--json` has all."""
WEIGHT = {"fail": ("FAIL",), "warn": ("FAIL", "WARN")}


def check_notes_given(
    paths: Sequence[str],
    judge: str,
    gates: str,
    fail_on: str | None,
    as_json: bool,
    base_urls: tuple[str, ...],
) -> int:
    """Check the files and print: 1 where a finding is what `fail_on` names, else 0.

    Raises:
        SpecFault: a file cannot be read, or an option is wrong.
    """
    from memtrial.api.check_notes import RULES, check_notes, judged_names
    from memtrial.gates.notes.notes_check import NOTE_GATES

    known = (*WEIGHT, *NOTE_GATES, *(() if judge == RULES else judged_names()))
    if fail_on is not None and fail_on not in known:
        raise SpecFault(f"--fail-on takes {', '.join(known)}; got {fail_on!r}")
    report = check_notes(paths, judge, gates, base_urls)
    counts = {"n_items": report.n_items, "tokens_a_turn": report.tokens_a_turn, "by_gate": report.by_gate}
    put_either(asdict(report) | counts | {"judge": judge}, lines_of_notes(report, judge), as_json)
    unanswered = fail_on is not None and report.n_unanswered > 0  # what was not looked at has not passed
    return int(unanswered or any(_is_named(finding, fail_on) for finding in report.findings))


def _is_named(finding: NoteFinding, fail_on: str | None) -> bool:
    return finding.gate == fail_on or finding.finding in WEIGHT.get(fail_on or "", ())


def lines_of_notes(report: NotesReport, judge: str) -> Iterator[str]:
    """Each file with its findings and its largest sections, then one line on all."""
    from memtrial.api.check_notes import RULES

    for file in report.files:
        yield from (_line(finding) for finding in report.findings if finding.file == file.file)
        yield from _costs(file)
        yield ""
    found = ", ".join(f"{gate} {n}" for gate, n in report.by_gate.items()) or "no findings"
    files, items = how_many(len(report.files), "file"), how_many(report.n_items, "item")
    yield f"{files}, {items}, about {how_many(report.tokens_a_turn, 'token')} a turn: {found}"
    if judge == RULES:
        yield "by programs alone; --judge MODEL asks of each item what only a reader can tell"
    else:
        simulated = " (simulated)" if judge.startswith("simulated/") else ""
        yield f"judge {judge}{simulated}: {_questions(report)}; uncalibrated for such items, it warns"


def _questions(report: NotesReport) -> str:
    lost = f", {report.n_unanswered} without an answer" if report.n_unanswered else ""
    return f"{report.n_asked} questions{lost}"


def _line(finding: NoteFinding) -> str:
    place = f"{finding.file}:{finding.line}: {finding.gate}"
    note = " (for information)" if finding.finding == "INFO" else ""
    return f'{place}: {finding.reason}{note} "{brief(finding.quote, QUOTED)}"'


def _costs(file: CheckedFile) -> Iterator[str]:
    used = "" if file.tokens == file.tokens_a_turn else f", {file.tokens:,} when it is read"
    items = how_many(file.n_items, "item")
    if file.n_items:
        items += f", of which {file.n_advising} tell what to do and {file.n_when} when"
    yield f"{file.file}: about {how_many(file.tokens_a_turn, 'token')} a turn{used}; {items}"
    if not file.english:
        yield "  it is not in English: references, repetitions and tokens are read, its words are not"
    if file.imports:
        yield f"  imports {', '.join(file.imports)}"
    largest = sorted(file.sections, key=lambda section: -section.tokens)[:SHOWN]
    for section in largest if len(file.sections) > 1 else ():
        title = brief(section.title, QUOTED) or "before the first heading"
        yield f"  {section.share:4.0%} {section.tokens:6,} tokens  line {section.line}: {title}"
