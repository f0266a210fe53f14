"""The short report: verdicts and sentences as Markdown, for a terminal, a diff or a pull request."""

from __future__ import annotations

import re

from loadbearing.reports.base.escape import harmless, one_line, shortened
from loadbearing.reports.evidence.delivery import delivery_alarm, delivery_sentence
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.model.history import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections import run_tables, tables
from loadbearing.reports.sections.example_pairs import Pair, Side, shown_pairs
from loadbearing.reports.sections.verdict_matrix import verdict_matrix
from loadbearing.reports.text.arm_readings import arm_readings
from loadbearing.reports.text.hypothesis_readings import hypothesis_readings, limits
from loadbearing.reports.text.labels import absent_parts, column_name
from loadbearing.reports.text.lock import lock_lines, status_sentence
from loadbearing.reports.text.reading import SIMULATED, Reading, margin_text, sizes
from loadbearing.reports.text.secondary_kinds import secondary_lines
from loadbearing.reports.text.table import Table

# what would start markup; an underscore inside a word starts none, brackets only before a target
_MARKUP = re.compile(r"([\\`*|~#]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")
_LONGEST_ACTION = 120
NO_HISTORY = History()
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render_markdown(results: Results, past: History = NO_HISTORY) -> str:
    """Title, verdict matrix, sentences, losses, cost and how to reproduce; all else is in the HTML report.

    Args:
        results: what `results.json` holds. All of its text is escaped.
        past: what `history` tells of the run's sessions; empty where it is not known.
    """
    shown = harmless(results)
    parts = [f"**🟥 {escape(alarm)}**" for alarm in alarms(shown.untrusted, shown.delivery)]
    parts += [f"# {escape(shown.name or 'Report')}"]
    if shown.simulated:
        parts.append(f"**{SIMULATED}**")
    if shown.question:
        parts.append(escape(shown.question))
    absent = absent_parts(shown)
    parts += [_facts(shown), "## Verdicts", *_matrix(shown)]
    parts += ["## What they say", *_readings(arm_readings(shown), "Nothing was judged.")]
    if shown.table:
        said = [f"- {escape(term)}: {escape(text)}" for term, text in shown.table.said.items()]
        parts += ["## How the table was read", "\n".join(said)]
    if "hypotheses" not in absent:
        parts += [
            "## Hypotheses",
            escape(limits(shown)),
            *_readings(hypothesis_readings(shown), "No pair of arms was compared."),
        ]
    lines = secondary_lines(shown)
    if lines:
        parts += ["## Beyond the drops", "\n".join(f"- {escape(line)}" for line in lines)]
    parts += ["## Errors" if "empty" in absent else "## Errors and empty slots", *_faults(shown)]
    if "delivery" not in absent:
        parts += [
            "## Delivery",
            escape(delivery_alarm(shown.delivery) or delivery_sentence(shown.delivery))
            or "Nothing was recorded.",
        ]
    if "cost" not in absent:
        parts += ["## Cost", *_cost(shown)]
    examples = shown_pairs(shown)
    if examples:
        parts += ["## Worked examples", "\n".join(f"- {_example(one)}" for one in examples)]
    if past.sentences:
        told = harmless(past).sentences
        parts += ["## History", "\n".join(f"- {escape(line)}" for line in told)]
    if lock_lines(shown):
        parts += ["## Lock", "\n".join(f"- {escape(line)}" for line in lock_lines(shown))]
    if shown.notes:
        parts += ["## Notes", "\n".join(f"- {escape(note)}" for note in shown.notes)]
    if shown.reproduce:
        # indented, as no fence holds every text
        parts += ["## Reproduce", "\n".join(f"    {one_line(line)}" for line in shown.reproduce)]
    parts.append("Figures, p-values, checks, texts and digests: report.html. Every number: results.json.")
    return "\n\n".join(part for part in parts if part) + "\n"


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
            lines.append((backbone, arm, *(f"{entry.word} {entry.estimate}".strip() for entry in entries)))
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


def _faults(results: Results) -> list[str]:
    tabled = [
        run_tables.attrition(results),
        tables.worst_cases(results),
        run_tables.failures(results),
        tables.empty_slots(results),
    ]
    return [_table(table) for table in tabled if table.rows] or ["None was recorded."]


def _cost(results: Results) -> list[str]:
    tabled = [run_tables.cost(results), run_tables.preparation(results), run_tables.models(results)]
    said = [escape(run_tables.cost_sentence(results)), *(_table(table) for table in tabled if table.rows)]
    return said if any(said) else ["Nothing was recorded."]


def _example(one: Pair) -> str:
    """A worked example in a line; its texts are in the HTML report."""
    said = f"{one.heading}; {one.says}. {one.before.title}. {one.after.title}."
    if one.turn is not None:
        said += f" First apart in turn {one.turn}: {_act(one.before)} against {_act(one.after)}."
    return escape(said)


def _act(side: Side) -> str:
    return "ended" if side.action is None else shortened(one_line(side.action), _LONGEST_ACTION)


def _table(table: Table) -> str:
    heads = tuple(column.head for column in table.columns)
    return f"{escape(table.caption)}\n\n{_grid([heads, *table.rows])}"
