"""Bring your own: what may be written, what is refused, and how a stranger's bug is said."""

import asyncio
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.agents.slot import NOTHING, Slot
from memtrial.condensers.condenser import Condensation
from memtrial.faults import RunFault, SpecFault
from memtrial.memory.item import NativeItem, ProseItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.models.client.types import ModelFault
from memtrial.perturbations.manipulation_check import check
from memtrial.plugins.adapters import (
    load_condenser,
    load_gate,
    load_perturbation,
    load_world,
)
from memtrial.plugins.conformance.fixtures import PRESS, SLOTS, THEORY
from memtrial.plugins.load_plugin import digest_of, load_object, wants
from memtrial.plugins.own_memory import load_memory
from memtrial.prompts.control_prompts import load_control
from memtrial.runs.preparation.open_condensers import CondenserSetup, build_condenser, build_gates
from memtrial.runs.setup.preflight import refuse_unloadable
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.condenser_factors import CondenserSpec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.world import WorldFault
from tests.support.damaging import damage, refusal
from tests.support.scripted import caller_of, client_to, saying
from tests.support.small import write_spec

NO_CALLER: Any = caller_of(saying())
OWN = Path(__file__).resolve().parents[1] / "own"


def own(folder: Path, code: str, name: str = "Object", file: str = "mine.py") -> str:
    """The code as a file of one's own, and the object's name in it."""
    path = folder / file
    path.write_text(code, encoding="utf-8")
    return f"{path}:{name}"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent.py:Object", r"needs the file .*absent\.py.*No such file"),
        ("no_colon.py", r"path/to/module\.py:Object"),
        ("folder.py:Object", "needs a plain file"),
    ],
)
def test_what_is_not_there_is_one_line(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(SpecFault, match=said) as caught:
        load_object(str(tmp_path / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("class Other: pass\n", r"named 'Object' in that file; it has Other"),
        ("", "it has nothing"),
        ("x = (\n", r"SyntaxError: '\(' was never closed \(mine\.py, line 1\)"),
        ("a = 1\nb = a / 0\n", r"ZeroDivisionError: division by zero \(mine\.py, line 2\)"),
        ("import helper_beside\n", r"No module named 'helper_beside'.*stands alone.*line 1"),
        ("class Odd(Exception): pass\n\nraise Odd('a\\nb')\n", r"Odd: a b \(mine\.py, line 3\)"),
        ("import sys\nsys.exit(3)\n", r"SystemExit: 3 \(mine\.py, line 2\)"),
        ("x = '\udce4'.encode()\n", "UnicodeEncodeError|SyntaxError"),
        ("class Object:\n    def __init__(self, key): pass\n", "needs the argument 'key', which nobody"),
        ("class Object:\n    def __init__(self): {}['y']\n", r"making .*KeyError: 'y' .*line 2"),
        ("class Object: pass\n", "cannot be a memory system, which has observe.*lacks observe, recall"),
        ("class Object:\n    def observe(self, t): pass\n", r"this Object lacks recall"),
    ],
)  # fmt: skip
def test_a_strangers_mistake_is_one_line_with_its_place(tmp_path: Path, code: str, said: str) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(code.encode("utf-8", "surrogateescape"))
    (tmp_path / "helper_beside.py").write_text("x = 1\n")
    with pytest.raises(SpecFault, match=said) as caught:
        load_memory(f"{path}:Object", NO_CALLER, 0)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "__pycache__").exists()
    assert str(tmp_path) not in sys.path


