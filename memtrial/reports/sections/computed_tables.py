"""Tables that take more than rows: estimates, other methods, means, losses, damage, making, cost."""

from collections import Counter
from collections.abc import Mapping

from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.sensitivity.method import THESE_TASKS
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.reports.sections.row_tables import OF, TOKENS
from memtrial.reports.text.reading import condition_name, phrases_of
from memtrial.reports.text.text_table import LEAST, Column, TextTable, fields, tabulate
from memtrial.views import numbers
from memtrial.views.lookup import (
    by_backbone,
    in_order,
    is_pair,
    of_estimand,
    reference_of,
    subject,
)
from memtrial.views.rows.evidence_rows import OfContrast, SensitivityRow
from memtrial.views.rows.play_rows import MakingRow, ManipulationRow
from memtrial.views.rows.results import Results


def confidence(results: Results) -> str:
    """The level of the intervals, in words."""
    return f"{100 * (1 - results.alpha):g} % confidence"


def estimates(results: Results, estimand: str) -> TextTable:
    """All that was computed about one estimand, a row an estimate."""
    rows = of_estimand(results, estimand)
    within = any(row.code is Reason.WITHIN for row in rows)
    return tabulate(
        f"Every row: {phrases_of(results).by_arm or estimand}. Interval: {confidence(results)}, for that row "
        "alone; at once: for all rows of its family together. The verdict rests on p adjusted (Student's t, "
        "adjusted by sign flips; ±: Monte Carlo error) and on p equivalence adjusted (against an effect at "
        "or beyond the margin), both within the family. Sign flip, mid-p: of that row alone, beside p. Of "
        f"equivalence: the {100 * (1 - 2 * results.alpha):g} % interval, which is that of this test. {LEAST}",
        rows,
        *fields("backbone", "arm"),
        *(fields("versus") if any(map(is_pair, rows)) else ()),
        *(fields("condition") if estimand not in ("utility", "dose") else ()),
        *(fields("share: of the utility") if estimand == "retention" else ()),
        *fields("estimate", "low..high: interval", "low_family..high_family: at once"),
        *(fields("low_equivalence..high_equivalence: of equivalence") if within else ()),
        *fields("verdict", "p"),
        Column("p adjusted", "number", _with_error),
        *fields("p_mid from p_mid_least: sign flip, mid-p", "p_equivalence", "p_equivalence_adjusted"),
        *fields("n_tasks: tasks", "n_clusters: clusters", "n_missing: missing"),
        *(fields("same_text: same damaged text") if estimand == "contrast" else ()),
        *fields("reason"),
    )


def _with_error(row: Estimate) -> str:
    """The adjusted p-value, with its Monte Carlo standard error where signs were drawn."""
    shown = numbers.probability(row.p_adjusted)
    error = row.p_adjusted_error or 0.0
    return f"{shown} ± {error:.4f}" if error >= 0.00005 else shown


def _place(results: Results) -> tuple[Column, ...]:
    """Whose a row is; where arms are compared with a reference, estimand and condition are all the same."""
    if reference_of(results):
        return (*fields("backbone"), OF)
    return (*fields("backbone", "estimand"), OF, *fields("condition"))


def worst_cases(results: Results) -> TextTable:
    """What the estimates would have been, had every error spoken against them or for them."""
    return tabulate(
        "Worst-case bounds: the estimate if every error had spoken against it, and if every one had spoken "
        "for it.",
        by_backbone(results, (row for row in results.estimates if row.n_errors)),
        *_place(results),
        *fields("n_errors: errors", "estimate", "worst_low: all against", "worst_high: all for", "verdict"),
    )


def sensitivity(results: Results) -> TextTable:
    """The same contrasts by other methods, a row a method."""
    return tabulate(
        "Each row is one contrast by one method; none of these decides. A row without numbers says why."
        f" {LEAST}",
        by_backbone(results, results.sensitivity),
        *_place(results),
        *fields("method", "estimate", "low..high: interval", "p from least_p: p", "note"),
    )


