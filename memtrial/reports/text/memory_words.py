"""The end of a trial of one memory in words that a machine can act on, as `--fail-on` does."""

from collections.abc import Iterator, Sequence

from memtrial.outcomes.reserved_names import WITHOUT
from memtrial.reports.text.arm_readings import sum_up_content
from memtrial.reports.text.memory_meanings import MemoryWord
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.results import Results


def name_words(results: Results, arm: str, costs: Sequence[ConditionCost]) -> tuple[MemoryWord, ...]:
    """The words that hold, by the verdicts as they stand: several may, as `none` and `costs`."""
    return tuple(_words(results, arm, costs))


def _words(results: Results, arm: str, costs: Sequence[ConditionCost]) -> Iterator[MemoryWord]:
    backbone = results.backbones[0]
    gain = results.utility.get(backbone, {}).get(arm, "")
    bill = next((cost.versus_tokens for cost in costs if cost.condition == WITHOUT), None)
    match gain:
        case "harms" | "none":
            yield gain
            if bill is not None and bill.word == "more":
                yield "costs"
        case "helps":
            if sum_up_content(results, backbone, arm) == "not":
                yield "decoration"
        case _:  # inconclusive, untestable, or never judged
            yield "undecided"
