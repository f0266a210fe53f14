"""The HTML report: one file that needs no network, no script and no font of its own."""

from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memtrial.console.escape import harmless, printable
from memtrial.reports.figures.compared_arms import compared_estimates, compared_svg
from memtrial.reports.render.page_text import colour_figure, mark_code
from memtrial.reports.sections.computed_tables import confidence
from memtrial.reports.sections.report_part import begin_figures
from memtrial.reports.sections.report_parts import appendix_parts, evidence_parts
from memtrial.reports.text.arm_readings import arm_readings, verdict_matrix
from memtrial.reports.text.backbone_answers import answer_backbones
from memtrial.reports.text.hypothesis_answers import answers, doubts, facts
from memtrial.reports.text.reading import (
    ASKED,
    KICKER,
    RULES,
    SIMULATED,
    arms_line,
    column_name,
    list_with_and,
    phrases_of,
    together,
)
from memtrial.reports.text.verdict_glossary import glossary, verdict_word
from memtrial.views.computation import Begin, compute_late
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.rows.results import Results

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined,
    autoescape=True, trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
TEMPLATES.filters["word"] = verdict_word
TEMPLATES.filters["drawn"] = colour_figure
TEMPLATES.filters["prose"] = mark_code


def render_html(results: Results, past: tuple[str, ...] = (), begin: Begin = compute_late) -> str:
    """The whole report as one page, all text escaped; the same bytes for the same results and the same past.

    Parts that hold nothing are left out.

    Args:
        past: what `history` says.
        begin: begins figures; the page is the same wherever they are drawn.
    """
    shown = harmless(results)
    evidence = begin_figures(evidence_parts(shown), begin)
    phrases = phrases_of(shown)
    appendix = appendix_parts(shown, tuple(map(printable, past)))
    page = TEMPLATES.get_template("report.html.jinja").render(
        results=shown,
        simulated=SIMULATED if shown.simulated else "",
        name=shown.name or "Report",
        phrases=phrases,
        arms_line=arms_line(shown),
        alarms=alarms(shown.untrusted, shown.delivery),
        asked=ASKED if shown.hypotheses else "",
        kicker=KICKER,
        rules=RULES,
        first=answer_backbones(shown),
        answers=answers(shown),
        doubts=doubts(shown),
        small=compared_svg(shown) if compared_estimates(shown) else None,
        facts=facts(shown),
        matrix=verdict_matrix(shown),
        column_name=partial(column_name, shown),
        told={backbone: together(readings) for backbone, readings in arm_readings(shown).items()},
        evidence=evidence,
        appendix=appendix,
        summary=list_with_and([*(part.title for part in appendix), "What the verdicts mean", "Reproduce"]),
        glossary=glossary(shown),
        confidence=confidence(shown),
    )
    return page.rstrip() + "\n"