def disagreements(results: Results) -> tuple[str, ...]:
    """Contrasts on which another method finds an effect where Student's t finds none, or the reverse.

    By each row's own p, at alpha, before any adjustment for the family. What holds for these tasks only
    answers another question and is left out.
    """
    others: dict[tuple[str, ...], list[SensitivityRow]] = {}
    for other in results.sensitivity:
        if other.method != THESE_TASKS:
            others.setdefault(_name_cells(other), []).append(other)
    sentences = []
    for row in results.estimates:
        if not numbers.is_known(row.p):
            continue
        known = [
            (method, method.p) for method in others.get(_name_cells(row), []) if numbers.is_known(method.p)
        ]
        apart = [(method, p) for method, p in known if (p <= results.alpha) != (row.p <= results.alpha)]
        if apart:
            methods = ", ".join(
                f"{method.method} ({numbers.probability(p, method.least_p)})" for method, p in apart
            )
            what = subject(row)
            if not reference_of(results):
                what = f"{row.estimand} of {what}, {row.condition}"
            student = f"Student's t {numbers.probability(row.p)}"
            sentences.append(f"{row.backbone}, {what}: {student}; otherwise {methods}.")
    return tuple(sentences)


def _name_cells(row: Estimate | OfContrast) -> tuple[str, ...]:
    return row.estimand, row.backbone, row.arm, row.versus, row.condition


def cell_means(results: Results) -> TextTable:
    """Mean score of every cell, conditions across."""

    def mean(name: str) -> Column:
        return Column(condition_name(name), "number", lambda line: line[1].get(name, ""))

    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in results.cells:
        lost = f", {how_many(cell.n_errors, 'error')}" if cell.n_errors else ""
        shown = f"{numbers.plain(cell.score)} ({numbers.count(cell.n_trials)}{lost})"
        lines.setdefault((cell.backbone, cell.arm), {})[cell.condition] = shown
    names = in_order((WITHOUT, INTACT, *results.conditions), (cell.condition for cell in results.cells))
    return tabulate(
        "Mean score of each cell, with its number of trials. Errors are counted apart and are in no mean.",
        lines.items(),
        Column("backbone", "name", lambda line: line[0][0]),
        Column("arm", "name", lambda line: line[0][1]),
        *map(mean, names),
    )


def losses(results: Results) -> TextTable:
    """By arm: what the infrastructure lost, how the agent failed, and what there was nothing to show for."""
    lost, empty = results.attrition, results.empty_slots
    share_lost = {arm: numbers.share(loss.share) for arm, loss in lost.items() if loss.errors}
    caption = "Errors of the infrastructure are in no mean."
    if results.agent_failures:
        caption += " The agent's own failures are scores."
    if empty:
        caption += " Empty slots: share of intact trials without an item to show; they count."
    return tabulate(
        caption,
        in_order(results.arms, (*lost, *results.errors, *results.agent_failures)),
        Column("arm", "name", str),
        Column("trials", "number", lambda arm: numbers.count(lost[arm].trials) if arm in lost else ""),
        Column("planned", "number", lambda arm: numbers.count(lost[arm].planned) if arm in lost else ""),
        Column("errors", "number", lambda arm: numbers.count(results.errors.get(arm, 0))),
        Column("share lost", "number", lambda arm: share_lost.get(arm, "")),
        Column("causes", "text", lambda arm: _causes(lost[arm].causes) if arm in lost else ""),
        Column("own failures", "text", lambda arm: _causes(_of_arm(results, arm))),
        Column("empty slots", "number", lambda arm: numbers.share(empty[arm]) if arm in empty else ""),
    )


def failures(results: Results) -> TextTable:
    """By arm and condition, how the agent failed: replies that could not be read stand apart."""
    failures = results.agent_failures
    places = [(arm, name) for arm, conditions in failures.items() for name in conditions]
    causes = list(dict.fromkeys(cause for arm, name in places for cause in failures[arm][name]))

    def of(cause: str) -> Column:
        return Column(
            cause, "number", lambda place: numbers.count(failures[place[0]][place[1]].get(cause, 0))
        )

    return tabulate(
        "Trials that the agent failed, by cause. Where damage adds broken formats or refusals, a drop is held"
        " against the trials without them.",
        places if len(causes) > 1 else (),
        Column("arm", "name", lambda place: place[0]),
        Column("condition", "name", lambda place: condition_name(place[1])),
        *map(of, causes[:6]),
    )