def test_nothing_in_a_run_folder_is_executed(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run_s0"
    (run / "deep").mkdir(parents=True)
    (run / "ledger.sqlite").write_bytes(b"")
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass Object: pass\n"
    (tmp_path / "link.py").symlink_to(run / "mine.py")
    inside = own(run, trap)
    for name in (inside, own(run / "deep", trap), f"{tmp_path / 'link.py'}:Object"):
        with pytest.raises(SpecFault, match="nothing in a run folder is ever executed"):
            load_object(name)
        with pytest.raises(SpecFault, match="run folder"):
            digest_of(name)
    assert not (tmp_path / "sprung").exists()


def test_two_files_of_one_name_do_not_meet_and_each_load_is_fresh(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = own(tmp_path / "a", "class Object: said = ['a']\n")
    other = own(tmp_path / "b", "class Object: said = ['b']\n")
    first = load_object(one)
    first.said.append("taught")
    assert (load_object(one).said, load_object(other).said) == (["a"], ["b"])
    assert digest_of(one) != digest_of(other)
    before = digest_of(one)
    own(tmp_path / "a", "class Object: said = ['c']\n")
    assert digest_of(one) != before
    assert load_object(one).said == ["c"]


def test_dataclasses_with_postponed_annotations_can_be_loaded(tmp_path: Path) -> None:
    code = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass(frozen=True, slots=True)\nclass Object:\n    seed: int\n    n: ClassVar[int] = 3\n"
        "    name: str = 'kept'\n    def __call__(self, slot, rng, donor): return slot\n"
    )
    kind = load_perturbation(own(tmp_path, code), 11)
    assert kind.name == "kept"


@pytest.mark.parametrize(
    ("returned", "items"),
    [
        ("'Pull the lever first.'", (ProseItem("Pull the lever first."),)),
        ("['One.', '', 'Two.']", (ProseItem("One."), ProseItem("Two."))),
        ("None", ()),
        ("()", ()),
        (repr("# Memory Item 2\n## Title T\n## Description D\n## Content C"), (NativeItem("T", "D", "C"),)),
        (
            repr("## Claim c\n## Trigger task: x\n## Mechanism m\n## Scope s\n## Form heuristic"),
            (TheoryItem("c", "task: x", "m", "s", "heuristic"),),
        ),
        (
            repr("Mind the gap.\n## Title T\n## Content C"),
            (ProseItem("Mind the gap.\n## Title T\n## Content C"),),
        ),
    ],
)
@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_condenser_may_return_texts(
    tmp_path: Path, word: str, returned: str, items: tuple[Any, ...]
) -> None:
    name = own(tmp_path, f"{word} Object(trajectory):\n    return {returned}\n")
    made = asyncio.run(load_condenser(name, NO_CALLER, 0)(PRESS))
    assert made == Condensation("press", "Object", items)


def test_the_fourth_item_is_dropped_and_said(tmp_path: Path) -> None:
    name = own(tmp_path, "def Object(trajectory):\n    return [f'Item {i}.' for i in range(5)]\n")
    made = asyncio.run(load_condenser(name, NO_CALLER, 0)(PRESS))
    assert len(made.items) == 3
    assert [one.why for one in made.dropped] == ["more than 3 items"] * 2
    assert "Item 4." in made.dropped[1].markdown


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return trajectory.steps[9]", r"IndexError: .*\(mine\.py, line 2\)"),
        ("return 7", "returned int; a text"),
        ("return ['a', 7]", "returned list with int in it"),
        (r"return 'a \ud83d'", "half of a surrogate pair"),
    ],
)
def test_what_a_condenser_raises_is_a_fault_of_that_condensation(
    tmp_path: Path, body: str, said: str
) -> None:
    name = own(tmp_path, f"def Object(trajectory):\n    {body}\n")
    made = asyncio.run(load_condenser(name, NO_CALLER, 0)(PRESS))
    assert made.items == ()
    assert [bool(re.search(said, fault)) for fault in made.faults] == [True]


def test_a_condenser_asks_through_the_door_and_a_model_fault_passes(tmp_path: Path) -> None:
    code = (
        "class Object:\n    def __init__(self, ask, seed): self.ask, self.seed = ask, seed\n"
        "    async def __call__(self, run): return await self.ask(f'Sum up {self.seed}.', run.query)\n"
    )
    name = own(tmp_path, code)
    backend = saying("It worked.", ModelFault("gone"))
    caller = caller_of(backend)
    condenser = load_condenser(name, caller, 5)
    assert asyncio.run(condenser(PRESS)).items == (ProseItem("It worked."),)
    said = [(message.role, message.text) for message in backend.asked[0][0].messages]
    assert said == [("system", "Sum up 5."), ("user", PRESS.query)]
    assert caller.meter.calls == 1
    with pytest.raises(ModelFault, match="gone"):
        asyncio.run(condenser(replace(PRESS, query="another")))
    assert wants(name, "ask")
    assert not wants(f"{OWN / 'last_actions.py'}:last_actions", "ask")


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        ("True", "PASS"),
        ("False", "FAIL"),
        ("None", "NOT_APPLICABLE"),
        ("(False, 'too long')", "FAIL"),
        ("'maybe'", "ERROR"),
        ("1 / 0", "ERROR"),
    ],
)
def test_a_gate_may_answer_in_many_ways(tmp_path: Path, answer: str, finding: str) -> None:
    gate = load_gate(own(tmp_path, f"def Object(item, trajectory):\n    return {answer}\n"), NO_CALLER, 0)
    found = asyncio.run(gate(THEORY, PRESS))
    assert (found.gate, found.finding) == ("Object", finding)
    assert (found.quote is None) == (finding in ("ERROR", "NOT_APPLICABLE"))
    assert "too long" not in answer or found.reason == "too long"
    assert finding != "ERROR" or "line 2" in found.reason or "returned str" in found.reason


