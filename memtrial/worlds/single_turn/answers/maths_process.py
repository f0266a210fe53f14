"""Equivalence of expressions, by math-verify in a process that can be killed and is used again."""

import json
import selectors
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Protocol

from memtrial.reader_process import reader_variables
from memtrial.worlds.single_turn.answers.maths_program import ALGEBRA
from memtrial.worlds.world import WorldFault

PROGRAM = "memtrial.worlds.single_turn.answers.maths_program"
INSTALL = "pip install 'memtrial[maths]'"
CPU_S = 5.0
"""Seconds of processor time for one pair, whatever else the machine does."""
WAIT_S = 300.0
"""Seconds of waiting for a process that its own limit should have ended: then the machine is at fault."""


class Equivalence(Protocol):
    """Says whether an answer means what the right one does, or matches a pattern."""

    def same(self, right: str, answer: str) -> bool: ...

    def matches(self, pattern: str, answer: str) -> bool: ...

    def close(self) -> None: ...


def maths_installed() -> bool:
    """math-verify is here."""
    return find_spec("math_verify") is not None


@dataclass
class MathsProcess:
    """One process, begun at the first question and again after it was ended.

    Without `algebra` it matches patterns alone, and needs no math-verify.
    An answer that ends it, by its time or its memory, is not shown to be the right one: `False`.

    Raises:
        WorldFault: it could not be started, or it hangs without working.
    """

    algebra: bool = True
    cpu_s: float = CPU_S
    program: str = PROGRAM
    wait_s: float = WAIT_S
    n_ended: int = 0
    _process: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    def same(self, right: str, answer: str) -> bool:
        """The two expressions are worth the same."""
        return self._ask({"right": right, "answer": answer})

    def matches(self, pattern: str, answer: str) -> bool:
        """The whole answer is of this regular expression."""
        return self._ask({"pattern": pattern, "answer": answer})

    def close(self) -> None:
        """End the process; a later question begins another."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _ask(self, pair: Mapping[str, str]) -> bool:
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(pair).encode() + b"\n")
            process.stdin.flush()
            line = self._read_line(process)
        except BrokenPipeError:
            line = b""
        if not line:
            self.n_ended += 1
            self.close()
        return line == b"true\n"

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", self.program, str(self.cpu_s), *([ALGEBRA] * self.algebra)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**reader_variables(), "PYTHONHASHSEED": "0"},
        )  # fmt: skip
        if self._read_line(self._process) != b"ready\n":
            self.close()
            raise WorldFault(f"the process that compares expressions did not start; {INSTALL} may mend it")
        return self._process

    def _read_line(self, process: "subprocess.Popen[bytes]") -> bytes:
        """Its next line; empty where it has ended. WorldFault where it neither works nor ends."""
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(self.wait_s):
                self.close()
                raise WorldFault(f"the process that compares expressions gave no answer in {self.wait_s:g} s")
        return process.stdout.readline()
