"""A command is ended with all that it started, however that tries to stay, and what it uses is bounded."""

import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event, Timer
from time import monotonic, sleep

import pytest

from memtrial.commands.process_order import (
    TIME_LIMIT,
    CommandFault,
    ProcessEnd,
    ProcessLimits,
    ProcessOrder,
    ProcessStopped,
    shell_words,
)
from memtrial.commands.process_run import TAIL_BYTES, run_process
from tests.support.left_processes import left, odd_seconds

HERE = {"PATH": os.environ["PATH"]}
LONG = ProcessLimits(60, grace_s=0.2)
SHORT = replace(LONG, seconds=0.4)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="orphans are adopted on Linux alone")


def run(command: str, folder: Path, limits: ProcessLimits = LONG, stop: Event | None = None) -> ProcessEnd:
    return run_process(ProcessOrder(shell_words(command), folder, HERE, limits), stop)


def test_how_it_ended_is_known(tmp_path: Path) -> None:
    end = run("echo first; echo last >&2; exit 3", tmp_path)
    assert (end.code, end.stopped, end.tail, end.last_line, end.printed) == (
        3,
        "",
        "first\nlast\n",
        "last",
        11,
    )
    assert run("kill -9 $$", tmp_path).code == -9
    assert run("true", tmp_path).last_line == "it printed nothing"
    assert run("cat", tmp_path).code == 0, "standard input is empty"
    assert run("pwd", tmp_path).last_line == str(tmp_path.resolve())


def test_nothing_of_the_users_reaches_it(tmp_path: Path) -> None:
    names = {line.partition("=")[0] for line in run("env", tmp_path).tail.splitlines()}
    assert names <= {"PATH", "PWD", "TRIAL_MARK", "SHLVL", "_", "OLDPWD"}
    assert run("ls -l /proc/self/fd | grep -c pipe:", tmp_path).last_line == "2", (
        "its two outputs, no channel"
    )
    # what Python ignores for itself would be ignored by what it starts; what its own parent ignores still is
    ignored = int(run("grep SigIgn /proc/self/status", tmp_path).last_line.split()[1], 16)
    assert not any(ignored & 1 << (number - 1) for number in (signal.SIGPIPE, signal.SIGXFSZ))


@pytest.mark.parametrize(
    "command",
    [
        "sleep {s}",
        "trap '' TERM; while :; do sleep {s}; done",
        "setsid sh -c 'sleep {s} & sleep {s}' & exit 0",
        "(setsid setsid sleep {s} &) & sleep {s}",
        "env -i setsid /bin/sh -c '/bin/sleep {s} & exec /bin/sleep {s}' & exit 0",
        "exec >&- 2>&-; sleep {s}",
    ],
)
def test_nothing_is_left_running(tmp_path: Path, command: str) -> None:
    word = odd_seconds()
    end = run(command.format(s=word), tmp_path, SHORT)
    by_itself = command.endswith("exit 0")
    assert (end.code, end.stopped) == ((0, "") if by_itself else (None, TIME_LIMIT))
    assert left(word) == []
    assert end.left == 0


def test_it_is_asked_to_end_before_it_is_killed(tmp_path: Path) -> None:
    limits = replace(SHORT, grace_s=30)
    end = run("trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", tmp_path, limits)
    assert (end.code, end.stopped, end.last_line) == (None, TIME_LIMIT, "bye")


def test_who_kills_its_watcher_is_ended_all_the_same(tmp_path: Path) -> None:
    word = odd_seconds()
    with pytest.raises(CommandFault, match="the process that watched the command was killed"):
        run(f"setsid sleep {word} & sleep 0.1; kill -9 $PPID; sleep {word}", tmp_path)
    assert left(word) == []


def test_a_bomb_of_forks_is_ended(tmp_path: Path) -> None:
    # each ends by itself, and there are never more than a few hundred
    word = odd_seconds()
    bomb = (
        f"for i in 1 2 3 4 5 6 7 8 9; do (for j in 1 2 3 4 5 6 7 8 9; do setsid sleep {word} & done) & done"
    )
    end = run(f"{bomb}; sleep {word}", tmp_path, replace(LONG, processes=40))
    assert end.stopped == "more than 40 processes at a time"
    assert left(word) == []


