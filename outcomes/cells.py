"""Arms and conditions of a table as the analysis knows them: which is the reference, which is intact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.column_roles import Taken, option
from loadbearing.outcomes.columns import Coded, first_rows, joint
from loadbearing.outcomes.outcomes import WITHOUT
from loadbearing.outcomes.reserved_names import INTACT
from loadbearing.outcomes.sheet import Sheet, held, listed
from loadbearing.outcomes.table_fault import TableFault

ONLY_ARM = "memory"
"""The name of an arm that the table does not name."""

_MOST = 60
_WITHOUT = ("without", "no memory", "no_memory", "without memory", "without_memory")
_INTACT = ("original", "clean", "unperturbed", "undamaged", "unmodified", "normal", "full")
_REFERENCES = (
    (
        "none",
        "no memory",
        "no_memory",
        "nomemory",
        "without",
        "without memory",
        "without_memory",
        "no-memory",
    ),
    ("baseline", "base", "vanilla", "retry"),
    ("control",),
)
_NO_WITHOUT = (
    "no row is of an agent without memory, so no utility is established: such rows have the arm 'none' or "
    "the condition 'without', or --reference names their arm"
)
_NOTHING = ("", "none", "n/a", "na", "-", "nan")


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Every row's cell.

    Args:
        arm, condition: as the analysis names them; `none` and `without` for the reference.
        source: which arm and condition of the table a row comes from, shape (n_rows,).
        kept: rows that have a place, shape (n_rows,).
        reference: the table's own name of the reference; None where it has none.
        conditioned: the table has conditions beside the intact one.
        notes: what was left out or pooled.
    """

    arm: Coded
    condition: Coded
    source: NDArray[np.int64]
    kept: NDArray[np.bool_]
    reference: str | None
    conditioned: bool
    notes: tuple[str, ...]


def cells_of(sheet: Sheet, taken: Taken, reference: str | None, intact: str | None) -> Cells:
    """Give every row its arm and condition.

    Args:
        reference: the arm that stands for `without`; guessed from its name unless given.
        intact: the condition in which nothing was damaged; guessed from its name unless given.

    Raises:
        TableFault: there is nothing to compare, or it is not clear with what.
    """
    n = sheet.n_rows
    arm_column, condition_column = taken.get("arm"), taken.get("condition")
    arm = sheet.columns[arm_column] if arm_column else Coded.same(ONLY_ARM, n)
    condition = sheet.columns[condition_column] if condition_column else Coded.same(INTACT, n)
    _refuse_many(arm_column, arm, condition_column, condition)
    source = joint([arm.codes, condition.codes])
    rows = first_rows(source)
    pairs = [(arm.values[arm.codes[row]], condition.values[condition.codes[row]]) for row in rows]
    arms = tuple(dict.fromkeys(name for name, _ in pairs))
    if reference is not None and reference not in arms:
        raise TableFault(f"--reference {reference}: there is no such arm; there are {listed(arms)}")
    notes: list[str] = []
    placed: list[tuple[str, str] | None]
    if condition_column is None:
        if intact is not None:
            raise TableFault(
                "--intact names a condition, and no column was taken for it; --condition-column does"
            )
        reference = _plain_reference(arms, arm_column, reference)
        placed = [WITHOUT if name == reference else (_other(name), INTACT) for name, _ in pairs]
    else:
        word = _intact(condition_column, tuple(dict.fromkeys(c for _, c in pairs)), intact)
        reference = reference if reference is not None else _damaged_reference(pairs, word)
        placed, notes = _conditioned(pairs, word, reference)
    places = [place or WITHOUT for place in placed]
    where = np.searchsorted(source[rows], source, sorter=np.argsort(source[rows]))
    where = np.argsort(source[rows])[where]
    new_arm, new_condition = (Coded.of(place[side] for place in places) for side in (0, 1))
    return Cells(
        arm=Coded(new_arm.codes[where], new_arm.values),
        condition=Coded(new_condition.codes[where], new_condition.values),
        source=where,
        kept=np.array([place is not None for place in placed])[where],
        reference=reference if reference is not None else "none" if WITHOUT in placed else None,
        conditioned=condition_column is not None,
        notes=tuple(notes),
    )