def _of_arm(results: Results, arm: str) -> Counter[str]:
    return sum(map(Counter, results.agent_failures.get(arm, {}).values()), Counter())


def _causes(causes: Mapping[str, int]) -> str:
    return ", ".join(f"{cause} {numbers.count(n)}" for cause, n in causes.items())


def manipulation(results: Results) -> TextTable:
    """What the damage did to the text, a row an arm and condition."""

    def touched_column(role: str) -> Column:
        return Column(role, "number", lambda row: numbers.share(row.roles[role]) if role in row.roles else "")

    def excuses(row: ManipulationRow) -> str:
        why, ruled = "; ".join(row.not_applicable_because), "; ".join(row.by_rules_because)
        excuse = f"Not applicable to the others: {why}" if why else ""
        return f"{excuse} By rules, since the model's last drafts: {ruled}".strip() if ruled else excuse

    rows = results.manipulation
    caption = (
        "Means over the slots to which the damage applies, against the intact text. An applicable damage "
        "that failed its check would have stopped the run before the first trial."
    )
    if any(row.roles for row in rows):
        caption += " When, what, why, form: share of the words in that role that were touched."
    if any(row.fluency_distance is not None for row in rows):
        caption += (
            " Fluency distance: bits per word by which the damaged text reads more oddly than the intact "
            "one, to a small model of this run's texts."
        )
    return tabulate(
        caption,
        rows,
        *fields("arm", "condition", "n: slots", "applicable", "passed"),
        *fields("words_changed", "content_words_left", "length_ratio", "flips", "contradictions"),
        *map(touched_column, ("when", "what", "why", "form")),
        *fields("fluency_distance"),
        Column("written by", "text", lambda row: _causes(row.written_by)),
        *(fields("tries") if any(row.tries is not None for row in rows) else ()),
        Column("not applicable because", "remark", excuses),
    )


def making_table(results: Results) -> TextTable:
    """What each arm's memory is and took, beside what its trials took."""

    def of_trial(row: MakingRow, name: str) -> str:
        trials, spent = results.attrition[row.arm].trials, results.cost.get(row.arm)
        return numbers.count(round(getattr(spent, name) / trials)) if spent is not None and trials else ""

    return tabulate(
        "Calls and tokens to make each memory, in all, and of a mean trial that shows it. A call counts for "
        "every condenser that made it, also where the answer was another's. Words: of the mean record.",
        results.making,
        *fields("arm", "injection"),
        Column("words", "number", lambda row: "" if row.words is None else f"{row.words:.0f}"),
        *fields("calls", "gate_calls", "input_tokens", "output_tokens"),
        Column("calls a trial", "number", lambda row: of_trial(row, "calls")),
        Column("input tokens a trial", "number", lambda row: of_trial(row, "input_tokens")),
        *fields("memory: made by"),
    )


def cost(results: Results) -> TextTable:
    """Calls, tokens and dollars of each arm."""

    def of_arm(column: Column) -> Column:
        return Column(column.head, column.kind, lambda arm: column.fill(results.cost[arm]))

    return tabulate(
        "Model calls by arm, as if the run had been played in one go. Input tokens are those neither read "
        "from nor written to the provider's prompt cache.",
        in_order(results.arms, results.cost),
        Column("arm", "name", str),
        *map(of_arm, fields(*TOKENS)),
    )


def cost_sentence(results: Results) -> str:
    """What the whole run cost; an unknown price makes the sum unknown, never less."""
    parts = [spent.usd for spent in results.cost.values()] + [spent.usd for spent in results.preparation]
    if not parts:
        return ""
    known = [usd for usd in parts if numbers.is_known(usd)]
    unknown = "unknown. The parts that are priced come to " if len(known) < len(parts) else ""
    return f"Arms and preparation together: {unknown}{numbers.dollars(sum(known))}."


def pairs(caption: str, entries: Mapping[str, str], *heads: str) -> TextTable:
    """A table of a mapping under two heads."""
    return TextTable(
        caption, (Column(heads[0], "name", str), Column(heads[1], "text", str)), tuple(entries.items())
    )
