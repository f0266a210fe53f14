"""The result in a terminal: the verdicts, what may be wrong with them, and the answer at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import harmless, one_line
from loadbearing.reports.base.line_width import columns, folded
from loadbearing.reports.base.lookup import find
from loadbearing.reports.base.numbers import interval
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections.verdict_matrix import Entry, verdict_matrix
from loadbearing.reports.text.answers import answer_lines, losses
from loadbearing.reports.text.comparison_readings import read_comparison, reference_of
from loadbearing.reports.text.labels import column_name
from loadbearing.reports.text.lock import status_sentence
from loadbearing.reports.text.reading import SIMULATED, listed
from loadbearing.reports.text.verdict_entry import TONES, printed
from loadbearing.reports.text.verdict_glossary import verdict_word

if TYPE_CHECKING:
    from rich.console import Console

MOST_LINES = 24
"""Of a run, one line that names the report apart; in a narrow terminal there may be more."""
NARROW = 70
_STYLES = dict(zip(TONES, ("bold cyan", "bold yellow", "bold magenta", "dim"), strict=True))
_PLAIN = str.maketrans({"−": "-", "–": "-", "×": "x", "±": "+/-", "…": "...", "·": "-"})


def print_results(results: Results, console: Console) -> None:
    """Print label, verdicts, utilities, what may be wrong, and the answer in at most three lines.

    Words alone carry the meaning, so that a pipe, a log or a terminal without colour loses nothing.

    Args:
        results: nothing in them is taken as markup.
        console: where to; its width is respected.
    """
    shown = harmless(results)
    above = alarms(shown.untrusted, shown.delivery)
    head = [(alarm, "bold white on red") for alarm in above]
    if shown.simulated:
        head.append((SIMULATED, "bold yellow"))
    lock = shown.lock
    if shown.table is None:
        head.append((one_line(shown.control or "control: not recorded"), ""))
    if lock is not None and (lock.locked or lock.file_left):
        head.append((f"status: {one_line(status_sentence(shown))}", "" if lock.confirmatory else "bold"))
    top = [(line, style) for text, style in head for line in folded(text, console.width)]
    body = _sentences(shown, console.width) if reference_of(shown) else _verdicts(shown, console.width)
    answer = [part for line in answer_lines(shown) for part in _set_in(line, console.width)]
    notes = [*_lock_notes(shown), *(note for note in shown.notes if note not in above), *losses(shown)]
    room = MOST_LINES - len(top) - len(answer) - 1
    if shown.table is None and len(body) > room and console.width >= NARROW:
        body = [*body[: room - 1], "The other arms stand in the report."]
    if shown.table is None:
        notes = _fitting(notes, console.width, MOST_LINES - len(top) - len(body) - len(answer))
    for line, style in top:
        _say(console, line, style)
    for line in body:
        _colored(console, line)
    for note in notes:
        for line in _set_in(note, console.width):
            _say(console, line)
    for line in answer:
        _say(console, line, "bold")


def _lock_notes(results: Results) -> list[str]:
    """Amendments and differences, a line each."""
    lock = results.lock
    if lock is None:
        return []
    return [f"- {one.says}" for one in lock.amendments] + [f"- {one.says}" for one in lock.differences]


def _verdicts(results: Results, width: int) -> list[str]:
    """One row an arm: its utility, and a word for each damage."""
    matrix = verdict_matrix(results)
    if not matrix.groups:
        return ["Nothing was judged."]
    heads = ("arm", *(column_name(results, name) for name in matrix.columns))
    for full in (True, False):
        rows = [
            _row(results, backbone, arm, entries, full)
            for backbone, arms in matrix.groups
            for arm, entries in arms
        ]
        table = columns([heads, *rows])
        if max(map(cell_len, table)) <= width:
            break
    else:
        table = ["", *(_told(heads, row) for row in rows)]
    lines, at = [line for line in table[:1] if line], 1
    for backbone, arms in matrix.groups:
        lines += folded(backbone, width)
        lines += [part for line in table[at : at + len(arms)] for part in folded(line, width)]
        at += len(arms)
    return lines


def _told(heads: tuple[str, ...], row: tuple[str, ...]) -> str:
    """A row of the table in a sentence, conditions with the same word together."""
    arm, gain, *drops = row
    under: dict[str, list[str]] = {}
    for name, word in zip(heads[2:], drops, strict=True):
        if word:
            under.setdefault(word, []).append(name)
    return "; ".join([f"{arm}: {gain}", *(f"{word} under {listed(names)}" for word, names in under.items())])


def _row(
    results: Results, backbone: str, arm: str, entries: tuple[Entry, ...], full: bool
) -> tuple[str, ...]:
    """An arm with its words; `full`: the utility with its interval."""
    gain, *drops = entries
    row = find(results, "utility", backbone, arm)
    number = interval(row) if full and row is not None else gain.estimate
    return (f"  {arm}", f"{printed(gain.word)} {number}".strip(), *(printed(entry.word) for entry in drops))


def _sentences(results: Results, width: int) -> list[str]:
    """Of a plain table: a sentence an arm, with what it rests on."""
    lines = []
    for backbone, arms in verdict_matrix(results).groups:
        lines += folded(backbone, width)
        for arm, _ in arms:
            read = read_comparison(results, backbone, arm)
            lines += folded(f"{arm}: {read.headline}. {read.says} {read.rests_on}", width)
    return lines or ["Nothing was judged."]


def _fitting(notes: list[str], width: int, room: int) -> list[str]:
    """As many notes as there is room for; the others are counted."""
    for kept in range(len(notes), 0, -1):
        left = len(notes) - kept
        shown = [*notes[:kept], f"{how_many(left, 'more note')} in the report."] if left else notes
        if sum(len(_set_in(note, width)) for note in shown) <= room:
            return shown
    return [f"{how_many(len(notes), 'note')} on what may be wrong in the report."] if notes else []


def _set_in(text: str, width: int) -> list[str]:
    """One paragraph; lines after the first are set in, so that entries stay apart."""
    return folded(one_line(text), width)


def _colored(console: Console, line: str) -> None:
    """A line of the table with its verdict words in their tones."""
    from rich.text import Text

    text = Text(_encodable(console, line))
    for word in dict.fromkeys(text.plain.split()):
        entry = verdict_word(word)
        if entry.about:
            text.highlight_words([word], _STYLES[entry.tone])
    console.print(text, highlight=False)


def _say(console: Console, line: str, style: str = "") -> None:
    from rich.text import Text

    console.print(Text(_encodable(console, line), style=style), highlight=False)


def _encodable(console: Console, text: str) -> str:
    """Text that this console can encode."""
    if console.encoding.lower().startswith("utf"):
        return text
    return text.translate(_PLAIN).encode(console.encoding, "replace").decode(console.encoding)
