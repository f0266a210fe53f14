"""Processor time of the demonstration, all that comes before its trials included, beside bare episodes.

A bare episode is a loop of world, prompts and participant, which keeps and proves nothing.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from memtrial.agents.react import SYSTEM, TURN, parse
from memtrial.models.client.types import Message, Request
from memtrial.models.providers.open import open_backend
from memtrial.protocols import Backend
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Task

DEMO = Path(__file__).parent.parent / "runs" / "specs" / "quickstart.yaml"
FEW, SOME, ALL = 4, 20, 200
"""Test tasks: of the two runs, and of the demonstration."""
TRIALS = 77_264
EPISODES = 400
AIM_S = 40.0


def figures() -> Iterator[Figure]:
    """One figure; the bare episodes are played before the runs and after them."""
    before = _bare_s()
    few, some = _demo_s(FEW), _demo_s(SOME)
    whole = few + (some - few) / (SOME - FEW) * (ALL - FEW)
    bare = (before + _bare_s()) / 2
    yield Figure(
        "processor time of the demonstration against as many bare episodes",
        f"{few:.1f} and {some:.1f} s with {FEW} and {SOME} test tasks, so {whole:.0f} s of {TRIALS:,} trials,"
        f" {whole / TRIALS * 1e3:.2f} ms each, {bare * 1e3:.2f} bare; {AIM_S:.0f} s are wanted",
        whole / (bare * TRIALS),
        AIM_S / (bare * TRIALS),
    )


def _demo_s(tasks: int) -> float:
    """Seconds of the command and of its processes, without a report."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "memtrial", "run", str(DEMO), "-S", f"environment.test={tasks}"]
        command += ["--no-report", "--processes", "1", "--display", "none", "--out", f"{folder}/out"]
        used = os.times()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        now = os.times()
    return now.children_user + now.children_system - used.children_user - used.children_system


def _bare_s() -> float:
    """Seconds of an episode, the mean over participants and tasks."""
    backends = {name: open_backend(name) for name in load_spec(DEMO, []).backbone}
    tasks = (world := Workshop(1, 0, EPISODES // len(backends))).tasks("test")

    async def play_all() -> None:
        for name, backend in backends.items():
            for task in tasks:
                await _play(world, task, name, backend)

    asyncio.run(play_all())  # what is loaded or made once is no part of it
    begun = time.process_time()
    asyncio.run(play_all())
    return (time.process_time() - begun) / EPISODES


async def _play(world: Workshop, task: Task, name: str, backend: Backend) -> None:
    state, query = world.reset(task), task.query
    messages = [Message("system", SYSTEM.render({"rules": world.rules, "memory": ""}))]
    for _ in range(world.step_limit(task)):
        shown = {"task": query, "observation": state.observation, "actions": state.actions, "memory": ""}
        messages.append(Message("user", TURN.render(shown)))
        reply = await backend.answer(Request(name, tuple(messages)), 0)
        messages.append(Message("assistant", reply.text))
        state, query = world.step(parse(reply.text)[1] or ""), ""
        if state.done:
            return


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
