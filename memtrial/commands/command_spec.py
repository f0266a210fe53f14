"""An agent that is a command: how it is called, what it is given, and how its outcome is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from memtrial.commands.sandbox import SandboxMode
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.faults import SpecFault
from memtrial.private_file import read_private

Words = Annotated[str, Field(min_length=1)] | Annotated[tuple[str, ...], Field(min_length=1)]
"""A text for the system's shell, or a program with its arguments, which no shell reads."""
Seconds = Annotated[float, Field(gt=0, le=7 * 24 * 3600, strict=True)]
RESULT = "result.json"
WORD = re.compile(r"[^\s'\"|&;<>()$`=,:{}\\]+")
"""What may be a relative path in a command."""


class CommandPart(BaseModel):
    """A frozen piece of a command's description."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CheckOutcome(CommandPart):
    """The task is solved where this command ends with code 0, in the folder that the agent left."""

    check: Words
    timeout_s: Seconds = 600


class FileCarrier(CommandPart):
    """Memory is written into this file of the agent's folder, which the agent reads by itself."""

    file: str

    @field_validator("file")
    @classmethod
    def _below(cls, name: str) -> str:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or name.endswith("/"):
            raise ValueError(f"a path inside the agent's folder is needed, as CLAUDE.md; got {name!r}")
        return name


class MarkedCarrier(CommandPart):
    """The agent has its memory in every condition, and puts it between marks in what it sends.

    Args:
        marked: the file with the texts that stand between them.
    """

    marked: str
    marks: tuple[str, str] = ("[[memory]]", "[[/memory]]")

    @field_validator("marks")
    @classmethod
    def _apart(cls, marks: tuple[str, str]) -> tuple[str, str]:
        try:
            MemoryMarks(*marks)
        except SpecFault as fault:
            raise ValueError(str(fault)) from fault
        return marks


class CommandSpec(CommandPart):
    """A command, in any language, that does one task and ends.

    Args:
        command: with {task_file}, {memory_file}, {prompt}, {query}, {memory}, {folder}, {here}, {seed} and
            {proxy} in it. Words that name files of yours by a relative path are found there.
        outcome: `result.json`, which it writes into its folder; `exit`, solved with code 0; or a check.
        timeout_s: what takes longer has not solved its task.
        env: names of variables of yours that it gets; it gets no others but PATH, the language and the zone.
        setup: a command that prepares its folder, in the same time limit.
        carrier: `prompt`: memory stands in {task_file}, {memory_file}, {memory} and {prompt}; or `{file:
            CLAUDE.md}`: in this file of the folder alone; or `{marked: notes.md}`: these hold the text of
            this file in every trial, and what is sent between marks is written as the condition shows it.
        keep: where the folders of trials are made and left; else they are taken away.
        sandbox: `auto` holds it where bubblewrap works, `require` refuses to begin where not, or `none`.
        base: where relative paths begin.
    """

    command: Words
    outcome: Literal["result.json", "exit"] | CheckOutcome = "result.json"
    timeout_s: Seconds = 600
    env: tuple[str, ...] = ()
    setup: Words | None = None
    carrier: Literal["prompt"] | FileCarrier | MarkedCarrier = "prompt"
    keep: Path | None = None
    sandbox: SandboxMode = "auto"
    base: Path = Field(default_factory=Path.cwd, exclude=True)

    @field_validator("env")
    @classmethod
    def _plain_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
                raise ValueError(f"env lists names of variables, as [LANG]; got {name!r}")
        return names

    @property
    def name(self) -> str:
        """What it is called in tables: its file, or its program."""
        first = next(iter([*self._named_files(), *_texts(self.command)[0].split()]), "")
        return re.sub(r"[^\w.+-]+", "-", PurePosixPath(first).name).strip("-.") or "command"

    def commands(self) -> tuple[Words, ...]:
        """Every command in it."""
        check = self.outcome.check if isinstance(self.outcome, CheckOutcome) else None
        return tuple(words for words in (self.command, self.setup, check) if words is not None)

    def files(self) -> tuple[str, ...]:
        """The user's files that its commands name, and the one between marks, each once, in order."""
        marked = (self.carrier.marked,) if isinstance(self.carrier, MarkedCarrier) else ()
        return tuple(dict.fromkeys((*self._named_files(), *marked)))

    def _named_files(self) -> tuple[str, ...]:
        texts = (text for command in self.commands() for text in _texts(command))
        words = (match[0] for text in texts for match in WORD.finditer(text))
        return tuple(dict.fromkeys(word for word in words if self.is_own(word)))

    def is_own(self, word: str) -> bool:
        """Whether a word names a file of the user's. A name alone, as of a program, does not."""
        if word.startswith("/") or not ("/" in word or "." in word.strip(".")):
            return False
        with suppress(OSError, ValueError):  # too long for a name
            return (self.base / word).is_file()
        return False

    def digests(self) -> dict[str, str]:
        """Sha256 of each of these files, by its name. SpecFault where one cannot be read."""
        try:
            paths = {name: (self.base / name).resolve() for name in self.files()}
            return {name: sha256(read_private(path)).hexdigest() for name, path in paths.items()}
        except OSError as fault:
            raise SpecFault(f"agent.command: {fault.filename} cannot be read: {fault.strerror}") from fault


def read_command(raw: Mapping[str, Any]) -> CommandSpec:
    """A command as somebody described it; SpecFault, in one line, where something does not fit."""
    try:
        return CommandSpec.model_validate(raw)
    except ValidationError as fault:
        # of the forms that a key may have, the one that was meant got furthest, with the fewest errors
        errors = fault.errors(include_url=False)
        forms = Counter(error["loc"][:2] for error in errors)
        error = max(errors, key=lambda error: (len(error["loc"]), -forms[error["loc"][:2]]))
        names = {
            *CommandSpec.model_fields,
            *CheckOutcome.model_fields,
            *FileCarrier.model_fields,
            *MarkedCarrier.model_fields,
        }
        unknown = error["type"] == "extra_forbidden"
        key = ".".join(str(part) for part in error["loc"] if part in names or unknown)
        reason = "no such key" if unknown else error["msg"].removeprefix("Value error, ")
        came = "" if unknown or "got" in reason else f"; got {error.get('input')!r:.120}"
        raise SpecFault(f"{key}: {reason}{came}") from fault


def _texts(command: str | tuple[str, ...]) -> tuple[str, ...]:
    return (command,) if isinstance(command, str) else command
