"""One sentence on a memory, what it costs beside it, and what to do next."""

from dataclasses import replace

import pytest

from memtrial.analysis.inference.cost_ratio import CostRatio, CostWord
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.reports.text.memory_answer import answer_memory, cost_lines
from memtrial.views.rows.cost_rows import ConditionCost
from memtrial.views.rows.play_rows import CellRow
from memtrial.views.rows.results import Results

GAIN = Estimate(
    estimand="utility", backbone="own/a", arm="memory", versus="", condition="", share=None, family="f",
    n_tasks=20, n_clusters=20, n_missing=0, n_informative=9, estimate=0.3, low=0.1, high=0.5, p=0.01,
)  # fmt: skip
TURNED = replace(GAIN, estimand="drop", condition="counter", estimate=0.25, low=0.05, high=0.45)


def bill(word: CostWord, ratio: float = 1.2) -> ConditionCost:
    row = CostRatio(20, ratio, ratio - 0.1, ratio + 0.1, 0.01, 0.5, word)
    return ConditionCost("own/a", "memory", "without", 20, 0.5, 1000.0, 0.25, row, row)


def results_of(utility: str, drops: dict[str, str], with_it: float = 0.8, without: float = 0.5) -> Results:
    cells = [("memory", "intact", with_it), ("none", "without", without)]
    turned = [replace(TURNED, verdict=word, condition=name) for name, word in drops.items()]
    return Results(
        name="try", question="", seed=0, simulated=False, control="", outcome="score", status="exploratory",
        backbones=("own/a",), arms=("none", "memory"), conditions=tuple(drops), tasks=20, repeats=1,
        margin=0.1, alpha=0.05, cluster="task", effects=dict.fromkeys(drops, "meaning"),
        verdicts={"own/a": {"memory": drops}}, utility={"own/a": {"memory": utility}}, hypotheses=(),
        estimates=(GAIN, *turned), errors={}, attrition={}, agent_failures={}, empty_slots={}, notes=(),
        cost={}, digests={}, reproduce=(),
        cells=tuple(
            CellRow(backbone="own/a", arm=arm, condition=name, n_trials=20, n_errors=0, score=score)
            for arm, name, score in cells
        ),
    )  # fmt: skip


def test_a_memory_that_is_used_in_one_sentence() -> None:
    answer = answer_memory(
        results_of("helps", {"counter": "load-bearing"}), "CLAUDE.md", "memory", [bill("more")]
    )
    assert answer.sentence == (
        "CLAUDE.md: useful and used: 80.0 % of the trials are solved with it, 50.0 % without (+0.300 [+0.100,"
        " +0.500]); counter, which turns what it says, costs +0.250 [+0.050, +0.450], load-bearing; it takes"
        " more tokens (x 1.20 [1.10, 1.30])."
    )
    assert answer.next_step == "Keep it: what it says is used."


def test_what_text_as_long_does_stands_beside_what_this_one_does() -> None:
    results = results_of("harms", {"filler": "untestable"}, 0.2, 0.7)
    filler = results.cells[0].model_copy(update={"condition": "filler", "score": 0.25})
    results = results.model_copy(update={"cells": (*results.cells, filler)})
    answer = answer_memory(results, "CLAUDE.md", "memory", [])
    assert "70.0 % without (+0.300 [+0.100, +0.500]), 25.0 % with filler in its place; " in answer.sentence


@pytest.mark.parametrize(("word", "says"), [("more", "higher"), ("less", "lower")])
def test_memory_that_changes_nothing_but_the_bill_is_a_finding(word: CostWord, says: str) -> None:
    answer = answer_memory(results_of("none", {"counter": "inert"}), "CLAUDE.md", "memory", [bill(word)])
    assert answer.sentence.startswith(f"CLAUDE.md: it changes nothing but the bill, which is {says}: ")
    assert answer.next_step.startswith("Leave it out")


@pytest.mark.parametrize(
    ("utility", "drops", "scores", "begins"),
    [
        ("harms", {}, (0.4, 0.6), "Take it out"),
        ("helps", {"counter": "inert"}, (0.8, 0.5), "Any text does as well"),
        ("helps", {}, (0.8, 0.5), "Keep it; whether its content matters could not be tested"),
        ("inconclusive", {}, (0.0, 0.0), "No trial is solved"),
        ("inconclusive", {}, (1.0, 1.0), "All trials are solved"),
        ("inconclusive", {}, (0.6, 0.5), "It is not settled: more tasks"),
    ],
)
def test_what_to_do_next(
    utility: str, drops: dict[str, str], scores: tuple[float, float], begins: str
) -> None:
    answer = answer_memory(results_of(utility, drops, *scores), "CLAUDE.md", "memory", [])
    assert answer.next_step.startswith(begins)
    ended = answer_memory(results_of(utility, drops, *scores), "CLAUDE.md", "memory", [], "Go on.")
    assert ended.next_step == "Go on."


def test_more_tasks_are_counted_from_those_there_are() -> None:
    results = results_of("inconclusive", {})
    (row,) = results.estimates
    open_row = replace(row, tasks_to_settle=32, code=Reason.UNDECIDED)
    results = results.model_copy(update={"estimates": (open_row,)})
    answer = answer_memory(results, "CLAUDE.md", "memory", [bill("open", 1.02)])
    assert answer.next_step.startswith("About 12 more tasks would settle it: 32 in all (--tasks), in")
    assert "whether it takes more tokens is open (x 1.02 [0.92, 1.12])" in answer.sentence


def test_costs_that_nobody_saw_are_no_zeros() -> None:
    seen, unseen = bill("as much"), ConditionCost("own/a", "memory", "filler", 3, 0.0, 0.0, 0.0)
    table = list(cost_lines([seen, unseen]))
    assert table[1][3:] == ("1,000", "$0.2500", "x 1.20 [1.10, 1.30] as much", "x 1.20 [1.10, 1.30] as much")
    assert table[2][3:] == ("not seen", "not seen", "–", "–")
