"""The parts of a report below its first screen: what each says and which tables and figures it holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from loadbearing.reports.base.lookup import by_backbone, of_estimand
from loadbearing.reports.evidence.bundle_audit import sentence
from loadbearing.reports.evidence.leak_rows import leak_lines
from loadbearing.reports.evidence.untrusted import delivery_alarm, delivery_sentence
from loadbearing.reports.figures.effect_matrix import effects_svg
from loadbearing.reports.figures.forest import forest_svg
from loadbearing.reports.figures.funnel import funnel_svg
from loadbearing.reports.figures.paired_differences import paired_svg
from loadbearing.reports.figures.stacked_shares import stacked_svg
from loadbearing.reports.figures.utility_drop_plane import plane_points, plane_svg
from loadbearing.reports.model.results import Results
from loadbearing.reports.sections import damage_tables, evidence_tables, tables
from loadbearing.reports.sections.ablation_tables import (
    cost_table,
    effects_table,
    interactions_table,
    sharing_line,
)
from loadbearing.reports.text import failure_text as failed
from loadbearing.reports.text.answers import limits, lock_lines
from loadbearing.reports.text.judge_text import judge_lines, moved_table
from loadbearing.reports.text.reading import phrases_of
from loadbearing.reports.text.secondary_kinds import KINDS, secondary_lines
from loadbearing.reports.text.table import Table


@dataclass(frozen=True, slots=True)
class Fold:
    """A figure (SVG) and the table behind it, closed until a reader opens it; either may be missing."""

    title: str
    table: Table | None
    figure: Callable[[], str] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a report; it is left out where it holds nothing but paragraphs that explain (`says`).

    Figure and tables stand open, folds are closed; a `short` part is in the short report as well.
    """

    id: str
    title: str
    says: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    figure: Callable[[], str] | None = None
    tables: tuple[Table, ...] = ()
    folds: tuple[Fold, ...] = ()
    short: bool = False

    def __bool__(self) -> bool:
        return bool(self.lines or self.figure or self.folds or any(one.rows for one in self.tables))


def evidence_parts(results: Results) -> tuple[Part, ...]:
    """What the answers rest on."""
    return tuple(filter(None, _evidence(results)))


def appendix_parts(results: Results, past: tuple[str, ...]) -> tuple[Part, ...]:
    """What is looked up rather than read."""
    return tuple(filter(None, _appendix(results, past)))


def _folds(*found: Fold) -> tuple[Fold, ...]:
    """Those with a row."""
    return tuple(one for one in found if one.table is None or one.table.rows)


def _estimates(results: Results, estimand: str, title: str) -> Fold:
    draw = partial(forest_svg, of_estimand(results, estimand), results.margin)
    return Fold(title, tables.estimates(results, estimand), draw)


def _differences(results: Results, estimand: str, title: str) -> tuple[Fold, ...]:
    """The tasks of every contrast of one estimand, where there are any."""
    rows = by_backbone(results, (row for row in results.differences if row.estimand == estimand))
    return (Fold(title, None, partial(paired_svg, rows, results.margin)),) if rows else ()


def compared_requests(results: Results) -> tuple[str, ...]:
    """In what the requests of the compared arms differ, a sentence a pair."""
    pairs = dict.fromkeys((one.treatment, one.control) for one in results.hypotheses)
    audited = {(row.arm, row.versus) for row in results.audit}
    return tuple(sentence(results.audit, pair) for pair in pairs if pair in audited)


_PLACE_IS_NO_VERDICT = (
    "Right of the dashed line the utility is larger than the margin, above the level one the drop is; where "
    "a mark lies is no verdict. Its colour is the verdict on the drop: blue load-bearing, brown inert, red "
    "reversed; hollow marks are open questions (inconclusive, untestable, insensitive)."
)


def _ablation(results: Results) -> Iterator[Part]:
    found, several = results.ablation, len(results.backbones) > 1
    if found is None:
        return
    gains = of_estimand(results, "utility")
    main, pairs = (make(found, several) for make in (effects_table, interactions_table))
    cost, line = cost_table(found), sharing_line(found)
    yield Part(
        "ablation",
        "Ablation of gates",
        lines=(*found.notes, line),
        figure=partial(effects_svg, found, results.backbones[0], gains),
        tables=(main, cost),
        folds=_folds(
            Fold("Interactions", pairs),
            *(
                Fold(f"Effects, {name}", None, partial(effects_svg, found, name, gains))
                for name in results.backbones[1:]
            ),
        ),
        short=True,
    )


