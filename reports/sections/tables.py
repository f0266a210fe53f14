"""Tables of a run: estimates, means, losses, damage, advice, firings, condensers, cost, models, digests."""

from collections import Counter
from collections.abc import Mapping

from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.reports.base import numbers
from loadbearing.reports.base.lookup import by_backbone, in_order, is_pair, of_estimand, reference_of
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.reading import condition_name, phrases_of
from loadbearing.reports.text.table import Column, Table, fields, tabulate

_TOKENS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "usd")


def confidence(results: Results) -> str:
    """The level of the intervals, in words."""
    return f"{100 * (1 - results.alpha):g} % confidence"


def estimates(results: Results, estimand: str) -> Table:
    """All that was computed about one estimand, a row an estimate."""
    found = of_estimand(results, estimand)
    of_test = Column(
        "of equivalence", "number", lambda r: numbers.ends(r.low_equivalence, r.high_equivalence)
    )
    at_once = Column("at once", "number", lambda row: numbers.ends(row.low_family, row.high_family))
    return tabulate(
        f"Every row: {phrases_of(results).by_arm or estimand}. Interval: {confidence(results)}, for that row "
        "alone; at once: for all rows of its family together. The verdict rests on p adjusted (Student's t, "
        "adjusted by sign flips; ±: Monte Carlo error) and on p equivalence adjusted (against an effect at "
        "or beyond the margin), both within the family. Sign flip, mid-p: of that row alone, beside p. Of "
        f"equivalence: the {100 * (1 - 2 * results.alpha):g} % interval, which is that of this test.",
        found,
        *fields("backbone", "arm"),
        *(fields("versus") if any(map(is_pair, found)) else ()),
        *(fields("condition") if estimand not in ("utility", "dose") else ()),
        *(fields("share: of the utility") if estimand == "retention" else ()),
        *fields("estimate"),
        Column("interval", "number", lambda row: numbers.ends(row.low, row.high)),
        *([at_once] if any(numbers.is_known(row.low_family) for row in found) else []),
        *([of_test] if any(row.code is Reason.WITHIN for row in found) else []),
        *fields("verdict", "p"),
        Column("p adjusted", "number", _with_error),
        *fields("p_mid: sign flip, mid-p", "p_equivalence", "p_equivalence_adjusted"),
        *fields("n_tasks: tasks", "n_clusters: clusters", "n_missing: missing"),
        *(fields("same_text: same damaged text") if estimand == "contrast" else ()),
        *fields("reason"),
    )


def _with_error(row: Estimate) -> str:
    """The adjusted p-value, with its Monte Carlo standard error where signs were drawn."""
    shown = numbers.probability(row.p_adjusted)
    error = row.p_adjusted_error or 0.0
    return f"{shown} ± {error:.4f}" if error >= 0.00005 else shown


def worst_cases(results: Results) -> Table:
    """What the estimates would have been, had every error spoken against them or for them."""
    compared = bool(reference_of(results))
    return tabulate(
        "Worst-case bounds: the estimate if every error had spoken against it, and if every one had spoken "
        "for it.",
        by_backbone(results, (row for row in results.estimates if row.n_errors)),
        *fields(*(["backbone"] if compared else ["backbone", "estimand"])),
        Column("of", "name", lambda row: f"{row.arm} − {row.versus}"),
        *fields(*([] if compared else ["condition"])),
        *fields("n_errors: errors", "estimate", "worst_low: all against", "worst_high: all for", "verdict"),
    )


def cell_means(results: Results) -> Table:
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


def losses(results: Results) -> Table:
    """By arm: what the infrastructure lost, how the agent failed, and what there was nothing to show for."""
    arms = in_order(results.arms, (*results.attrition, *results.errors, *results.agent_failures))
    lost, empty = results.attrition, results.empty_slots
    share_lost = {arm: numbers.share(one.share) for arm, one in lost.items() if one.errors}
    columns = (
        Column("arm", "name", str),
        Column("trials", "number", lambda arm: numbers.count(lost[arm].trials) if arm in lost else ""),
        Column("planned", "number", lambda arm: numbers.count(lost[arm].planned) if arm in lost else ""),
        Column("errors", "number", lambda arm: numbers.count(results.errors.get(arm, 0))),
        Column("share lost", "number", lambda arm: share_lost.get(arm, "")),
        Column("causes", "text", lambda arm: _causes(lost[arm].causes) if arm in lost else ""),
        Column("own failures", "text", lambda arm: _causes(_of_arm(results, arm))),
        Column("empty slots", "number", lambda arm: numbers.share(empty[arm]) if arm in empty else ""),
    )
    caption = "Errors of the infrastructure are in no mean."
    if results.agent_failures:
        caption += " The agent's own failures are scores."
    if empty:
        caption += " Empty slots: share of intact trials without an item to show; they count."
    # a column is shown where it says something of some arm
    return tabulate(caption, arms, *(one for one in columns if any(map(one.fill, arms))))


