"""The short report: verdicts and sentences as Markdown, for a terminal, a diff or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loadbearing.reports.base.escape import brief, harmless, one_line
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.play import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections.example_pairs import Pair, shown_pairs
from loadbearing.reports.sections.parts import Part, appendix_parts, evidence_parts
from loadbearing.reports.sections.verdict_matrix import verdict_matrix
from loadbearing.reports.text.answers import answers, doubts, limits
from loadbearing.reports.text.arm_readings import arm_readings
from loadbearing.reports.text.lock import status_sentence
from loadbearing.reports.text.reading import SIMULATED, column_name, margin_text, sizes
from loadbearing.reports.text.table import Table
from loadbearing.reports.text.verdict_entry import printed

# what would start markup; an underscore inside a word starts none, brackets only before a target
_MARKUP = re.compile(r"([\\`*|~#]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
NO_HISTORY = History()


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
    parts += ["## Answer", _list(one.sentence for one in answers(shown)) or "Nothing was judged."]
    if shown.hypotheses:
        parts.append(escape(limits(shown)))
    if doubts(shown):
        parts += ["### What may be wrong with it", _list(doubts(shown))]
    parts += [_facts(shown), "## Arm by arm", *_matrix(shown), *(_readings(shown) or ["Nothing was judged."])]
    if shown.table:
        said = (f"{term}: {text}" for term, text in shown.table.said.items())
        parts += ["## How the table was read", _list(said)]
    short = [part for part in evidence_parts(shown) if part.short]
    if short:
        parts.append("## Evidence")
    parts += [text for part in short for text in _part(part)]
    if shown.examples:
        parts += ["### Worked examples", _list(map(_example, shown_pairs(shown)))]
    parts.append("## Appendix")
    parts += [text for part in appendix_parts(shown, harmless(past)) if part.short for text in _part(part)]
    if shown.reproduce:
        # indented, as no fence holds every text
        parts += ["### Reproduce", "\n".join(f"    {one_line(line)}" for line in shown.reproduce)]
    parts.append("Figures, p-values, checks, texts and digests: report.html. Every number: results.json.")
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    marked = _MARKUP.sub(r"\\\1", one_line(text))
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)


def _grid(lines: Sequence[Sequence[str]]) -> str:
    head, *body = ["| " + " | ".join(map(escape, line)) + " |" for line in lines]
    return "\n".join([head, "|" + " --- |" * len(lines[0]), *body])


def _part(part: Part) -> list[str]:
    """A part of the report without its figures."""
    found = [*part.tables, *(fold.table for fold in part.folds if fold.figure is None)]
    body = [text for text in (_list(part.lines), *map(_table, found)) if text]
    return [f"### {escape(part.title)}", *map(escape, part.says), *body] if body else []


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    verdicts = [column.kind == "verdict" for column in table.columns]
    rows = [
        [printed(entry) if verdict else entry for verdict, entry in zip(verdicts, row, strict=True)]
        for row in table.rows
    ]
    return f"{escape(table.caption)}\n\n{_grid([[column.head for column in table.columns], *rows])}"


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
    return escape(" · ".join(filter(None, facts)))


def _matrix(results: Results) -> list[str]:
    matrix = verdict_matrix(results)
    if not matrix.groups:
        return ["Nothing was judged."]
    lines = [["backbone", "arm", *(column_name(results, column) for column in matrix.columns)]]
    for backbone, arms in matrix.groups.items():
        for arm, entries in arms.items():
            words = (f"{printed(entry.word)} {entry.estimate}".strip() for entry in entries)
            lines.append([backbone, arm, *words])
    margin = margin_text(results)
    return [_grid(lines), f"Under each word: its estimate, in points of score ({margin} matters)."]


def _readings(results: Results) -> list[str]:
    parts: list[str] = []
    for backbone, readings in arm_readings(results).items():
        parts.append(f"### {escape(backbone)}")
        for one in readings:
            said = f"**{escape(one.arm)}: {escape(one.headline)}.** {escape(one.says)}"
            open_ = f" Does not say: {escape(one.leaves_open)}" if one.leaves_open else ""
            parts.append(f"{said} Rests on: {escape(one.rests_on)}{open_}")
    return parts


def _example(one: Pair) -> str:
    """A worked example in a line; its texts are in the HTML report."""
    said = f"{one.heading}; {one.says}. {one.before.title}. {one.after.title}."
    if one.turn is None:
        return said
    acts = (
        "ended" if side.said is None else brief(side.said.action, 120) for side in (one.before, one.after)
    )
    return f"{said} First apart in turn {one.turn}: {' against '.join(acts)}."
