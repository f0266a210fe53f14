"""Coding tasks from a repository's history, or from a folder of tasks; no model is asked."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from pydantic import JsonValue

from memtrial.commands.sandbox import find_sandbox
from memtrial.commands.tool_places import find_named
from memtrial.console.display import Display, progress_of
from memtrial.console.line_width import columns
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import how_many
from memtrial.repositories.check_choice import refuse_check
from memtrial.repositories.coding_task import CodingTask
from memtrial.repositories.file_trees import GitTree
from memtrial.repositories.git_process import RepositoryFault, open_repository
from memtrial.repositories.mining.exclusions import LeftOut, count_kinds
from memtrial.repositories.mining.mined_tasks import Mined, MiningOptions, mine
from memtrial.repositories.mining.validation import validate
from memtrial.repositories.task_folder import read_tasks
from memtrial.repositories.workspace import PASSED_ON

MINED = re.compile(r"git:(\d{1,6})")
NEEDED = "git:N, as git:10, or a folder of tasks is needed"
KEPT = Path("logs") / "tried_tasks"
"""Where validations are kept, below the folder that the command is called in."""


@dataclass(frozen=True, slots=True)
class TaskList:
    """The tasks, and what was left out.

    Args:
        source: `git:N` or the folder, as it was asked for.
        wanted: how many tasks were asked for; 0 for a folder, of which all are.
        sandbox: whether checks were held, in a sentence.
        doubts: what speaks against the check of a task, by its id.
    """

    source: str
    wanted: int
    mined: Mined
    sandbox: str
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> tuple[CodingTask, ...]:
        """The tasks, newest first or by name."""
        return self.mined.tasks

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What is no task, in the same order."""
        return self.mined.left_out

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the checks before a task is tried."""
        return (self.sandbox, *(f"Task {id}: {doubt}." for id, doubt in self.doubts.items()))

    def to_json(self) -> dict[str, JsonValue]:
        """What `tasks --json` prints."""
        return {
            "source": self.source,
            "wanted": self.wanted,
            "n_commits": self.mined.n_commits,
            "n_seen": self.mined.n_seen,
            "gave_up": self.mined.gave_up,
            "sandbox": self.sandbox,
            "doubts": dict(self.doubts),
            "tasks": [_task_row(task) for task in self.tasks],
            "left_out": [
                {"id": each.id, "subject": each.subject, "kind": each.kind, "reason": each.line}
                for each in self.left_out
            ],
            "n_left_out": {str(kind): n for kind, n in count_kinds(self.left_out).items()},
        }

    def lines(self, width: int | None = None) -> tuple[str, ...]:
        """What the terminal shows, in so many columns."""
        return tuple(self._lines(width))

    def _lines(self, width: int | None) -> Iterator[str]:
        seen = (
            f" of {how_many(self.mined.n_seen, 'commit')} looked at" if self.wanted else f" of {self.source}"
        )
        yield f"{how_many(len(self.tasks), 'task')}{seen}"
        if self.mined.gave_up:
            yield (
                "no more were looked at: none of those that were tried passes with its own files;"
                " mend --check, --setup or what the machine lacks; --sandbox none shows whether it hides that"
            )
        elif len(self.tasks) < self.wanted:
            yield f"{self.wanted:,} were asked for; there are no more among the newest commits"
        if self.tasks:
            rows: list[tuple[str, ...]] = [("task", "what is to be done", "tests", "sources", "lines")]
            for task in self.tasks:
                numbers = (len(task.tests), len(task.sources), task.n_lines)
                rows.append((task.id, task.prompt.split("\n")[0][:60], *map(str, numbers)))
            yield from columns(rows, width, right=(2, 3, 4))
            yield from self._check_lines()
        yield from self.notes
        if self.left_out:
            yield f"{how_many(len(self.left_out), 'commit' if self.wanted else 'task')} left out:"
            for kind, n in count_kinds(self.left_out).items():
                first = next(each for each in self.left_out if each.kind == kind)
                yield f"  {kind}, {n:,}; {first.id}: {first.line}"

    def _check_lines(self) -> Iterator[str]:
        first = self.tasks[0]
        chosen = (
            "chosen by the language of the tests; --check names another" if first.detected else "as given"
        )
        yield f"check of the first, {chosen}: {first.check}"
        if first.setup:
            yield f"set-up of each fresh work tree: {first.setup}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


def _task_row(task: CodingTask) -> dict[str, JsonValue]:
    return {
        "id": task.id,
        "prompt": task.prompt,
        "check": task.check,
        "check_chosen": task.detected,
        "setup": task.setup,
        "start": task.start.name,
        "end": task.end.name,
        "tests": list(task.tests),
        "sources": list(task.sources),
        "n_lines": task.n_lines,
        "digest": task.digest,
    }


def tasks(
    source: str, repo: Path = Path(), options: MiningOptions | None = None, display: Display | None = None
) -> TaskList:
    """Coding tasks, each tried: its check fails before the change and passes after it, twice.

    Args:
        source: `git:N` for the newest N commits of a repository that are tasks, or a folder of tasks.
        repo: the repository, or a folder in it.
        options: how tasks are taken; validations are kept in `logs/tried_tasks` unless it says otherwise.

    Raises:
        SpecFault: the source, the repository or the check cannot be used.
    """
    options = hold_mining(options or MiningOptions(kept=KEPT), repo)
    display = progress_of(display)
    wanted = number_of(source)
    with refused(RepositoryFault):
        if options.check:
            refuse_check(options.check)
        if wanted is None:
            return _try_folder(source, repo, options, display)
        repository = open_repository(repo)
        with display.phase("find tasks", wanted) as tick:
            mined = mine(repository, wanted, options, lambda is_task: tick(int(is_task)))
            return TaskList(source, wanted, mined, options.terms.sandbox.says)


def hold_mining(options: MiningOptions, repo: Path) -> MiningOptions:
    """The options with the sandbox that they ask for; of a repository checks and agents see what is checked
    out. SpecFault where one is required and there is none."""
    names = (*PASSED_ON, *options.terms.pass_on)
    shown = (repo, *find_named([options.check, options.setup]))
    sandbox = find_sandbox(options.sandbox, shown, names)
    return replace(options, terms=replace(options.terms, sandbox=sandbox))


def number_of(source: str) -> int | None:
    """How many tasks of a history are asked for; None where a folder is. SpecFault where it is neither."""
    asked = MINED.fullmatch(source)
    if asked is not None and int(asked[1]):
        return int(asked[1])
    if source.startswith("git:") or not source.strip() or "\0" in source:
        raise SpecFault(f"{NEEDED}; {source!r} is neither")
    return None


def begin_in_commits(source: str, repo: Path) -> bool:
    """A task of the source begins with the files of a commit. SpecFault where the source cannot be used."""
    if number_of(source) is not None:
        return True
    with refused(RepositoryFault):
        return any(isinstance(task.start, GitTree) for task in read_tasks(Path(source), repo))


def _try_folder(folder: str, repo: Path, options: MiningOptions, display: Display) -> TaskList:
    """The tasks of a folder whose check fails on what they begin with, twice."""
    kept, left_out, doubts = list[CodingTask](), list[LeftOut](), dict[str, str]()
    listed = read_tasks(Path(folder), repo)
    with display.phase("try tasks", len(listed)) as tick:
        for task in listed:
            validation = validate(task, options.terms, with_end=False)
            if validation.kind is None:
                kept.append(task)
                if validation.doubt:
                    doubts[task.id] = validation.doubt
            else:
                first = task.prompt.split("\n")[0][:100]
                left_out.append(LeftOut(task.id, first, validation.kind, validation.line))
            tick()
    mined = Mined(tuple(kept), tuple(left_out), len(listed), len(listed))
    return TaskList(folder, 0, mined, options.terms.sandbox.says, doubts)
