"""`try --sections`: what it comes to, the question whether to begin, and what came of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from memtrial.cli.experiment.run import exit_code
from memtrial.console.display import Display
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.api.coding.try_sections import PreparedSections, SectionsEnd

UNCONFIRMED = "* from the screening alone"


def offer_sections(
    prepared: PreparedSections, display: Display, begin: bool, only_said: bool, as_json: bool
) -> int:
    """Say what it comes to, ask unless it shall `begin`, play it and show it; the exit code."""
    from memtrial.api.coding.try_sections import play_sections

    if only_said and as_json:
        put_json(prepared.forecast.as_json())
        return 0
    put("\n".join(prepared.forecast.lines()), sys.stderr if as_json else sys.stdout)
    question = f"Play at most {prepared.forecast.left:,} trials?"
    if only_said or not (begin or typer.confirm(question, default=False, err=True)):
        return 0
    ended = play_sections(prepared, display)
    if as_json:
        put_json(ended.as_json())
    else:
        _show(ended)
    return exit_code(ended.run, require_decision=False)


def _show(ended: SectionsEnd) -> None:
    """The table, what its words mean, the report's place, the sentence and what to do next."""
    from memtrial.reports.text.reading import SIMULATED
    from memtrial.reports.text.section_text import HEAD, section_next_step, section_sentence, section_table

    results = ended.results
    put("")
    if results is None:
        put(f"It is not finished: no section is judged yet. {ended.folder} goes on with the same command.")
        return
    if results.simulated:
        put(SIMULATED)
    put("\n".join(columns([HEAD, *section_table(results)], width_of(), right=(0, 3, 4))))
    if any(row.stage == "screening" for row in results.sections):
        put(UNCONFIRMED)
    put(f"Report, with the figure: {ended.folder / 'report.html'}")
    put(section_sentence(results))
    put(f"Next: {section_next_step(results)}")
