"""The report of an evolution: one page, and the same in short as Markdown."""

from memtrial.console.escape import harmless
from memtrial.reports.figures.compared_arms import draw_compared
from memtrial.reports.figures.stream_course import course_arms, course_svg
from memtrial.reports.render.html_report import TEMPLATES
from memtrial.reports.render.markdown_report import escape, write_grid, write_list
from memtrial.reports.sections.evolution_parts import evolution_parts
from memtrial.reports.sections.evolution_tables import arm_caption, arm_heads, arm_lines, arm_table
from memtrial.reports.text.evolution_text import (
    answer_evolution,
    evolution_doubts,
    evolution_facts,
    evolution_limits,
    memory_estimates,
    why_unjudged,
)
from memtrial.reports.text.reading import SIMULATED
from memtrial.views.numbers import is_known
from memtrial.views.rows.evolution_rows import EvolutionResults

BY_MEMORY = "score − score without memory, as many tries"


def render_evolution_html(results: EvolutionResults) -> str:
    """The whole report as one page, all text escaped; the same bytes for the same results."""
    shown = harmless(results)
    told = [row for backbone in shown.backbones for row in memory_estimates(shown, backbone)]
    drawn = [row for row in told if is_known(row.estimate)]
    page = TEMPLATES.get_template("evolution_report.html.jinja").render(
        results=shown,
        simulated=SIMULATED if shown.simulated else "",
        answers=answer_evolution(shown),
        unjudged=why_unjudged(shown),
        facts=tuple(evolution_facts(shown)),
        doubts=tuple(evolution_doubts(shown)),
        small=draw_compared(drawn, [arm.name for arm in shown.arms], shown.margin, BY_MEMORY)
        if drawn
        else "",
        arms=arm_lines(shown),
        heads=arm_heads(shown),
        caption=arm_caption(shown),
        figures={
            backbone: course_svg(shown, backbone)
            for backbone in shown.backbones
            if course_arms(shown, backbone, "success")
        },
        evidence=evolution_parts(shown),
        limits=tuple(evolution_limits(shown)),
    )
    return page.rstrip() + "\n"


def render_evolution_markdown(results: EvolutionResults) -> str:
    """The answer, the arms and what may be wrong; all text is escaped."""
    shown = harmless(results)
    answers = write_list(answer.sentence for answer in answer_evolution(shown))
    paragraphs = [
        f"# {escape(shown.name)}",
        escape(shown.question),
        f"**{SIMULATED}**" if shown.simulated else "",
        "## Answer",
        answers or why_unjudged(shown),
        write_list(evolution_doubts(shown)),
        escape(" · ".join(f"{term}: {text}" for term, text in evolution_facts(shown))),
        "## Arm by arm",
    ]
    for backbone, lines in arm_lines(shown).items():
        table = arm_table(shown, lines)
        heads = [column.head for column in table.columns]
        paragraphs += [
            f"### {escape(backbone)}",
            write_grid([heads, *map(list, table.rows)]) if lines else "",
        ]
    paragraphs += ["## What the words mean", write_list(evolution_limits(shown))]
    return "\n\n".join(filter(None, paragraphs)) + "\n"
