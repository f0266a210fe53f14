"""A command with its placeholders filled in: no shell ever reads a text of a task or a memory."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memtrial.commands.command_spec import WORD, CommandSpec, Words
from memtrial.commands.process_order import CommandFault, shell_words
from memtrial.commands.trial_folder import TrialFolder

SAFE = re.compile(r"[\w./+@%-]*", re.ASCII)
"""What a shell takes as it stands, in quotes and without."""
PREFIX = "TRIAL_"
LONGEST = 128 * 1024 - 64
"""Bytes of an argument, or of a variable with its name, that Linux takes."""


@dataclass(frozen=True, slots=True)
class Fillings:
    """What stands for the placeholders.

    Args:
        places: paths and numbers.
        texts: of the task and the memory; a shell gets them as variables, such as TRIAL_PROMPT.
    """

    places: Mapping[str, str]
    texts: Mapping[str, str]

    def variables(self) -> dict[str, str]:
        """The places as variables, for scripts that read no arguments: TRIAL_TASK_FILE."""
        return {f"{PREFIX}{name.upper()}": value for name, value in self.places.items()}


def fill_words(
    command: Words, spec: CommandSpec, folder: TrialFolder, fillings: Fillings
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words that are run, and the variables that go with them.

    Raises:
        CommandFault: a text is too long, or has a null character; or the folder's path has blanks or quotes.
    """
    if isinstance(command, str):
        return _fill_shell(command, spec, folder, fillings)
    values = {**fillings.places, **fillings.texts}
    words = tuple(_fill(f"{folder.here}/{word}" if spec.is_own(word) else word, values) for word in command)
    for word in words:
        _refuse_unfit(word, "an argument")
    return words, fillings.variables()


def _fill_shell(
    command: str, spec: CommandSpec, folder: TrialFolder, fillings: Fillings
) -> tuple[tuple[str, ...], dict[str, str]]:
    for place in (*fillings.places.values(), str(folder.here)):
        if SAFE.fullmatch(place.replace(":", "")) is None:
            raise CommandFault(
                f"a command for the shell needs a path of letters, digits, / . _ and -; got {place!r:.200};"
                " give the command as a list of words, or name another folder in TMPDIR"
            )
    line = WORD.sub(lambda match: f"{folder.here}/{match[0]}" if spec.is_own(match[0]) else match[0], command)
    named = {name: f'"${PREFIX}{name.upper()}"' for name in fillings.texts}
    used = {name: text for name, text in fillings.texts.items() if f"{{{name}}}" in command}
    for name, text in used.items():
        _refuse_unfit(f"{PREFIX}{name.upper()}={text}", f"{{{name}}} as a variable")
    texts = {f"{PREFIX}{name.upper()}": text for name, text in used.items()}
    return shell_words(_fill(line, {**fillings.places, **named})), fillings.variables() | texts


def _fill(text: str, values: Mapping[str, str]) -> str:
    """Each placeholder once: what a value says is not read again."""
    return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), text)


def _refuse_unfit(text: str, what: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if "\0" in text:
        raise CommandFault(f"{what} takes no null character; use {{task_file}}")
    if size > LONGEST:
        raise CommandFault(
            f"{what} takes {LONGEST:,} bytes; got {size:,}; use {{task_file}} or {{memory_file}}"
        )
