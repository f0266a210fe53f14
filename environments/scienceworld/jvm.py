"""One child JVM that runs the simulator, and the calls it answers."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from shutil import which
from typing import Any

from loadbearing.environments.world import WorldFault

OPTIONS = (
    "-Xmx512m",  # the default heap grows to a gigabyte over many loads
    "-XX:+UseSerialGC",
    # The simulator walks through sets ordered by identity hash, so lists, readings and gold paths would
    # depend on all that the JVM did before. One constant hash: the order is that of insertion.
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
)


def missing(package: bool, java: bool) -> str:
    """Say in one line what has to be installed; empty where both are there."""
    wanted = [
        what
        for what, there in (
            ("the package scienceworld (pip install 'loadbearing[scienceworld]')", package),
            (
                "Java 8 or later (`java` on PATH or in JAVA_HOME; Debian: apt install default-jre-headless)",
                java,
            ),
        )
        if not there
    ]
    return f"the world 'scienceworld' needs {' and '.join(wanted)}" if wanted else ""


def java_path() -> str | None:
    """The `java` to run: that of JAVA_HOME, else the one on PATH, else None."""
    home = os.environ.get("JAVA_HOME")
    return (which("java", path=os.path.join(home, "bin")) if home else None) or which("java")


def demand() -> None:
    """Check that the simulator could be started, without starting it.

    Raises:
        ValueError: the package or Java is missing; the line says what to install.
    """
    if problem := missing(find_spec("scienceworld") is not None, java_path() is not None):
        raise ValueError(problem)


def task_names() -> tuple[str, ...]:
    """The names of the benchmark's tasks. Needs the package, starts nothing."""
    from scienceworld.constants import ID2TASK

    return tuple(ID2TASK.values())


@contextmanager
def _hushed() -> Iterator[None]:
    """Keep py4j's tracebacks out of the log: a broken call is told once, by the WorldFault it becomes."""

    def foreign(record: logging.LogRecord) -> bool:
        return record.module != "java_gateway"

    loggers = logging.getLogger(), logging.getLogger("py4j.java_gateway")
    for logger in loggers:
        logger.addFilter(foreign)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(foreign)


class Jvm:
    """A running simulator. Not thread-safe: one call at a time, from whichever thread.

    The package's own environment class is passed by: each of its steps also copies the list of valid
    actions over the socket, element by element, which costs ten times the step itself.

    Args:
        wait_s: a call that takes longer means that the JVM hangs, and ends it.

    Raises:
        WorldFault: from any method, when the JVM is dead, hangs or breaks; it is ended then.
    """

    def __init__(self, wait_s: float) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
        from py4j.protocol import Py4JError
        from scienceworld.constants import BASEPATH, JAR_PATH

        try:
            # a token, because a gateway without one runs any code for anybody on this machine
            port, token, self._process = launch_gateway(
                classpath=JAR_PATH,
                javaopts=list(OPTIONS),
                java_path=java_path(),
                cwd=BASEPATH,
                die_on_exit=True,
                enable_auth=True,
                return_proc=True,
            )
        except (Py4JError, OSError, ValueError) as fault:  # ValueError: it died before it named its port
            how = " ".join(OPTIONS)
            raise WorldFault(f"the JVM of ScienceWorld did not start with {how}: {fault}") from fault
        self.pid: int = self._process.pid
        address = GatewayParameters(
            port=port,
            auth_token=token,
            auto_field=True,
            read_timeout=wait_s,
            # else each list that came back wants to be released in a JVM that may be gone by then
            enable_memory_management=False,
        )
        try:
            with _hushed():
                gateway = JavaGateway(gateway_parameters=address, java_process=self._process)
                self._server = gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()
        except (Py4JError, OSError, TypeError) as fault:  # TypeError: a lost class reads as a package
            self.close()
            raise WorldFault(f"the JVM of ScienceWorld did not answer: {fault}") from fault

    @property
    def alive(self) -> bool:
        """The process runs."""
        return self._process.poll() is None

    @contextmanager
    def _asked(self, what: str) -> Iterator[Any]:
        from py4j.protocol import Py4JError

        if not self.alive:
            raise WorldFault(f"the JVM of ScienceWorld is dead; it was asked to {what}")
        try:
            with _hushed():
                yield self._server
        except (Py4JError, OSError) as fault:
            self.close()
            raise WorldFault(f"the JVM of ScienceWorld broke when asked to {what}: {fault}") from fault

    def load(self, name: str, variation: int, simplifications: str, gold: bool = False) -> None:
        """Begin a variation anew.

        Args:
            gold: work out its gold path too, which costs seconds in long tasks.

        Raises:
            ValueError: no such task or variation.
        """
        with self._asked(f"load {name}/{variation}") as server:
            complaint = server.load(name, variation, simplifications, gold)
        if complaint:
            raise ValueError(
                f"ScienceWorld cannot load {name}/{variation} ({simplifications!r}): {complaint}"
            )

    def variations(self, part: str) -> tuple[int, ...]:
        """The official `train`, `dev` or `test` variations of the loaded task."""
        with self._asked(f"list its {part} variations") as server:
            return tuple(getattr(server, f"getVariations{part.title()}")())

    def gold(self) -> tuple[str, ...]:
        """The gold path of the variation, loaded with `gold`."""
        with self._asked("give its gold path") as server:
            return tuple(server.getGoldActionSequence())

    def description(self) -> str:
        """The text of the loaded task."""
        with self._asked("describe its task") as server:
            return str(server.getTaskDescription())

    def inventory(self) -> str:
        """What the agent carries; no time passes in the simulator."""
        with self._asked("show the inventory") as server:
            return str(server.freeActionInventory())

    def type(self, command: str) -> str:
        """Type one command and read the reply."""
        with self._asked(f"do {command[:80]!r}") as server:
            return str(server.step(command))

    def standing(self) -> tuple[float, bool]:
        """The score, 1 for all and -1 after a wrong focus, and whether the task is completed.

        After a `load` both are still the last episode's, until a command such as `look around` is typed;
        `task` and `help` do not renew them.
        """
        with self._asked("give its score") as server:
            return float(server.getScore()), bool(server.getCompleted())

    def close(self) -> None:
        """End the child. Safe to call twice, and on a child that is dead."""
        # killed, not asked: it holds nothing worth keeping, and a hung one would not listen
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()
