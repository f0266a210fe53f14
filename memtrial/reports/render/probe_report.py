"""The report of a probe: one page, and the same in short as Markdown."""

from memtrial.console.escape import harmless
from memtrial.reports.figures.probe_forest import probe_svg
from memtrial.reports.render.html_report import TEMPLATES
from memtrial.reports.render.markdown_report import escape, write_grid, write_list
from memtrial.reports.text.probe_text import (
    HEAD,
    ITEM_HEAD,
    item_table,
    probe_facts,
    probe_limits,
    probe_mention,
    probe_next_step,
    probe_sentence,
    probe_table,
)
from memtrial.reports.text.reading import SIMULATED
from memtrial.views.rows.probe_rows import ProbeResults


def render_probe_html(results: ProbeResults) -> str:
    """The whole report as one page, all text escaped; the same bytes for the same results."""
    shown = harmless(results)
    page = TEMPLATES.get_template("probe_report.html.jinja").render(
        results=shown,
        simulated=SIMULATED if shown.simulated else "",
        sentence=probe_sentence(shown),
        answers=shown.arms,
        mention=tuple(probe_mention(shown)),
        next_step=probe_next_step(shown),
        facts=tuple(probe_facts(shown)),
        figure=probe_svg(shown) if shown.rows else "",
        head=HEAD,
        table=tuple(probe_table(shown)),
        item_head=ITEM_HEAD,
        items=tuple(item_table(shown)),
        limits=tuple(probe_limits(shown)),
    )
    return page.rstrip() + "\n"


def render_probe_markdown(results: ProbeResults) -> str:
    """The sentence, both tables and what the words mean; all text is escaped."""
    shown = harmless(results)
    paragraphs = [
        f"# Probe of {escape(shown.source)}",
        f"**{SIMULATED}**" if shown.simulated else "",
        escape(probe_sentence(shown)),
        *(escape(line) for line in probe_mention(shown)),
        f"Next: {escape(probe_next_step(shown))}",
        escape(" · ".join(f"{term}: {text}" for term, text in probe_facts(shown))),
        write_grid([list(HEAD), *map(list, probe_table(shown))]),
        "## What each memory does",
        write_grid([list(ITEM_HEAD), *map(list, item_table(shown))]),
        write_list(probe_limits(shown)),
        write_list(shown.notes),
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"
