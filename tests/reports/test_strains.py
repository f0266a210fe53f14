"""Theory-transfer watch: strains are counted by item, each with its first example."""

from typing import Any

from memtrial.ledger.rows import CondensationRow
from memtrial.views.results.preparation import LONGEST, strain_rows


def row(task: str, *findings: tuple[int, int, str, str]) -> CondensationRow:
    """Findings as item, round, gate and verdict."""
    told: list[dict[str, Any]] = [
        {"item": item, "round": round_, "gate": gate, "finding": verdict}
        | {"reason": f"{gate} says\n{verdict} " + "x" * 999}
        for item, round_, gate, verdict in findings
    ]
    return CondensationRow("b", "theory", task, {"findings": told})


ONE_WAY = ((1, 0, "a", "WARN"), (1, 0, "b", "PASS"), (1, 1, "a", "PASS"), (1, 1, "b", "FAIL"))
BACK = ((1, 2, "a", "FAIL"), (1, 2, "b", "PASS"))


def shown(*rows: CondensationRow) -> list[tuple[str, str, int, str]]:
    return [(one.strain, one.gates, one.items, one.example.split(":")[0]) for one in strain_rows(rows)]


def test_two_gates_pull_against_each_other_where_one_item_gives_way_to_each_in_turn() -> None:
    assert shown(row("t0", *ONE_WAY)) == []
    assert shown(row("t0", *ONE_WAY, *BACK)) == [("pull against each other", "a, b", 1, "t0")]
    other_item = tuple((2, round_ - 1, gate, verdict) for _, round_, gate, verdict in (*ONE_WAY[2:], *BACK))
    assert shown(row("t0", *ONE_WAY, *other_item)) == []
    # a gate that did not see the draft before gave way to nothing
    assert shown(row("t0", *ONE_WAY[:1], *ONE_WAY[2:], *BACK)) == []


def test_a_gate_that_is_never_satisfied_flags_the_draft_and_every_revision() -> None:
    always = tuple((1, n, "a", "WARN") for n in range(3))
    assert shown(row("t0", *always)) == [("never satisfied", "a", 1, "t0")]
    assert shown(row("t0", *always[:1])) == []
    assert shown(row("t0", *always[:2], (1, 2, "a", "PASS"))) == []


def test_a_gate_that_does_not_apply_is_counted_once_an_item() -> None:
    away = ((1, 0, "a", "NOT_APPLICABLE"), (1, 1, "a", "NOT_APPLICABLE"), (2, 0, "a", "NOT_APPLICABLE"))
    (found,) = strain_rows([row("t0", *away)])
    assert (found.strain, found.items) == ("does not apply", 2)
    assert "\n" not in found.example
    assert len(found.example) == LONGEST


def test_a_strain_is_named_as_its_findings_name_it_and_older_ledgers_name_none() -> None:
    told = [
        {"item": 1, "round": 0, "gate": "schema-form", "finding": "FAIL", "reason": "", "strain": "register"},
        {"item": 1, "round": 1, "gate": "schema-form", "finding": "FAIL", "reason": "", "strain": "register"},
        {"item": 2, "round": 0, "gate": "schema-form", "finding": "FAIL", "reason": "", "strain": "register"},
        {"item": 2, "round": 1, "gate": "form-check", "finding": "NOT_APPLICABLE", "reason": "a heuristic"}
        | {"strain": "system definition"},
    ]
    rows = strain_rows([CondensationRow("b", "theory", "t0", {"findings": told})])
    assert [(one.strain, one.named, one.gates, one.items) for one in rows] == [
        ("does not apply", "system definition", "form-check", 1),
        ("never satisfied", "register", "schema-form", 1),
    ]
    (older,) = strain_rows([row("t0", (1, 0, "a", "NOT_APPLICABLE"))])
    assert older.named == ""
