"""Damage that applies to no slot of an arm is untestable there, with its reason."""

from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.analysis_rules import AnalysisRules
from memtrial.ledger.rows import CheckRow
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes
from memtrial.views.results.preparation import inapplicable
from memtrial.views.results.undecidable_cells import unplayed_notes


def check(arm: str, condition: str, task: str, applicable: bool, reason: str = "") -> CheckRow:
    return CheckRow("b", arm, condition, task, 0, applicable, applicable, reason, "x", "y", {})


def row(arm: str, condition: str, task: str, score: float) -> OutcomeRow:
    return OutcomeRow("b", arm, condition, task, "", 0, score)


CHECKS = (
    check("one", "filler", "t1", True),
    check("one", "filler", "t2", False, "the slot is empty"),
    check("one", "paraphrase", "t1", False, "nothing can be reworded"),
    check("one", "paraphrase", "t2", False, "nothing can be reworded"),
    check("two", "filler", "t1", True),
    check("two", "paraphrase", "t1", True),
)


def test_only_where_no_check_applied() -> None:
    assert inapplicable(CHECKS) == {("b", "one", "paraphrase"): "nothing can be reworded"}


def test_a_note_names_what_is_not_played_and_why() -> None:
    why = "nothing can be reworded"
    alike = {
        ("b", "one", "paraphrase"): why,
        ("b", "two", "paraphrase"): why,
        ("c", "one", "paraphrase"): why,
    }
    assert unplayed_notes(inapplicable(CHECKS)) == (f"Not played: paraphrase of one: {why}",)
    assert unplayed_notes(alike) == (f"Not played: paraphrase of one, two: {why}",)


def test_its_drop_and_the_contrasts_with_it_say_so_and_nothing_else_changes() -> None:
    cells = [("none", "without"), *((arm, c) for arm in ("one", "two") for c in ("intact", "filler"))]
    rows = [row(arm, c, f"t{i}", float((i + len(c)) % 2)) for i in range(12) for arm, c in cells]
    rows += [row("two", "paraphrase", f"t{i}", float(i % 2)) for i in range(12)]
    plan = AnalysisPlan(
        ("one", "two"),
        ("filler", "paraphrase"),
        (("one", "two"),),
        positive_control=None,
        rules=AnalysisRules(flips=199),
    )
    before = analyse(Outcomes(tuple(rows)), plan)
    after = analyse(Outcomes(tuple(rows)), plan, RunFacts(inapplicable=inapplicable(CHECKS)))
    changed = {
        (new.estimand, new.arm, new.condition): (new.verdict, new.reason)
        for old, new in zip(before.estimates, after.estimates, strict=True)
        if old != new
    }
    why = "paraphrase applies to no slot of one: nothing can be reworded"
    assert changed == {
        ("drop", "one", "paraphrase"): ("untestable", why),
        ("contrast", "one", "paraphrase"): ("untestable", why),
    }