def _evidence(results: Results) -> Iterator[Part]:
    yield from _ablation(results)
    phrases = phrases_of(results)
    if plane_points(results):
        yield Part(
            "plane",
            "Utility and drop",
            (_PLACE_IS_NO_VERDICT,),
            figure=partial(plane_svg, results),
        )
    yield Part(
        "figures",
        "Estimates",
        folds=_folds(
            _estimates(results, "utility", phrases.utilities),
            _estimates(results, "drop", "Drops: what damage to the text costs"),
        ),
    )
    yield Part(
        "hypotheses",
        "Contrasts: the drops of two arms compared",
        (*compared_requests(results), limits(results)),
        folds=_folds(_estimates(results, "contrast", "Every contrast, with what it rests on")),
    )
    yield Part(
        "making",
        "What each contrast can say",
        lines=results.contrasts_say,
        folds=_folds(Fold("How each memory was made, and its cost", evidence_tables.making(results))),
        short=True,
    )
    yield Part(
        "further",
        "Beyond the drops",
        lines=secondary_lines(results),
        folds=_folds(*(_estimates(results, kind.estimand, kind.title) for kind in KINDS)),
        short=True,
    )
    yield Part(
        "tasks",
        "Task by task",
        folds=(
            *_differences(results, "contrast", "Contrasts"),
            *_differences(results, "drop", "Drops"),
            *_differences(results, "utility", phrases.several),
        ),
    )
    yield Part("cells", "Mean scores", folds=_folds(Fold("By cell", tables.cell_means(results))))
    yield Part(
        "groups",
        "Families of tasks and banks",
        folds=_folds(
            Fold("Drops by family of tasks", evidence_tables.task_families(results)),
            Fold("Other draws of the bank", evidence_tables.banks(results)),
        ),
    )
    moved = Fold("How far damage moved its actions", evidence_tables.divergence(results))
    yield Part("divergence", "What the agent did", folds=_folds(moved))
    yield Part(
        "manipulation",
        "Manipulation checks",
        folds=_folds(
            Fold("What each damage did to the text", damage_tables.manipulation(results)),
            Fold("What a judge says that the slots advise", damage_tables.decision(results)),
        ),
    )
    if results.judged is not None:
        yield Part(
            "judge",
            "The judge of success",
            lines=tuple(judge_lines(results.judged)),
            folds=_folds(Fold("Main verdicts if the judge errs", moved_table(results.judged))),
        )
    if results.failure_modes is not None:
        modes = results.failure_modes
        yield Part(
            "modes",
            "How memory breaks what is solved without it",
            lines=(f"Coded by {modes.coder}.", *failed.lines_of_tests(modes), *failed.notes_of(modes)),
            figure=partial(stacked_svg, modes.rows) if modes.cases else None,
            folds=_folds(
                Fold("By mode", failed.mode_table(modes)),
                Fold("Beside chance", failed.flow_table(modes)),
                *(Fold(f"A worked case: {one.mode}", failed.worked_table(one)) for one in modes.worked),
            ),
        )
    yield Part(
        "exposure",
        "How far the items went",
        figure=partial(funnel_svg, results) if results.funnel else None,
        folds=_folds(
            Fold("By arm and condition", evidence_tables.funnel(results)),
            Fold("Per exposure", evidence_tables.per_exposure(results)),
        ),
    )
    yield Part(
        "audit",
        "What else the arms differ in",
        folds=_folds(Fold("First requests compared", evidence_tables.audit(results))),
    )
    told = delivery_alarm(results.delivery) or delivery_sentence(results.delivery)
    known = leak_lines(results.leakage, results.leaks)
    lines = (*filter(None, (told,)), *known)
    yield Part("delivery", "Delivery of the memory text, and leakage", lines=lines, short=True)
    yield Part(
        "errors",
        "Errors, failures and empty slots",
        folds=_folds(
            Fold("By arm", tables.losses(results)),
            Fold("How the agent failed", tables.failures(results)),
            Fold("Worst-case bounds", tables.worst_cases(results)),
        ),
        short=True,
    )
    yield Part(
        "cost",
        "Cost",
        lines=tuple(filter(None, (tables.cost_sentence(results),))),
        folds=_folds(
            Fold("By arm", tables.cost(results)),
            Fold("Besides the trials", tables.preparation(results)),
        ),
        short=True,
    )


def _appendix(results: Results, past: tuple[str, ...]) -> Iterator[Part]:
    if results.sensitivity:
        apart = evidence_tables.disagreements(results)
        none = "No other method falls on another side of alpha than Student's t."
        on = "On these, Student's t and another method fall on different sides of alpha (each p alone):"
        yield Part(
            "sensitivity",
            "Other methods",
            (
                "The verdicts rest on Student's t over units, robust to clusters, adjusted for the family "
                "by sign flips (max-T, mid-p). Here are the same contrasts by other methods: where they "
                "point elsewhere, the result hangs on the method.",
                on if apart else none,
            ),
            apart,
            folds=(Fold("Every contrast by every method", evidence_tables.sensitivity(results)),),
        )
    yield Part("families", "Families of tests", tables=(evidence_tables.families(results),))
    if results.monitoring is not None:
        e_processes = evidence_tables.e_table(results.monitoring)
        yield Part(
            "monitoring",
            "Monitoring",
            (
                "An e-process may be read at any time and as often as one likes. It is a display: what is "
                "decided, and when, stands in the lock.",
            ),
            tables=(e_processes, evidence_tables.looks_table(results.monitoring)),
        )
    harm = tuple(failed.harm_lines(results.failure_modes)) if results.failure_modes is not None else ()
    yield Part("harm", "What precedes harm", (failed.HARM,), harm)
    yield Part("firings", "Firings", tables=(tables.firings(results),))
    held = (evidence_tables.gates(results),) if results.gates else ()
    yield Part("condensation", "Condensation and gates", tables=(tables.condensation(results), *held))
    yield Part("strains", "Where gates and traces do not fit", tables=(evidence_tables.strains(results),))
    yield Part("people", "People who reviewed drafts", tables=(evidence_tables.people(results),))
    yield Part("models", "Models", tables=(tables.models(results),))
    yield Part(
        "shared",
        "Shared cells",
        ("Cells with identical prompts share one answer for each repeat; repeats never share.",),
        results.shared_cells,
    )
    yield Part("lock", "Lock", lines=tuple(lock_lines(results)), short=True)
    yield Part("history", "History", lines=past, short=True)
    yield Part("digests", "Digests", tables=(tables.digests(results),))
