"""Settings of things of one's own: they reach the object, are checked, and are part of what it is."""

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memtrial.api.run import RunOptions
from memtrial.api.run import run as carry_out
from memtrial.cli.tools.check import check_object
from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.client import Caller
from memtrial.plugins.adapters import load_gate, load_perturbation, load_world
from memtrial.plugins.load_plugin import make
from memtrial.plugins.own_memory import load_memory
from memtrial.plugins.plugin_names import bare, settings_of, with_settings
from memtrial.runs.run_folder.folder import identity_of
from memtrial.runs.setup.preflight import check_spec, nobody_asked
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import State, Task
from tests.support.small import write_spec

MEMORY = """
class M:
    def __init__(self, seed, k, word="so", more=None):
        if k < 0:
            raise ValueError("k is a count")
        self.text = f"{word} {k} {more} {seed}"
    def observe(self, trajectory): pass
    def recall(self, task, state):
        return self.text
"""
CONDENSER = """
class C:
    def __init__(self, k):
        self.k = k
    def __call__(self, trajectory):
        return f"Press the button {self.k} times."
"""
GATE = """
class G:
    def __init__(self, most=3):
        self.name, self.most = f"most-{most}", most
    def __call__(self, item, trajectory):
        return len(str(item)) < self.most
"""
DAMAGE = """
from memtrial.agents.slot import Slot
class P:
    def __init__(self, word="x"):
        self.name, self.word = f"put-{word}", word
    def __call__(self, slot, rng, donor):
        return [" ".join(self.word for _ in item.split()) for item in slot.items]
"""
SMALL = ("environment={train: 6, test: 2}", "backbone=simulated/reader", "repeats=1")
VALUES: tuple[Any, ...] = (
    1, -2.5, 1e-9, True, None, "so", "", "1", "a&b=c?d%20#", "weiß 雨", "a: [b", [1, "x"],
    {"a": {"b": [None]}},
)  # fmt: skip


@pytest.fixture
def own(tmp_path: Path) -> Path:
    for name, code in (("m", MEMORY), ("c", CONDENSER), ("g", GATE), ("p", DAMAGE)):
        (tmp_path / f"{name}.py").write_text(code)
    return tmp_path


def spec_of(own: Path, *settings: str) -> Spec:
    return load_spec(write_spec(own), (*SMALL, *settings))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_the_same_behind_the_name(value: Any) -> None:
    name = with_settings("a b/m.py:M", {"k": value, "other": 1})
    assert settings_of(name) == {"k": value, "other": 1}
    assert type(settings_of(name)["k"]) is type(value)
    assert bare(name) == "a b/m.py:M"


def test_a_name_may_hold_settings_as_a_person_writes_them() -> None:
    assert settings_of("m.py:M?k=1&word=so&list=[1, a]") == {"k": 1, "word": "so", "list": [1, "a"]}
    for odd in ("k", "k=1&k=2", "1k=2", "=2", "k=[1"):
        with pytest.raises(ValueError, match="setting"):
            settings_of(f"m.py:M?{odd}")


def recalled(source: str) -> object:
    memory = load_memory(source, nobody_asked(), 5)
    task = Task("t", "q", "f", "test", "x")
    slot = asyncio.run(memory.recall(task, State("o", None)))
    return slot.items


