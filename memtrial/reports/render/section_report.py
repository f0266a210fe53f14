"""The report of a trial of sections: one page, and the same in short as Markdown."""

from memtrial.console.escape import harmless
from memtrial.reports.figures.section_forest import sections_svg
from memtrial.reports.render.html_report import TEMPLATES
from memtrial.reports.render.markdown_report import escape, write_grid, write_list
from memtrial.reports.text.reading import SIMULATED
from memtrial.reports.text.section_text import (
    HEAD,
    section_facts,
    section_limits,
    section_next_step,
    section_sentence,
    section_stages,
    section_table,
)
from memtrial.views.rows.section_rows import SectionResults


def render_section_html(results: SectionResults) -> str:
    """The whole report as one page, all text escaped; the same bytes for the same results."""
    shown = harmless(results)
    page = TEMPLATES.get_template("section_report.html.jinja").render(
        results=shown,
        simulated=SIMULATED if shown.simulated else "",
        sentence=section_sentence(shown),
        next_step=section_next_step(shown),
        facts=tuple(section_facts(shown)),
        figure=sections_svg(shown),
        head=HEAD,
        table=tuple(section_table(shown)),
        limits=tuple(section_limits(shown)),
        stages=section_stages(shown),
    )
    return page.rstrip() + "\n"


def render_section_markdown(results: SectionResults) -> str:
    """The sentence, the table and what the words mean; all text is escaped."""
    shown = harmless(results)
    paragraphs = [
        *(f"**🟥 {escape(alarm)}**" for alarm in shown.alarms),
        f"# Sections of {escape(shown.memory)}",
        f"**{SIMULATED}**" if shown.simulated else "",
        escape(section_sentence(shown)),
        f"Next: {escape(section_next_step(shown))}",
        escape(" · ".join(f"{term}: {text}" for term, text in section_facts(shown))),
        write_grid([list(HEAD), *map(list, section_table(shown))]),
        write_list(section_limits(shown)),
        section_stages(shown),
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"
