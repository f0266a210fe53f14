"""The end of a trial of one memory: one sentence on it, what it costs, and what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtrial.analysis.inference.cost_ratio import COST_MARGIN, CostRatio
from memtrial.analysis.result import Estimate
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT, NONE, WITHOUT
from memtrial.reports.text.arm_readings import read_arm
from memtrial.reports.text.reading import numbers_of
from memtrial.views.lookup import find
from memtrial.views.numbers import dollars, share
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.results import Results

TELLING = ("counter", "corrupt_invert")
"""Damage that turns what a memory says; the first that was judged stands in the sentence."""
ELSEWHERE = ("irrelevant_generic", "irrelevant_swap", "filler")
"""Text as long that says something else, or nothing; the first that was played stands in the sentence."""
MARGIN = f"{100 * (COST_MARGIN - 1):.0f} %"


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """What a trial says of a memory, in words."""

    sentence: str
    next_step: str


def answer_memory(
    results: Results, name: str, arm: str, costs: Sequence[ConditionCost], to_end: str = ""
) -> MemoryAnswer:
    """Put the result in words.

    Args:
        name: what the memory is called, as its file.
        to_end: what ends a trial that is not finished; empty where it is.
    """
    backbone = results.backbones[0]
    gain = find(results, "utility", backbone, arm)
    clauses = [_with_and_without(results, arm, gain), *_damage_clause(results, backbone, arm)]
    against = next((cost for cost in costs if cost.condition == WITHOUT), None)
    clauses += _bill_clause(against)
    headline = _headline(results, backbone, arm, against)
    sentence = f"{name}: {headline}: {'; '.join(clauses)}."
    return MemoryAnswer(sentence, to_end or _next_step(results, backbone, arm, gain))


def cost_lines(costs: Sequence[ConditionCost]) -> Iterator[tuple[str, ...]]:
    """A table: what a trial of each condition used, and how many times as much the intact one does."""
    yield ("condition", "trials", "solved", "tokens", "cost", "intact uses, in tokens", "in cost")
    for cost in costs:
        yield (
            cost.condition,
            f"{cost.n_trials:,}",
            share(cost.solved),
            f"{cost.tokens:,.0f}" if cost.tokens else "not seen",
            dollars(cost.usd) if cost.tokens else "not seen",
            write_ratio(cost.versus_tokens),
            write_ratio(cost.versus_usd),
        )


def write_ratio(ratio: CostRatio | None) -> str:
    """The multiple with its interval and word; a dash where nothing could be compared."""
    if ratio is None:
        return "–"
    return f"x {ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}] {ratio.word}"


def _headline(results: Results, backbone: str, arm: str, against: ConditionCost | None) -> str:
    word = results.utility.get(backbone, {}).get(arm, "")
    bill = against.versus_tokens.word if against is not None and against.versus_tokens else ""
    if word == "none" and bill in ("more", "less"):
        return f"it changes nothing but the bill, which is {'higher' if bill == 'more' else 'lower'}"
    headline = read_arm(results, backbone, arm).headline
    return headline[:1].lower() + headline[1:]


def _with_and_without(results: Results, arm: str, gain: Estimate | None) -> str:
    there, gone = _scores(results, arm)
    solved = f"{share(there)} of the trials are solved with it, {share(gone)} without"
    if gain is not None:
        solved += f" ({numbers_of(gain)})"
    scores = {cell.condition: cell.score for cell in results.cells if cell.arm == arm}
    other = next((name for name in ELSEWHERE if scores.get(name) is not None), None)
    # what any text does as well is nothing that this one says
    return solved if other is None else f"{solved}, {share(scores[other])} with {other} in its place"


def _scores(results: Results, arm: str) -> tuple[float | None, float | None]:
    """The mean score with the memory as it is, and without it."""
    scores = {(cell.arm, cell.condition): cell.score for cell in results.cells}
    return scores.get((arm, INTACT)), scores.get((NONE, WITHOUT))


def _damage_clause(results: Results, backbone: str, arm: str) -> list[str]:
    """What its damage costs, as far as any was judged."""
    rows = (find(results, "drop", backbone, arm, name) for name in TELLING)
    row = next((row for row in rows if row is not None and row.estimate is not None), None)
    if row is None:
        return ["no damage that turns what it says was played, so its content is not judged"]
    verb = "costs" if (row.estimate or 0.0) >= 0 else "adds"
    return [f"{row.condition}, which turns what it says, {verb} {numbers_of(row)}, {row.verdict}"]


def _bill_clause(against: ConditionCost | None) -> list[str]:
    if against is None or (ratio := against.versus_tokens) is None:
        return []
    numbers = f"x {ratio.ratio:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
    match ratio.word:
        case "as much":
            return [f"it takes as many tokens, within {MARGIN} ({numbers})"]
        case "open":
            return [f"whether it takes more tokens is open ({numbers})"]
    return [f"it takes {ratio.word if ratio.word == 'more' else 'fewer'} tokens ({numbers})"]


def _next_step(results: Results, backbone: str, arm: str, gain: Estimate | None) -> str:
    word = results.utility.get(backbone, {}).get(arm, "")
    if results.delivery is not None and results.delivery.undelivered:
        return "See why the memory did not reach the agent's requests; the report names the trials."
    if results.delivery is not None and results.delivery.words.keys() == {"never activated"}:
        return "The model was told of it and never asked for it: say in its description when it is of use."
    if results.delivery is not None and results.delivery.words.keys() == {"nothing read"}:
        return "The model asked for its memory, and none of it came up: see what its tools find, and how."
    if _scores(results, arm) == (0.0, 0.0):
        return "No trial is solved, with the memory or without it: take easier tasks, or allow more time."
    if _scores(results, arm) == (1.0, 1.0):
        return (
            "All trials are solved, with the memory and without it: take harder tasks, where it could help."
        )
    if word == "inconclusive" or gain is None:
        return _more_tasks(results, gain)
    if word == "harms":
        return "Take it out, or mend it and try again in another folder (--out)."
    if word == "none":
        return "Leave it out, or name tasks in which it should matter."
    open_rows = [
        row
        for name in TELLING
        if (row := find(results, "drop", backbone, arm, name)) and row.verdict == "inconclusive"
    ]
    verdicts = {*results.verdicts.get(backbone, {}).get(arm, {}).values()}
    if "load-bearing" in verdicts:
        return "Keep it: what it says is used."
    if open_rows:
        return _more_tasks(results, open_rows[0])
    if "inert" in verdicts:
        return "Any text does as well: shorten it, and try again in another folder (--out)."
    return "Keep it; whether its content matters could not be tested, and the report says why."


def _more_tasks(results: Results, row: Estimate | None) -> str:
    needed = None if row is None else row.tasks_to_settle
    if needed is None or needed <= results.tasks:
        return "It is not settled: more tasks, or more repeats (--repeats), would tell."
    more = how_many(needed - results.tasks, "more task")
    return f"About {more} would settle it: {needed:,} in all (--tasks), in another folder (--out)."
