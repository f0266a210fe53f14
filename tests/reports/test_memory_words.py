"""The words of `--fail-on`: each where its verdicts hold, and none for a memory that helps by its content."""

import pytest

from memtrial.analysis.inference.cost_ratio import CostWord
from memtrial.reports.text.memory_meanings import MEANINGS
from memtrial.reports.text.memory_words import name_words
from tests.reports.test_memory_answer import bill, results_of


@pytest.mark.parametrize(
    ("utility", "drops", "cost", "words"),
    [
        ("harms", {"counter": "inconclusive"}, "as much", ("harms",)),
        ("harms", {}, "more", ("harms", "costs")),
        ("none", {"counter": "untestable"}, "open", ("none",)),
        ("none", {}, "less", ("none",)),
        ("none", {}, "more", ("none", "costs")),
        ("helps", {"counter": "load-bearing"}, "more", ()),
        ("helps", {"counter": "load-bearing", "corrupt_invert": "inert"}, "as much", ()),
        ("helps", {"counter": "inert"}, "more", ("decoration",)),
        ("helps", {"counter": "inert", "corrupt_invert": "inconclusive"}, "more", ()),
        ("helps", {"counter": "insensitive"}, "more", ()),
        ("helps", {}, "more", ()),
        ("inconclusive", {"counter": "inconclusive"}, "more", ("undecided",)),
        ("untestable", {}, "more", ("undecided",)),
    ],
)
def test_words_are_those_of_the_verdicts(
    utility: str, drops: dict[str, str], cost: CostWord, words: tuple[str, ...]
) -> None:
    assert name_words(results_of(utility, drops), "memory", [bill(cost)]) == words
    assert {*words} <= {*MEANINGS}


def test_a_bill_that_nobody_saw_is_no_cost_and_what_was_never_judged_is_undecided() -> None:
    assert name_words(results_of("none", {}), "memory", []) == ("none",)
    unjudged = results_of("none", {}).model_copy(update={"utility": {}})
    assert name_words(unjudged, "memory", [bill("more")]) == ("undecided",)
