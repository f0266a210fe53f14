"""An evolution on the shelf of runs: how it stands, and what its report answers."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from memtrial.console.escape import harmless
from memtrial.private_file import read_private
from memtrial.reports.sections.evolution_tables import ArmLine, arm_caption, arm_heads, arm_lines
from memtrial.reports.text.backbone_answers import BackboneAnswer
from memtrial.reports.text.evolution_text import answer_evolution, evolution_doubts, evolution_facts
from memtrial.runs.run_folder.folder import EVOLUTION_RESULTS
from memtrial.views.rows.evolution_rows import EvolutionResults


@dataclass(frozen=True, slots=True)
class EvolutionPage:
    """What the page of an evolution shows, apart from its figures.

    Args:
        results: None where no session of it has ended, or another version wrote them.
        report: where its whole report lies.
    """

    report: str
    results: EvolutionResults | None = None
    answers: tuple[BackboneAnswer, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    caption: str = ""
    arms: tuple[tuple[str, tuple[ArmLine, ...]], ...] = ()


def read_evolution(folder: Path) -> EvolutionResults | None:
    """The results that `evolve` wrote; None where there are none, or none of this version."""
    with suppress(OSError, ValidationError):
        return harmless(EvolutionResults.model_validate_json(read_private(folder / EVOLUTION_RESULTS)))
    return None


def evolution_state(results: EvolutionResults | None, running: bool) -> str:
    """Whether it goes on, is at its end or was stopped, and how many streams have ended."""
    if results is None:
        return "evolution, running" if running else "evolution, stopped before it was summed up"
    ended = min((row.streams for row in results.metrics), default=0)
    state = "running" if running else "finished" if results.ending == "done" else "stopped"
    return f"evolution, {state}, {ended:,} of {results.streams:,} streams"


def lay_evolution(folder: Path) -> EvolutionPage:
    """Its page."""
    report, results = str(folder / "report.html"), read_evolution(folder)
    if results is None:
        return EvolutionPage(report)
    return EvolutionPage(
        report,
        results,
        answer_evolution(results),
        tuple(evolution_facts(results)),
        tuple(evolution_doubts(results)),
        arm_heads(results),
        arm_caption(results),
        tuple(arm_lines(results).items()),
    )