def test_a_flood_is_drained_in_little_memory_and_its_end_is_kept(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    many = replace(LONG, output_bytes=2**31)
    end = run("head -c 1000000000 /dev/zero; echo; echo the end", tmp_path, many)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (end.code, end.last_line, end.printed) == (0, "the end", 1_000_000_009)
    assert len(end.tail) == TAIL_BYTES
    assert grown < 32 * 1024, "KiB"


def test_too_much_is_ended(tmp_path: Path) -> None:
    end = run("yes", tmp_path, replace(LONG, output_bytes=100_000))
    assert (end.code, end.stopped) == (None, "more than 100,000 bytes printed")
    fill = "i=0; while :; do i=$((i+1)); head -c 200000 /dev/zero > file$i; sleep 0.02; done"
    end = run(fill, tmp_path, replace(LONG, folder_bytes=2_000_000))
    assert (end.code, end.stopped) == (None, "more than 2,000,000 bytes in its folder")
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 500_000_000


def test_no_file_grows_without_bound(tmp_path: Path) -> None:
    end = run("head -c 9000000 /dev/zero > large", tmp_path, replace(LONG, file_bytes=1_000_000))
    assert end.code != 0
    assert (tmp_path / "large").stat().st_size == 1_000_000


def test_it_stops_when_it_is_asked_to(tmp_path: Path) -> None:
    stop, word = Event(), odd_seconds()
    Timer(0.3, stop.set).start()
    with pytest.raises(ProcessStopped):
        run(f"sleep {word}", tmp_path, stop=stop)
    assert left(word) == []
    with pytest.raises(ProcessStopped):
        run("touch never", tmp_path, stop=stop)
    assert not (tmp_path / "never").exists()


def test_what_cannot_be_started_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(
        CommandFault, match=r"^'no-such-program' cannot be started: No such file or directory$"
    ):
        run_process(ProcessOrder(("no-such-program",), tmp_path, HERE, LONG))
    with pytest.raises(CommandFault, match=r"'/bin/sh' cannot be started: No such file .*: .*nowhere$"):
        run("true", tmp_path / "nowhere")
    with pytest.raises(CommandFault, match="cannot be started: Argument list too long"):
        run_process(ProcessOrder(("echo", "x" * 200_000), tmp_path, HERE, LONG))


def test_who_is_killed_leaves_no_command_running(tmp_path: Path) -> None:
    word = odd_seconds()
    code = (
        "import sys; from pathlib import Path; from memtrial.commands.process_run import *;"
        "from memtrial.commands.process_order import *;"
        f"run_process(ProcessOrder(shell_words('echo > begun; setsid sleep {word} & sleep {word}'),"
        "Path(sys.argv[1]), {'PATH': '/usr/bin:/bin'}, ProcessLimits(60)))"
    )
    asking = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    try:
        wait = run_process(
            ProcessOrder(shell_words("while ! test -e begun; do sleep 0.02; done"), tmp_path, HERE, LONG)
        )
        assert wait.code == 0
    finally:
        asking.kill()
        asking.wait()
    until = monotonic() + 60
    while left(word) and monotonic() < until:
        sleep(0.02)
    assert left(word) == []


MIB = 2**20
HOLD = "import os, time; held = bytearray({n} * 2**20)"


def python(*lines: str) -> str:
    return f"{sys.executable} -S -c '{'; '.join(lines)}'"


def test_who_takes_too_much_memory_is_ended(tmp_path: Path) -> None:
    limits = replace(LONG, memory_bytes=64 * MIB)
    command = f"{python(HOLD.format(n=48), 'time.sleep(60)')} & {python(HOLD.format(n=48), 'time.sleep(60)')}"
    end = run(command, tmp_path, limits)
    assert (end.code, end.stopped) == (None, f"more than {64 * MIB:,} bytes of memory")
    assert end.seconds < 60


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    share = ("[os.fork() for _ in range(3)]", "time.sleep(1)")
    assert run(python(HOLD.format(n=64), *share), tmp_path, replace(LONG, memory_bytes=200 * MIB)).code == 0
