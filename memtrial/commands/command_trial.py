"""One task, done by a command in a folder of its own: laid out, run, scored and taken away."""

import asyncio
import json
import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import TypeVar

from memtrial.commands.command_outcome import (
    late,
    outcome_of_check,
    outcome_of_exit,
    outcome_of_result,
    refuse_broken,
)
from memtrial.commands.command_spec import CheckOutcome, CommandSpec, FileCarrier, Words
from memtrial.commands.command_words import Fillings, fill_words
from memtrial.commands.folder_removal import identify
from memtrial.commands.process_order import CommandFault, ProcessEnd, ProcessLimits, ProcessOrder
from memtrial.commands.process_run import run_process
from memtrial.commands.sandbox import Sandbox
from memtrial.commands.trial_folder import TrialFolder, trial_folder
from memtrial.worlds.world import Outcome, Task

Made = TypeVar("Made")
TASK_FILE, MEMORY_FILE = "task.json", "memory.md"
REMOVED = "it removed its own folder"


@dataclass(frozen=True, slots=True)
class CommandTask:
    """What one trial of a command is of.

    Args:
        memory: its text; empty in a trial without.
        seed: of the trial, the same in all of its conditions.
        proxy: the address without `/v1`; empty without a proxy.
        variables: further ones that the command gets, as the addresses and the token of the proxy.
        sandbox: what holds its commands.
    """

    task: Task
    memory: str = ""
    seed: int = 0
    proxy: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    sandbox: Sandbox = Sandbox()

    @property
    def prompt(self) -> str:
        """The memory, and below it what is asked."""
        return f"{self.memory}\n\n{self.task.query}" if self.memory else self.task.query


def play_command(spec: CommandSpec, given: CommandTask, stop: Event | None = None) -> Outcome:
    """Have a command do a task: how it went. Nothing of it is left, in memory or on the disk.

    Raises:
        CommandFault: nobody can say how it went; the set-up failed, or the command crashed.
        ProcessStopped: `stop` was set.
    """
    with trial_folder(spec.base, spec.keep) as folder:
        shown = isinstance(spec.carrier, FileCarrier)
        fillings = _lay_out(folder, given, "" if shown else given.memory)
        work = identify(folder.work)

        def run(command: Words, seconds: float) -> ProcessEnd:
            return _run(command, spec, folder, fillings, given, seconds, stop)

        if spec.setup is not None:
            _refuse_failed_setup(run(spec.setup, spec.timeout_s), spec.timeout_s)
        if isinstance(spec.carrier, FileCarrier) and given.memory:
            _write_carrier(folder.work, spec.carrier.file, given.memory)
        end = run(spec.command, spec.timeout_s)
        if end.left:
            raise CommandFault(f"{end.left} processes of the command could not be ended: they are not ours")
        match spec.outcome:
            case "exit":
                return outcome_of_exit(end)
            case CheckOutcome(check=check, timeout_s=seconds):
                refuse_broken(end)
                if end.code is None:
                    return late()
                if not work.stands:
                    return Outcome(False, 0.0, REMOVED)
                return outcome_of_check(run(check, seconds))
            case _:
                return outcome_of_result(end, folder.work)


def _lay_out(folder: TrialFolder, given: CommandTask, memory: str) -> Fillings:
    """Write the task and its memory down, and say what the placeholders stand for."""
    task = given.task
    fields = {**task.row, "id": task.id, "query": task.query, "memory": memory}
    text = json.dumps(_plain(fields), default=str, indent=1)
    (folder.given / TASK_FILE).write_text(text, encoding="utf-8")
    (folder.given / MEMORY_FILE).write_bytes(memory.encode("utf-8", "surrogatepass"))
    places = {
        "task_file": str(folder.given / TASK_FILE),
        "memory_file": str(folder.given / MEMORY_FILE),
        "folder": str(folder.work),
        "here": str(folder.here),
        "seed": str(given.seed),
        "proxy": given.proxy,
    }
    prompt = given.prompt if memory else task.query
    return Fillings(places, {"prompt": prompt, "query": task.query, "memory": memory})


def _plain(value: object) -> object:
    """A value as JSON of any language knows it: what is no number there is null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _run(
    command: Words,
    spec: CommandSpec,
    folder: TrialFolder,
    fillings: Fillings,
    given: CommandTask,
    seconds: float,
    stop: Event | None,
) -> ProcessEnd:
    words, own = fill_words(command, spec, folder, fillings)
    # the proxy's addresses and token stand in the place of the user's own
    named = {name: os.environ[name] for name in spec.env if name in os.environ}
    variables = folder.variables({**named, **given.variables, **own})
    order = ProcessOrder(words, folder.work, variables, ProcessLimits(seconds), folder.root)
    return run_process(given.sandbox.hold(order, folder.root), stop)


def _refuse_failed_setup(end: ProcessEnd, seconds: float) -> None:
    refuse_broken(end, "the set-up")
    if end.code is None:
        raise CommandFault(f"the set-up took more than {seconds:g} s")
    if end.code:
        raise CommandFault(f"the set-up ended with code {end.code}: {end.last_line}")


def _write_carrier(work: Path, name: str, memory: str) -> None:
    """Write memory into a file of the folder, below what the set-up put there."""
    path = work / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.resolve().is_relative_to(work.resolve()):
            raise CommandFault(f"carrier: {name} leads out of the agent's folder by a link")
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, 0o644), "r+b") as file:
            before = file.read()
            gap = b"\n\n" if before.strip() else b""
            file.write(gap + memory.encode("utf-8", "surrogatepass") + b"\n")
    except OSError as fault:
        raise CommandFault(f"carrier: {name} cannot be written: {fault.strerror or fault}") from fault


async def run_beside(work: Callable[[Event], Made]) -> Made:
    """Do work in a thread of its own while the loop goes on; who cancels it sets the event, and waits."""
    stop, pool = Event(), ThreadPoolExecutor(1, "command")
    running = asyncio.get_running_loop().run_in_executor(pool, work, stop)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([running])
        running.exception()  # it was asked for
        raise
    finally:
        pool.shutdown(wait=False)
