"""The parts of a report below its first screen: what each says and which tables and figures it holds."""

from collections.abc import Iterator
from functools import partial

from memtrial.reports.figures.effect_matrix import effects_svg
from memtrial.reports.figures.factor_forest import factors_svg
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.figures.funnel import funnel_svg
from memtrial.reports.figures.paired_differences import paired_svg
from memtrial.reports.figures.stacked_shares import stacked_svg
from memtrial.reports.figures.utility_drop_plane import plane_points, plane_svg
from memtrial.reports.sections import ablation_tables, row_tables
from memtrial.reports.sections import computed_tables as tables
from memtrial.reports.sections.cost_tables import ratio_table
from memtrial.reports.sections.group_parts import group_parts
from memtrial.reports.sections.report_part import Fold, ReportPart, keep_folds
from memtrial.reports.text import failure_text as failed
from memtrial.reports.text.failure_text import judge_lines, moved_table
from memtrial.reports.text.hypothesis_answers import limits, lock_lines
from memtrial.reports.text.published_text import PUBLISHED, published_table, rows_beside
from memtrial.reports.text.reading import INTERVALS, phrases_of
from memtrial.views.evidence.bundle_audit import sentence
from memtrial.views.evidence.untrusted import delivery_alarm, delivery_sentence, leak_lines
from memtrial.views.lookup import by_backbone, of_estimand
from memtrial.views.rows.failure_rows import FailureModes
from memtrial.views.rows.results import Results

BEYOND = (
    ("retention", "Retention: how much of the utility the content carries"),
    ("content", "Content effect: the drop less what the damage's oddity costs"),
    ("beyond placebo", "Beyond the placebo: the drop less the drop of a rewording"),
    ("instructed", "Instructed: the same items, and the plain instruction to follow them"),
    ("follow", "Follow: does the agent do as told?"),
    ("follow other", "Follow, the other half: does it do what `counter` advises?"),
    ("polarity", "Polarity: does it do an action more when told to than when told not to?"),
    ("named", "Named: does it do an action more where it is named though advised against?"),
    ("mention", "Mention: the drop under `counter` less the drop under `corrupt_invert`"),
    ("dose", "Dose: the score for each true item among distractors"),
)
"""Estimands beyond utility, drop and contrast, with their titles."""


def evidence_parts(results: Results) -> tuple[ReportPart, ...]:
    """What the answers rest on."""
    return tuple(filter(None, _evidence(results)))


def appendix_parts(results: Results, past: tuple[str, ...]) -> tuple[ReportPart, ...]:
    """What is looked up rather than read."""
    return tuple(filter(None, _appendix(results, past)))


def _estimates(results: Results, estimand: str, title: str) -> Fold:
    draw = partial(forest_svg, of_estimand(results, estimand), results.margin)
    return Fold(title, tables.estimates(results, estimand), draw)


def _differences(results: Results, estimand: str, title: str) -> tuple[Fold, ...]:
    """The tasks of every contrast of one estimand, where there are any."""
    rows = by_backbone(results, (row for row in results.differences if row.estimand == estimand))
    return (Fold(title, None, partial(paired_svg, rows, results.margin)),) if rows else ()


def compared_requests(results: Results) -> tuple[str, ...]:
    """In what the requests of the compared arms differ, a sentence a pair."""
    pairs = dict.fromkeys((hypothesis.treatment, hypothesis.control) for hypothesis in results.hypotheses)
    audited = {(row.arm, row.versus) for row in results.audit}
    return tuple(sentence(results.audit, pair) for pair in pairs if pair in audited)


_PLACE_IS_NO_VERDICT = (
    "Right of the dashed line the utility is larger than the margin, above the level one the drop is; where "
    "a mark lies is no verdict. Its colour is the verdict on the drop: blue load-bearing, brown inert, red "
    "reversed; hollow marks are open questions (inconclusive, untestable, insensitive)."
)


_ON_GATES = (
    "A program drops an item only by a proof, and warns of all else. A judge's FAIL drops one only where its "
    "calibration is fresh; otherwise it leads to a revision. Held-out rates are of items that no rule was "
    "written from; in-sample rates are of those that it was."
)


