"""Check files that people write by hand for agents: `CLAUDE.md`, `SKILL.md`, folders of notes."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memtrial.faults import SpecFault
from memtrial.gates.notes.note_report import NotesReport
from memtrial.gates.notes.notes_check import check_files
from memtrial.memory.notes.note_files import NEEDED, NoteFile, read_note_files
from memtrial.outcomes.given_path import path_of
from memtrial.runs.setup.event_loop import without_loop
from memtrial.transcripts.log_formats import say_for_items

if TYPE_CHECKING:
    from memtrial.gates.gate import GateKind

RULES = "rules"
"""In place of a model: programs alone."""


@without_loop
def check_notes(
    path: str | Path | Iterable[str | Path],
    judge: str = RULES,
    gates: str | Iterable[str] = "all",
    base_urls: tuple[str, ...] = (),
) -> NotesReport:
    """What programs find in the files, in order of file and line, and what each section costs a turn.

    Nothing is sent unless a judge is named, and nothing is written.

    Args:
        path: a file, a folder, or several of both. A folder is read as deep as it goes.
        judge: provider/model, to be asked of each item that advises, gate by gate; `rules`: nobody.
        gates: those that the judge is asked, by name.

    Raises:
        SpecFault: a file is none that can be read, or judge or gates are wrong; nothing was sent.
        RunFault: the model could not be had.
    """
    given = (path,) if isinstance(path, str | Path) else tuple(path)
    if not given:
        raise SpecFault(f"{NEEDED}; got no path")
    if judge == RULES and gates != "all":
        raise SpecFault(
            "gates are chosen for a judge; name one, or leave them out: programs ask all they can"
        )
    kinds = () if judge == RULES else _judged_kinds(judge, gates)
    for place in map(Path, given):
        if place.is_file() and (looks := say_for_items(place)):
            raise SpecFault(f"{NEEDED}; {place}: {looks}")
    files = read_note_files([path_of(each, "a file or a folder of notes", SpecFault) for each in given])
    report = check_files(files)
    return report if judge == RULES else _judge(files, report, kinds, judge, base_urls)


def judged_names() -> tuple[str, ...]:
    """The gates that a judge can be asked of a free item."""
    from memtrial.gates.notes.judged_notes import CONTROLS, JUDGED

    return tuple(kind.name for kind in (*JUDGED, *CONTROLS))


def _judged_kinds(judge: str, gates: str | Iterable[str]) -> "tuple[GateKind, ...]":
    from memtrial.gates.notes.judged_notes import CONTROLS, JUDGED
    from memtrial.gates.suite import gate_names

    if "/" not in judge:
        raise SpecFault(f"--judge takes {RULES} or provider/model; got {judge!r}")
    if gates == "all":
        return JUDGED
    names = gate_names(gates if isinstance(gates, str) else tuple(gates))
    known = {kind.name: kind for kind in (*JUDGED, *CONTROLS)}
    lost = [name for name in names if name not in known]
    if lost or not names:
        wrong = ", ".join(lost) or "none"
        raise SpecFault(
            f"gates that read a free item by itself are needed, of {', '.join(known)}; got {wrong}"
        )
    return tuple(known[name] for name in dict.fromkeys(names))


def _judge(
    files: tuple[NoteFile, ...],
    report: NotesReport,
    kinds: "tuple[GateKind, ...]",
    judge: str,
    base_urls: tuple[str, ...],
) -> NotesReport:
    from memtrial.api.given_spec import client_of, done_by
    from memtrial.call_purpose import Purpose
    from memtrial.gates.notes.judged_notes import judge_notes
    from memtrial.judges.closed_question import ModelJudge
    from memtrial.models.client.client import Caller

    client = client_of((("judge", judge),), base_urls)
    asked = ModelJudge(Caller(client, judge, purpose=Purpose("other", "gates check")))
    return done_by(
        client, lambda: judge_notes(files, report, kinds, asked), lambda: "the judge could not be had"
    )
