"""The control of wording alone, the additive schema, and recorded steps through gates."""

import asyncio
import json
from dataclasses import asdict, astuple, replace
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Moment
from memtrial.arms.arm import check_of
from memtrial.arms.trigger_watch import watch
from memtrial.condensers.baselines import Native, warn_of
from memtrial.condensers.draft_calls import TheoryDrafting
from memtrial.condensers.loop import Loop
from memtrial.condensers.raw_steps import RawSteps
from memtrial.condensers.schema_form import SCHEMA_FORM, check_form
from memtrial.condensers.strains import name_strain
from memtrial.gates.judged_gate import OTHER_SCHEMA
from memtrial.gates.suite import NAMES, SEED_SUBSET, choose_gates, gates_of_native
from memtrial.judges.closed_question import ModelJudge
from memtrial.memory.item import AdditiveItem, NativeItem, ProseItem, TheoryItem
from memtrial.memory.language.structure import parts
from memtrial.memory.markdown import item_texts, parse, parse_all, render
from memtrial.models.client.structured import Structured
from memtrial.models.simulated.prompt import answer
from memtrial.prompts.control_prompts import ReplyLayout
from tests.condensers.test_native import PROMPTS, reply
from tests.support.scripted_judge import FAILED, GOOD, SOLVED, Asked, Scripted, caller, verdict
from tests.support.upstream_slots import upstream_suffix

PROSE = NativeItem(
    "Press the stud of a shut box",
    "For boxes whose lid is shut; not for locks with a key.",
    'When "Its lid is shut", press the red stud, because a pull wedges the latch.',
)
BOTH = AdditiveItem(*astuple(PROSE), *astuple(GOOD))


def additive_loop(backend: Scripted, gates: tuple[str, ...], max_rounds: int = 2) -> Loop:
    drafting = TheoryDrafting(Structured(caller(backend)), "full", schema="additive")
    return Loop(drafting, choose_gates(ModelJudge(caller(backend)), gates), max_rounds, "additive")


def script(first: AdditiveItem, flag: str = "pass") -> Scripted:
    """Drafts `first`, revises to BOTH; the judge flags the first draft."""

    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return answer({"memory_items": json.dumps([asdict(first)])})
        if asked.kind == "revise":
            return answer({"memory_item": json.dumps(asdict(BOTH))})
        return verdict(flag if asked.fields["item"] == render(first) else "pass", GOOD.claim)

    return Scripted(rule)


@pytest.mark.parametrize(
    ("trajectory", "instruction"), [(SOLVED, PROMPTS.success), (FAILED, PROMPTS.failure)]
)
def test_wording_alone_is_the_controls_one_call_with_the_criteria_behind_its_prompt(trajectory, instruction):
    gates = gates_of_native("seed")
    plain, warned = Scripted(lambda asked: reply(2)), Scripted(lambda asked: reply(2))
    made = asyncio.run(Native(caller(warned), PROMPTS, name="wording", exhort=gates)(trajectory))
    assert made == replace(asyncio.run(Native(caller(plain), PROMPTS)(trajectory)), condenser="wording")
    (asked,), (beside,) = warned.seen, plain.seen
    assert asked.messages[1] == beside.messages[1]
    assert asked.messages[0].text == f"{instruction}\n\n{warn_of(gates)}"
    assert beside.messages[0].text == instruction
    assert "truism" in asked.messages[0].text
    assert "trigger-presence" not in gates


def test_an_additive_item_is_drafted_checked_and_revised_as_a_theory_is():
    backend = script(replace(BOTH, title="A box"), "warn")
    made = asyncio.run(additive_loop(backend, ("claim-strength",))(SOLVED))
    assert (made.items, made.dropped, made.faults) == ((BOTH,), (), ())
    assert backend.kinds() == ["draft", "judge", "revise", "judge"]
    system = backend.seen[0].messages[0].text
    assert all(f"- {name}:" in system for name in asdict(BOTH))
    assert OTHER_SCHEMA.render() not in backend.seen[1].fields["question"]


