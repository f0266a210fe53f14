"""The conformance laws: every shipped member keeps them, and what breaks one is caught by that one."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtrial.cli.tools.check import check_object, kind_of
from memtrial.faults import SpecFault
from memtrial.gates.suite import NAMES
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.providers.open import open_backend
from memtrial.perturbations.kinds import ALL as KINDS_OF_DAMAGE
from memtrial.plugins.conformance.laws import CONDENSERS, GATES, PERTURBATIONS, Result, hold
from memtrial.plugins.conformance.world_laws import WORLDS
from memtrial.prompts.control_prompts import load_control
from memtrial.protocols import Condenser, Perturbation, World
from memtrial.runs.preparation.open_condensers import CondenserSetup, build_condenser, build_gates
from memtrial.runs.spec.condenser_factors import CONDENSERS as SHIPPED
from memtrial.runs.spec.condenser_factors import CondenserSpec
from memtrial.worlds.single_turn.world import invent_world
from memtrial.worlds.workshop.world import Workshop
from tests.support.process import begin
from tests.support.refusing import Warm

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "own"
MINE = {
    "notebook.py:Notebook": "memory",
    "babble.py:babble": "perturbation",
    "hum.py:Hum": "perturbation",
    "last_actions.py:last_actions": "condenser",
    "short_claim.py:short_claim": "gate",
    "stairs.py:Stairs": "world",
    "card_box.py:CardBox": "memory store",
}


def broken(laws: Any, make: Callable[[], Any]) -> list[Result]:
    return [result for result in asyncio.run(hold(laws, make)) if not result.passed]


def offline() -> ModelClient:
    return ModelClient(CallCache(MemoryCallStore()), open_backend)


@pytest.mark.parametrize("kind", KINDS_OF_DAMAGE, ids=lambda kind: kind.name)
def test_every_perturbation_keeps_the_laws(kind: Perturbation) -> None:
    assert broken(PERTURBATIONS, lambda: kind) == []


@pytest.mark.parametrize("kind", SHIPPED)
def test_every_condenser_keeps_the_laws(kind: str) -> None:
    setup = CondenserSetup(offline(), "simulated/scribe", "simulated/examiner", load_control(None))

    def make() -> Condenser:
        return build_condenser(kind, CondenserSpec(kind=kind), setup)

    assert broken(CONDENSERS, make) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_gate_keeps_the_laws(name: str) -> None:
    setup = CondenserSetup(offline(), "simulated/scribe", "simulated/examiner", load_control(None))
    asked = Caller(setup.model_client, setup.judge)
    assert broken(GATES, lambda: build_gates((name,), asked, setup)[0]) == []


def test_the_protocols_example_of_damage_is_one_that_keeps_the_laws() -> None:
    code = (OWN / "hum.py").read_text(encoding="utf-8").partition("class Hum:\n")[2]
    shown = (Perturbation.apply.__doc__ or "").partition("class Hum:\n")[2]
    assert [line.strip() for line in shown.splitlines() if line.strip()] == [
        line.strip() for line in code.splitlines() if line.strip()
    ]


def test_the_workshop_keeps_the_laws() -> None:
    def make() -> World:
        return Workshop(3, 20, 20, 12)

    assert broken(WORLDS, make) == []


def test_single_turn_questions_keep_the_laws_of_worlds() -> None:
    assert broken(WORLDS, lambda: invent_world(3, 20, 20)) == []


@pytest.mark.parametrize(("name", "kind"), MINE.items())
def test_the_examples_are_known_for_what_they_are_and_keep_the_laws(
    name: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = str(OWN / name)
    assert kind_of(named) == kind
    assert check_object(named, True) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["object"], said["kind"]) == (named, kind)
    assert len(said["laws"]) >= 2
    assert all(set(law) == {"law", "passed", "seen"} and law["passed"] for law in said["laws"])


PERTURB = "from memtrial.agents.slot import Slot\nimport random\ndef Object(slot, rng, donor):\n"
CONDENSE = "import random\ndef Object(trajectory):\n"
JUDGE = "import random\ndef Object(item, trajectory):\n"
REMEMBER = (
    "import random\nclass Object:\n    seen = ()\n    def observe(self, run):\n        self.seen += (run,)\n"
)
RECALL = "    def recall(self, task, state):\n"
STAIRS = (
    (OWN / "stairs.py").read_text(encoding="utf-8").replace("class Stairs", "import random\nclass Object")
)


@pytest.mark.parametrize(
    ("code", "law"),
    [
        (f"{PERTURB}    return [str(random.random()) for _ in slot.items]\n", "same seed same damage"),
        (f"{PERTURB}    return slot\n", "its check holds"),
        (f"{PERTURB}    return Slot(slot.cue, ('x', *slot.items))\n", "its check holds"),
        (f"{PERTURB}    object.__setattr__(slot, 'cue', 'new')\n    return slot\n", "same seed same damage"),
        (f"{PERTURB}    return [item.split()[7] for item in slot.items]\n", "its check holds"),
        (
            "class Object:\n    def why_not(self, slot, donor): return 'never'\n"
            "    def __call__(self, slot, rng, donor): return slot\n",
            "its check holds",
        ),
        (f"{CONDENSE}    return str(random.random())\n", "same answers same items"),
        (f"{CONDENSE}    return {{'success': 'x'}}[trajectory.outcome]\n", "any trajectory is condensed"),
        (f"{CONDENSE}    return (7,)\n",
         "any trajectory is condensed"),
        (f"{JUDGE}    return random.random() < 0.5\n", "same draft same finding"),
        (f"{JUDGE}    return len(item.claim) < 9\n", "it answers with evidence"),
        (f"{REMEMBER}{RECALL}        return self.seen[0].query\n", "it recalls text"),
        (f"{REMEMBER}        run.steps[0]\n{RECALL}        return 'x'\n", "it recalls text"),
        (f"{REMEMBER}{RECALL}        return str(random.random())\n", "same history same slot"),
        (
            f"{REMEMBER}{RECALL}        self.seen += (task,)\n        return f'{{len(self.seen)}} runs'\n",
            "the order of recalls does not matter",
        ),
        (STAIRS.replace("self.at = 0", "vars(self).setdefault('at', 0)"),
         "same actions same observations"),
        (STAIRS.replace("stair {self.at}", "stair {random.random()}"), "same actions same observations"),
        (STAIRS.replace('("up",) * self.steps', '("up",)'), "the true path solves the task"),
        (STAIRS.replace("self.steps + 2", "1"), "the true path solves the task"),
        (STAIRS.replace("self.at / self.steps", "self.at"), "the true path solves the task"),
        (STAIRS.replace("Climb the", "{random.random()}"), "the same tasks each time"),
        (STAIRS.replace('"You stand on stair 0."', '""'), "an episode has its shapes"),
        (f"{STAIRS}\n    def close(self):\n        del self.steps\n", "the same tasks each time"),
    ],
)  # fmt: skip
def test_what_breaks_a_law_is_caught_by_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, law: str
) -> None:
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    assert check_object(f"{tmp_path / 'mine.py'}:Object", True) == 1
    said = {one["law"]: one for one in json.loads(capsys.readouterr().out)["laws"]}
    assert not said[law]["passed"]
    assert said[law]["seen"]
    assert "\n" not in said[law]["seen"]


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("tests/support/carriers.py:FirstTurn", "tests/arms/test_carriers.py"),
        ("memtrial/arms/arm.py:PREPEND", "tests/arms/test_carriers.py"),
        ("memtrial/ledger/memory_ledger.py:MemoryLedger", "tests/ledger/test_ledger_stores.py"),
    ],
)
def test_a_carrier_and_a_ledger_are_sent_to_the_tests_that_hold_them(name: str, tests: str) -> None:
    with pytest.raises(SpecFault, match="carriers and ledgers are not checked here") as refused:
        check_object(f"{ROOT / name}", False)
    assert tests in str(refused.value)
    assert (ROOT / tests).is_file()


def test_a_store_that_another_process_would_fill_otherwise_breaks_a_law(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = (OWN / "card_box.py").read_text(encoding="utf-8")
    by_hash = code.replace("key=lambda item: -item.score", "key=lambda item: (-item.score, hash(item.text))")
    assert by_hash != code
    (tmp_path / "mine.py").write_text(by_hash, encoding="utf-8")
    assert check_object(f"{tmp_path / 'mine.py'}:CardBox", True) == 1
    laws = json.loads(capsys.readouterr().out)["laws"]
    assert [law["law"] for law in laws if not law["passed"]] == ["another process gives the same items"]


def test_what_is_called_like_no_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def Object(a, b, c, d, e): pass\nplain = 3\n", encoding="utf-8")
    for name in ("Object", "plain"):
        with pytest.raises(SpecFault, match="is called like no condenser"):
            check_object(f"{path}:{name}", False)


def test_an_agent_that_reports_its_outcome_is_told_where_it_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def Object(task, memory): return True\n", encoding="utf-8")
    with pytest.raises(SpecFault, match=r"reports its own outcome.*memtrial run SPEC --limit 1"):
        check_object(f"{path}:Object", False)


def test_check_from_the_command_line(warm: Warm, tmp_path: Path) -> None:
    done = warm.call("check", f"{OWN / 'notebook.py'}:Notebook", cwd=tmp_path)
    assert done.code == 0, done
    assert "4 of 4 laws hold" in done.out
    shipped = warm.call("check", "notes", cwd=tmp_path)
    assert shipped.code == 0, shipped
    assert "notes: memory store" in shipped.out
    assert "7 of 7 laws hold" in shipped.out
    absent = warm.call("check", "absent.py:Notebook", cwd=tmp_path)
    assert (absent.code, absent.out) == (2, "")
    assert absent.err.count("\n") == 1


@pytest.mark.parametrize(
    ("ends", "how"),
    [
        ("os._exit(3)", "with code 3"),
        ("os._exit(0)", "with code 0"),
        ("os.kill(os.getpid(), 9)", "by SIGKILL"),
    ],
)
def test_an_object_that_ends_the_process_breaks_the_law_that_called_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: str, how: str
) -> None:
    calls = "import os\ncalls = []\ndef Object(trajectory):\n    calls.append(1)\n"
    # any trajectory is condensed: five calls of one object; the second law begins with a fresh one
    (tmp_path / "mine.py").write_text(f"{calls}    if len(calls) > 5: {ends}\n    return 'Do x.'\n")
    named = f"{tmp_path / 'mine.py'}:Object"
    assert check_object(named, True) == 0
    (tmp_path / "mine.py").write_text(f"{calls}    if len(calls) > 4: {ends}\n    return 'Do x.'\n")
    capsys.readouterr()
    assert check_object(named, True) == 1
    (law,) = json.loads(capsys.readouterr().out)["laws"]
    assert law["seen"] == f"the object ended the process {how}, so that no further law was tried"
    (tmp_path / "mine.py").write_text(f"import os\n{ends}\n")
    with pytest.raises(SpecFault, match=f"loading .*mine.py:Object ended the process {how}; a module"):
        check_object(named, False)


LEAVING = """
import os, pathlib, signal
def Object(trajectory):
    if not os.fork():
        signal.alarm(60)
        with open({pids!r}, "a") as file:
            file.write(f"{{os.getpid()}} ")
        signal.pause()
    return "Do x."