def test_settings_reach_a_memory_and_others(own: Path) -> None:
    spec = spec_of(own, "arms=[{name: mine, memory: m.py:M, settings: {k: 1, more: [a]}}]")
    (arm,) = spec.arms
    source = getattr(arm, "memory", "")
    assert recalled(source) == ("so 1 ['a'] 5",)
    assert recalled(f"{own}/m.py:M?k=2&word=then") == ("then 2 None 5",)
    caller: Caller = nobody_asked()
    assert load_gate(f"{own}/g.py:G?most=7", caller, 0).name == "most-7"
    assert load_perturbation(f"{own}/p.py:P?word=la").name == "put-la"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("{k: 1, gone: 2}", "takes no setting 'gone'; its settings: k, word, more"),
        ("{k: 1, ask: 2}", "takes no setting 'ask'"),
        ("{}", "needs the argument 'k'.*name it in `settings`"),
        ("{word: so}", "needs the argument 'k'"),
        ("{k: -1}", "raised ValueError: k is a count"),
        ("{k: many}", "raised TypeError"),
        ("[k]", "settings are a mapping"),
        ("{two words: 1}", "name of an argument; got 'two words'"),
        ("{k: 2026-01-01}", "settings are numbers, texts, lists"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(own: Path, settings: str, said: str) -> None:
    with pytest.raises(SpecFault, match=said) as raised:
        check_spec(spec_of(own, f"arms=[{{name: mine, memory: m.py:M, settings: {settings}}}]"), {})
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "setting",
    [
        "arms=[{name: mine, condenser: native, settings: {k: 1}}]",
        "arms=[{name: mine, memory: 'm.py:M?k=1', settings: {k: 1}}]",
        "condensers={mine: {kind: native, settings: {k: 1}}}",
        "condensers={mine: {kind: theory, gates: [{gate: refuter, settings: {k: 1}}]}}",
        "conditions=[{condition: counter, settings: {k: 1}}]",
    ],
)
def test_settings_go_with_things_of_ones_own_alone(own: Path, setting: str) -> None:
    with pytest.raises(SpecFault, match=r"settings go with path/to/module\.py:Object"):
        spec_of(own, setting)


def test_an_object_that_is_made_already_takes_none(own: Path) -> None:
    (own / "o.py").write_text(MEMORY + "mine = M(0, 1)\n")
    assert make(f"{own}/o.py:mine", {}).text == "so 1 None 0"
    with pytest.raises(SpecFault, match="takes no setting 'k'; its settings: none"):
        make(f"{own}/o.py:mine?k=1", {})


def test_other_settings_are_another_experiment(own: Path) -> None:
    arms = "arms=[{{name: mine, memory: m.py:M, settings: {}}}]"
    one, same, other = (
        identity_of(spec_of(own, arms.format(settings)))
        for settings in ("{k: 1, word: so}", "{word: so, k: 1}", "{k: 2, word: so}")
    )
    assert one == same != other
    # a run without settings is what it was before there were any
    assert "settings" not in json.dumps(identity_of(spec_of(own)))
    stairs = str(Path(__file__).parents[1] / "own" / "stairs.py")
    digests = {load_world(f"{stairs}:Stairs?steps={n}", {}, 0).digest for n in (3, 4)}
    assert len(digests | {load_world(f"{stairs}:Stairs", {"steps": 3}, 0).digest}) == 2


def test_two_arms_with_other_settings_show_other_memories(own: Path) -> None:
    arms = ", ".join(f"{{name: m{k}, memory: m.py:M, settings: {{k: {k}}}}}" for k in (1, 2))
    mine = "{name: mine, condenser: mine}"
    spec = spec_of(
        own,
        f"arms=[none, {arms}, {mine}]",
        "condensers={mine: {kind: c.py:C, settings: {k: 3}}}",
        "conditions=[{condition: p.py:P, settings: {word: la}}]",
        "retrieval.k=1",
    )
    ended = carry_out(spec, RunOptions(own / "out", environment={}, report=False))
    assert ended.ending.how == "done"
    results = ended.results
    assert results is not None
    assert results.conditions[-1] == "put-la"
    shown = {cell.arm: cell for cell in results.cells}
    assert {"m1", "m2", "mine"} <= shown.keys()
    with closing(SqliteLedger.open_read_only(own / "out" / "ledger.sqlite")) as ledger:
        texts = " ".join(text for _, text in ledger.slots())
    assert all(text in texts for text in ("so 1 None 3", "so 2 None 3", "button 3 times", "la la"))


def test_check_takes_settings_too(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_object(f"{own}/m.py:M?k=1")
    assert ": memory" in capsys.readouterr().out
    with pytest.raises(SpecFault, match="needs the argument 'k'"):
        check_object(f"{own}/m.py:M")
