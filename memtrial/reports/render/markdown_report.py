"""The short report: verdicts and sentences as Markdown, for a terminal, a diff or a pull request."""

import re
from collections.abc import Iterable, Iterator, Sequence

from memtrial.console.escape import harmless, one_line, printable
from memtrial.reports.sections.report_part import ReportPart
from memtrial.reports.sections.report_parts import appendix_parts, evidence_parts
from memtrial.reports.text.arm_readings import arm_readings, verdict_matrix
from memtrial.reports.text.backbone_answers import answer_backbones
from memtrial.reports.text.hypothesis_answers import answers, doubts, facts, limits
from memtrial.reports.text.reading import INTERVALS, SIMULATED, column_name, margin_text
from memtrial.reports.text.verdict_glossary import printed_word
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.rows.results import Results

# what would start markup; an underscore inside a word starts none, brackets only before a target
_MARKUP = re.compile(r"([\\`*|~#]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_]))")


def render_markdown(results: Results, past: tuple[str, ...] = ()) -> str:
    """The answer, verdicts and sentences, what may be wrong, contrasts, losses, cost; all text is escaped."""
    shown = harmless(results)
    return "\n\n".join(filter(None, _paragraphs(shown, tuple(map(printable, past))))) + "\n"


def _paragraphs(results: Results, past: tuple[str, ...]) -> Iterator[str]:
    for alarm in alarms(results.untrusted, results.delivery):
        yield f"**🟥 {escape(alarm)}**"
    yield f"# {escape(results.name or 'Report')}"
    yield escape(results.question)
    if results.simulated:
        yield f"**{SIMULATED}**"
    yield "## Answer"
    contrasts = write_list(answer.sentence for answer in answers(results))
    first = write_list(answer.sentence for answer in answer_backbones(results))
    yield first or contrasts or "Nothing was judged."
    yield from _arms(results)
    if doubts(results):
        yield "### What may be wrong with it"
        yield write_list(doubts(results))
    yield escape(" · ".join(f"{term}: {text}" for term, text in facts(results)))
    if first and results.hypotheses:
        yield "## The arms compared"
        yield contrasts
        yield escape(limits(results))
    if results.table:
        yield "## How the table was read"
        yield write_list(f"{term}: {text}" for term, text in results.table.said.items())
    short = [part for part in evidence_parts(results) if part.short]
    if short:
        yield "## Evidence"
    for part in short:
        yield from _part(part)
    yield "## Appendix"
    for part in appendix_parts(results, past):
        if part.short:
            yield from _part(part)
    if results.reproduce:
        yield "### Reproduce"
        # indented, as no fence holds every text
        yield "\n".join(f"    {one_line(line)}" for line in results.reproduce)
    yield "Figures, p-values, checks, texts and digests: report.html. Every number: results.json."


def _arms(results: Results) -> Iterator[str]:
    yield "## Arm by arm"
    matrix = verdict_matrix(results)
    if matrix.groups:
        lines = [["backbone", "arm", *(column_name(results, column) for column in matrix.columns)]]
        for backbone, arms in matrix.groups.items():
            for arm, entries in arms.items():
                words = (f"{printed_word(entry.word)} {entry.estimate}".strip() for entry in entries)
                lines.append([backbone, arm, *words])
        yield write_grid(lines)
        yield f"Beside each word: its estimate, in points of score ({margin_text(results)} matters)."
        yield escape(INTERVALS)
    else:
        yield "Nothing was judged."
    for backbone, readings in arm_readings(results).items():
        yield f"### {escape(backbone)}"
        for reading in readings:
            yield f"**{escape(reading.arm)}: {escape(reading.headline)}.** {escape(reading.says)}".strip()


def _part(part: ReportPart) -> Iterator[str]:
    tables = [*part.tables, *(fold.table for fold in part.folds if fold.table and not fold.figure)]
    full = [table for table in tables if table.rows]
    if not part.lines and not full:
        return
    yield f"### {escape(part.title)}"
    yield from map(escape, part.says)
    yield write_list(part.lines)
    for table in full:
        heads = [column.head for column in table.columns]
        shown = [printed_word if column.kind == "verdict" else str for column in table.columns]
        rows = ([show(entry) for show, entry in zip(shown, row, strict=True)] for row in table.rows)
        yield f"{escape(table.caption)}\n\n{write_grid([heads, *rows])}"


def escape(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    marked = _MARKUP.sub(r"\\\1", one_line(text))
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_list(lines: Iterable[str]) -> str:
    """A list of these lines."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def write_grid(lines: Sequence[Sequence[str]]) -> str:
    """A table; the first line is its head."""
    head, *body = ["| " + " | ".join(map(escape, line)) + " |" for line in lines]
    return "\n".join([head, "|" + " --- |" * len(lines[0]), *body])
