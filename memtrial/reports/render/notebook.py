"""Results in a notebook: sentences, the matrix and a figure as HTML; one figure, and one table, by name."""

from dataclasses import dataclass, field
from functools import partial

from markupsafe import Markup

from memtrial.console.escape import harmless
from memtrial.reports.figures.compared_arms import compared_estimates, compared_svg
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.figures.stream_course import course_arms, course_svg
from memtrial.reports.render.html_report import TEMPLATES
from memtrial.reports.render.latex import latex_table
from memtrial.reports.render.table_lines import table_lines
from memtrial.reports.render.terminal import coloured_html
from memtrial.reports.sections.evolution_tables import arm_lines, arm_table
from memtrial.reports.sections.figure_files import figures_of
from memtrial.reports.sections.paper_tables import paper_tables
from memtrial.reports.text.arm_readings import verdict_matrix
from memtrial.reports.text.backbone_answers import answer_backbones
from memtrial.reports.text.evolution_text import answer_evolution, why_unjudged
from memtrial.reports.text.reading import SIMULATED, column_name, phrases_of
from memtrial.reports.text.text_table import TextTable
from memtrial.reports.text.verdict_glossary import TONES
from memtrial.views.evidence.untrusted import alarms
from memtrial.views.rows.evolution_rows import EvolutionResults
from memtrial.views.rows.results import Results

FOREST = "forest"
"""The figure of utilities and drops together."""
_FOREST_HOLDS = ("utility", "drop")
_TEMPLATE = "notebook.html.jinja"


@dataclass(frozen=True, slots=True)
class NotebookFigure:
    """A figure that a notebook draws; `svg` is the file, under its XML prolog."""

    name: str
    svg: str = field(repr=False)

    def _repr_html_(self) -> str:
        return f'<div style="background:#fff">{self.svg[self.svg.index("<svg") :]}</div>'


@dataclass(frozen=True, slots=True, repr=False)
class NotebookTable:
    """A table that a notebook shows; printed, it stands in columns; `latex` is for a paper."""

    name: str
    table: TextTable

    def __str__(self) -> str:
        return "\n".join(table_lines(self.table, None))

    __repr__ = __str__

    @property
    def latex(self) -> str:
        """A float; it needs the package booktabs."""
        return latex_table(self.table, f"tab:{self.name}")

    def _repr_html_(self) -> str:
        columns = self.table.columns
        shown = {
            "heads": [column.head for column in columns],
            "kinds": [column.kind for column in columns],
            "rows": self.table.rows,
            "caption": self.table.caption,
        }
        return TEMPLATES.get_template(_TEMPLATE).render(table=shown)


def notebook_html(results: Results) -> str:
    """What a run says, the verdicts arm by condition, a figure; folded away what the terminal shows."""
    shown = harmless(results)
    matrix = verdict_matrix(shown)
    return TEMPLATES.get_template(_TEMPLATE).render(
        table=None,
        alarms=alarms(shown.untrusted, shown.delivery),
        simulated=SIMULATED if shown.simulated else "",
        answers=answer_backbones(shown),
        matrix=matrix,
        heads=list(map(partial(column_name, shown), matrix.columns)),
        caption=phrases_of(shown).matrix,
        tones=TONES,
        figure=compared_svg(shown) if compared_estimates(shown) else "",
        printed=coloured_html(results),
    )


def evolution_notebook(results: EvolutionResults) -> str:
    """What an evolution says, its arms, and success along the stream."""
    shown = harmless(results)
    lines = [SIMULATED] if shown.simulated else []
    answers = [answer.sentence for answer in answer_evolution(shown)] or [why_unjudged(shown)]
    parts = [Markup("<p>{}</p>").format(line) for line in (*lines, *answers)]
    for backbone, arms in arm_lines(shown).items():
        if arms:
            parts.append(Markup("<p><b>{}</b></p>").format(backbone))
            parts.append(Markup(NotebookTable("arms", arm_table(shown, arms))._repr_html_()))
        if course_arms(shown, backbone, "success"):
            figure = NotebookFigure("course", course_svg(shown, backbone))
            parts.append(Markup(figure._repr_html_()))
    return f"<div>{Markup('').join(parts)}</div>"


def notebook_figure(results: Results, name: str) -> NotebookFigure:
    """A figure of the report by its name, or `forest`; ValueError names those that these results hold."""
    shown = harmless(results)
    figures = dict(figures_of(results))
    drawn = [row for row in shown.estimates if row.estimand in _FOREST_HOLDS and row.estimate is not None]
    if drawn:
        figures[FOREST] = partial(forest_svg, drawn, shown.margin)
    if name not in figures:
        raise ValueError(f"these results have the figures {', '.join(figures) or 'none'}; got {name!r}")
    return NotebookFigure(name, figures[name]())


def notebook_table(results: Results, name: str) -> NotebookTable:
    """A table for a paper by its name; ValueError names those that these results hold."""
    tables = dict(paper_tables(harmless(results)))
    if name not in tables:
        raise ValueError(f"these results have the tables {', '.join(tables) or 'none'}; got {name!r}")
    return NotebookTable(name, tables[name])
