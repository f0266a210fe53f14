"""The result in a terminal: what a person wants to know when a run ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loadbearing.reports.base.escape import harmless, one_line
from loadbearing.reports.base.lookup import by_backbone, find, utility_word
from loadbearing.reports.base.numbers import interval, is_known, share, signed
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections.run_tables import counted
from loadbearing.reports.sections.verdict_matrix import Matrix, verdict_matrix
from loadbearing.reports.text.arm_readings import read_arm
from loadbearing.reports.text.comparison_readings import reference_of
from loadbearing.reports.text.labels import column_name
from loadbearing.reports.text.lock import status_sentence
from loadbearing.reports.text.reading import SIMULATED, capital
from loadbearing.reports.text.secondary_kinds import secondary_lines
from loadbearing.reports.text.verdict_entry import Tone
from loadbearing.reports.text.verdict_glossary import verdict_word

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES: dict[Tone, str] = {
    "effect": "bold cyan",
    "absence": "bold yellow",
    "harm": "bold magenta",
    "open": "dim",
}
_WIDEST_WORD = len("load-bearing")
_MOST_DIFFERENCES = 10
_UNBOUNDED = 10_000
_PLAIN = str.maketrans({"−": "-", "–": "-", "×": "x", "±": "+/-", "…": "...", "·": "-"})


def print_results(results: Results, console: Console) -> None:
    """Print label, control, verdicts, utilities, hypotheses and errors.

    Words alone carry the meaning, so that a pipe, a log or a terminal without colour loses nothing.

    Args:
        results: what `results.json` holds; nothing in it is taken as markup.
        console: where to; its width is respected.
    """
    shown = harmless(results)
    for alarm in alarms(shown.untrusted, shown.delivery):
        _say(console, alarm, "bold white on red")
    if shown.simulated:
        _say(console, SIMULATED, "bold yellow")
    if shown.table is None:
        _say(console, one_line(shown.control or "control: not recorded"))
        _lock(shown, console)
    matrix = verdict_matrix(shown)
    for backbone, lines in matrix.groups:
        _say(console, "")
        _say(console, backbone, "bold")
        arms = [arm for arm, _ in lines]
        names = [column_name(shown, column) for column in matrix.columns]
        for some in _fitting(arms, names, console.width):
            _verdicts(matrix, names, backbone, some, console)
        for arm in arms:
            _say(console, _utility(shown, backbone, arm), hanging=2)
    if not matrix.groups:
        _say(console, "Nothing was judged.")
    if shown.hypotheses:
        _say(console, "")
        _say(console, "Hypotheses: is the drop of the first arm larger than that of the second?")
        _hypotheses(shown, console)
    further = secondary_lines(shown)
    if further:
        _say(console, "")
    for line in further:
        _say(console, line, hanging=2)
    _asides(console, shown)


def _lock(results: Results, console: Console) -> None:
    """Whether the run stands as it was locked; nothing where none was asked for."""
    lock = results.lock
    if lock is None or not (lock.locked or lock.file_left):
        return
    _say(console, one_line(f"status: {status_sentence(results)}"), "" if lock.confirmatory else "bold")
    said = [one.says for one in lock.amendments]
    said += [one.says for one in lock.differences[:_MOST_DIFFERENCES]]
    for line in said:
        _say(console, f"- {one_line(line)}", hanging=2)
    more = lock.differences_in_all - _MOST_DIFFERENCES
    if more > 0:
        _say(console, f"- and {more} more, all of them in the report")


def _fitting(
    arms: Sequence[str], names: Sequence[str], width: int, widest: int = _WIDEST_WORD
) -> list[Sequence[str]]:
    """Arms in groups that stand side by side, so that no word is broken."""
    from rich.cells import cell_len

    left = max(map(cell_len, names), default=0) + 2
    groups: list[list[str]] = []
    used = width
    for arm in arms:
        need = max(cell_len(arm), widest) + 2
        if not groups or used + need > width:
            groups.append([])
            used = left
        groups[-1].append(arm)
        used += need
    return list(groups)


def _verdicts(
    matrix: Matrix, names: Sequence[str], backbone: str, arms: Sequence[str], console: Console
) -> None:
    entries = dict(dict(matrix.groups)[backbone])
    lines = [(name, [(entries[arm][index].word, "") for arm in arms]) for index, name in enumerate(names)]
    _grid(arms, lines, console)


def _hypotheses(results: Results, console: Console) -> None:
    """One grid a backbone: conditions down, pairs of arms across."""
    entries: dict[str, dict[str, dict[str, tuple[str, str]]]] = {}
    for entry in by_backbone(results, results.hypotheses):
        row = find(results, "contrast", entry.backbone, entry.treatment, entry.condition, entry.control)
        estimate = signed(row.estimate) if row is not None and is_known(row.estimate) else ""
        pairs = entries.setdefault(entry.backbone, {}).setdefault(entry.condition, {})
        pairs[f"{entry.treatment} − {entry.control}"] = (entry.verdict, estimate)
    for backbone, conditions in entries.items():
        _say(console, backbone, "bold")
        pairs_seen = list(dict.fromkeys(pair for pairs in conditions.values() for pair in pairs))
        for some in _fitting(pairs_seen, list(conditions), console.width, _WIDEST_WORD + len(" +0.000")):
            lines = [
                (name, [found.get(pair, ("", "")) for pair in some]) for name, found in conditions.items()
            ]
            _grid(some, lines, console)


def _grid(heads: Sequence[str], lines: Sequence[tuple[str, list[tuple[str, str]]]], console: Console) -> None:
    """Verdicts under heads, each with what stands after it; one under the other where they have no room."""
    from rich.table import Table

    shown = [(name, [_entry(console, *entry) for entry in entries]) for name, entries in lines]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for head in ("", *heads):
        table.add_column(_text(console, head), no_wrap=True)
    for name, entries in shown:
        table.add_row(_text(console, name), *entries)
    if console.measure(table, options=console.options.update_width(_UNBOUNDED)).maximum <= console.width:
        console.print(table, highlight=False)
        return
    for place, head in enumerate(heads):
        for name, entries in shown:
            if entries[place]:
                start = _text(console, f"{head}, {name}: ")
                _say(console, start.append_text(entries[place]), hanging=2)


def _entry(console: Console, word: str, after: str) -> Text:
    text = _text(console, word, _STYLES[verdict_word(word).tone])
    return text.append_text(_text(console, f" {after}")) if after else text


def _utility(results: Results, backbone: str, arm: str) -> str:
    row = find(results, "utility", backbone=backbone, arm=arm)
    word = utility_word(results, backbone, arm) or "not judged"
    read = read_arm(results, backbone, arm)
    if reference_of(results):
        return f"{arm}: {read.headline}. {read.says} {read.rests_on}"
    headline = read.headline
    return f"{arm}: utility {interval(row)} {word}. {capital(headline)}."


def _asides(console: Console, results: Results) -> None:
    """What must not be overlooked: errors, empty slots and the notes of the analysis."""
    lost = {arm: n for arm, n in results.errors.items() if n}
    empty = {arm: s for arm, s in results.empty_slots.items() if s > 0}
    # the alarms stand on top already
    above = alarms(results.untrusted, results.delivery)
    notes = [note for note in results.notes if note not in above]
    if lost or empty or notes:
        _say(console, "")
    if lost:
        by_arm = ", ".join(f"{arm} {n}" for arm, n in lost.items())
        _say(console, f"Errors of the infrastructure, in no mean: {by_arm}", "bold")
        for arm in lost:
            causes = results.attrition[arm].causes if arm in results.attrition else {}
            if causes:
                _say(console, f"{arm}: {counted(causes)}", hanging=2)
    if empty:
        shares = ", ".join(f"{arm} {share(s)}" for arm, s in empty.items())
        _say(console, f"Intact trials without an item to show: {shares}")
    for note in notes:
        _say(console, f"Note: {note}", hanging=2)


def _say(console: Console, line: str | Text, style: str = "", hanging: int = 0) -> None:
    """One paragraph; lines after the first are set in, so that entries stay apart."""
    text = _text(console, one_line(line), style) if isinstance(line, str) else line
    if not hanging:
        console.print(text, highlight=False)
        return
    first, *rest = text.wrap(console, max(console.width - hanging, 1)) or [text]
    console.print(first, highlight=False)
    for more in rest:
        more.pad_left(hanging)
        console.print(more, highlight=False)


def _text(console: Console, text: str, style: str = "") -> Text:
    """Text that this console can encode, and in which nothing is markup."""
    from rich.text import Text

    if not console.encoding.lower().startswith("utf"):
        text = text.translate(_PLAIN).encode(console.encoding, "replace").decode(console.encoding)
    return Text(text, style=style)
