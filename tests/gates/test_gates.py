"""Gates: laws over all of them, and known cases for what a program alone can see."""

import asyncio
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.trajectory_views import passages
from memtrial.gates.gate import Finding, evidence
from memtrial.gates.judged_gate import JudgedGate
from memtrial.gates.suite import ALL, NAMES, SEED, choose_gates, gate_name
from memtrial.gates.trigger_presence import TRIGGER_PRESENCE, reference_moments
from memtrial.judges.closed_question import ModelJudge
from memtrial.memory.item import NativeItem, TheoryItem, field_names
from memtrial.memory.markdown import parse, render
from memtrial.runs.spec.condenser_factors import CondenserSpec
from tests.support.gate_cases import FLAGGED, OWN, PROVEN, SOUND
from tests.support.scripted_judge import GOOD, SOLVED, Scripted, caller, item, verdict

BARE = TheoryItem("", "", "", "", "")


def cases(table):
    return [
        pytest.param(gate, one, id=f"{gate.name}-{name}")
        for gate, all_ in table.items()
        for name, one in all_.items()
    ]


def examine(gate, one, reply=None, trajectory=SOLVED) -> tuple[Finding, int]:
    """The finding, and how often the model was asked. By default the judge would pass anything."""
    backend = Scripted(lambda asked: reply or verdict("pass", "The lid springs open.", "trace"))
    finding = asyncio.run(JudgedGate(gate, ModelJudge(caller(backend)))(one, trajectory))
    return finding, len(backend.seen)


def test_every_gate_has_known_cases():
    assert set(FLAGGED) == set(OWN) == set(SOUND) == set(SEED)
    assert all(len(known) >= 4 for table in (FLAGGED, SOUND) for known in table.values())
    assert len(set(NAMES)) == len(ALL)


@pytest.mark.parametrize(
    ("gate", "name", "one"),
    [
        pytest.param(gate, name, one, id=f"{gate.name}-{name}")
        for gate, known in FLAGGED.items()
        for name, one in known.items()
    ],
)
def test_what_a_program_sees_stands_whatever_the_judge_says(gate, name, one):
    finding, calls = examine(gate, one)
    assert finding.finding == ("FAIL" if name in PROVEN[gate] else "WARN")
    # where a part is missing there is nothing to judge
    assert (finding.gate, finding.where, calls) == (gate.name, "item", int(name != "none"))
    assert [each.finding for each in finding.beside if each.where == "trace"] == ["PASS"] * calls
    assert finding.quote
    assert finding.quote in render(one)
    assert not one.claim or finding.quote == one.claim
    assert finding.reason
    assert "\n" not in finding.reason


@pytest.mark.parametrize(("gate", "one"), cases(SOUND))
def test_what_passes_the_program_is_the_judges_to_decide(gate, one):
    for reply in ("pass", "warn", "fail"):
        finding, calls = examine(gate, one, verdict(reply, "The lid springs open.", "trace", "Because."))
        assert finding == Finding(gate.name, reply.upper(), "The lid springs open.", "trace", "Because.")
        assert calls == 1


JUDGED = [gate for gate in ALL if gate.judged]
CHECKED = item(form='check: state: "Its lid is shut"')
"""A sound item that every gate applies to."""


@pytest.mark.parametrize("gate", JUDGED)
def test_a_pass_needs_a_judge_with_evidence(gate):
    for reply in ("PASS", verdict("pass", "A green flag waves", "trace"), verdict("pass", "")):
        finding, calls = examine(gate, CHECKED, reply)
        assert (finding.finding, finding.quote, calls) == ("ERROR", None, 1), reply


NATIVE = NativeItem(
    "Press the stud before you pull",
    "For shut boxes that have a stud.",
    "When a lid is shut, press the stud instead of pulling, because pulling wedges the latch.",
)


@pytest.mark.parametrize("gate", ALL)
def test_a_native_item_is_gated_by_what_its_schema_has_a_place_for(gate):
    finding, calls = examine(gate, NATIVE)
    if {"when", "where", "form"} & set(gate.needs):
        assert (finding.gate, finding.finding, finding.quote, calls) == (gate.name, "NOT_APPLICABLE", None, 0)
    else:
        assert (finding.finding, calls) == ("PASS", int(gate.judged))


@pytest.mark.parametrize("gate", ALL)
def test_a_bare_item_fails_and_the_heading_is_the_evidence(gate):
    finding, calls = examine(gate, BARE)
    if gate.needs == ("form",):  # an empty Form is a heuristic
        assert (finding.finding, calls) == ("NOT_APPLICABLE", 0)
        return
    assert (finding.finding, finding.quote, calls) == ("FAIL", "## Claim", 0)
    assert finding.quote in render(BARE)


