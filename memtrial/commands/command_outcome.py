"""How a task went, by what its command left: an exit code, a file, or a check.

What a command that ran says of itself counts. Where it says nothing that can be read, nobody knows how the
task went, and that is a fault. One that takes too long has not solved its task: to leave such trials out
would leave out the hard ones, and more of them where memory misleads (DESIGN 9).
"""

import json
import os
import signal
import stat
from pathlib import Path
from typing import Any

from memtrial.commands.command_spec import RESULT
from memtrial.commands.process_order import TIME_LIMIT, CommandFault, ProcessEnd
from memtrial.worlds.world import Outcome, Usage

MOST_BYTES = 1024 * 1024
NOT_STARTED = (126, 127)
"""Codes of a shell for a program that is not there, or cannot be executed."""
NEEDED = f'{RESULT} holds {{"success": true or false}} or {{"score": a number from 0 to 1}}, in a JSON object'
COUNTS = ("input_tokens", "output_tokens")


def refuse_broken(end: ProcessEnd, what: str = "the command") -> None:
    """CommandFault where a command was ended for what it used, crashed or was not there."""
    said = f"what it printed: {end.telling_line}" if end.printed else "it printed nothing"
    if end.stopped and end.stopped != TIME_LIMIT:
        raise CommandFault(f"{what} was ended: {end.stopped}; {said}")
    if end.code is None:
        return
    if number := signal_of(end.code):
        raise CommandFault(f"{what} was ended by {name_of(number)}; {said}")
    if end.code in NOT_STARTED:
        raise CommandFault(f"{what} could not be carried out (code {end.code}); {said}")


def outcome_of_exit(end: ProcessEnd) -> Outcome:
    """Solved with code 0; CommandFault where it crashed."""
    refuse_broken(end)
    if end.code is None:
        return late()
    return Outcome(end.code == 0, float(end.code == 0), "" if end.code == 0 else f"exit code {end.code}")


def outcome_of_check(end: ProcessEnd) -> Outcome:
    """Solved where the check ended with code 0. One that hangs or breaks on what the agent left is not
    passed; CommandFault where it is not there, or was killed."""
    if end.code is None and end.stopped == TIME_LIMIT:
        return Outcome(False, 0.0, "check: time limit")
    number = signal_of(end.code or 0)
    if number and number != signal.SIGKILL:
        return Outcome(False, 0.0, f"check: {name_of(number)}")
    refuse_broken(end, "the check")
    return Outcome(end.code == 0, float(end.code == 0), "" if end.code == 0 else "check failed")


def outcome_of_result(end: ProcessEnd, folder: Path) -> Outcome:
    """What the command wrote of itself; CommandFault where it crashed, or wrote nothing of the kind."""
    refuse_broken(end)
    if end.code is None:
        return late()
    return read_result(_read_plain(folder, end))


def signal_of(code: int) -> int:
    """The signal that ended a process, or by a shell's word the program that it ran; 0: none did."""
    if code < 0:
        return -code
    return code - 128 if code - 128 in signal.valid_signals() else 0


def name_of(number: int) -> str:
    """A signal as people know it."""
    try:
        return signal.Signals(number).name
    except ValueError:  # one of those without a name of their own
        return f"signal {number}"


def late() -> Outcome:
    """Of a command that took too long."""
    return Outcome(False, 0.0, TIME_LIMIT)


def _read_plain(folder: Path, end: ProcessEnd) -> bytes:
    """The bytes of the result's file, which is opened as it lies there: no link, no pipe."""
    try:
        number = os.open(folder / RESULT, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        raise CommandFault(
            f"{NEEDED}; it cannot be read ({fault.strerror}), the command ended with code {end.code}, and"
            f" what it printed: {end.telling_line}"
        ) from fault
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise CommandFault(f"{NEEDED}; it is no plain file")
    with open(number, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise CommandFault(f"{NEEDED}; it is larger than {MOST_BYTES:,} bytes")
    return content


def read_result(content: bytes) -> Outcome:
    """The outcome in the bytes of a result; CommandFault where they hold none."""
    try:
        raw: Any = json.loads(content)
    except (ValueError, RecursionError) as fault:
        raise CommandFault(f"{NEEDED}; it is no JSON: {str(fault)[:200]}") from fault
    if not isinstance(raw, dict):
        raise CommandFault(f"{NEEDED}; got {type(raw).__name__}")
    success, score = raw.get("success"), raw.get("score")
    if success is not None and not isinstance(success, bool):
        raise CommandFault(f"{NEEDED}; got success: {success!r:.60}")
    if score is None:
        if success is None:
            there = ", ".join(map(str, raw))[:200] or "nothing"
            raise CommandFault(f"{NEEDED}; its fields: {there}")
        score = float(success)
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise CommandFault(f"{NEEDED}; got score: {score!r:.60}")
    cause = raw.get("cause", "")
    solved = score >= 1 if success is None else success
    text = " ".join(cause.split())[:200] if isinstance(cause, str) else ""
    return Outcome(solved, float(score), text, _read_usage(raw.get("usage")))


def _read_usage(raw: Any) -> Usage | None:
    """What the command says that it used; None where it says nothing."""
    if raw is None:
        return None
    wanted = 'usage is {"input_tokens": 0, "output_tokens": 0, "usd": 0.0}'
    if not isinstance(raw, dict):
        raise CommandFault(f"{RESULT}: {wanted}; got {raw!r:.60}")
    counts = [raw.get(name, 0) for name in COUNTS]
    usd = raw.get("usd")
    if not all(type(count) is int and 0 <= count < 2**53 for count in counts):
        raise CommandFault(f"{RESULT}: {wanted}; got {raw!r:.60}")
    if usd is not None and not (type(usd) in (int, float) and 0 <= usd < float("inf")):
        raise CommandFault(f"{RESULT}: {wanted}; got usd: {usd!r:.60}")
    return Usage(counts[0], counts[1], None if usd is None else float(usd))