def _ablation(results: Results) -> Iterator[ReportPart]:
    ablation, several = results.ablation, len(results.backbones) > 1
    if ablation is None:
        return
    main = ablation_tables.effects_table(ablation, several)
    pairs = ablation_tables.interactions_table(ablation, several)
    shown = ablation_tables.modes_line(ablation), ablation_tables.interactions_line(ablation)
    cost, line = ablation_tables.cost_table(ablation), ablation_tables.sharing_line(ablation)
    yield ReportPart(
        "ablation",
        "Ablation of gates",
        lines=tuple(filter(None, (*shown, *ablation.notes, line))),
        figure=partial(effects_svg, ablation, results.backbones[0]),
        tables=(main, ablation_tables.modes_table(ablation, several), cost),
        folds=keep_folds(
            Fold("Interactions", pairs),
            *(
                Fold(f"Effects, {name}", None, partial(effects_svg, ablation, name))
                for name in results.backbones[1:]
            ),
        ),
        short=True,
    )


def _published(modes: FailureModes) -> tuple[Fold, ...]:
    beside = rows_beside(modes)
    return (Fold(PUBLISHED, published_table(modes), partial(stacked_svg, beside)),) if beside else ()


def _evidence(results: Results) -> Iterator[ReportPart]:
    yield from _ablation(results)
    phrases = phrases_of(results)
    if plane_points(results):
        yield ReportPart(
            "plane", "Utility and drop", (_PLACE_IS_NO_VERDICT,), figure=partial(plane_svg, results)
        )
    yield ReportPart.of(
        "figures",
        "Estimates",
        _estimates(results, "utility", phrases.utilities),
        _estimates(results, "drop", "Drops: what damage to the text costs"),
        says=(INTERVALS,),
    )
    yield ReportPart.of(
        "hypotheses",
        "Contrasts: the drops of two arms compared",
        _estimates(results, "contrast", "Every contrast, with what it rests on"),
        says=(*compared_requests(results), limits(results)),
    )
    made = Fold("How each memory was made, and its cost", tables.making_table(results))
    yield ReportPart.of("making", "What each contrast can say", made, lines=results.contrasts_say, short=True)
    crossed = Fold("Factors and their interactions", tables.estimates(results, "factorial"))
    yield ReportPart("forks", "Open forks of the design", lines=results.forks, short=True)
    yield ReportPart(
        "factors",
        "Factors: what each factor of the arms does",
        lines=results.uncrossed,
        figure=partial(factors_svg, results) if results.factors else None,
        tables=(row_tables.FACTORS(results),),
        short=bool(results.factors),
    )
    beyond = (_estimates(results, *kind) for kind in BEYOND)
    yield ReportPart.of("further", "Beyond the drops", *beyond, crossed)
    yield ReportPart.of(
        "tasks",
        "Task by task",
        *_differences(results, "contrast", "Contrasts"),
        *_differences(results, "drop", "Drops"),
        *_differences(results, "utility", phrases.utilities),
    )
    yield ReportPart.of("cells", "Mean scores", Fold("By cell", tables.cell_means(results)))
    yield from group_parts(results)
    banks = Fold("Other draws of the bank", row_tables.BANKS(results))
    yield ReportPart.of("banks", "Other draws of the bank", banks)
    moved = Fold("How far damage moved its actions", row_tables.divergence(results))
    yield ReportPart.of("divergence", "What the agent did", moved)
    yield ReportPart.of(
        "manipulation",
        "Manipulation checks",
        Fold("What each damage did to the text", tables.manipulation(results)),
        Fold("What a judge says that the slots advise", row_tables.DECISION(results)),
    )
    if results.judged is not None:
        moved = Fold("Main verdicts if the judge errs", moved_table(results.judged))
        lines = tuple(judge_lines(results.judged))
        yield ReportPart.of("judge", "The judge of success", moved, lines=lines)
    if results.failure_modes is not None:
        modes = results.failure_modes
        shown = failed.shown_rows(modes)
        yield ReportPart(
            "modes",
            "How memory breaks what is solved without it",
            lines=(*failed.first_lines(modes), *failed.lines_of_tests(modes), *failed.notes_of(modes)),
            figure=partial(stacked_svg, shown) if shown else None,
            folds=keep_folds(
                Fold("By mode", failed.mode_table(modes)),
                Fold("Beside chance", failed.flow_table(modes)),
                *_published(modes),
                *(Fold(f"A worked case: {case.mode}", failed.worked_table(case)) for case in modes.worked),
            ),
        )
    yield ReportPart.of(
        "exposure",
        "How far the items went",
        Fold("By arm and condition", row_tables.FUNNEL(results), partial(funnel_svg, results)),
        Fold("Per exposure", row_tables.PER_EXPOSURE(results)),
    )
    compared = Fold("First requests compared", row_tables.AUDIT(results))
    yield ReportPart.of("audit", "What else the arms differ in", compared)
    delivered = delivery_alarm(results.delivery) or delivery_sentence(results.delivery)
    lines = (*filter(None, (delivered,)), *leak_lines(results.leakage, results.leaks))
    yield ReportPart.of("delivery", "Delivery of the memory text, and leakage", lines=lines, short=True)
    yield ReportPart.of(
        "errors",
        "Errors, failures and empty slots",
        Fold("By arm", tables.losses(results)),
        Fold("How the agent failed", tables.failures(results)),
        Fold("Worst-case bounds", tables.worst_cases(results)),
        short=True,
    )
    spent = Fold("Besides the trials", row_tables.PREPARATION(results))
    lines = tuple(filter(None, (tables.cost_sentence(results),)))
    ratios = Fold("By condition, intact against each other", ratio_table(results))
    by_arm = Fold("By arm", tables.cost(results))
    yield ReportPart.of("cost", "Cost", by_arm, ratios, spent, lines=lines, short=True)


