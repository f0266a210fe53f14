"""A folder of tasks: a folder each, with its prompt, its set-up, its check and what it begins with."""

import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.prompts.plain_text import text_of
from memtrial.repositories.check_choice import refuse_check
from memtrial.repositories.coding_task import SCRIPTS, CodingTask
from memtrial.repositories.file_trees import FileTree, FolderTree, GitTree, TreeFault
from memtrial.repositories.git_process import RepositoryFault, open_repository, resolve_commit

LARGEST = 1024 * 1024
"""Bytes of a prompt or of task.toml."""
NEEDED = 'a task is a folder with prompt.md and check.sh, or check = "..." in task.toml'


class _TaskSettings(BaseModel):
    """What task.toml may say."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    check: str = ""
    setup: str = ""
    commit: str = ""
    repo: str = ""
    tests: list[str] = []


def read_tasks(folder: Path, repository: Path) -> tuple[CodingTask, ...]:
    """The tasks of a folder, by name.

    A task begins with the files of `commit` in task.toml, of `repo` there or of `repository`; else with those
    of its folder `start`; else with none. Its tests are put back as they stood at the beginning.

    Raises:
        RepositoryFault: there is no task, or one cannot be used; the message names it.
    """
    if not folder.is_dir():
        raise RepositoryFault(f"git:N or a folder of tasks is needed; {folder} is no folder")
    tasks = tuple(_read_each(folder, repository))
    if not tasks:
        raise RepositoryFault(f"{NEEDED}; {folder} holds none")
    return tasks


def _read_each(folder: Path, repository: Path) -> Iterator[CodingTask]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            yield read_task(path.resolve(), repository)


def read_task(folder: Path, repository: Path) -> CodingTask:
    """One task of its folder. Raises RepositoryFault: it cannot be used."""
    settings = _read_settings(folder / "task.toml")
    prompt = text_of(folder / "prompt.md", NEEDED, RepositoryFault, LARGEST).strip()
    if not prompt:
        raise RepositoryFault(f"{NEEDED}; {folder / 'prompt.md'} is empty")
    given = (settings.check, settings.setup)
    scripts = tuple(folder / name for name in SCRIPTS)
    texts = tuple(map(_read_script, scripts))
    check, setup = map(_command_of, scripts, texts, given)
    if not check:
        raise RepositoryFault(f"{NEEDED}; {folder} has no check")
    refuse_check(check)
    start = _begin_with(folder, settings, repository)
    try:
        start.files  # noqa: B018  read now: what cannot be written is said before anything is run
    except TreeFault as fault:
        raise RepositoryFault(f"task {folder.name} cannot be used: {fault}") from fault
    return CodingTask(
        id=folder.name, prompt=prompt, check=check, setup=setup, start=start, end=start,
        test_globs=tuple(settings.tests), folder=folder,
        script_digests=tuple("" if text is None else sha256(text).hexdigest() for text in texts),
    )  # fmt: skip


def _command_of(script: Path, text: bytes | None, given: str) -> str:
    """A script beside the task, or what its settings say; both are one too many."""
    if text is not None and given:
        raise RepositoryFault(
            f"{script.parent} has both {script.name} and {script.stem} in task.toml; take one away"
        )
    return f'sh "$MEMTRIAL_TASK/{script.name}"' if text is not None else given


def _read_script(script: Path) -> bytes | None:
    """A script beside the task, None where there is none. RepositoryFault where sh could not run it: then
    each trial would fail, whatever was done in it."""
    if not script.is_file():
        return None
    try:
        with script.open("rb") as file:
            text = file.read(LARGEST + 1)
    except OSError as fault:
        raise RepositoryFault(f"sh must be able to read {script}: {fault.strerror}") from fault
    if len(text) > LARGEST:
        raise RepositoryFault(f"a script has at most {LARGEST // 1024**2} MiB; {script} is larger")
    if b"\r\n" in text:
        raise RepositoryFault(
            f"{script} ends lines as Windows does, and sh takes the carriage return for a part of the last"
            " word; save it with Unix line ends"
        )
    return text


def _begin_with(folder: Path, settings: _TaskSettings, repository: Path) -> FileTree:
    if not settings.commit:
        return FolderTree(folder / "start")
    if (folder / "start").is_dir():
        raise RepositoryFault(f"{folder} has both a folder start and a commit in task.toml; take one away")
    opened = open_repository(folder / settings.repo if settings.repo else repository)
    return GitTree(opened, resolve_commit(opened, settings.commit))


def _read_settings(path: Path) -> _TaskSettings:
    if not path.exists():
        return _TaskSettings()
    text = text_of(path, "task.toml is a small TOML file", RepositoryFault, LARGEST)
    try:
        return _TaskSettings.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as fault:
        raise RepositoryFault(f"{path} is no TOML: {fault}") from fault
    except ValidationError as fault:
        first = fault.errors()[0]
        keys = ", ".join(_TaskSettings.model_fields)
        name = ".".join(map(str, first["loc"]))
        raise RepositoryFault(f"{path}: {name}: {first['msg'].lower()}; its keys are {keys}") from fault