def _refuse_many(arm_column: str | None, arm: Coded, condition_column: str | None, condition: Coded) -> None:
    for role, name, column in (("arm", arm_column, arm), ("condition", condition_column, condition)):
        found = held(column)
        if len(found) > _MOST:
            raise TableFault(
                f"column {name!r} was taken for the {role} and holds {len(found):,} different texts; "
                f"--{role}-column names another one"
            )
        if role == "arm" and "" in found:
            row = int(np.flatnonzero(column.where(""))[0]) + 1
            raise TableFault(f"every row names its arm; in row {row} column {name!r} is empty")


def _plain_reference(arms: tuple[str, ...], column: str | None, asked: str | None) -> str:
    """The arm with which all others are compared, in a table without conditions."""
    if len(arms) < 2:
        raise TableFault(
            f"column {column!r} was taken for the arm and holds {listed(arms)} alone; a comparison needs "
            f"two: {option('arm')} names another column"
        )
    if asked is not None:
        return asked
    for names in _REFERENCES:
        fit = [arm for arm in arms if arm.lower() in names]
        if len(fit) == 1:
            return fit[0]
        if fit:
            raise TableFault(f"which arm are the others compared with? --reference says it: {listed(fit)}")
    raise TableFault(f"which arm are the others compared with? --reference says it; there are {listed(arms)}")


def _damaged_reference(pairs: list[tuple[str, str]], intact: str) -> str | None:
    """An arm named like an agent without memory that was never damaged, where the table has no `without`."""
    if any(arm.lower() == "none" or condition.lower() in _WITHOUT for arm, condition in pairs):
        return None
    conditions: dict[str, set[str]] = {}
    for arm, condition in pairs:
        conditions.setdefault(arm, set()).add(condition)
    fit = [
        arm
        for arm, found in conditions.items()
        if arm.lower() in (*_REFERENCES[0], *_REFERENCES[1]) and found <= {intact, *_NOTHING}
    ]
    return fit[0] if len(fit) == 1 else None


def _intact(column: str, conditions: tuple[str, ...], asked: str | None) -> str:
    """The condition in which nothing was damaged."""
    if asked is not None:
        if asked not in conditions:
            raise TableFault(f"--intact {asked}: there is no such condition; there are {listed(conditions)}")
        return asked
    for names in ((INTACT,), _INTACT):
        fit = [condition for condition in conditions if condition.lower() in names]
        if len(fit) == 1:
            return fit[0]
    raise TableFault(
        f"column {column!r} was taken for the condition, and none of {listed(conditions)} is called intact; "
        f"--intact says in which nothing was damaged, {option('arm')} {column} takes it for the arm"
    )


def _conditioned(
    pairs: list[tuple[str, str]], intact: str, reference: str | None
) -> tuple[list[tuple[str, str] | None], list[str]]:
    """The cell of each pair, None where it has none, and what to say about it."""
    placed: list[tuple[str, str] | None] = []
    left_out: list[str] = []
    pooled: list[str] = []
    for arm, condition in pairs:
        bare = condition == intact or condition.lower() in (*_WITHOUT, *_NOTHING)
        if arm == reference or (arm.lower() == WITHOUT[0] and reference is None):
            if not bare and arm.lower() == WITHOUT[0]:
                raise TableFault(
                    f"arm {arm!r} has no memory to damage, yet there are rows with condition {condition!r}"
                )
            placed.append(WITHOUT if bare else None)
            left_out += [] if bare else [condition]
        elif condition.lower() in _WITHOUT:
            placed.append(WITHOUT if reference is None else None)
            (pooled if reference is None else left_out).append(f"{arm} {condition}")
        elif condition.lower() in _NOTHING and condition != intact:
            raise TableFault(f"every row names its condition; arm {arm!r} has rows with {condition!r}")
        else:
            placed.append((_other(arm), INTACT if condition == intact else condition))
    notes = []
    if len(pooled) > 1 or (pooled and WITHOUT in placed and any(arm.lower() == "none" for arm, _ in pairs)):
        notes.append(
            f"{listed(pooled)}: an agent without memory is one shared cell, these rows are pooled in it"
        )
    if left_out:
        notes.append(f"left out, as {reference!r} stands for an agent without memory: {listed(left_out)}")
    if any(place is not None and place != WITHOUT for place in placed):
        return placed, notes if WITHOUT in placed else [*notes, _NO_WITHOUT]
    raise TableFault("a comparison needs an arm with memory; every row is an agent without")


def _other(arm: str) -> str:
    """The name of an arm that is not the reference: `none` is taken by the reference."""
    return f"({arm})" if arm == WITHOUT[0] else arm
