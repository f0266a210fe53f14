"""The whole check of hand-written files by programs: findings, and what each section costs a turn."""

from collections.abc import Iterator, Mapping, Sequence

from memtrial.gates.notes.dead_references import TreeNames, find_dead_references
from memtrial.gates.notes.note_phrases import find_wording, is_english_note
from memtrial.gates.notes.note_report import CheckedFile, NoteFinding, NotesReport, SectionTokens
from memtrial.gates.notes.note_sections import (
    find_idle_sections,
    find_skill_faults,
    measure_sections,
    tokens_a_turn,
    tokens_of,
)
from memtrial.gates.notes.opposed_notes import find_opposed_notes
from memtrial.gates.notes.repeated_notes import find_repeated_notes
from memtrial.gates.notes.rival_limits import find_rival_limits
from memtrial.gates.notes.rival_rules import find_rival_rules
from memtrial.memory.notes.note_files import NoteFile

NOTE_GATES: Mapping[str, str] = {
    "trigger-presence": "a skill whose description does not say when it is for",
    "left-open": "the choice of what to do is left to the reader",
    "refuter": "advice whose condition is that it is good advice",
    "no-measure": "a word of degree, with nothing that tells when it is met",
    "meta-prose": "words about the file itself",
    "no-action": "a section in which nothing is told to be done or avoided",
    "duplicate": "what stands elsewhere in the same words, or nearly",
    "internal-consistency": "an action both told and forbidden under one condition",
    "dead-reference": "a path that is not in the tree",
}
"""What programs look for in free items, by the name that a finding has."""


def check_files(files: Sequence[NoteFile]) -> NotesReport:
    """All that programs find, in the order of files and lines.

    Of a file that is not in English, what its words say is not read: references, repetitions and tokens are.
    """
    trees = {root: TreeNames(root) for root in dict.fromkeys(file.root for file in files)}
    checked, findings, readable = list[CheckedFile](), list[NoteFinding](), list[NoteFile]()
    for file in files:
        measured, english = measure_sections(file), is_english_note(file.text)
        checked.append(_summary(file, measured, english))
        findings += find_dead_references(file, trees[file.root], english)
        if english:
            readable.append(file)
            findings += find_skill_faults(file)
            findings += find_idle_sections(file, measured)
            findings += (each for item in file.read.items for each in find_wording(file, item))
    findings += find_repeated_notes(files)
    findings += find_opposed_notes(readable)
    findings += _drop_known(
        [each for file in readable for find in (find_rival_rules, find_rival_limits) for each in find(file)],
        findings,
    )
    place = {file.name: number for number, file in enumerate(files)}
    ordered = sorted(findings, key=lambda each: (place[each.file], each.line, each.gate))
    return NotesReport(tuple(checked), tuple(ordered))


def _drop_known(rivals: Sequence[NoteFinding], known: Sequence[NoteFinding]) -> Iterator[NoteFinding]:
    """What no finding of the same gate says of the same line."""
    places = {(each.gate, each.file, each.line) for each in known}
    for rival in rivals:
        if (place := (rival.gate, rival.file, rival.line)) not in places:
            places.add(place)
            yield rival


def _summary(file: NoteFile, measured: tuple[SectionTokens, ...], english: bool) -> CheckedFile:
    items = file.read.items
    return CheckedFile(
        file.name,
        tokens_a_turn(file),
        tokens_of(file.text),
        len(items),
        sum(section.n_advising for section in measured),
        sum(bool(item.roles.when or item.roles.around or item.roles.unless) for item in items),
        measured,
        tuple(dict.fromkeys(brought.written for brought in file.imports)),
        english,
    )
