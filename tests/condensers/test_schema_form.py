"""The form of the schema, whatever gates are on: what lacks it is asked for again, and dropped after that."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from memtrial.agents.trajectory import Trajectory
from memtrial.api.condense import Condensed
from memtrial.condensers.baselines import Peer, PlaceboRevision
from memtrial.condensers.condenser import Rejected, WaitingDraft
from memtrial.condensers.draft_calls import TheoryDrafting
from memtrial.condensers.loop import Loop
from memtrial.condensers.schema_form import SCHEMA_FORM, check_form
from memtrial.gates.suite import NAMES, SEED_SUBSET, choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.memory.item import Item, NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.models.client.structured import Structured
from memtrial.models.simulated import simulated_condenser
from tests.support.scripted_judge import (
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
from tests.support.scripted_loop import condense

SUITES = ((), SEED_SUBSET, NAMES)
SOUND = {
    "as it is asked for": GOOD,
    "a condition behind, a modal verb": item(
        claim='You should press the red stud whenever "Its lid is shut", since a pull wedges the latch.'
    ),
    "a ban, its reason behind a semicolon": item(
        claim="Once a lid is shut, never pull at it; the latch behind it only wedges."
    ),
    "in capitals, without commas": item(
        claim="IF a lid is shut THEN press the red stud BECAUSE a pull wedges the latch."
    ),
    "a ban on a kind of thing": item(
        claim="Don't pull at the lid of a shut box, since that wedges the latch."
    ),
    "the reason first": replace(
        item(
            claim="Because a latch holds the lid, press the red stud first when a box with a stud is shut.",
            scope="Boxes with a stud, as the run met one; not for boxes with a keyhole.",
        ),
        form='check: state: "Its lid is shut"',
        mechanism="The stud frees a latch; pulling wasn't tried in this trace.",
    ),
}
UNSOUND = {
    "a topic": (item(claim="Lids, studs and latches"), "no state and no action and no reason"),
    "no state": (item(claim="Press the red stud, because the lid springs open."), "no state"),
    "any state": (item(claim="In general, press the red stud, because the lid springs open."), "no state"),
    "no action": (item(claim="When a lid is shut, it is heavy, because a latch holds it."), "no action"),
    "a report": (item(claim="In the shop, the agent pressed the stud, because it was red."), "no action"),
    "no reason": (item(claim='In "Its lid is shut", do `press the red stud`.'), "no reason"),
    "praise for a reason": (item(claim="If a lid is shut, press the stud because it worked."), "no reason"),
    "no Scope": (item(scope=""), "no Scope"),
    "a Scope without an end": (item(scope="Boxes with a stud, in any room."), "excludes nothing"),
    "an exclusion of nothing": (item(scope="Boxes with a stud. Does NOT apply."), "excludes nothing"),
    "no Form": (item(form=""), "no Form"),
    "no Mechanism": (item(mechanism=""), "no Mechanism"),
    "about the agent": (
        item(mechanism="The agent in this trajectory pressed the stud, and the lid opened."),
        "the Mechanism speaks of the run",
    ),
    "as the agent learned": (
        item(claim="If a lid is shut, press the stud, because it opens, as the agent learned here."),
        "the Claim speaks of the run",
    ),
    "what the run shows": (
        item(mechanism="This run shows that a stud frees the latch."),
        "the Mechanism speaks of the run",
    ),
    "in this trace": (
        item(claim="In this trace, press the stud of a shut box, because a pull wedges the latch."),
        "the Claim speaks of the run",
    ),
    "what was said above": (
        item(claim="When a lid is shut, do what was said above, because a latch holds it."),
        "leaves the work",
    ),
    "the right one": (
        item(claim="When a box has studs, press the right one, because only that frees the latch."),
        "leaves the work",
    ),
    "see above": (item(mechanism="The latch frees the lid; see above."), "the Mechanism leaves the work"),
    "accordingly": (
        item(claim="When a lid is shut, proceed accordingly, because a latch holds it."),
        "the Claim leaves the work",
    ),
    "the agent learned": (
        item(scope="The agent learned this on one box. Does NOT apply when there is a keyhole."),
        "the Scope speaks of the run",
    ),
    "look up": (
        item(claim="When a box has studs, look up the right one, because only that frees the latch."),
        "leaves the work",
    ),
    "figure out": (
        item(claim="When a box has studs, figure out which frees the latch, because the others jam it."),
        "leaves the work",
    ),
}


@dataclass(frozen=True)
class Accepts:
    """A person who accepts every draft."""

    saver: Any = field(default_factory=InMemorySaver)

    def thread(self, trajectory: Trajectory) -> str:
        return trajectory.trace_id

    def __call__(self, trajectory: Trajectory, drafts: Sequence[WaitingDraft]) -> list[Item | Rejected]:
        return [draft.item for draft in drafts]


def loop(first: TheoryItem, then: TheoryItem) -> Scripted:
    """Drafts `first` and revises to `then`; every judge passes."""

    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return drafts(first)
        claim = asked.fields["item"].split("## Claim ")[1].split("\n")[0]
        return revision(then) if asked.kind == "revise" else verdict("pass", claim)

    return Scripted(rule)


@pytest.mark.parametrize("gates", SUITES, ids=["none", "seed", "all"])
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_item_has_its_form_and_is_stored_after_one_call(name: str, gates: tuple[str, ...]) -> None:
    backend = loop(SOUND[name], SOUND[name])
    made = condense(backend, gates, max_rounds=0)
    assert check_form(SOUND[name], SOLVED) is None
    assert (made.items, made.dropped, made.revisions) == ((SOUND[name],), (), ())
    assert all(review.finding.gate != SCHEMA_FORM for review in made.reviews)


@pytest.mark.parametrize("name", UNSOUND)
def test_an_unsound_item_is_refused_whatever_gates_are_on(name: str) -> None:
    lacking, why = UNSOUND[name]
    for gates in SUITES:
        backend = loop(lacking, replace(lacking, trigger='state: "lid"'))
        made = condense(backend, gates, max_rounds=1)
        assert made.items == (), gates
        assert why in made.dropped[0].why, gates
        assert made.dropped[0].gates == (SCHEMA_FORM,), gates
        assert "after 1 revisions" in made.dropped[0].why, gates
        assert made.revisions == (1,), gates
        assert backend.kinds() == ["draft", "revise"], "no judge is asked about what has no form"
        assert why in backend.seen[1].fields["findings"], gates
        assert [(review.round, review.finding.gate) for review in made.reviews] == [
            (0, SCHEMA_FORM),
            (1, SCHEMA_FORM),
        ], gates


@pytest.mark.parametrize("gates", SUITES, ids=["none", "seed", "all"])
def test_what_is_in_form_once_revised_is_stored(gates: tuple[str, ...]) -> None:
    made = condense(loop(UNSOUND["no Scope"][0], GOOD), gates)
    assert (made.items, made.dropped, made.revisions) == ((GOOD,), (), (1,))
    assert made.reviews[0].draft == render(UNSOUND["no Scope"][0])


def test_words_that_show_a_fault_are_quoted_and_an_absence_quotes_the_claim() -> None:
    shown = check_form(UNSOUND["as the agent learned"][0], SOLVED)
    absent = check_form(UNSOUND["no Form"][0], SOLVED)
    assert shown is not None
    assert absent is not None
    assert shown.quote == "as the agent learned here"
    assert absent.quote == GOOD.claim


def test_a_native_item_and_another_script_have_no_such_form() -> None:
    assert check_form(NativeItem("Lids", "", "Be careful."), SOLVED) is None
    other = item(claim="盖子关着时，按红色按钮，因为它会打开。", scope="有按钮的盒子，不适用于有锁孔的盒子。")
    assert check_form(other, SOLVED) is None


def test_a_placebo_stores_only_what_has_its_form_and_says_what_it_lacks() -> None:
    backend = loop(UNSOUND["no Scope"][0], UNSOUND["no Scope"][0])
    drafting = TheoryDrafting(Structured(caller(backend)), "full", placebo=True)
    made = asyncio.run(PlaceboRevision(drafting, lambda trajectory: Peer((1,)), "placebo")(SOLVED))
    assert (made.items, made.revisions, made.faults) == ((), (1,), ())
    assert (made.dropped[0].why, made.dropped[0].gates) == ("there is no Scope", (SCHEMA_FORM,))
    assert "findings" not in backend.seen[1].fields


def test_a_summary_counts_what_was_dropped_for_want_of_form() -> None:
    made = condense(loop(UNSOUND["no Form"][0], UNSOUND["no Form"][0]), ())
    row = Condensed((made,), "control: made up")
    assert row.summary() == "1 trace condensed, 1 draft dropped for want of form"
    (shown,) = row.rows()
    assert "there is no Form" in str(shown["dropped"])
    assert "schema-form" in str(shown["findings"])


def test_a_person_sees_the_miss_as_advice_and_the_gates_beside_it() -> None:
    backend = loop(UNSOUND["no Form"][0], GOOD)
    gates = choose_gates(ModelJudge(caller(backend)), ("claim-strength",))
    drafting = TheoryDrafting(Structured(caller(backend)), "full")
    made = asyncio.run(Loop(drafting, gates, 0, "theory", Accepts())(SOLVED))
    assert made.items == (UNSOUND["no Form"][0],)
    assert [review.finding.gate for review in made.reviews] == [SCHEMA_FORM, "claim-strength"]


@pytest.mark.parametrize("claim", simulated_condenser.VAGUE)
def test_the_defects_of_the_stand_in_are_left_to_the_gates(claim: str) -> None:
    scope = f"Everywhere. Does NOT apply {simulated_condenser.ELSEWHERE}."
    spoilt = TheoryItem(f"{claim}.", "when it helps", "It just works.", scope, "heuristic")
    assert check_form(spoilt, SOLVED) is None