def failures(results: Results) -> Table:
    """By arm and condition, how the agent failed: replies that could not be read stand apart."""
    places = [(arm, name) for arm, found in results.agent_failures.items() for name in found]
    causes = list(dict.fromkeys(cause for arm, name in places for cause in results.agent_failures[arm][name]))

    def of(cause: str) -> Column:
        found = results.agent_failures
        return Column(cause, "number", lambda at: numbers.count(found[at[0]][at[1]].get(cause, 0)))

    return tabulate(
        "Trials that the agent failed, by cause. Where damage adds broken formats or refusals, a drop is held"
        " against the trials without them.",
        places if len(causes) > 1 else (),
        Column("arm", "name", lambda at: at[0]),
        Column("condition", "name", lambda at: condition_name(at[1])),
        *map(of, causes[:6]),
    )


def _of_arm(results: Results, arm: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for causes in results.agent_failures.get(arm, {}).values():
        found.update(causes)
    return found


def _causes(causes: Mapping[str, int]) -> str:
    return ", ".join(f"{cause} {numbers.count(n)}" for cause, n in causes.items())


def firings(results: Results) -> Table:
    """How often a trigger let an item in, or would have, and what became of the proposed actions."""
    return tabulate(
        "Share of trials with at least one firing: shown to the agent, or only logged (shadow). Counts of "
        "proposed actions: those that broke a check, executed with injection enforce and only logged with "
        "any other; those withheld, for a broken check or since an item came up with them; and those of "
        "these that the agent then replaced. The last two hold items that tell to do something against the "
        "world's own path. False fires: of those that came up, those that told nothing it called for just "
        "then. Missed: of those that told what it called for, those that had not come up by then.",
        results.firings,
        *fields("backbone", "arm", "condition", "shown", "shadow"),
        *fields("broken: broke a check", "withheld", "changed: then replaced"),
        Column("false fires", "number", lambda row: f"{row.false_fires:,} of {row.timed:,}"),
        Column("missed", "number", lambda row: f"{row.missed:,} of {row.moments:,}"),
    )


def condensation(results: Results) -> Table:
    """What the condensers made of the traces, and what the gates did."""
    return tabulate(
        "Counts; all but draws and traces are sums over the draws, which are banks of the same traces. "
        "Flagged: drafts with a WARN or FAIL; dropped: items that still failed after the last "
        "revision; faults: items left out because a gate could not be asked, which is no verdict on them.",
        results.condensation,
        *fields("backbone", "condenser", "draws", "traces", "items", "drafts", "flagged"),
        *fields("passed_after_revision", "unchanged: revisions without a change", "dropped", "faults"),
    )


def cost(results: Results) -> Table:
    """Calls, tokens and dollars of each arm."""
    arms = in_order(results.arms, results.cost)
    found = tabulate(
        "Model calls by arm, as if the run had been played in one go. Input tokens are those neither read "
        "from nor written to the provider's prompt cache.",
        [results.cost[arm] for arm in arms],
        *fields(*_TOKENS),
    )
    rows = ((arm, *row) for arm, row in zip(arms, found.rows, strict=True))
    return Table(found.caption, (Column("arm", "name", str), *found.columns), tuple(rows))


def preparation(results: Results) -> Table:
    """What was spent before the first trial, by purpose."""
    return tabulate(
        "Preparation, by purpose: collecting, condensing, gates. Each call counts once, however often its "
        "answer was used.",
        results.preparation,
        *fields("purpose", *_TOKENS),
    )


def cost_sentence(results: Results) -> str:
    """What the whole run cost; an unknown price makes the sum unknown, never less."""
    parts = [one.usd for one in results.cost.values()] + [one.usd for one in results.preparation]
    if not parts:
        return ""
    known = [usd for usd in parts if numbers.is_known(usd)]
    priced = numbers.dollars(sum(known))
    if len(known) == len(parts):
        return f"Arms and preparation together: {priced}."
    return f"Arms and preparation together: unknown. The parts that are priced come to {priced}."


def models(results: Results) -> Table:
    """What was asked for, what answered, and what was really sent."""

    def temperature(sent: float | None) -> str:
        return "none" if sent is None else f"{sent:g}"

    return tabulate(
        "Models as they were asked for and as they named themselves. Temperatures: those really sent. "
        "Altered: calls in whose request a text did not stand verbatim.",
        results.models,
        Column("asked for", "name", lambda row: row.asked),
        *fields("answered", "calls"),
        Column("temperatures", "number", lambda row: ", ".join(map(temperature, row.temperatures))),
        *fields("altered"),
    )


def digests(results: Results) -> Table:
    """What pins the run: name and hash."""
    return tabulate(
        "Content hashes of what determined this run.",
        results.digests.items(),
        Column("name", "name", lambda entry: entry[0]),
        Column("digest", "text", lambda entry: entry[1]),
    )