@pytest.mark.parametrize("gates", [(), SEED_SUBSET, NAMES], ids=["none", "seed", "all"])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"content": ""}, "no Content"),
        ({"content": "When a box has studs, look up the right one."}, "the Content leaves the work"),
        ({"content": "In this trajectory the stud opened the lid."}, "the Content speaks of the run"),
        ({"scope": "Boxes."}, "excludes nothing"),
    ],
)
def test_all_eight_fields_must_have_their_form(gates, change, why):
    assert check_form(BOTH, SOLVED) is None
    made = asyncio.run(additive_loop(script(replace(BOTH, **change)), gates, max_rounds=0)(SOLVED))
    assert made.items == ()
    assert made.dropped[0].gates == (SCHEMA_FORM,)
    assert why in made.dropped[0].why


def test_an_additive_item_survives_its_markdown_and_fires_by_its_trigger():
    text = render(BOTH)
    assert parse(text) == BOTH
    assert [part.label for part in parts(text)] == ["memory item", *asdict(BOTH)]
    checked = replace(BOTH, form='check: state: "lid"')
    (watched,) = watch((checked,))
    assert watched.trigger.holds(Moment("", "A box. Its lid is shut.", ""))
    assert watched.check == check_of(render(checked))
    assert watched.check is not None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (render(GOOD).replace("## Scope", "## Title Boxes\n## Scope"), TheoryItem),
        (render(PROSE).replace("## Content", "## Scope boxes\n## Content"), NativeItem),
        (json.dumps([asdict(BOTH)]), AdditiveItem),
        ("".join(f"{name}: {text}\n" for name, text in asdict(BOTH).items()), AdditiveItem),
    ],
)
def test_a_stray_field_of_the_other_schema_makes_no_additive_item(text, kind):
    (item,) = parse_all(text)
    assert isinstance(item, kind)


@pytest.mark.parametrize("layout", ["webarena", "swe", "harness"])
def test_upstreams_reader_carries_additive_items_unchanged(layout: ReplyLayout, tmp_path: Path):
    text = "\n\n".join(render(BOTH, number) for number in (1, 2))
    assert text in upstream_suffix(layout, (text,), tmp_path)
    assert item_texts(text) == tuple(text.split("\n\n"))


LONG = replace(SOLVED, steps=(*SOLVED.steps, *SOLVED.steps[:2]))


def test_recorded_steps_are_cut_into_as_many_windows_as_there_may_be_items():
    items = asyncio.run(RawSteps().draft(LONG)).items
    texts = [item.text for item in items if isinstance(item, ProseItem)]
    assert [[line for line in text.split("\n") if line.startswith("Step")] for text in texts] == [
        ["Step 1"],
        ["Step 2", "Step 3"],
        ["Step 4", "Step 5"],
    ]
    assert f"Start: {SOLVED.start}" in texts[0]
    assert f"Start: {SOLVED.steps[0].observation}" in texts[1]
    assert all(f"Task: {SOLVED.query}" in text and "Outcome: success" in text for text in texts)
    assert asyncio.run(RawSteps().draft(replace(SOLVED, steps=()))).items == ()


def test_gates_drop_recorded_steps_and_nothing_is_written():
    def rule(asked: Asked) -> str:
        return verdict(
            "fail" if "look in box" in asked.fields["item"] else "warn", "Task: Get the silver key"
        )

    backend = Scripted(rule)
    gates = choose_gates(ModelJudge(caller(backend)), SEED_SUBSET)
    made = asyncio.run(Loop(RawSteps(), gates, 0, "steps")(SOLVED))
    assert set(backend.kinds()) == {"judge"}
    assert len(made.items) == 2
    assert all(step.action in item.text for step, item in zip(SOLVED.steps[::2], made.items, strict=True))
    (dropped,) = made.dropped
    assert "look in box" in dropped.markdown
    assert (made.revisions, made.faults) == ((), ())
    away = [review for review in made.reviews if review.finding.finding == "NOT_APPLICABLE"]
    assert {(review.finding.gate, review.strain) for review in away} == {("trigger-presence", "register")}


def test_a_strain_is_named_by_what_does_not_fit():
    heuristic = next(gate for gate in choose_gates(ModelJudge(caller(Scripted(str))), ("form-check",)))
    away = asyncio.run(heuristic(GOOD, SOLVED))
    assert away.finding == "NOT_APPLICABLE"
    assert name_strain(GOOD, away) == "system definition"
    lacking = check_form(replace(GOOD, form=""), SOLVED)
    assert lacking is not None
    assert name_strain(GOOD, lacking) == "register"
    assert name_strain(GOOD, replace(away, finding="FAIL")) == ""
