"""What a check of hand-written files finds, and what they cost a turn."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem

SKILL = "skill.md"
"""The name of a skill's file, in small letters."""
Weight = Literal["FAIL", "WARN", "INFO"]
"""FAIL: proved, as a link to no file. WARN: by words and thresholds. INFO: so, and no fault by itself."""


@dataclass(frozen=True, slots=True)
class NoteFinding:
    """One finding at one place.

    Args:
        file: its name, as in `NoteFile`.
        line: from 1.
        quote: words of that place, verbatim.
        reason: in a few words.
    """

    gate: str
    finding: Weight
    file: str
    line: int
    quote: str
    reason: str


@dataclass(frozen=True, slots=True)
class SectionTokens:
    """A section's part of what is read.

    Args:
        title: its heading with those above it; empty before the first.
        tokens: estimated.
        share: of its file, in [0, 1].
        n_items, n_advising: items, and those that tell to do or to avoid something.
    """

    title: str
    line: int
    tokens: int
    share: float
    n_items: int
    n_advising: int


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What was read of a file.

    Args:
        tokens_a_turn: estimated, of what stands in every request: of a skill its front matter alone.
        tokens: of the whole file.
        n_items, n_advising, n_when: items; those that tell to do or avoid something; those that name a
            condition of their own or stand below one.
        imports: the paths that it brings in, as written.
        english: of another language the words are not read.
    """

    file: str
    tokens_a_turn: int
    tokens: int
    n_items: int
    n_advising: int
    n_when: int
    sections: tuple[SectionTokens, ...]
    imports: tuple[str, ...]
    english: bool


@dataclass(frozen=True, slots=True)
class NotesReport:
    """What the check found, by file and line.

    Args:
        n_asked: questions that a judge was asked.
        n_unanswered: those of which no answer could be read; each is a finding for information, and no pass.
    """

    files: tuple[CheckedFile, ...]
    findings: tuple[NoteFinding, ...]
    n_asked: int = 0
    n_unanswered: int = 0

    @property
    def n_items(self) -> int:
        """Items of all files."""
        return sum(file.n_items for file in self.files)

    @property
    def tokens_a_turn(self) -> int:
        """Of all files, as if all stood in one prompt."""
        return sum(file.tokens_a_turn for file in self.files)

    @property
    def by_gate(self) -> dict[str, int]:
        """The number of findings of each gate that has any, most first."""
        return dict(Counter(finding.gate for finding in self.findings).most_common())


def place_finding(
    gate: str, file: NoteFile, item: NoteItem, quote: str, reason: str, finding: Weight = "WARN"
) -> NoteFinding:
    """A finding at the line of the item where the quote begins."""
    start = item.text.find(quote)
    below = item.text.count("\n", 0, start) if start > 0 else 0
    return NoteFinding(gate, finding, file.name, item.line + below, quote, reason)
