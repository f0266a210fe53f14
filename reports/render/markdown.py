"""The short report: verdicts and sentences as Markdown, for a terminal, a diff or a pull request."""

from __future__ import annotations

import re

from loadbearing.reports.base.escape import harmless, one_line, shortened
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.history import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections.example_pairs import Pair, Side, shown_pairs
from loadbearing.reports.sections.parts import Part, appendix_parts, evidence_parts
from loadbearing.reports.sections.verdict_matrix import verdict_matrix
from loadbearing.reports.text.answers import answers, doubts, limits
from loadbearing.reports.text.arm_readings import arm_readings
from loadbearing.reports.text.labels import column_name
from loadbearing.reports.text.lock import status_sentence
from loadbearing.reports.text.reading import SIMULATED, Reading, margin_text, sizes
from loadbearing.reports.text.table import Table
from loadbearing.reports.text.verdict_entry import printed

# what would start markup; an underscore inside a word starts none, brackets only before a target
_MARKUP = re.compile(r"([\\`*|~#]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
_LONGEST_ACTION = 120
NO_HISTORY = History()
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render_markdown(results: Results, past: History = NO_HISTORY) -> str:
    """The answer, what may be wrong with it, verdicts and sentences, losses, cost; figures: report.html.

    Args:
        results: all of their text is escaped.
        past: what `history` tells of the run's sessions.
    """
    shown = harmless(results)
    parts = [f"**🟥 {escape(alarm)}**" for alarm in alarms(shown.untrusted, shown.delivery)]
    parts += [f"# {escape(shown.name or 'Report')}", escape(shown.question)]
    if shown.simulated:
        parts.append(f"**{SIMULATED}**")
    parts += ["## Answer", _list(tuple(one.sentence for one in answers(shown))) or "Nothing was judged."]
    if shown.hypotheses:
        parts.append(escape(limits(shown)))
    if doubts(shown):
        parts += ["### What may be wrong with it", _list(doubts(shown))]
    parts += [_facts(shown), "## Arm by arm", *_matrix(shown)]
    parts += _readings(arm_readings(shown), "Nothing was judged.")
    if shown.table:
        said = (f"{term}: {text}" for term, text in shown.table.said.items())
        parts += ["## How the table was read", _list(tuple(said))]
    short = [part for part in evidence_parts(shown) if part.short]
    if short:
        parts.append("## Evidence")
    parts += [text for part in short for text in _part(part)]
    examples = tuple(map(_example, shown_pairs(shown)))
    if examples:
        parts += ["### Worked examples", "\n".join(f"- {line}" for line in examples)]
    parts.append("## Appendix")
    parts += [text for part in appendix_parts(shown, harmless(past)) if part.short for text in _part(part)]
    if shown.reproduce:
        # indented, as no fence holds every text
        parts += ["### Reproduce", "\n".join(f"    {one_line(line)}" for line in shown.reproduce)]
    parts.append("Figures, p-values, checks, texts and digests: report.html. Every number: results.json.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _part(part: Part) -> list[str]:
    """A part of the report without its figures."""
    found = [*part.tables, *(fold.table for fold in part.folds if fold.figure is None)]
    said = [escape(line) for line in part.says]
    body = [text for text in (_list(part.lines), *map(_table, found)) if text]
    return [f"### {escape(part.title)}", *said, *body] if body else []


def _list(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)


def escape(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    marked = _MARKUP.sub(r"\\\1", one_line(text))
    return "".join(_ENTITIES.get(character, character) for character in marked)


def _facts(results: Results) -> str:
    facts = [
        results.control,
        status_sentence(results).rstrip("."),
        f"world: {results.world}" if results.world else "",
        sizes(results),
        f"margin {margin_text(results)}",
        f"alpha {results.alpha:g}",
        f"seed {results.seed}",
    ]
    return escape(" · ".join(fact for fact in facts if fact))


def _matrix(results: Results) -> list[str]:
    matrix = verdict_matrix(results)
    if not matrix.groups:
        return ["Nothing was judged."]
    lines = [("backbone", "arm", *(column_name(results, column) for column in matrix.columns))]
    for backbone, arms in matrix.groups:
        for arm, entries in arms:
            words = (f"{printed(entry.word)} {entry.estimate}".strip() for entry in entries)
            lines.append((backbone, arm, *words))
    return [
        _grid(lines),
        f"Under each word: its estimate, in points of score ({margin_text(results)} matters).",
    ]


def _grid(lines: list[tuple[str, ...]]) -> str:
    head, *body = ["| " + " | ".join(escape(entry) for entry in line) + " |" for line in lines]
    return "\n".join([head, "|" + " --- |" * len(lines[0]), *body])


def _readings(readings: tuple[Reading, ...], nothing: str) -> list[str]:
    if not readings:
        return [nothing]
    parts: list[str] = []
    backbone = None
    for reading in readings:
        if reading.subject[0] != backbone:
            backbone = reading.subject[0]
            parts.append(f"### {escape(backbone)}")
        said = f"**{escape(', '.join(reading.subject[1:]))}: {escape(reading.headline)}.** "
        said += f"{escape(reading.says)} Rests on: {escape(reading.rests_on)}"
        parts.append(said + (f" Does not say: {escape(reading.leaves_open)}" if reading.leaves_open else ""))
    return parts


def _example(one: Pair) -> str:
    """A worked example in a line; its texts are in the HTML report."""
    said = f"{one.heading}; {one.says}. {one.before.title}. {one.after.title}."
    if one.turn is not None:
        said += f" First apart in turn {one.turn}: {_act(one.before)} against {_act(one.after)}."
    return escape(said)


def _act(side: Side) -> str:
    return "ended" if side.action is None else shortened(one_line(side.action), _LONGEST_ACTION)


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    heads = tuple(column.head for column in table.columns)
    kinds = [column.kind for column in table.columns]
    rows = (
        tuple(printed(entry) if kind == "verdict" else entry for kind, entry in zip(kinds, row, strict=True))
        for row in table.rows
    )
    return f"{escape(table.caption)}\n\n{_grid([heads, *rows])}"
