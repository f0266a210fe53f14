"""Damage by processes: what the run itself would do, however one of them or the run ends meanwhile."""

import asyncio
import os
import pickle
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.runs.engine.processes.block_process import BlockWorker
from memtrial.runs.engine.processes.block_work import BlockBasis, DamageWork, PlayWork
from memtrial.runs.engine.processes.process_damage import tasks_stand_alone
from memtrial.runs.preparation.store_reading import DamagedReading
from memtrial.runs.trials.planned.block_damage import BlockDamage
from memtrial.runs.trials.planned.planned_blocks import BlockSource
from memtrial.runs.trials.stored_damage import StoreBook
from memtrial.worlds.workshop.world import Workshop
from tests.runs.test_planned_blocks import Planned, plan
from tests.runs.test_processes import SPEC, checks_of, children, plan_of, rows_of, spec_of, wait_for
from tests.support.carried_out import play_spec
from tests.support.process import begin, carry_out
from tests.support.small import write_spec

HOLDING = """
import os
import time
from pathlib import Path
from memtrial.perturbations.filler import Filler

HERE = Path(__file__).parent

class Held:
    name = "held"
    aim = Filler().aim

    def apply(self, slot, rng, context):
        (HERE / "damaging").write_text(str(os.getpid()))
        while (HERE / "hold").exists():
            time.sleep(0.01)
        if (HERE / "breaks").exists():
            raise ValueError("no words")
        return Filler().apply(slot, rng, context)
"""


BANK = "arms: [none, activation, {name: whole, condenser: theory, injection: trigger, reach: bank}]"


def worker_of(planned: Planned) -> BlockWorker:
    """What a process holds behind the line, on which its basis came."""
    source = planned.blocks.source
    basis: BlockBasis = pickle.loads(pickle.dumps(BlockBasis.of(source)))
    world = Workshop(3, 24, 6)
    return BlockWorker(planned.spec, world, basis.open(planned.spec, world))


def test_a_process_lays_a_task_out_as_the_run_does_and_keeps_nothing(tmp_path: Path) -> None:
    planned = plan(tmp_path)
    source, worker = planned.blocks.source, worker_of(planned)
    places = source.places
    seen = []
    for index in range(len(places.tasks)):
        numbers = places.numbers_of(index)
        assert {(places.index_of(number)) for number in numbers} == {index}
        damaged = worker.damage(DamageWork(numbers))
        assert damaged.outlines == {number: source.outline(number) for number in numbers}
        # both backbones are shown the same: damage of the first is enough
        assert list(damaged.damages) == list(numbers[: places.repeats])
        apart = replace(source, damage=BlockDamage(source.layout))
        for number, packed in damaged.damages.items():
            apart.keep(number, packed)
        for number in numbers:
            assert apart.lay(number) == source.lay(number)
            assert apart.checks_of(number) == fresh(source).checks_of(number)
        seen += numbers
        assert not worker.source.damage._kept
    assert sorted(seen) == list(range(len(places)))


def fresh(source: BlockSource) -> BlockSource:
    """The same blocks, nothing of them damaged yet."""
    return replace(source, damage=BlockDamage(source.layout))


def test_damage_that_concerns_more_than_its_task_is_done_by_the_run(tmp_path: Path) -> None:
    layout = (draft := plan(tmp_path).draft).source.layout
    assert tasks_stand_alone(draft)
    layout.damager.stored = StoreBook()
    assert tasks_stand_alone(draft)
    task = draft.source.places.tasks[0]
    layout.damager.stored = StoreBook({("simulated/reader", "own", task.id, ("a",)): DamagedReading(("b",))})
    assert not tasks_stand_alone(draft)
    layout.damager.stored = None
    layout.design = replace(layout.design, arms=(replace(layout.design.arms[0], reach="bank"),))
    assert not tasks_stand_alone(draft)


def test_a_process_gives_each_text_once_and_plays_what_is_left(tmp_path: Path) -> None:
    planned = plan(tmp_path, "backbone=simulated/ignorer")
    worker, blocks = worker_of(planned), planned.blocks

    def work_of(position: int, finished: frozenset[str]) -> PlayWork:
        order, damage = blocks.order_at(position), blocks.damage_at(position)
        return PlayWork(int(blocks.numbers[position]), damage, order, finished)

    over = frozenset(blocks[0].keys[:2])
    first = asyncio.run(worker.play(work_of(0, over)))
    again = asyncio.run(worker.play(work_of(0, frozenset())))
    keys = [[row.key for group in played.ended for row, _ in group] for played in (first, again)]
    assert set(keys[0]) == set(blocks[0].keys) - over
    assert set(keys[1]) == set(blocks[0].keys)
    assert first.texts == blocks[0].texts
    assert again.texts == {}


