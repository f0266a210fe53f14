"""A signal that comes while the process forks is answered, not lost in Python's own steps after a fork."""

from pathlib import Path

import pytest

from tests.support.refusing import Warm

FORKING = """
import os, signal
from memtrial.plugins.child_process import said_by_child
from memtrial.plugins.process_watch import process_watch

def watch():
    with process_watch(("mine.py:Object",)):
        print("begun")

signal.signal(signal.{number}, signal.default_int_handler)
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.{number}))
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
print(signal.getsignal(signal.{number}) is signal.default_int_handler)
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("work", ["print(*said_by_child(lambda say: say('begun')))", "watch()"])
def test_a_signal_in_the_midst_of_a_fork_interrupts(
    warm: Warm, tmp_path: Path, work: str, number: str
) -> None:
    done = warm.call("-c", FORKING.format(work=work, number=number), cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "interrupted\nTrue\n", "")