def test_a_gate_gets_the_item(tmp_path: Path) -> None:
    name = own(tmp_path, "def Object(item, trajectory):\n    return 'press' in item.claim\n")
    found = asyncio.run(load_gate(name, NO_CALLER, 0)(THEORY, PRESS))
    assert (found.finding, found.quote in render(THEORY)) == ("PASS", True)


def test_gates_of_ones_own_stand_among_ours_in_the_order_given(tmp_path: Path) -> None:
    mine = f"{OWN / 'short_claim.py'}:short_claim"
    names = ("claim-strength", mine, "trigger-presence")
    spec = CondenserSpec(kind="theory", gates=names)
    setup = CondenserSetup(NO_CALLER.model_client, "m/c", "m/j", load_control(None))
    gates = build_gates(spec.gates, NO_CALLER, setup)
    assert [gate.name for gate in gates] == ["claim-strength", "short_claim", "trigger-presence"]
    with pytest.raises(SpecFault, match="a name each"):
        build_gates((mine, mine), NO_CALLER, setup)


def test_condensers_by_kind() -> None:
    setup = CondenserSetup(client_to(saying()), "m/c", "m/j", load_control(None))
    own_kind = f"{OWN / 'last_actions.py'}:last_actions"
    made = {
        kind: build_condenser("named", CondenserSpec(kind=kind), setup)
        for kind in ("raw", "nothing", own_kind)
    }
    assert {condenser.name for condenser in made.values()} == {"named"}
    assert "pull the brass lever and then open the gate" in str(asyncio.run(made[own_kind](PRESS)).items[0])


def test_a_perturbation_may_return_texts_and_has_defaults(tmp_path: Path) -> None:
    kind = load_perturbation(f"{OWN / 'babble.py'}:babble")
    assert kind.name == "babble"
    assert refusal(kind, Slot("cue", ("...",)), NOTHING)
    for slot in SLOTS:
        after = damage(kind, slot, 1, NOTHING)
        assert after.cue == slot.cue
        assert check(kind, slot, after).passed
        assert not check(kind, slot, slot).passed


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def Object(slot, rng, donor):\n    return 'text'\n", "returned str; a Slot or a list"),
        ("def Object(slot, rng, donor):\n    return [1]\n", "returned list with int in it; a Slot"),
        ("def Object(slot, rng, donor):\n    return ['x \\ud83d']\n", "half of a surrogate pair"),
        ("def Object(slot, rng, donor):\n    return slot.words\n", r"AttributeError.*line 2"),
        ("def Object(slot, rng):\n    return slot\n", "TypeError"),
    ],
)
def test_what_a_perturbation_does_wrong_stops_the_run(tmp_path: Path, code: str, said: str) -> None:
    kind = load_perturbation(own(tmp_path, code))
    with pytest.raises(RunFault, match=said):
        damage(kind, SLOTS[0], 0, NOTHING)


def test_a_perturbation_with_an_odd_name_or_aim_is_refused(tmp_path: Path) -> None:
    odd = "class Object:\n    {}\n    def __call__(self, slot, rng, donor): return slot\n"
    with pytest.raises(SpecFault, match="`name` is a word"):
        load_perturbation(own(tmp_path, odd.format("name = 'two words'")))
    with pytest.raises(SpecFault, match="`aim` is an Aim"):
        load_perturbation(own(tmp_path, odd.format("aim = 0.5"), file="aim.py"))


