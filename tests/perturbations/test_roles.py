"""Roles: when, what to do, why and form, read alike in every schema."""

from itertools import pairwise

from memtrial.memory.language.roles import runs_of, spans

NATIVE = """# Memory Item 1
## Title Verify the release year
## Description When a film question names two films, compare their years.
## Content If both films have the same title, check the director before answering, because remakes do.
Never answer from memory.
"""
THEORY = """# Memory Item 1
## Claim When the red panel glows, pull the brass lever unless the alarm is off, because it resets.
## Trigger state: red panel glows
## Mechanism The lever resets the panel.
## Scope Rooms with panels. Does NOT apply when the panel is dark.
## Form heuristic
"""


def said(item: str) -> list[tuple[str, str]]:
    return [(run.role, item[run.start : run.end].strip()) for run in runs_of(item)]


def test_a_native_item_is_read_by_its_clauses() -> None:
    assert said(NATIVE) == [
        ("what", "Verify the release year"),
        ("when", "When a film question names two films,"),
        ("what", "compare their years."),
        ("when", "If both films have the same title,"),
        ("what", "check the director before answering"),
        ("why", ", because remakes do."),
        ("what", "Never answer from memory."),
    ]


def test_a_theory_item_is_read_by_its_fields_and_the_clauses_of_its_claim() -> None:
    assert said(THEORY) == [
        ("when", "When the red panel glows,"),
        ("what", "pull the brass lever"),
        ("when", "unless the alarm is off"),
        ("why", ", because it resets."),
        ("when", "state: red panel glows"),
        ("why", "The lever resets the panel."),
        ("when", "Rooms with panels. Does NOT apply when the panel is dark."),
        ("form", "heuristic"),
    ]


def test_an_additive_item_has_the_roles_of_both_schemas() -> None:
    assert said(NATIVE.rstrip() + THEORY.removeprefix("# Memory Item 1")) == said(NATIVE) + said(THEORY)


def test_prose_has_roles_too_and_a_leading_unless_is_a_condition() -> None:
    assert said("Unless the door is open, push it. You should wait.") == [
        ("when", "Unless the door is open"),
        ("what", ", push it."),
        ("what", "You should wait."),
    ]


def test_runs_do_not_overlap_and_spans_select_them() -> None:
    for item in (NATIVE, THEORY):
        runs = runs_of(item)
        assert all(one.end <= other.start for one, other in pairwise(runs))
        assert spans(item, "why") == tuple((r.start, r.end) for r in runs if r.role == "why")
