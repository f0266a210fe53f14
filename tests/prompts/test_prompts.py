"""Templates: what they need, what they keep, and that their digest is their wording's name."""

from hashlib import sha256
from itertools import product

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import meta

from memtrial.agents.slot import Slot
from memtrial.condensers.condenser import MOST_ITEMS
from memtrial.memory.item import NativeItem, field_names
from memtrial.memory.markdown import parse
from memtrial.models.client.types import Message
from memtrial.models.simulated.prompt import CUE, look
from memtrial.prompts.control_prompts import KNOWN
from memtrial.prompts.templates import ROOT, Prompt, cue_line

NAMES = sorted(path.stem for path in ROOT.glob("*.jinja"))
PARALLEL = (  # UPSTREAM.md, digests of the native prompts: the constants that `prompts.control` does not load
    "a111340c51810cc81448891e47964b47340da6b477f750b14edc5559ac29d2f5",
    "cde1a54624e9df3fe14038b7fe24fa0f13572beb037b47ac6ddd88ec842eeefa",
)
HOSTILE = (
    "{{ rules }}{% raw %}{% if x %}{# gone #}",
    "{{ 7 * 7 }} {% endif %} {%- endraw -%}",
    "<b>&amp; \"quoted\" 'too'</b> <script>",
    "  two  spaces, a tab\t, a break\n\n\n# Memory Item 1\n## Title {{ cycler }}  ",
    "back\\slash \\n $HOME %s {0} ünï 中文 \u2028 end",
)


def needs(name: str) -> frozenset[str]:
    source = (ROOT / f"{name}.jinja").read_text(encoding="utf-8")
    return frozenset(meta.find_undeclared_variables(jinja2.Environment().parse(source)))


def filled(name: str) -> dict[str, object]:
    return {variable: ["a", "b"] if variable == "actions" else f"the {variable}" for variable in needs(name)}


def test_templates_are_found():
    assert {"judge", "theory_draft", "native_success", "react_turn"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_renders_with_what_it_needs_and_fails_without_any_of_it(name):
    values = filled(name)
    text = Prompt(name).render(values)
    assert text == text.rstrip("\n")
    assert all(str(value) in text for value in values.values() if isinstance(value, str))
    for variable in values:
        with pytest.raises(jinja2.UndefinedError, match=variable):
            Prompt(name).render({key: value for key, value in values.items() if key != variable})
    # what worlds and memories say arrives verbatim
    for variable, hostile in product(sorted(values), HOSTILE):
        value = [hostile, "b"] if variable == "actions" else hostile
        assert hostile in Prompt(name).render(values | {variable: value}), variable


def test_a_template_without_variables_is_its_file():
    bare = [name for name in NAMES if not needs(name)]
    assert bare
    for name in bare:
        text = (ROOT / f"{name}.jinja").read_text(encoding="utf-8").removesuffix("\n")
        assert Prompt(name).render() == text, name


@settings(deadline=None, max_examples=50)
@given(memory=st.text().filter(bool))
def test_any_memory_text_arrives_verbatim(memory):
    assert Prompt("react_system").render({"rules": "r", "memory": memory}).endswith(f"\n\n{memory}")


def test_the_digest_is_that_of_the_file():
    for name in NAMES:
        assert Prompt(name).digest == sha256((ROOT / f"{name}.jinja").read_bytes()).hexdigest(), name


def test_upstreams_wording_is_not_shipped():
    known = {digest for pair in KNOWN for digest in pair} | set(PARALLEL)
    assert len(known) == 10
    ours = [(ROOT / f"{name}.jinja").read_text(encoding="utf-8") for name in NAMES] + [cue_line()]
    for text in ours:
        core = text.strip()
        for framed in (text, core, f"\n{core}\n", f"{core}\n", f"\n{core}"):
            assert sha256(framed.encode()).hexdigest() not in known


def test_simulated_participants_see_the_cue_and_the_block_below_it():
    assert CUE.fullmatch(cue_line())
    slot = Slot(cue_line(), ("# Memory Item 1\n## Title {{ x }}",))
    system = Prompt("react_system").render({"rules": "Some rules.", "memory": slot.text})
    turn = {"task": "Open it", "observation": "A box.", "actions": (), "memory": slot.text}
    scene = look((Message("system", system), Message("user", Prompt("react_turn").render(turn))))
    assert scene.blocks == slot.items * 2
    assert (scene.task, scene.observation) == ("Open it", "A box.")
    bare = look((Message("system", Prompt("react_system").render({"rules": "Some rules.", "memory": ""})),))
    assert bare.blocks == ()


def test_without_memory_nothing_of_the_block_is_left():
    system = Prompt("react_system").render({"rules": "R", "memory": ""})
    assert system.endswith("Action: one action")
    turn = {"task": "", "observation": "A box.", "actions": (), "memory": ""}
    assert Prompt("react_turn").render(turn) == "Observation: A box."
    assert (
        Prompt("react_turn").render(turn | {"actions": ["a", "b"]}) == "Observation: A box.\nActions: a | b"
    )


@pytest.mark.parametrize("name", ["native_success", "native_failure"])
def test_the_embedded_control_asks_for_the_native_schema(name):
    text = Prompt(name).render()
    shape = text[text.index("# Memory Item") :]
    asked_for = parse(shape)
    assert isinstance(asked_for, NativeItem)
    assert all(getattr(asked_for, field) for field in field_names("native"))
    assert f"at most {MOST_ITEMS} items" in text
    assert ("fail" in text) is (name == "native_failure")


@pytest.mark.parametrize("name", ["theory_draft", "theory_revise"])
def test_the_treatment_asks_for_the_theory_schema(name):
    text = Prompt(name).render({"most": MOST_ITEMS})
    assert all(f"- {field}: " in text for field in field_names("theory"))
    assert (f"at most {MOST_ITEMS} memory items" in text) is (name == "theory_draft")


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("gate_")])
def test_a_gates_question_names_its_failure_and_ends_in_a_verdict(name):
    text = Prompt(name).render()
    assert text.startswith("Failure mode: ")
    assert "\nTest:\n1. " in text
    assert all(f"answer {word}" in text for word in ("pass", "warn", "fail"))
