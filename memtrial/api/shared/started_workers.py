"""Workers that a driver starts beside itself: processes of this machine, or tasks of a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Literal, Protocol

from memtrial.faults import RunFault, SpecFault

EngineName = Literal["processes", "ray"]
MOST = 1000
"""Workers that one driver starts."""
Work = Callable[[], Sequence[str]]
"""What a worker does; why each of its runs stopped early, in a line."""


class StartedWorkers(Protocol):
    """Workers that were started."""

    def end(self, at_once: bool) -> Sequence[str]:
        """Wait until all have ended; what went wrong with each, in a line.

        Args:
            at_once: ask them to stop first.
        """


@contextmanager
def start_workers(
    engine: EngineName, number: int | None, work: Work, say: Callable[[str], None]
) -> Iterator[Callable[[], None]]:
    """Workers that live for this block. What is given is called where all is done: they end by themselves.

    Args:
        number: how many; one for each processor that the engine has unless given.
        work: picklable, as it is done in another process.
        say: gets a line for each worker that something went wrong with.

    Raises:
        SpecFault: the engine is not there.
    """
    started: StartedWorkers
    started = _start_on_ray(number, work) if engine == "ray" else _start_processes(number, work)
    done = False

    def finish() -> None:
        nonlocal done
        done = True

    try:
        yield finish
    finally:
        for line in started.end(at_once=not done):
            say(line)


@dataclass(frozen=True, slots=True)
class WorkerProcesses:
    """Workers of this machine, each a process that was begun anew."""

    processes: tuple[BaseProcess, ...]

    def end(self, at_once: bool) -> Sequence[str]:
        for process in self.processes:
            if at_once and process.is_alive():
                process.terminate()  # as Ctrl-C: calls in flight are finished, blocks given back
        for process in self.processes:
            process.join()
        codes = [(process.pid, process.exitcode) for process in self.processes]
        return [
            f"worker process {pid} ended with code {code}: others play what it had"
            for pid, code in codes
            if code and not at_once
        ]


def _start_processes(number: int | None, work: Work) -> WorkerProcesses:
    context = multiprocessing.get_context("spawn")
    processes = tuple(
        context.Process(target=_carry_out, args=(work,)) for _ in range(number or os.cpu_count() or 1)
    )
    for process in processes:
        process.start()
    return WorkerProcesses(processes)


def _carry_out(work: Work) -> None:
    """What a worker process does; its exit code says whether something went wrong, and a line what."""
    from memtrial.console.standard_output import complain

    lines = _list_troubles(work)
    for line in lines:
        complain(line)
    if lines:
        raise SystemExit(1)


def _list_troubles(work: Work) -> list[str]:
    """Do the work; what stopped it, in lines."""
    try:
        return list(work())
    except (SpecFault, RunFault) as fault:
        return [str(fault)]
    except KeyboardInterrupt:
        return []


@dataclass(frozen=True, slots=True)
class RayWorkers:
    """Tasks of a Ray cluster; `ours`: it was started, or reached, for them alone."""

    tasks: tuple[object, ...]
    ours: bool

    def end(self, at_once: bool) -> Sequence[str]:
        import ray

        lines: list[str] = []
        try:
            for task in self.tasks if at_once else ():
                ray.cancel(task)
            for number, task in enumerate(self.tasks, 1):
                try:
                    lines += [f"worker {number} of Ray: {line}" for line in ray.get(task)]
                except ray.exceptions.TaskCancelledError:
                    continue
                except ray.exceptions.RayError as fault:
                    lines += [] if at_once else [f"worker {number} of Ray ended: {_last_line(fault)}"]
        finally:
            if self.ours:
                ray.shutdown()
        return lines


def _start_on_ray(number: int | None, work: Work) -> RayWorkers:
    # a run asks nobody whom its spec does not name
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as absent:
        raise SpecFault("--engine ray needs Ray; install it: pip install 'memtrial[ray]'") from absent
    ours = not ray.is_initialized()
    if ours:
        try:
            # the cluster that RAY_ADDRESS names or that runs here, else one of this machine's own
            ray.init(log_to_driver=False, logging_level="ERROR", include_dashboard=None)
        except (ConnectionError, RuntimeError, ValueError) as fault:
            raise SpecFault(f"--engine ray needs a cluster that answers: {_last_line(fault)}") from fault
    wanted = number or max(int(ray.cluster_resources().get("CPU", 1)), 1)
    # one that is lost is not begun again: its blocks go to others, and its calls are in the database
    task = ray.remote(max_retries=0, num_cpus=1)(_list_troubles)
    return RayWorkers(tuple(task.remote(work) for _ in range(wanted)), ours)


def _last_line(fault: BaseException) -> str:
    lines = [line for line in str(fault).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(fault).__name__
