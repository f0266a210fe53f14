"""The matrix of verdicts in lines of a terminal: a block a backbone, and above it what the run says of it."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product, zip_longest
from typing import Literal, NamedTuple

from rich.cells import cell_len

from memtrial.console.escape import one_line
from memtrial.console.line_width import columns, fold
from memtrial.outcomes.grouping import group_by
from memtrial.reports.text.arm_readings import Matrix, VerdictEntry, verdict_matrix
from memtrial.reports.text.backbone_answers import BackboneAnswer, answer_backbones
from memtrial.reports.text.reading import column_name, list_with_and
from memtrial.reports.text.verdict_glossary import Tone, printed_word
from memtrial.views.rows.results import Results

INDENT = "  "
EVERY = "every kind of damage"
_PIECES = re.compile(r"[^ _+/-]*[ _+/-]?")
"""A name in pieces, between which it may be folded."""
Estimates = Literal["all", "utility", "none"]
Blocks = dict[str, list[str]]


class MatrixRow(NamedTuple):
    """One line: what of its beginning is a name, and the tone of all that follows, if it has one."""

    text: str
    name: str = ""
    tone: Tone | None = None


class _Grid(NamedTuple):
    """One way to lay the matrix: its heads, and by backbone its rows."""

    heads: tuple[str, ...]
    rows: dict[str, list[tuple[str, ...]]]


def matrix_rows(results: Results, width: int) -> list[MatrixRow]:
    """Every verdict of every participant, no line wider than `width` columns.

    A row an arm, with every estimate, or that of the utility, or none, as the width allows; heads are folded
    before an estimate goes. Where that is too wide, arms stand beside each other, a row a kind of damage;
    where that is too wide as well, arms with the same words have a sentence together.
    """
    matrix = verdict_matrix(results)
    if not matrix.groups:
        return [MatrixRow("Nothing was judged.")]
    names = tuple(column_name(results, name) for name in matrix.columns)
    head, blocks = _lay_within(matrix, names, width)
    answers = {answer.backbone: answer for answer in answer_backbones(results)}
    rows = [MatrixRow(line, line) for line in head]
    for backbone, lines in blocks.items():
        rows += _say_backbone(backbone, answers.get(backbone), width)
        rows += [MatrixRow(part) for line in lines for part in fold(line, width)]
    return rows


def _lay_within(matrix: Matrix, names: Sequence[str], width: int) -> tuple[list[str], Blocks]:
    """Lines of heads, and lines by backbone, of the fullest layout that fits; else sentences."""
    kinds: tuple[Estimates, ...] = ("all", "utility", "none")
    for lay, estimates, folded in product((_lay_by_arm, _lay_by_condition), kinds, (False, True)):
        head, blocks = _align(lay(matrix, names, estimates), folded)
        if max(map(cell_len, (*head, *(line for lines in blocks.values() for line in lines)))) <= width:
            return head, blocks
    return [], _tell_arms(matrix, names)


def _say_backbone(backbone: str, answer: BackboneAnswer | None, width: int) -> Iterator[MatrixRow]:
    """Its name, and what it does with its memories; how the arms compare is said at the end."""
    shown = one_line(backbone)
    for number, line in enumerate(fold(one_line(f"{shown} {answer.says}" if answer else shown), width)):
        name = "" if number else shown if line.startswith(shown) else line
        yield MatrixRow(line, name, answer.tone if answer else None)


def _show(entries: Sequence[VerdictEntry], estimates: Estimates) -> list[str]:
    """Words, with as many estimates; the first is the utility."""
    least = {"all": len(entries), "utility": 1, "none": 0}[estimates]
    return [
        entry.printed if place < least else printed_word(entry.word) for place, entry in enumerate(entries)
    ]


def _lay_by_arm(matrix: Matrix, names: Sequence[str], estimates: Estimates) -> _Grid:
    """A row an arm, a column a condition."""
    rows = {
        backbone: [(INDENT + arm, *_show(entries, estimates)) for arm, entries in arms.items()]
        for backbone, arms in matrix.groups.items()
    }
    return _Grid(("arm", *names), rows)


def _lay_by_condition(matrix: Matrix, names: Sequence[str], estimates: Estimates) -> _Grid:
    """A row a condition, a column an arm; a backbone without that arm has nothing there."""
    every = tuple(dict.fromkeys(arm for arms in matrix.groups.values() for arm in arms))
    rows = {}
    for backbone, arms in matrix.groups.items():
        shown = {arm: _show(entries, estimates) for arm, entries in arms.items()}
        rows[backbone] = [
            (INDENT + name, *(shown[arm][place] if arm in shown else "" for arm in every))
            for place, name in enumerate(names)
        ]
    return _Grid(("", *every), rows)


def _align(grid: _Grid, folded: bool) -> tuple[list[str], Blocks]:
    """The lines of heads, and those of each backbone, in columns of the same width for all."""
    rows = [row for group in grid.rows.values() for row in group]
    heads = list(map(one_line, grid.heads))
    stacked = [heads]
    if folded:
        most = (max(cell_len(row[column]) for row in rows) for column in range(len(heads)))
        stacked = list(zip_longest(*map(_fold_head, heads, most), fillvalue=""))  # type: ignore[arg-type]
    lines = columns([*stacked, *rows])
    left = iter(lines[len(stacked) :])
    return lines[: len(stacked)], {
        backbone: list(islice(left, len(group))) for backbone, group in grid.rows.items()
    }


def _fold_head(name: str, most: int) -> list[str]:
    """A head in lines of at most `most` columns, as far as its pieces are that short."""
    lines = [""]
    for piece in _PIECES.findall(name):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > most:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _tell_arms(matrix: Matrix, names: Sequence[str]) -> Blocks:
    """A sentence for all arms of a backbone with the same words, each with its utility."""
    blocks: Blocks = {}
    for backbone, arms in matrix.groups.items():
        alike = group_by(arms.items(), lambda entry: tuple(word for word, _ in entry[1]))
        blocks[backbone] = []
        for (gain, *drops), own in alike.items():
            shown = list_with_and([f"{arm} {entries[0].estimate}".strip() for arm, entries in own])
            words = "; ".join([printed_word(gain), *_under(names[1:], drops)])
            blocks[backbone].append(f"{INDENT}{shown}: {words}")
    return blocks


def _under(damages: Sequence[str], words: Sequence[str]) -> list[str]:
    """Kinds of damage with the same word together."""
    under = group_by(
        ((name, word) for name, word in zip(damages, words, strict=True) if word), lambda pair: pair[1]
    )
    return [
        f"{printed_word(word)} under "
        + (EVERY if len(pairs) == len(damages) > 1 else list_with_and([name for name, _ in pairs]))
        for word, pairs in under.items()
    ]
