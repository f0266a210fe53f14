"""What a user says about a table, and the same with one more answer."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from math import inf

from memtrial.outcomes.column_roles import Role
from memtrial.outcomes.score_texts import ScoreRange, read_range
from memtrial.outcomes.table_fault import TableFault, UnclearTable


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the user said about a table.

    Args:
        columns: the column of a role.
        reference, intact: the arm without memory, and the condition in which nothing was damaged.
        at: the value of the repeat column whose rows count, all others being left out.
        scale: the full score.
        number_repeats: rows of one cell are repeats, in the order of the file.
        range: the lowest and the highest score that there can be, as `1,5`; in place of `scale`.
        where: `COLUMN=VALUE`: rows whose column holds another value are left out.
        arms: the arms that count, in a wide table its columns; all unless given.
        family: the column that names the family of each task.
    """

    columns: Mapping[Role, str] = field(default_factory=dict)
    reference: str | None = None
    intact: str | None = None
    at: str | None = None
    scale: float = 1.0
    number_repeats: bool = False
    range: str | None = None
    where: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    family: str | None = None


def answer_question(asked: TableOptions, unclear: UnclearTable) -> TableOptions:
    """The options with the likeliest answer to a question."""
    name, text = unclear.option.removeprefix("--"), unclear.answer
    if name == "family-column":
        return replace(asked, family=text)
    if name.endswith("-column"):
        role: Role = name.removesuffix("-column")  # type: ignore[assignment]
        return replace(asked, columns={**asked.columns, role: text})
    if name == "where":
        return replace(asked, where=(*asked.where, text))
    if name == "scale":
        try:
            return replace(asked, scale=float(text))
        except ValueError as fault:
            raise ValueError(f"scale needs a number, the full score; got {text!r}") from fault
    if name == "number-repeats":
        return replace(asked, number_repeats=True)
    return replace(asked, **{name: text})  # type: ignore[arg-type]


NAMES = (
    *("task-column", "arm-column", "condition-column", "score-column", "repeat-column", "cluster-column"),
    *("backbone-column", "error-column", "reference", "intact", "at", "scale", "number-repeats", "range"),
    *("where", "arms", "family-column"),
)
"""Options about a table, by their names on the command line."""


def read_options(texts: Sequence[str]) -> TableOptions:
    """Options that were given as `NAME=VALUE`. Raises ValueError: there is none of that name."""
    asked = TableOptions()
    for text in texts:
        name, sign, value = text.partition("=")
        if name not in NAMES or bool(sign) == (name == "number-repeats"):
            raise ValueError(f"needs NAME=VALUE, with a name of {', '.join(NAMES)}; got {text!r}")
        if name == "arms":
            asked = replace(asked, arms=(*asked.arms, value))
        else:
            asked = answer_question(asked, UnclearTable("", f"--{name}", value))
    return asked


def option_words(unclear: UnclearTable, within: str = "") -> tuple[str, ...]:
    """The answer as words of a command line.

    Args:
        within: the option of another verb that takes it as `NAME=VALUE`; empty: options of its own.
    """
    if within:
        return (within, "=".join(filter(None, (unclear.option.removeprefix("--"), unclear.answer))))
    if not unclear.answer:
        return (unclear.option,)
    # behind the sign: a text that begins with a dash would be taken for an option
    return (
        (f"{unclear.option}={unclear.answer}",)
        if unclear.answer.startswith("-")
        else (unclear.option, unclear.answer)
    )


def range_of(asked: TableOptions) -> ScoreRange | None:
    """The range of scores that the user named; None: none. Raises TableFault: it is none, or named twice."""
    if not 0 < asked.scale < inf:
        raise TableFault(f"--scale needs a positive number, the full score; got {asked.scale:g}")
    if asked.range is None:
        return None if asked.scale == 1 else ScoreRange(0.0, asked.scale)
    if asked.scale != 1:
        raise TableFault(f"--range {asked.range} and --scale {asked.scale:g} say two things; leave one out")
    return read_range(asked.range)


def state_options(asked: TableOptions) -> str:
    """The options as Python writes them, those that differ from the defaults."""
    given = []
    for one_field in fields(asked):
        default = {} if one_field.default is MISSING else one_field.default
        value = getattr(asked, one_field.name)
        given += [f"{one_field.name}={value!r}"] if value != default else []
    return f"TableOptions({', '.join(given)})"


def quote_words(words: Sequence[str]) -> str:
    """A command line in one line, which a shell takes apart into these words."""
    return " ".join(shlex.quote(word) if word.isprintable() else _escape(word) for word in words)


def _escape(word: str) -> str:
    """A word with line breaks or signs that cannot be seen, as bash quotes it."""
    signs = word.replace("\\", "\\\\").replace("'", "\\'")
    return "$'" + "".join(sign if sign.isprintable() else _code(sign) for sign in signs) + "'"


def _code(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 128 else f"\\U{ord(sign):08x}"
