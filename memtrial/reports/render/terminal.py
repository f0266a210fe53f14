"""The result in a terminal: the verdicts, what may be wrong with them, and the answer at the end."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING

from rich.cells import cell_len

from memtrial.console.escape import harmless, one_line
from memtrial.console.line_width import columns, fold
from memtrial.console.standard_output import UNKNOWN, height, width_of
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.grouping import group_by
from memtrial.reports.text.arm_readings import arm_readings, read_arm, verdict_matrix
from memtrial.reports.text.factor_lines import factor_lines
from memtrial.reports.text.group_lines import differing_lines
from memtrial.reports.text.hypothesis_answers import answer_lines, losses, status_sentence
from memtrial.reports.text.reading import SIMULATED, column_name, list_with_and, together
from memtrial.reports.text.text_table import TextTable
from memtrial.reports.text.verdict_glossary import TONES, printed_word, verdict_word
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.lookup import judged_backbones, reference_of
from memtrial.views.rows.results import Results

if TYPE_CHECKING:
    from rich.console import Console

FEWEST_LINES = 22
"""Lines of a run that fit in a terminal of 24, with the line that names the report and the next prompt."""
BELOW = 2
"""Lines that follow in a terminal: where the report is, and the prompt."""
EVERY = "every kind of damage"
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


def table_lines(table: TextTable, width: int | None) -> list[str]:
    """A table of a report in lines, its numbers set right."""
    right = [number for number, column in enumerate(table.columns) if column.kind == "number"]
    return columns([[column.head for column in table.columns], *table.rows], width, right)


def print_results(results: Results, console: Console) -> None:
    """Print label, verdicts, utilities, what may be wrong, and the answer in at most three lines.

    Of a run every backbone is shown, in the fullest form for which there is room; notes are left out first.
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
    forms = [_sentences] if reference_of(shown) else [_verdicts, _arms_together, _headlines]
    answer = _paragraphs(answer_lines(shown), width)
    notes = [f"- {change.says}" for change in lock.amendments] if lock else []
    notes += [f"- {change.says}" for change in lock.differences] if lock else []
    notes += [
        *factor_lines(shown),
        *differing_lines(shown),
        *(note for note in shown.notes if note not in above),
        *losses(shown),
    ]
    room = max(FEWEST_LINES, console.height - BELOW) - len(top) - len(answer)
    bodies = (form(shown, width) for form in (forms if is_run else forms[:1]))
    body = next((lines for lines in bodies if len(lines) + bool(notes) <= room), None)
    # the last form is the shortest, and is shown whole where even that is too long
    body = body or forms[-1](shown, width)
    if is_run:
        notes = _fit_notes(notes, width, room - len(body))
    for line, style in top:
        _say(console, line, style)
    for line in body:
        _say(console, line, verdicts=True)
    for line in _paragraphs(notes, width):
        _say(console, line)
    for line in answer:
        _say(console, line, "bold")


def _verdicts(results: Results, width: int) -> list[str]:
    """One row an arm: its utility, and a word for each damage; in sentences where the table is too wide."""
    matrix = verdict_matrix(results)
    if not matrix.groups:
        return ["Nothing was judged."]
    heads = ("arm", *(column_name(results, name) for name in matrix.columns))
    rows = [
        (
            f"  {arm}",
            f"{printed_word(gain.word)} {gain.estimate}".strip(),
            *(printed_word(drop.word) for drop in drops),
        )
        for arms in matrix.groups.values()
        for arm, (gain, *drops) in arms.items()
    ]
    head, *table = columns([heads, *rows])
    if max(map(cell_len, (head, *table))) > width:
        head, table = "", [_told(heads, row) for row in rows]
    lines, left = [head] if head else [], iter(table)
    for backbone, arms in matrix.groups.items():
        lines += fold(backbone, width)
        lines += [part for line in islice(left, len(arms)) for part in fold(line, width)]
    return lines


def _told(heads: tuple[str, ...], row: tuple[str, ...]) -> str:
    """A row of the table in a sentence."""
    arm, gain, *drops = row
    return "; ".join([f"{arm}: {gain}", *_under(heads[2:], drops)])


def _under(damages: Sequence[str], words: Sequence[str], every: str = "") -> list[str]:
    """Kinds of damage with the same word together; `every` stands for all of them, where it is given."""
    under: dict[str, list[str]] = {}
    for name, word in zip(damages, words, strict=True):
        if word:
            under.setdefault(word, []).append(name)
    several = len(damages) > 1 and every
    return [
        f"{word} under {every if several and len(names) == len(damages) else list_with_and(names)}"
        for word, names in under.items()
    ]


def _arms_together(results: Results, width: int) -> list[str]:
    """A sentence for all arms of a backbone with the same words, each with its estimate."""
    matrix, lines = verdict_matrix(results), []
    damages = [column_name(results, name) for name in matrix.columns[1:]]
    for backbone, arms in matrix.groups.items():
        lines += fold(backbone, width)
        alike = group_by(arms.items(), lambda entry: tuple(drop.word for drop in entry[1]))
        for (gain, *drops), own in alike.items():
            names = list_with_and([f"{arm} {entries[0].estimate}".strip() for arm, entries in own])
            words = "; ".join([printed_word(gain), *_under(damages, list(map(printed_word, drops)), EVERY)])
            lines += fold(f"  {names}: {words}", width)
    return lines or ["Nothing was judged."]


def _headlines(results: Results, width: int) -> list[str]:
    """What the verdicts of each arm come to; arms of which the same is said together."""
    lines = []
    for backbone, readings in arm_readings(results).items():
        lines += fold(backbone, width)
        for headline, arms in together(readings).items():
            lines += fold(f"  {list_with_and(arms)}: {headline}", width)
    return lines or ["Nothing was judged."]


def _sentences(results: Results, width: int) -> list[str]:
    lines = []
    for backbone, arms in judged_backbones(results).items():
        lines += fold(backbone, width)
        for arm in arms:
            read = read_arm(results, backbone, arm)
            lines += fold(f"{arm}: {read.headline}. {read.says}", width)
    return lines or ["Nothing was judged."]


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


def _say(console: Console, line: str, style: str = "", verdicts: bool = False) -> None:
    """Print a line as far as this console can encode it; verdict words in their tones where it has them."""
    from rich.text import Text

    if not console.encoding.lower().startswith("utf"):
        line = line.translate(_PLAIN).encode(console.encoding, "replace").decode(console.encoding)
    text = Text(line, style=style)
    for word in dict.fromkeys(line.split()) if verdicts else ():
        entry = verdict_word(word)
        if entry.about:
            text.highlight_words([word], _STYLES[entry.tone])
    console.print(text, highlight=False)


def put_results(results: Results) -> None:
    """Print the table of a run or an analysis on standard output."""
    from rich.console import Console

    print_results(results, Console(width=width_of() or UNKNOWN, height=height()))
