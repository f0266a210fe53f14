"""The result in a terminal: the verdicts, what may be wrong with them, and the answer at the end."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from memtrial.console.escape import harmless, one_line
from memtrial.console.line_width import fold
from memtrial.console.standard_output import UNKNOWN, height, width_of
from memtrial.outcomes.count_words import how_many
from memtrial.reports.render.factor_lines import factor_lines
from memtrial.reports.render.matrix_lines import MatrixRow, matrix_rows
from memtrial.reports.text.arm_readings import read_arm
from memtrial.reports.text.group_lines import differing_lines
from memtrial.reports.text.hypothesis_answers import answer_lines, losses, status_sentence
from memtrial.reports.text.reading import SIMULATED
from memtrial.reports.text.verdict_glossary import TONES, verdict_word
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.lookup import judged_backbones, reference_of
from memtrial.views.rows.results import Results

if TYPE_CHECKING:
    from rich.console import Console

FEWEST_LINES = 22
"""Lines of a run that fit in a terminal of 24, with the line that names the report and the next prompt."""
BELOW = 2
"""Lines that follow in a terminal: where the report is, and the prompt."""
_STYLES = dict(zip(TONES, ("bold cyan", "bold yellow", "bold magenta", "dim"), strict=True))
_PLAIN = str.maketrans({"−": "-", "–": "-", "×": "x", "±": "+/-", "…": "...", "·": "-"})


def coloured_html(results: Results) -> str:
    """The same as HTML, with its colours, in columns of equal width."""
    form = '<pre style="white-space:pre;overflow-x:auto;line-height:1.25">{code}</pre>'
    return _record_console(results).export_html(inline_styles=True, code_format=form)


def plain_text(results: Results) -> str:
    """The same as plain text."""
    return _record_console(results).export_text().rstrip()


def _record_console(results: Results) -> Console:
    from rich.console import Console

    # in a notebook rich would show each line by itself, before the page that it is a part of
    console = Console(record=True, file=StringIO(), width=100, height=40, force_jupyter=False)
    print_results(results, console)
    return console


def print_results(results: Results, console: Console) -> None:
    """Print label, verdicts, utilities, what may be wrong, and the answer in at most three lines.

    Of a run every verdict is shown, however high the terminal is; notes have what room is left.
    Words alone carry the meaning, so that a pipe or a terminal without colour loses nothing. Nothing in the
    results is taken as markup.
    """
    shown, width = harmless(results), console.width
    above, lock, is_run = alarms(shown.untrusted, shown.delivery), shown.lock, shown.table is None
    head = [(alarm, "bold white on red") for alarm in above]
    if shown.simulated:
        head.append((SIMULATED, "bold yellow"))
    if is_run:
        control = filter(None, (shown.control or "control: not recorded", shown.cue))
        head.append((one_line("; ".join(control)), ""))
    if lock is not None and (lock.locked or lock.file_left):
        head.append((f"status: {one_line(status_sentence(shown))}", "" if lock.confirmatory else "bold"))
    top = [(line, style) for text, style in head for line in fold(text, width)]
    answer = _paragraphs(answer_lines(shown), width)
    notes = [f"- {change.says}" for change in lock.amendments] if lock else []
    notes += [f"- {change.says}" for change in lock.differences] if lock else []
    notes += [
        *factor_lines(shown),
        *differing_lines(shown),
        *(note for note in shown.notes if note not in above),
        *losses(shown),
    ]
    body = _sentences(shown, width) if reference_of(shown) else matrix_rows(shown, width)
    room = max(FEWEST_LINES, console.height - BELOW) - len(top) - len(answer)
    if is_run:
        notes = _fit_notes(notes, width, room - len(body))
    for line, style in top:
        _say(console, line, style)
    for row in body:
        _say_row(console, row)
    for line in _paragraphs(notes, width):
        _say(console, line)
    for line in answer:
        _say(console, line, "bold")


def _sentences(results: Results, width: int) -> list[MatrixRow]:
    """Of arms that are only held against a reference: what each difference shows."""
    lines = []
    for backbone, arms in judged_backbones(results).items():
        lines += fold(backbone, width)
        for arm in arms:
            read = read_arm(results, backbone, arm)
            lines += fold(f"{arm}: {read.headline}. {read.says}", width)
    return [MatrixRow(line) for line in lines or ["Nothing was judged."]]


def _fit_notes(notes: list[str], width: int, room: int) -> list[str]:
    """As many notes as there is room for; the others are counted."""
    for kept in range(len(notes), 0, -1):
        left = len(notes) - kept
        shown = [*notes[:kept], f"{how_many(left, 'more note')} in the report."] if left else notes
        if len(_paragraphs(shown, width)) <= room:
            return shown
    return [f"{how_many(len(notes), 'note')} on what may be wrong in the report."] if notes else []


def _paragraphs(texts: tuple[str, ...] | list[str], width: int) -> list[str]:
    """Each in lines, those after the first set in, so that entries stay apart."""
    return [line for text in texts for line in fold(one_line(text), width)]


def _say(console: Console, line: str, style: str = "") -> None:
    """Print a line as far as this console can encode it."""
    from rich.text import Text

    console.print(Text(_encode(console, line), style=style), highlight=False)


def _say_row(console: Console, row: MatrixRow) -> None:
    """Print a line of the matrix: names in bold, sentences and verdict words in their tones."""
    from rich.text import Text

    line, name = _encode(console, row.text), _encode(console, row.name)
    text = Text(line, style=_STYLES[row.tone] if row.tone else "")
    text.stylize("not dim bold default" if row.tone else "bold", 0, len(name))
    for word in () if name or row.tone else dict.fromkeys(line.split()):
        entry = verdict_word(word)
        if entry.about:
            text.highlight_words([word], _STYLES[entry.tone])
    console.print(text, highlight=False)


def _encode(console: Console, line: str) -> str:
    """The same line, with signs that this console has."""
    if console.encoding.lower().startswith("utf"):
        return line
    return line.translate(_PLAIN).encode(console.encoding, "replace").decode(console.encoding)


def put_results(results: Results) -> None:
    """Print the table of a run or an analysis on standard output."""
    from rich.console import Console

    print_results(results, Console(width=width_of() or UNKNOWN, height=height()))
