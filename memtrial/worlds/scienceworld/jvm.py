"""One child JVM that runs the simulator, and the calls it answers."""

import logging
import os
from contextlib import suppress
from shutil import which
from typing import Any

from memtrial.worlds.world import WorldFault

OPTIONS = (
    "-Xmx512m",  # the default heap grows to a gigabyte over many loads
    "-XX:+UseSerialGC",
    # The simulator walks through sets ordered by identity hash, so lists, readings and gold paths would
    # depend on all that the JVM did before. One constant hash: the order is that of insertion.
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
)


def describe_missing(package: bool, java: bool) -> str:
    """Say in one line what has to be installed; empty where both are there."""
    wanted = [] if package else ["the package scienceworld (pip install 'memtrial[scienceworld]')"]
    if not java:
        how = "`java` on PATH or in JAVA_HOME; Debian: apt install default-jre-headless"
        wanted.append(f"Java 8 or later ({how})")
    return f"the world 'scienceworld' needs {' and '.join(wanted)}" if wanted else ""


def java_path() -> str | None:
    """The `java` to run: that of JAVA_HOME, else the one on PATH, else None."""
    home = os.environ.get("JAVA_HOME")
    return (which("java", path=os.path.join(home, "bin")) if home else None) or which("java")


def task_names() -> tuple[str, ...]:
    """The names of the benchmark's tasks. Needs the package, starts nothing."""
    from scienceworld.constants import ID2TASK

    return tuple(ID2TASK.values())


def _is_ours(record: logging.LogRecord) -> bool:
    """Keeps py4j's tracebacks out of the log: a broken call is told once, by the WorldFault it becomes."""
    return record.module != "java_gateway"


class Jvm:
    """A running simulator: one call at a time, from whichever thread; one that takes over `wait_s` ends it.

    The package's own environment class is passed by: each of its steps also copies the list of valid
    actions over the socket, element by element, which costs ten times the step itself.

    Raises:
        WorldFault: from any method, when the JVM is dead, hangs or breaks; it is ended then.
    """

    def __init__(self, wait_s: float) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
        from py4j.protocol import Py4JError
        from scienceworld.constants import BASEPATH, JAR_PATH

        for logger in (logging.getLogger(), logging.getLogger("py4j.java_gateway")):
            logger.addFilter(_is_ours)
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
            gateway = JavaGateway(gateway_parameters=address, java_process=self._process)
            self._server = gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()
        except (Py4JError, OSError, TypeError) as fault:  # TypeError: a lost class reads as a package
            self.close()
            raise WorldFault(f"the JVM of ScienceWorld did not answer: {fault}") from fault

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, method: str, *arguments: str | int | bool, many: bool = False) -> Any:
        """Call one method of the simulator's interface; with `many` a list comes, as a tuple, else text."""
        from py4j.protocol import Py4JError

        try:
            answer = getattr(self._server, method)(*arguments)
            # a list is copied from the JVM element by element, each a call of its own
            return tuple(answer) if many else str(answer)
        except (Py4JError, OSError) as fault:
            self.close()
            raise WorldFault(f"the JVM of ScienceWorld broke at {method}{arguments}: {fault}") from fault

    def close(self) -> None:
        """End the child. Safe to call twice, and on a child that is dead."""
        # killed, not asked: it holds nothing worth keeping, and a hung one would not listen
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()
