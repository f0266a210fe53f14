"""An evolution in a terminal: its arms in numbers, and what was compared with what."""

from collections.abc import Iterator

from memtrial.console.escape import harmless, one_line
from memtrial.reports.render.table_lines import table_lines
from memtrial.reports.sections.evolution_tables import metric_table, verdict_table
from memtrial.reports.text.evolution_text import ONE_OBSERVATION, why_unjudged
from memtrial.reports.text.reading import SIMULATED
from memtrial.views.rows.evolution_rows import EvolutionResults


def evolution_lines(results: EvolutionResults, width: int | None) -> Iterator[str]:
    """Label, metrics and comparisons; tables are no wider than that, where it is known."""
    shown = harmless(results)
    if shown.simulated:
        yield SIMULATED
    for backbone in shown.backbones:
        own = [row for row in shown.metrics if row.backbone == backbone]
        if own:
            yield from (one_line(backbone), *table_lines(metric_table(own, several=False), width), "")
    for compared in shown.comparisons:
        yield f"{compared.about} ({compared.reference}):"
        yield from (*table_lines(verdict_table(compared), width), "")
    yield ONE_OBSERVATION if shown.comparisons else why_unjudged(shown)
    if shown.judge_audit.judged:
        yield shown.judge_audit.sentence
