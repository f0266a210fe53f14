"""The treatment's loop: draft, check, revise; what is stored, revised, dropped, or left out as a fault."""

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from memtrial.condensers.condenser import MOST_ITEMS, Condensation, Dropped
from memtrial.gates.suite import SEED_SUBSET as NAMES
from memtrial.gates.suite import choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import render
from tests.support.scripted_judge import (
    FAILED,
    GOOD,
    SOLVED,
    Asked,
    Scripted,
    caller,
    drafts,
    item,
    revision,
    verdict,
)
from tests.support.scripted_loop import GATE, condense, numbered, rounds, script, which
from tests.support.theory_loop import theory_loop


def test_a_draft_that_passes_is_stored_as_it_is():
    backend = script(lambda number, version: "pass")
    made = condense(backend, NAMES)
    assert made.items == (numbered(1),)
    assert (made.trace_id, made.condenser, made.dropped, made.faults) == ("box", "theory", (), ())
    assert Counter(backend.kinds()) == {"draft": 1, "judge": 4}
    assert sorted(review.finding.gate for review in made.reviews) == sorted(NAMES)
    assert all(review.draft == render(numbered(1)) and review.round == 0 for review in made.reviews)


@pytest.mark.parametrize("flag", ["warn", "fail"])
def test_a_flagged_draft_is_revised_and_stored_once_it_passes(flag):
    backend = script(lambda number, version: "pass" if version else flag)
    made = condense(backend)
    assert made.items == (numbered(1, 1),)
    assert rounds(made) == [((1, 0), 0, flag.upper()), ((1, 1), 1, "PASS")]
    assert backend.kinds() == ["draft", "judge", "revise", "judge"]
    asked = backend.seen[2].fields
    assert asked["item"] == render(numbered(1))
    assert asked["findings"] == f"- claim-strength: {flag.upper()}. As the script has it. ({GOOD.claim})"
    assert (asked["outcome"], asked["trajectory"]) == (
        backend.seen[0].fields["outcome"],
        backend.seen[0].fields["trajectory"],
    )


@pytest.mark.parametrize("max_rounds", [0, 1, 2, 5])
def test_a_warning_that_stays_is_stored_after_the_last_revision(max_rounds):
    backend = script(lambda number, version: "warn")
    made = condense(backend, max_rounds=max_rounds)
    assert made.items == (numbered(1, max_rounds),)
    assert (made.dropped, made.faults) == ((), ())
    assert rounds(made) == [((1, n), n, "WARN") for n in range(max_rounds + 1)]
    assert backend.kinds().count("revise") == max_rounds


@pytest.mark.parametrize("max_rounds", [0, 1, 2, 5])
def test_a_failure_that_stays_drops_the_item_after_the_last_revision(max_rounds):
    backend = script(lambda number, version: "fail")
    made = condense(backend, max_rounds=max_rounds)
    assert made.items == ()
    assert made.faults == ()
    why = f"still fails claim-strength after {max_rounds} revisions"
    assert made.dropped == (Dropped(render(numbered(1, max_rounds)), why, GATE),)
    assert rounds(made) == [((1, n), n, "FAIL") for n in range(max_rounds + 1)]
    assert backend.kinds().count("revise") == max_rounds


@pytest.mark.parametrize(("flag", "kept"), [("warn", (numbered(1),)), ("fail", ())])
def test_a_revision_that_changes_nothing_ends_the_loop_and_is_counted(flag, kept):
    backend = script(
        lambda number, version: flag, revise=lambda number, version: revision(numbered(number, version))
    )
    made = condense(backend, max_rounds=5)
    assert (made.items, made.unchanged, made.faults) == (kept, 1, ())
    why = "still fails claim-strength; its revision changed nothing"
    assert made.dropped == (() if kept else (Dropped(render(numbered(1)), why, GATE),))
    assert rounds(made) == [((1, 0), 0, flag.upper())]
    assert backend.kinds().count("revise") == 1


def test_what_a_program_sees_is_revised_too_with_what_the_judge_says_beside_it():
    label = item(claim="When you begin, be careful and do good work, because care pays.")

    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return drafts(label)
        if asked.kind == "revise":
            return revision(GOOD)
        return verdict("fail" if label.claim in asked.fields["item"] else "pass", GOOD.mechanism)

    backend = Scripted(rule)
    made = condense(backend)
    assert made.items == (GOOD,)
    assert backend.kinds() == ["draft", "judge", "revise", "judge"]
    assert [review.finding.finding for review in made.reviews] == ["FAIL", "PASS"]
    first, *beside = made.reviews[0].finding.every
    assert (first.quote, {each.finding for each in beside}) == (GOOD.mechanism, {"WARN"})
    told = backend.seen[2].fields["findings"]
    assert all(each.reason in told for each in (first, *beside))
    assert label.claim in told


def test_every_gate_that_could_not_be_asked_is_named():
    broken = condense(Scripted(lambda asked: drafts(GOOD) if asked.kind == "draft" else "?"), NAMES)
    assert broken.items == ()
    (fault,) = broken.faults
    assert all(f"{name}: the judge's reply" in fault for name in NAMES)


