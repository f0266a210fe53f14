"""Whether a task is one: its check fails before the change, passes after it, and says the same twice."""

from dataclasses import dataclass
from threading import Event

from memtrial.commands.process_order import TIME_LIMIT, CommandFault, ProcessEnd
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import TreeFault
from memtrial.repositories.mining.exclusions import ExclusionKind
from memtrial.repositories.workspace import CheckTerms, SetupFault, Workspace, open_workspace

TIMES = 2
"""How often each side is run, in one work tree: an agent runs the check more than once, too."""
UNFOUND = {126: "a command of it may not be run", 127: "a command of it is not found"}
"""What the shell means by these exit codes."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What came of it.

    Args:
        kind: why it is no task; None where it is.
        line: the reason in one line.
        seconds: the longest run of the check.
        doubt: why a check that fails as it should may never pass, in a sentence; empty where nothing says so.
    """

    kind: ExclusionKind | None
    line: str = ""
    seconds: float = 0.0
    doubt: str = ""


def validate(
    task: CodingTask, terms: CheckTerms, stop: Event | None = None, with_end: bool = True
) -> Validation:
    """Run the check before and after the change, each twice.

    Args:
        with_end: the task has a change that solves it; else only that it is not solved yet can be tried.

    Raises:
        ProcessStopped: `stop` was set.
        RepositoryFault: the repository is damaged.
    """
    try:
        before = _run_twice(task, terms, False, stop)
        if isinstance(before, Validation):
            return before
        if not with_end:
            return Validation(None, "", before.seconds, _doubt(before))
        after = _run_twice(task, terms, True, stop)
    except SetupFault as fault:
        return Validation("set-up failed", str(fault))
    except TreeFault as fault:
        return Validation(fault.kind, str(fault))
    if isinstance(after, Validation):
        return after
    return Validation(None, "", max(before.seconds, after.seconds))


def _doubt(end: ProcessEnd) -> str:
    if end.code not in UNFOUND:
        return ""
    return (
        f"its check ends with code {end.code}, {UNFOUND[end.code]}: {end.last_line}; unless that is what the"
        " agent is to make, mend it: it would fail whatever was done"
    )


def _run_twice(
    task: CodingTask, terms: CheckTerms, solved: bool, stop: Event | None
) -> Validation | ProcessEnd:
    """The slower run where both ended as they should."""
    ends = list[ProcessEnd]()
    with open_workspace(task, terms, solved, stop) as workspace:
        if not solved:
            try:  # as before each score: what that puts back must not solve the task
                workspace.restore_tests()
            except OSError as fault:
                return Validation("set-up failed", f"the tests cannot be put back: {fault!s:.200}")
        for number in range(TIMES):
            end = _run(workspace, stop)
            if isinstance(end, Validation):
                return end
            ends.append(end)
            if (end.code == 0) != solved:
                return _mismatch(end, solved, number)
    return max(ends, key=lambda end: end.seconds)


def _run(workspace: Workspace, stop: Event | None) -> ProcessEnd | Validation:
    removed = Validation("work tree removed", "the check removed or replaced its own work tree")
    try:
        end = workspace.run_check(stop)
    except CommandFault:
        return removed
    if not workspace.stands:
        return removed
    if end.stopped and end.stopped != TIME_LIMIT:
        return Validation("failed after", f"the check was ended: {end.stopped}", end.seconds)
    if end.code is None:
        limit = f"{workspace.terms.timeout_s:g} s"
        return Validation("time limit", f"the check took more than {limit}", end.seconds)
    return end


def _mismatch(end: ProcessEnd, solved: bool, number: int) -> Validation:
    if number:
        side = "after" if solved else "before"
        line = f"the check said two things of the same files, {side} the change: {end.last_line}"
        return Validation("flaky", line, end.seconds)
    if solved:
        line = f"the check ended with code {end.code} after the change: {end.last_line}"
        return Validation("failed after", line, end.seconds)
    line = f"the check passed before the change: {end.last_line}"
    return Validation("passed before", line, end.seconds)