def test_a_world_of_ones_own_takes_settings_and_is_digested(tmp_path: Path) -> None:
    name = f"{OWN / 'stairs.py'}:Stairs"
    environment = f"environment: {{world: '{name}', settings: {{steps: 5}}}}"
    text = f"{environment}\nbackbone: simulated/reader\narms: [oracle]\n"
    world = open_world(load_spec(write_spec(tmp_path, text)))
    task = world.tasks("test")[0]
    assert world.name == "Stairs"
    assert (world.step_limit(task), len(world.ground_truth(task).path)) == (7, 5)
    assert world.reset(task).actions == ("up", "rest")
    digests = {load_world(name, {"steps": n}, seed).digest for n, seed in ((3, 0), (3, 0), (4, 0), (3, 1))}
    assert len(digests) == 3
    with pytest.raises(SpecFault, match="takes no setting 'height'; its settings: steps, n"):
        load_world(name, {"height": 3}, 0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    rules =", "    words =", "needs the text `rules`"),
        ("    def outcome(", "    def result(", "lacks outcome"),
        ('f"{split}-{i}"', '"same"', "got 'same' of .* times"),
        ("range(self.n)", "range(0)", "tasks of split 'test'"),
        ("return [", "return 7 or [", "tasks returned int"),
        ("return [", "raise OSError('disk')\n        return [", r"OSError: disk \(stairs\.py, line 13\)"),
    ],
)
def test_a_world_that_cannot_be_played_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    code = (OWN / "stairs.py").read_text(encoding="utf-8")
    assert old in code
    with pytest.raises(SpecFault, match=said):
        load_world(own(tmp_path, code.replace(old, new), "Stairs", "stairs.py"), {}, 0)


@pytest.mark.parametrize(
    ("old", "new", "method", "said"),
    [
        ("self.at = 0", "self.none", "reset", r"reset raised AttributeError.*line 22"),
        ("self.at / self.steps", "3.0", "outcome", r"a score is a number in \[0, 1\]; got 3.0"),
        ("return State(f", "return str(f", "step", "step raised TypeError|step returned str"),
        ('"up", "rest")', '"up", 7)', "reset", "reset returned State whose actions is int"),
        ('"You stand on stair 0."', "'\\ud83d'", "reset", "half of a surrogate pair"),
        ("def ground_truth", "def truth", "ground_truth", "states no ground_truth"),
        ("return self.steps + 2", "return 0", "step_limit", "at least 1"),
    ],
)
def test_what_a_world_raises_is_a_world_fault(
    tmp_path: Path, old: str, new: str, method: str, said: str
) -> None:
    code = (OWN / "stairs.py").read_text(encoding="utf-8")
    assert old in code
    world = load_world(own(tmp_path, code.replace(old, new), "Stairs", "stairs.py"), {}, 0)
    task = world.tasks("test")[0]
    given: dict[str, tuple[Any, ...]] = {"step": ("up",), "outcome": ()}
    if method != "reset":
        world.reset(task)
    with pytest.raises(WorldFault, match=said):
        getattr(world, method)(*given.get(method, (task,)))
    world.close()
    world.close()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("condensers: {{own: {{kind: '{folder}/none.py:Object'}}}}", "none.py:Object needs the file"),
        ("condensers: {{own: {{kind: theory, gates: ['{folder}/mine.py:None_']}}}}", "named 'None_'"),
        ("condensers: {{own: {{kind: theory, gates: ['{own}', '{own}']}}}}", "a name each"),
        ("arms: [{{name: x, memory: '{own}'}}]", "lacks observe, recall"),
    ],
)
def test_a_spec_with_something_that_cannot_be_loaded_is_refused(tmp_path: Path, line: str, said: str) -> None:
    name = own(tmp_path, "def Object(item, trajectory): return True\n")
    arms = "" if line.startswith("arms") else "arms: [oracle]\n"
    text = f"environment: {{world: workshop}}\nbackbone: simulated/reader\n{arms}"
    spec = load_spec(write_spec(tmp_path, text + line.format(folder=tmp_path, own=name)))
    with pytest.raises(SpecFault, match=said):
        refuse_unloadable(spec)