def _appendix(results: Results, past: tuple[str, ...]) -> Iterator[ReportPart]:
    if results.sensitivity:
        apart = tables.disagreements(results)
        none = "No other method falls on another side of alpha than Student's t."
        on = "On these, Student's t and another method fall on different sides of alpha (each p alone):"
        yield ReportPart(
            "sensitivity",
            "Other methods",
            (
                "The verdicts rest on Student's t over units, robust to clusters, adjusted for the family "
                "by sign flips (max-T, mid-p). Here are the same contrasts by other methods: where they "
                "point elsewhere, the result hangs on the method.",
                on if apart else none,
            ),
            apart,
            folds=(Fold("Every contrast by every method", tables.sensitivity(results)),),
        )
    yield ReportPart("families", "Families of tests", tables=(row_tables.families(results),))
    if results.monitoring is not None:
        e_processes = row_tables.e_table(results.monitoring)
        yield ReportPart(
            "monitoring",
            "Monitoring",
            (
                "An e-process may be read at any time and as often as one likes. It is a display: what is "
                "decided, and when, stands in the lock.",
            ),
            tables=(e_processes, row_tables.looks_table(results.monitoring)),
        )
    harm = tuple(failed.harm_lines(results.failure_modes)) if results.failure_modes is not None else ()
    yield ReportPart("harm", "What precedes harm", (failed.HARM,), harm)
    yield ReportPart("firings", "Firings", tables=(row_tables.FIRINGS(results),))
    held = tables.pairs(_ON_GATES, results.gates, "gate", "its judge")
    yield ReportPart(
        "condensation", "Condensation and gates", tables=(row_tables.CONDENSATION(results), held)
    )
    yield ReportPart("strains", "Where gates and traces do not fit", tables=(row_tables.STRAINS(results),))
    yield ReportPart("people", "People who reviewed drafts", tables=(row_tables.PEOPLE(results),))
    yield ReportPart("models", "Models", tables=(row_tables.MODELS(results),))
    yield ReportPart(
        "shared",
        "Shared cells",
        ("Cells with identical prompts share one answer for each repeat; repeats never share.",),
        results.shared_cells,
    )
    yield ReportPart("lock", "Lock", lines=tuple(lock_lines(results)), short=True)
    yield ReportPart("history", "History", lines=past, short=True)
    pinned = tables.pairs("Content hashes of what determined this run.", results.digests, "name", "digest")
    yield ReportPart("digests", "Digests", tables=(pinned,))