def test_without_gates_the_schema_alone_is_stored():
    backend = script(lambda number, version: "fail", count=2)
    made = condense(backend, ())
    assert made.items == (numbered(1), numbered(2))
    assert (made.reviews, made.dropped, made.faults) == ((), (), ())
    assert backend.kinds() == ["draft"]


@pytest.mark.parametrize("gates", [(), GATE])
def test_at_most_three_drafts_go_on_and_the_rest_is_reported(gates):
    backend = script(lambda number, version: "pass", count=5)
    made = condense(backend, gates)
    assert made.items == tuple(numbered(number) for number in range(1, MOST_ITEMS + 1))
    assert made.dropped == tuple(Dropped(render(numbered(n)), "more than 3 items") for n in (4, 5))
    assert backend.kinds().count("judge") == MOST_ITEMS * len(gates)


def test_no_draft_is_no_item_and_no_fault():
    made = condense(script(lambda number, version: "pass", count=0))
    assert made == Condensation("box", "theory", ())


def test_what_passed_is_not_judged_again_while_another_is_revised():
    backend = script(lambda number, version: "pass" if number != 2 or version == 2 else "warn", count=3)
    made = condense(backend)
    assert made.items == (numbered(1), numbered(2, 2), numbered(3))
    judged = Counter(which(asked.fields["item"]) for asked in backend.seen if asked.kind == "judge")
    assert judged == {(1, 0): 1, (2, 0): 1, (3, 0): 1, (2, 1): 1, (2, 2): 1}
    assert rounds(made) == [
        ((1, 0), 0, "PASS"),
        ((2, 0), 0, "WARN"),
        ((3, 0), 0, "PASS"),
        ((2, 1), 1, "WARN"),
        ((2, 2), 2, "PASS"),
    ]


def test_items_keep_their_order_and_every_draft_ends_in_one_place():
    fates = {1: ["warn", "pass"], 2: ["fail", "fail", "fail"], 3: ["pass"]}
    backend = script(lambda number, version: fates[number][version], count=4)
    made = condense(backend)
    assert made.items == (numbered(1, 1), numbered(3))
    assert [dropped.why for dropped in made.dropped] == [
        "more than 3 items",
        "still fails claim-strength after 2 revisions",
    ]
    assert len(made.items) + len(made.dropped) + len(made.faults) == 4


def test_twins_are_two_items():
    backend = Scripted(
        lambda asked: drafts(GOOD, GOOD) if asked.kind == "draft" else verdict("pass", GOOD.claim)
    )
    made = condense(backend)
    assert made.items == (GOOD, GOOD)
    assert len(made.reviews) == 2


def test_the_same_replies_make_the_same_condensation():
    made = [
        condense(script(lambda number, version: "pass" if version else "warn", 3), NAMES) for _ in range(2)
    ]
    assert made[0] == made[1]
    assert [review.finding.gate for review in made[0].reviews] == list(NAMES) * 6


def test_the_gates_of_one_item_run_in_parallel():
    async def main() -> Condensation:
        together = asyncio.Barrier(len(NAMES))

        async def judge() -> str:
            # breaks where the calls come one after the other
            async with asyncio.timeout(20):
                await together.wait()
            return verdict("pass", GOOD.claim)

        backend = Scripted(lambda asked: drafts(GOOD) if asked.kind == "draft" else judge())
        return await theory_loop(caller(backend), choose_gates(ModelJudge(caller(backend)), NAMES))(SOLVED)

    assert asyncio.run(main()).items == (GOOD,)


def test_two_trajectories_in_one_graph_do_not_mix():
    async def main() -> list[Condensation]:
        together = asyncio.Barrier(2)

        async def both(reply: str) -> str:
            async with asyncio.timeout(20):
                await together.wait()
            return reply

        def rule(asked: Asked) -> str:
            number = 1 if SOLVED.query in asked.fields["trajectory"] else 2
            if asked.kind == "draft":
                return both(drafts(numbered(number)))
            assert which(asked.fields["item"])[0] == number
            if asked.kind == "revise":
                return both(revision(numbered(number, 1)))
            return verdict("pass" if which(asked.fields["item"])[1] else "fail", GOOD.claim)

        backend = Scripted(rule)
        theory = theory_loop(caller(backend), choose_gates(ModelJudge(caller(backend)), GATE))
        return list(await asyncio.gather(theory(SOLVED), theory(FAILED)))

    solved, failed = asyncio.run(main())
    assert (solved.trace_id, solved.items) == ("box", (numbered(1, 1),))
    assert (failed.trace_id, failed.items) == ("jar", (numbered(2, 1),))
    assert all(which(review.draft)[0] == 1 for review in solved.reviews)
    assert all(which(review.draft)[0] == 2 for review in failed.reviews)
    assert len(solved.reviews) == len(failed.reviews) == 2


def test_a_revised_item_may_change_every_field():
    other = TheoryItem(*(f"{value} Really." for value in (GOOD.claim, "", GOOD.mechanism, GOOD.scope, "")))
    other = replace(other, trigger=GOOD.trigger, form="heuristic")

    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return drafts(item(mechanism=""))
        return revision(other) if asked.kind == "revise" else verdict("pass", "In ")

    assert condense(Scripted(rule), NAMES).items == (other,)
