"""Effects by family of tasks and by item: what helps here and harms there, and cancels in the mean."""

from dataclasses import replace

import polars as pl
import pytest

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.ledger.rows import TrialRow
from memtrial.outcomes.outcome_table import TableOptions
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes
from memtrial.outcomes.table_fault import TableFault
from memtrial.reports.sections.report_parts import evidence_parts
from memtrial.reports.text.group_lines import differing_lines
from memtrial.views.evidence.group_evidence import GroupEvidence, begin_items, name_item

FAST = AnalysisOptions(flips=199)
KINDS = ("even", "odd", "other")


def cancelling(families: bool = True) -> pl.DataFrame:
    """Twelve tasks of each kind in three repeats: helped in one, harmed in one, as before in the third."""
    rows = []
    for number in range(36):
        kind = KINDS[number % 3]
        for repeat in range(3):
            base = float((number // 3 + repeat) % 2)
            lift = {"even": 1.0, "odd": 0.0, "other": base}[kind]
            place = {"task": f"t{number:02}", "repeat": repeat} | ({"category": kind} if families else {})
            rows += [{**place, "arm": "none", "score": base}, {**place, "arm": "notes", "score": lift}]
    return pl.DataFrame(rows)


def test_a_table_with_a_column_of_families_says_where_an_arm_is_better_and_where_worse() -> None:
    results = analyze(cancelling(), rules=FAST)
    assert dict(results.table.said)["family"].startswith("column 'category'")  # type: ignore[union-attr]
    assert not any("category" in text for word, text in results.table.said.items() if word == "ignored")  # type: ignore[union-attr]
    (spread,) = results.heterogeneity
    assert (spread.above, spread.below) == (("even",), ("odd",))
    assert spread.p_adjusted <= 0.01
    (line,) = differing_lines(results)
    assert "is better in even" in line
    assert "is worse in odd" in line
    assert "opposite effects that cancel" in line
    assert line in next(part for part in evidence_parts(results) if part.id == "groups").lines
    figures = [fold.figure for part in evidence_parts(results) for fold in part.folds if part.id == "groups"]
    assert figures[0] is not None
    assert "<svg" in figures[0]()


def test_without_such_a_column_nothing_is_said_of_families() -> None:
    results = analyze(cancelling(families=False), rules=FAST)
    assert results.task_families == results.heterogeneity == ()
    assert not any(part.id == "groups" for part in evidence_parts(results))


def test_groups_of_one_task_have_an_estimate_and_nothing_is_drawn_or_compared() -> None:
    results = analyze(cancelling().with_columns(pl.col("task").alias("category")).head(18), rules=FAST)
    assert len(results.task_families) == 3
    assert all(row.shrunk is row.low is row.p is None for row in results.task_families)
    assert results.heterogeneity == ()
    figures = [fold.figure for part in evidence_parts(results) for fold in part.folds if part.id == "groups"]
    assert figures == [None]


def test_a_column_that_tears_a_task_is_left_or_refused() -> None:
    torn = cancelling().with_columns(pl.col("arm").alias("category"))
    assert analyze(torn, rules=FAST).heterogeneity == ()
    with pytest.raises(TableFault, match="each task needs one family; 't00' has 'none' and 'notes'"):
        analyze(torn, TableOptions(family="category"), FAST)
    with pytest.raises(TableFault, match="--family-column kind: there is no such column"):
        analyze(torn, TableOptions(family="kind"), FAST)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("## Title Press it\n## Content Now.", "Press it"),
        ("**Claim:**\nThe lid holds.\n## Scope Boxes.", "The lid holds."),
        ("\n# Look twice\nand wait", "Look twice"),
        ("##\n", ""),
        ("## Title", ""),
    ],
)
def test_an_item_is_named_by_its_title_claim_or_first_line(text: str, name: str) -> None:
    assert name_item(text) == name


TEXTS = {"x": "## Title Press the stud\n## Content It holds the lid.", "y": "Wait.", "z": "Look twice."}


def played(draws: int = 1) -> GroupEvidence:
    """Item x helps in the tasks whose slot held it, y and z, always together, harm in theirs."""
    outcomes, trials = [], []
    for number in range(16):
        items = ("x",) if number % 2 else ("y", "z")
        for repeat in range(2):
            base = float((number // 2 + repeat) % 2)
            score = 1.0 if items == ("x",) else 0.0
            place = f"t{number:02}", "", repeat
            outcomes += [
                OutcomeRow("m", "none", "without", *place, base),
                OutcomeRow("m", "a", "intact", *place, score),
            ]
            place_of = "m", "a", "intact", f"t{number:02}", "", repeat
            said = "success", score, "", "s", False, ""
            trials.append(TrialRow(f"{number}{repeat}", *place_of, *said, items=items))
    shown = [replace(trials[0], condition="irrelevant_swap", items=("x", "y")), *trials]
    plan = replace(AnalysisPlan(arms=("a",), conditions=()), draws=draws)
    return begin_items(Outcomes(tuple(outcomes)), plan, shown, TEXTS.get)()


@pytest.mark.parametrize("draws", [1, 2])
def test_items_that_help_and_harm_are_told_apart_and_those_always_together_are_one(draws: int) -> None:
    evidence = played(draws)
    effects = {row.group: row for row in evidence.rows}
    assert {name: row.heading for name, row in effects.items()} == {
        "x": "Press the stud",
        "y": "Wait.; Look twice.",
    }
    assert effects["x"].estimate == pytest.approx(0.5)
    assert effects["y"].estimate == pytest.approx(-0.5)
    assert effects["x"].n_tasks == (8 if draws == 1 else 16)
    (spread,) = evidence.spreads
    assert (spread.of, spread.above, spread.below) == ("items", ("x",), ("y",))