def write(folder: Path) -> Path:
    """A spec whose damage goes on for as long as a file stands beside it; the file."""
    (folder / "held.py").write_text(HOLDING, encoding="utf-8")
    text = SPEC.replace("[filler, corrupt_invert]", f"['{folder / 'held.py'}:Held', corrupt_invert]")
    write_spec(folder, text, "spec.yaml")
    return folder / "hold"


ASKED = ("--display", "none", "--no-report")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that one process damages and plays."""
    folder = tmp_path_factory.mktemp("alone")
    write(folder)
    code, err = carry_out(folder, "--processes", "1", *ASKED)
    assert code == 0, err
    return folder / "out"


@pytest.mark.parametrize("ends", ["the run", "a process", "by Ctrl-C"])
def test_a_run_that_ends_while_its_processes_damage_goes_on(tmp_path: Path, alone: Path, ends: str) -> None:
    held = write(tmp_path)
    held.touch()
    process = begin(tmp_path, "--processes", "2", *ASKED)
    damaging = tmp_path / "damaging"
    wait_for(damaging.exists, process)
    working = children(process.pid)
    assert len(working) == 2
    if ends == "a process":
        wait_for(damaging.read_text, process)
        os.kill(int(damaging.read_text()), signal.SIGKILL)
    else:
        process.send(signal.SIGINT if ends == "by Ctrl-C" else signal.SIGKILL)
    code, err = process.ended()
    expected = {"the run": (-signal.SIGKILL, ""), "a process": (1, "ended with exit code -9")}
    assert (code, expected.get(ends, (130, ""))[1] in err) == (expected.get(ends, (130, ""))[0], True), err
    held.unlink()
    until = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in working):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert rows_of(tmp_path / "out") == []
    code, err = carry_out(tmp_path, "--processes", "2", *ASKED)
    assert code == 0, err
    assert len(rows_of(tmp_path / "out")) == len(rows_of(alone)) > 0
    assert told(tmp_path / "out") == told(alone)


@pytest.mark.parametrize("n", ["1", "2"])
def test_damage_of_the_users_that_breaks_ends_the_run_in_the_same_line(tmp_path: Path, n: str) -> None:
    write(tmp_path)
    (tmp_path / "breaks").touch()
    code, err = carry_out(tmp_path, "--processes", n, *ASKED)
    assert code == 1
    assert err == "memtrial: perturbation held raised ValueError: no words (held.py, line 18)\n"


def told(out: Path) -> list[tuple[object, ...]]:
    """What a run left, less what names the folder of its kind of damage."""
    rows = [(row.arm, row.task, row.repeat, row.slot, row.status, row.score) for row, _ in rows_of(out)]
    checks = [(check.arm, check.task, check.after, check.measured) for check in checks_of(out)]
    return [*rows, *checks]


def test_what_is_prepared_by_processes_is_played_by_one_and_the_other_way_round(
    tmp_path: Path, alone: Path
) -> None:
    write(tmp_path)
    code, err = carry_out(tmp_path, "--processes", "2", "--prepare", *ASKED)
    assert code == 0, err
    assert rows_of(tmp_path / "out") == []
    assert told(tmp_path / "out") == told(alone)[len(rows_of(alone)) :]
    code, err = carry_out(tmp_path, "--processes", "1", *ASKED)
    assert code == 0, err
    assert told(tmp_path / "out") == told(alone)


def test_whole_banks_are_damaged_by_the_run(tmp_path: Path) -> None:
    found = {}
    for n in (1, 2):
        folder = tmp_path / str(n)
        text = SPEC.replace("arms: [none, activation, oracle]", BANK)
        assert play_spec(spec_of(folder, n, text), folder / "out", told=False) == 0
        found[n] = rows_of(folder / "out"), checks_of(folder / "out"), plan_of(folder / "out")
    assert found[2] == found[1]
    reaching = [row for row, _ in found[1][0] if row.arm == "whole"]
    assert len({row.condition for row in reaching}) > 1