@pytest.mark.parametrize("gate", JUDGED)
def test_each_gate_asks_its_own_question_about_the_item_as_markdown(gate):
    backend = Scripted(lambda asked: verdict("pass", "The lid springs open.", "trace"))
    asyncio.run(JudgedGate(gate, ModelJudge(caller(backend)))(CHECKED, SOLVED))
    (asked,) = backend.seen
    assert asked.fields["item"] == render(CHECKED)
    others = [other.question.render() for other in JUDGED if other is not gate]
    assert asked.fields["question"] not in others
    assert asked.fields["question"] == gate.question.render()


@pytest.mark.parametrize("gate", SEED)
def test_one_field_of_the_flagged_kind_is_enough_for_its_own_gate_only(gate):
    """The suite's gates are told apart: a defect that only one gate names is flagged by that gate alone."""
    flagged = [other for other in SEED if examine(other, OWN[gate])[0].finding in ("WARN", "FAIL")]
    assert flagged == [gate]


lines = st.sampled_from(
    ["## Title x", "# Memory Item 2", "**Claim:** y", ": colon first", "---", "  ## Scope  z", r"\## Form",
     "- a list", "```", "plain words", "", "ünï 中文", "| a | b |", "## Claim"]
)  # fmt: skip


@settings(deadline=None)
@given(claim=st.one_of(st.text(), st.lists(lines, max_size=5).map("\n".join)))
def test_the_evidence_of_absence_stands_in_the_draft(claim):
    one = item(claim=claim)
    quote = evidence(one)
    assert quote
    assert quote in render(one)
    assert parse(render(one)) == one
    if one.claim:
        assert quote in one.claim


@settings(deadline=None, max_examples=20)
@given(
    values=st.lists(
        st.text(alphabet="`\"'“”‘’<>{}.…| state:task\nstep 12", max_size=30), min_size=5, max_size=5
    )
)
def test_no_text_breaks_a_gate_and_every_quote_stands(values):
    one = TheoryItem(*values)
    for gate in ALL:
        finding, calls = examine(gate, one)
        assert finding.finding in ("PASS", "WARN", "FAIL", "NOT_APPLICABLE")
        assert finding.finding != "PASS" or calls == int(gate.judged)
        for each in finding.every:
            assert each.quote is None or each.quote in (
                render(one) if each.where == "item" else "\n".join(passages(SOLVED))
            )


@pytest.mark.parametrize("gate", ALL)
def test_an_empty_trace_breaks_no_gate(gate):
    bare = type(SOLVED)("t", "t", "", "failure", ())
    finding, _ = examine(gate, CHECKED, verdict("fail", GOOD.claim), bare)
    assert finding.finding == ("PASS" if gate.name == "duplicate" else "FAIL")


def test_a_trigger_fires_on_everything_from_half_of_the_reference_set_on():
    moments = reference_moments()
    assert len(moments) >= 20
    assert len(set(moments)) == len(moments)
    assert all(moment.task and moment.state and moment.action for moment in moments)
    assert not any("Its lid is shut" in moment.state for moment in moments)
    shares = {}
    for letter in "etaoinsrhldcumfpgwybvkxjqz":
        share = sum(letter in moment.state.casefold() for moment in moments) / len(moments)
        if letter in SOLVED.start.casefold():
            shares[letter] = share, examine(TRIGGER_PRESENCE, item(trigger=f'state: "{letter}"'))[0].finding
    assert {finding for share, finding in shares.values() if 0.5 <= share < 1} == {"WARN"}
    assert {finding for share, finding in shares.values() if share < 0.5} == {"PASS"}


def test_gates_are_chosen_by_name_in_the_suites_order():
    judge = ModelJudge(caller(Scripted(lambda asked: "")))
    assert tuple(gate.name for gate in choose_gates(judge, NAMES)) == NAMES
    assert tuple(gate.name for gate in choose_gates(judge, NAMES[::-1])) == NAMES
    assert [gate.name for gate in choose_gates(judge, ("explanatory-reach",))] == ["explanatory-reach"]
    assert choose_gates(judge, ()) == ()
    with pytest.raises(
        ValueError, match=r"no gate is named nonsense; there are trigger-presence, claim-strength"
    ):
        choose_gates(judge, ("nonsense", "claim-strength"))


def test_the_known_cases_differ_from_the_sound_item_in_one_field():
    for table in (FLAGGED, SOUND):
        for known in table.values():
            for one in known.values():
                changed = [
                    field.name
                    for field in fields(one)
                    if getattr(one, field.name) != getattr(GOOD, field.name)
                ]
                assert len(changed) <= 1
                assert set(changed) <= set(field_names("theory"))


@pytest.mark.parametrize("given", ["claim_strength", "claim-strength", " claim-strength "])
def test_a_gate_is_found_with_either_mark_between_its_words(given: str) -> None:
    assert gate_name(given) == "claim-strength"
    assert CondenserSpec(kind="theory", gates=(given,)).gates == ("claim-strength",)
    assert gate_name("no_such_gate") == "no_such_gate"
