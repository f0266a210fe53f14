"""The coder of failures: its rules on cases written from the definitions, and what it makes of a reply."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.judges.failure_coder import LONGEST, MODES, FailureCase, ModelCoder, show_run
from memtrial.judges.failure_rules import code_by_rules
from memtrial.models.simulated.prompt import answer
from tests.support.scripted_judge import Scripted, caller

QUERY = "What does the blue teapot in the shop cost?"
FOUND = (
    ("search blue teapot", "Blue teapot, page 1 of 2"),
    ("next page", "Blue teapot 12.50"),
    ("answer 12.50", ""),
)
CUE = "Notes from earlier tasks."
THEORY = """# Memory Item 1
## Claim In "Order history", do `open the invoices`, because it lists prices.
## Trigger state: "Order history"
## Mechanism Invoices hold prices.
## Scope Orders.
## Form heuristic"""
NATIVE = """# Memory Item 1
## Title Orders
## Description d
## Content If the order history is shown, open the invoices."""
CHECKED = ("open settings", "Form"), ("verify the total", "It is 3"), ("submit the form", "Done")


def run(
    *steps: tuple[str, str], query: str = QUERY, outcome: str = "failure", start: str = "Shop."
) -> Trajectory:
    told = tuple(Step("I think.", *step) for step in steps)
    return Trajectory("t", "t", query, outcome, told, start)  # type: ignore[arg-type]


def case(items: str, *failed: tuple[str, str], solved: tuple[tuple[str, str], ...] = FOUND) -> FailureCase:
    return FailureCase(
        "c", run(*solved, outcome="success"), run(*failed), f"{CUE}\n\n{items}" if items else ""
    )


@pytest.mark.parametrize(
    ("mode", "one"),
    [
        ("reliance", case(THEORY, ("open the invoices", "No such thing"))),
        ("reliance", case(NATIVE, ("Open the  invoices.", "No such thing"))),
        ("reliance", case(NATIVE, FOUND[0], *[("open the invoices", "Nothing")] * 3)),
        ("distraction", case(THEORY, ("search order history prices invoices", "No results"))),
        # what it was warned of is not copied advice, and no thing of its task either
        ("distraction", case(THEORY.replace("do `", "never `"), ("open the invoices", "None"))),
        ("premature", case(THEORY, CHECKED[0], CHECKED[2], solved=CHECKED)),
        ("premature", case(THEORY, ("answer 3", ""), solved=(*CHECKED[:2], ("answer 5", "")))),
        ("other", case("", ("open the invoices", "No such thing"))),
    ],
)  # fmt: skip
def test_rules_follow_the_definitions(mode: str, one: FailureCase) -> None:
    assert code_by_rules(one).mode == mode


@pytest.mark.parametrize(
    "one",
    [
        case(THEORY, ("open the invoices", "None"), solved=(("open the invoices", "12.50"),)),  # both did
        replace(
            case(THEORY, ("open the invoices", "None")),
            failed=run(("open the invoices", ""), start="Order history"),
        ),
        case(
            NATIVE, FOUND[0], ("look", ""), ("look", ""), ("open the invoices", "Nothing")
        ),  # late, and once
        case(THEORY, *FOUND[:2], ("answer 1250", "")),  # misread
        case(THEORY, CHECKED[0], CHECKED[1], ("submit the form", "Failed"), solved=CHECKED),  # it checked
        case(THEORY, ("search order history", ""), CHECKED[2], solved=CHECKED),  # two rules hold
        case(THEORY, ("search teapot invoices", "No results")),  # its own goal is still there
        case(THEORY),  # no step
        case(THEORY, solved=()),
    ],
)
def test_where_no_rule_or_several_hold_none_decides(one: FailureCase) -> None:
    said = code_by_rules(one)
    assert (said.mode, said.fault) == ("", "")
    assert said.reason


def test_long_and_odd_runs_are_read() -> None:
    junk = "\x00\udcff\x1b[2J" * 50
    long = run(*[("open the invoices", junk)] * 10_000)
    one = FailureCase("c", run(*FOUND, outcome="success"), long, THEORY)
    assert code_by_rules(one).mode == "reliance"
    assert code_by_rules(replace(one, solved=long, failed=one.solved)).mode == ""
    assert code_by_rules(replace(one, failed=run((junk, junk)), items=junk)).fault == ""
    assert len(show_run(long)) < LONGEST + 100
    assert "characters are left out" in show_run(long)


def reply(mode: str, solved: str, failed: str) -> str:
    return answer({"mode": mode, "solved_quote": solved, "failed_quote": failed, "reason": "So it is."})


def ask(text: str) -> tuple[str, str, list[str]]:
    asked: list[str] = []

    def say(one: object) -> str:
        asked.append(str(one))
        return text

    one = case(THEORY, ("open the invoices", "No such thing"))
    said = asyncio.run(ModelCoder(caller(Scripted(say)))(one))
    return said.mode, said.fault, asked


@pytest.mark.parametrize("mode", MODES)
def test_a_model_says_the_mode_with_quotes_from_both_runs(mode: str) -> None:
    assert ask(reply(mode, "next page", "No such thing"))[:2] == (mode, "")


@pytest.mark.parametrize(
    "text",
    [
        reply("reliance", "next page", "no such quote"),
        reply("reliance", "", "No such thing"),
        reply("reliance", "No such thing", "next page"),  # each from the other run
        reply("reliance", "Blue teapot, page 1 of 2 next page", "No such thing"),  # over the border of two
        reply("bad luck", "next page", "No such thing"),
        "It relied on its notes.",
    ],
)
def test_what_is_not_quoted_or_not_asked_for_is_an_error_and_no_label(text: str) -> None:
    mode, fault, _ = ask(text)
    assert mode == ""
    assert fault
