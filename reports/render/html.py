"""The HTML report: one file that needs no network, no script and no font of its own."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from loadbearing.reports.base.escape import harmless
from loadbearing.reports.base.lookup import of_estimand
from loadbearing.reports.evidence.delivery import delivery_alarm, delivery_sentence
from loadbearing.reports.evidence.untrusted import alarms
from loadbearing.reports.figures.forest import forest_svg
from loadbearing.reports.figures.paired_differences import differences_of, paired_svg, paired_table
from loadbearing.reports.figures.plane_points import plane_points
from loadbearing.reports.figures.utility_drop_plane import plane_svg
from loadbearing.reports.model.history import History
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections import evidence_tables, run_tables, tables
from loadbearing.reports.sections.example_pairs import shown_pairs
from loadbearing.reports.sections.monitoring_tables import e_table, looks_table
from loadbearing.reports.sections.verdict_matrix import verdict_matrix
from loadbearing.reports.text import verdict_glossary
from loadbearing.reports.text.arm_readings import arm_readings
from loadbearing.reports.text.comparison_readings import glossary
from loadbearing.reports.text.hypothesis_readings import hypothesis_readings, limits
from loadbearing.reports.text.labels import absent_parts, column_name, phrases_of
from loadbearing.reports.text.lock import lock_lines, status_sentence
from loadbearing.reports.text.reading import SIMULATED, Reading, sizes
from loadbearing.reports.text.secondary_kinds import KINDS

_TEMPLATES = Path(__file__).parent
NO_HISTORY = History()


def render_html(results: Results, past: History = NO_HISTORY) -> str:
    """The whole report as one page; the same bytes for the same results and the same past.

    Args:
        results: what `results.json` holds. Absent keys are empty sections, unknown ones are passed over.
            All of its text is escaped.
        past: what `history` tells of the run's sessions; empty where it is not known.
    """
    shown = harmless(results)
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["word"] = verdict_glossary.verdict_word
    environment.filters["condition"] = partial(column_name, shown)
    page = environment.get_template("report.html.jinja").render(
        results=shown,
        simulated=SIMULATED if shown.simulated else "",
        name=shown.name or "Report",
        facts=_facts(shown),
        matrix=verdict_matrix(shown),
        arms=_by_backbone(arm_readings(shown)),
        limits=limits(shown),
        hypotheses=_by_backbone(hypothesis_readings(shown)),
        figures={
            kind: _figure(shown, kind)
            for kind in (
                "drop",
                "utility",
                "contrast",
                *(kind.estimand for kind in KINDS),
            )
        },
        paired_figures={kind: _paired(shown, kind) for kind in ("drop", "utility", "contrast")},
        paired_table=paired_table,
        evidence=evidence_tables,
        kinds=KINDS,
        sensitivity_table=evidence_tables.sensitivity,
        banks_table=evidence_tables.banks,
        families_table=evidence_tables.families(shown),
        e_table=e_table(shown.monitoring) if shown.monitoring else None,
        looks_table=looks_table(shown.monitoring) if shown.monitoring else None,
        lock_lines=lock_lines(shown),
        heterogeneity_table=evidence_tables.heterogeneity,
        plane=Markup(plane_svg(shown)) if plane_points(shown) else None,
        alarms=alarms(shown.untrusted, shown.delivery),
        undelivered=delivery_alarm(shown.delivery),
        delivered=delivery_sentence(shown.delivery),
        examples=shown_pairs(shown),
        masked=shown.lock is not None and shown.lock.masked,
        past=harmless(past),
        tables=tables,
        conduct=run_tables,
        glossary=glossary(shown),
        phrases=phrases_of(shown),
        absent=absent_parts(shown),
    )
    return page.rstrip() + "\n"


def _figure(results: Results, estimand: str) -> Markup | None:
    """The forest plot of one estimand, or None where nothing was estimated."""
    rows = of_estimand(results, estimand)
    # forest_svg escapes what it writes; its text has been through an XML writer
    return Markup(forest_svg(rows, results.margin)) if rows else None


def _paired(results: Results, estimand: str) -> Markup | None:
    """The paired-difference plot of one estimand, or None where nothing was compared."""
    return Markup(paired_svg(results, estimand)) if differences_of(results, estimand) else None


def _by_backbone(readings: tuple[Reading, ...]) -> dict[str, list[Reading]]:
    groups: dict[str, list[Reading]] = {}
    for reading in readings:
        groups.setdefault(reading.subject[0], []).append(reading)
    return groups


def _facts(results: Results) -> list[tuple[str, str]]:
    """What a reader has to know before the first verdict; facts that were not recorded are left out."""
    design = [results.world, sizes(results), f"outcome {results.outcome}", f"seed {results.seed}"]
    facts = [
        ("Status", status_sentence(results)),
        ("Control", _control(results.control)),
        ("Backbones", ", ".join(results.backbones)),
        ("Design", ", ".join(filter(None, design))),
        ("Rules", f"margin ±{results.margin:g} of the score, alpha {results.alpha:g}"),
    ]
    return [(name, text) for name, text in facts if text]


def _control(line: str) -> str:
    text = line.removeprefix("control: ")
    return text + next((note for start, note in _CONTROL_NOTES.items() if text.startswith(start)), "")


_CONTROL_NOTES = {
    "embedded": ": our wording of the same contract, not upstream's own text",
    "unverified": ": a text whose digest is not known from upstream",
}
