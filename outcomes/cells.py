"""Arms and conditions of a table as the analysis knows them: which is the reference, which is intact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from loadbearing.outcomes.column_roles import Taken, option
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.outcomes import WITHOUT, Cell, Outcomes
from loadbearing.outcomes.reserved_names import INSTRUCTED, INTACT
from loadbearing.outcomes.sheet import distinct, refuse_empty
from loadbearing.outcomes.table_fault import TableFault

ONLY_ARM = "memory"
"""The name of an arm that the table does not name."""

_MOST = 60
_WITHOUT = ("without", "no memory", "no_memory", "without memory", "without_memory")
_INTACT = ("original", "clean", "unperturbed", "undamaged", "unmodified", "normal", "full")
_NO_MEMORY = ("none", "nomemory", "no-memory", *_WITHOUT)
_BASELINES = ("baseline", "base", "vanilla", "retry")
_NO_WITHOUT = (
    "no row is of an agent without memory, so no utility is established: such rows have the arm 'none' or "
    "the condition 'without', or --reference names their arm"
)
_NOTHING = ("", "none", "n/a", "na", "-", "nan")


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of every arm and condition of a table.

    Args:
        placed: by the table's arm and condition, in the order of the file; None for rows that are left out.
        reference: the table's own name of the reference; None where it has none.
        conditioned: the table has conditions beside the intact one.
        notes: what was left out or pooled.
    """

    placed: Mapping[Cell, Cell | None]
    reference: str | None
    conditioned: bool
    notes: tuple[str, ...]


def cells_of(trials: pl.DataFrame, taken: Taken, reference: str | None, intact: str | None) -> Cells:
    """Give every arm and condition its cell: `none` and `without` for the reference.

    Args:
        trials: with the table's `arm` and `condition`.
        reference: the arm that stands for `without`; guessed from its name unless given.
        intact: the condition in which nothing was damaged; guessed from its name unless given.

    Raises:
        TableFault: there is nothing to compare, or it is not clear with what.
    """
    _refuse_many(trials, taken)
    pairs: list[Cell] = trials.select("arm", "condition").unique(maintain_order=True).rows()
    arms = tuple(dict.fromkeys(arm for arm, _ in pairs))
    if reference is not None and reference not in arms:
        raise TableFault(f"--reference {reference}: there is no such arm; there are {listed(arms)}")
    column = taken.get("condition")
    placed: list[Cell | None]
    notes: list[str] = []
    if column is None:
        if intact is not None:
            raise TableFault(
                "--intact names a condition, and no column was taken for it; --condition-column does"
            )
        reference = _plain_reference(arms, taken.get("arm"), reference)
        placed = [WITHOUT if name == reference else (_other(name), INTACT) for name in arms]
    else:
        word = _intact(column, distinct(trials["condition"]), intact)
        reference = reference if reference is not None else _damaged_reference(pairs, word)
        placed, notes = _conditioned(pairs, word, reference)
    return Cells(
        placed=dict(zip(pairs, placed, strict=True)),
        reference=reference if reference is not None else "none" if WITHOUT in placed else None,
        conditioned=column is not None,
        notes=tuple(notes),
    )


def refuse_unpaired(outcomes: Outcomes, taken: Taken, cells: Cells) -> None:
    """Some task was played in two cells, and of these one is intact.

    Raises:
        TableFault: nothing is paired, or what is paired answers no question.
    """
    tables = [outcomes.cells(backbone) for backbone in outcomes.backbones]
    if not any((table.trials > 0).sum(axis=1).max() > 1 for table in tables):
        what = "two arms" if not cells.conditioned else "two arms or conditions"
        raise TableFault(
            f"column {taken.get('task')!r} was taken for the task, and no task was played under {what}, so "
            f"nothing is paired; {option('task')} names the column that arms share"
        )
    for table in tables:
        played = dict(zip(table.cells, (table.trials > 0).T, strict=True))
        for whole in played:
            if whole[1] not in (INTACT, INSTRUCTED):
                continue
            others = (cell for cell in played if cell != whole and cell[0] in (whole[0], WITHOUT[0]))
            if any((played[whole] & played[other]).any() for other in others):
                return
    if not cells.conditioned:
        raise TableFault(
            f"no task was played both with {cells.reference!r} and with another arm on the same backbone, so "
            "there is nothing to compare; --reference names another arm"
        )
    column = taken.get("condition")
    raise TableFault(
        f"column {column!r} was taken for the condition, and no arm was played on one task both intact and "
        "damaged, or intact where an agent without memory was, so there is nothing to compare; "
        f"{option('arm')} {column} takes it for the arm"
    )


def _refuse_many(trials: pl.DataFrame, taken: Taken) -> None:
    for role in ("arm", "condition"):
        name, column = taken.get(role), trials[role]
        if column.n_unique() > _MOST:
            raise TableFault(
                f"column {name!r} was taken for the {role} and holds {column.n_unique():,} different texts; "
                f"{option(role)} names another one"
            )
    if (arm := taken.get("arm")) is not None:
        refuse_empty(trials["arm"], "arm", arm)


def _plain_reference(arms: tuple[str, ...], column: str | None, asked: str | None) -> str:
    """The arm with which all others are compared, in a table without conditions."""
    if len(arms) < 2:
        raise TableFault(
            f"column {column!r} was taken for the arm and holds {listed(arms)} alone; a comparison needs "
            f"two: {option('arm')} names another column"
        )
    if asked is not None:
        return asked
    for names in (_NO_MEMORY, _BASELINES, ("control",)):
        fit = [arm for arm in arms if arm.lower() in names]
        if len(fit) == 1:
            return fit[0]
        if fit:
            raise TableFault(f"which arm are the others compared with? --reference says it: {listed(fit)}")
    raise TableFault(f"which arm are the others compared with? --reference says it; there are {listed(arms)}")


def _damaged_reference(pairs: list[Cell], intact: str) -> str | None:
    """An arm named like an agent without memory that was never damaged, where the table has no `without`."""
    if any(arm.lower() == "none" or condition.lower() in _WITHOUT for arm, condition in pairs):
        return None
    conditions: dict[str, set[str]] = {}
    for arm, condition in pairs:
        conditions.setdefault(arm, set()).add(condition)
    fit = [
        arm
        for arm, found in conditions.items()
        if arm.lower() in (*_NO_MEMORY, *_BASELINES) and found <= {intact, *_NOTHING}
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
    pairs: list[Cell], intact: str, reference: str | None
) -> tuple[list[Cell | None], list[str]]:
    """The cell of each pair, None where it has none, and what to say about it."""
    placed: list[Cell | None] = []
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
