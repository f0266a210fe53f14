"""The bundle audit names what two arms differ in besides their memory, and nothing where there is nothing."""

import json
from pathlib import Path

import pytest

from memtrial.api.run import plan
from memtrial.runs.forecast.forecast_text import forecast_lines
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.evidence.bundle_audit import Bundle, audit, bundle, sentence
from tests.support.carried_out import play_spec
from tests.support.small import FEW, write_spec

SNEAKY = Path(__file__).resolve().parents[1] / "own" / "sneaky.py"
ORDER = "Check every answer twice before you give it."
CUE = "Notes from earlier tasks. Use one where it fits what you see."
PAIR = ("a", "b")
SPEC = f"""
name: sneaky
seed: 3
environment: {{world: workshop, train: 24, test: 8}}
backbone: simulated/ignorer
roles: {{condenser: simulated/scribe, gate: simulated/examiner}}
condensers: {{plain: {{kind: "{SNEAKY}:plain"}}, footer: {{kind: "{SNEAKY}:footer"}}}}
arms:
  - none
  - {{name: plain, condenser: plain}}
  - {{name: other, condenser: OTHER}}
conditions: [without, corrupt_mask]
analysis: {{pairs: [[other, plain]]}}
repeats: 1
"""


def requests(
    cue: str = CUE, end: str = "", rules: str = "You run machines.", **more: str
) -> dict[tuple[str, int], Bundle]:
    found = {}
    for number in range(6):
        memory = f"{cue}\n\n# Memory Item 1\n## Content In hall {number} press the button {number}.{end}"
        system = f"{rules}\n\n{memory}" if more.get("place") != "first" else f"{memory}\n\n{rules}"
        messages = [{"role": "system", "content": system}, {"role": "user", "content": f"Task {number}"}]
        found["t", number] = bundle(messages, memory, waits=False, settings=more.get("settings", ""))
    return found


def told(**other: str) -> str:
    return sentence(audit("m", PAIR, requests(**other), requests()), PAIR)


def test_arms_that_differ_in_nothing_else_are_said_to() -> None:
    rows = audit("m", PAIR, requests(), requests())
    assert rows == ()
    longer = requests(end=" So it went.")
    unlike = {
        block: Bundle(one.texts, f"{one.memory} Also {n}.", one.place)
        for n, (block, one) in enumerate(longer.items())
    }
    assert (
        sentence(audit("m", PAIR, unlike, longer), PAIR)
        == "a vs b differ in memory text (+2 words) and in nothing else."
    )


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"cue": f"{CUE} {ORDER}"}, f"cue line (a alone, 8 words: {ORDER})"),
        ({"end": f" {ORDER}"}, f"in every memory (a alone, 8 words: {ORDER})"),
        ({"rules": f"You run machines. {ORDER}"}, f"system prompt (a alone, 8 words: {ORDER})"),
        (
            {"place": "first"},
            "place of the memory (system prompt, after 0 words / system prompt, at its end)",
        ),
        ({"settings": "m, temperature 0.7"}, "settings (m, temperature 0.7 / )"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_each_hidden_difference_is_named_with_its_size(other: dict[str, str], said: str) -> None:
    assert said in told(**other)


def test_an_item_that_comes_up_in_a_user_turn_is_memory_and_no_second_difference() -> None:
    memory = f"{CUE}\n\n# Memory Item 1\nPress.\n\n# Memory Item 2\nWait."
    turn = {"role": "user", "content": f"Observation: on\n\n{CUE}\n\n# Memory Item 2\nWait."}
    fired, silent = (
        bundle([turn], memory, waits=True),
        bundle([{**turn, "content": "Observation: on"}], "", False),
    )
    assert fired.texts == silent.texts


def test_of_few_memories_only_the_cue_can_be_told() -> None:
    few = {block: one for block, one in requests(end=f" {ORDER}").items() if block[1] < 3}
    none = {
        block: bundle([{"role": "system", "content": "You run machines."}], "", waits=False) for block in few
    }
    assert [(row.what, row.excerpt) for row in audit("m", PAIR, few, none)][1] == ("cue line", CUE)
    assert len(audit("m", PAIR, few, none)) == 3  # and no user turn there


def test_of_few_memories_it_can_be_told_where_nothing_else_is_unlike() -> None:
    def few(end: str) -> dict[tuple[str, int], Bundle]:
        texts = {("t", n): f"{CUE}\n\nIn hall {n % 2} press the button {n % 2}.{end}" for n in range(6)}
        return {block: Bundle({}, text, "system prompt") for block, text in texts.items()}

    assert f"in every memory (a alone, 8 words: {ORDER})" in sentence(
        audit("m", PAIR, few(f" {ORDER}"), few("")), PAIR
    )
    assert "in every memory" not in sentence(
        audit("m", PAIR, few(f" {ORDER}"), few(" It went as it had to go.")), PAIR
    )


def test_a_sentence_that_some_memories_share_is_memory() -> None:
    some = requests()
    block = ("t", 0)
    some[block] = Bundle(some[block].texts, f"{some[block].memory} {ORDER}", some[block].place)
    assert [row.what for row in audit("m", PAIR, some, requests())] == ["memory text"]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (("condenser: OTHER", "condenser: footer"), "in every memory (other alone"),
        (("condenser: OTHER", f'memory: "{SNEAKY}:Cue"'), "cue line (other alone"),
    ],
    ids=["condenser", "memory system"],
)
def test_a_plan_names_the_hidden_instruction_before_anything_is_paid_for(
    tmp_path: Path, other: tuple[str, str], said: str
) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC.replace(*other)))
    forecast = plan(spec, PlanOptions(simulate=0))
    lines = [
        line for line in forecast_lines(forecast, details=False) if line.startswith("First requests: other")
    ]
    assert len(lines) == 1
    assert said in lines[0]
    assert ORDER in lines[0]
    assert json.dumps(forecast.as_json()["audit"])


def test_a_report_compares_what_was_really_sent(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path, FEW), ["environment.test=4", "arms=[none, control, artifact]"])
    play_spec(spec, tmp_path / "out")
    found = json.loads((tmp_path / "out" / "results.json").read_text())
    rows = {(row["arm"], row["versus"], row["what"]) for row in found["audit"]}
    assert rows == {
        ("artifact", "control", "memory text"),
        ("control", "none", "memory text"),
        ("control", "none", "cue line"),
    }