"""


def test_a_process_that_the_object_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    (tmp_path / "mine.py").write_text(LEAVING.format(pids=str(pids)))
    assert check_object(f"{tmp_path / 'mine.py'}:Object", True) == 0
    while not (pids.exists() and pids.read_text().endswith(" ")):
        time.sleep(0.02)
    for left in pids.read_text().split():
        os.kill(int(left), signal.SIGKILL)  # ProcessLookupError: it was waited for


CHECKED_APART = """
import os, signal, sys
from memtrial.cli.app import main
os.setpgrp()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what runs in the background ignore it
sys.argv = ["memtrial", "check", "mine.py:Object"]
main()
"""


@pytest.mark.parametrize("both", [True, False], ids=["as Ctrl-C does", "the first process alone"])
def test_an_interrupted_check_is_one_line(tmp_path: Path, both: bool) -> None:
    code = "import time\ndef Object(trajectory):\n    open('begun', 'x').close()\n    time.sleep(60)\n"
    (tmp_path / "mine.py").write_text(code)
    process = begin(tmp_path, verb=("-c", CHECKED_APART))
    while not (tmp_path / "begun").exists():
        assert process.poll() is None
        time.sleep(0.02)
    (os.killpg if both else os.kill)(process.pid, signal.SIGINT)
    assert process.ended() == (
        130,
        "memtrial: interrupted at: any trajectory is condensed; run the same command to check again\n",
    )


def test_an_interrupt_that_reaches_the_object_alone_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("def Object(trajectory):\n    raise KeyboardInterrupt\n")
    assert check_object(f"{tmp_path / 'mine.py'}:Object", False) == 130
    assert capfd.readouterr().err.startswith("memtrial: interrupted at: any trajectory is condensed; run")
