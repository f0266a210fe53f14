"""Arms and conditions of a table as the analysis knows them: which is the reference, which is intact."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from loadbearing.outcomes.column_roles import Role, Taken, option
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.outcomes import WITHOUT, Cell, Outcomes
from loadbearing.outcomes.reserved_names import INSTRUCTED, INTACT
from loadbearing.outcomes.sheet import distinct
from loadbearing.outcomes.table_fault import TableFault

_MOST = 60
_WITHOUT = ("without", "no memory", "no_memory", "without memory", "without_memory")
_INTACT = ("original", "clean", "unperturbed", "undamaged", "unmodified", "normal", "full")
_NO_MEMORY = ("none", "nomemory", "no-memory", *_WITHOUT)
_BASELINES = ("baseline", "base", "vanilla", "retry")
_NOTHING = ("", "none", "n/a", "na", "-", "nan")


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of every arm and condition, None for rows that are left out; the reference's name."""

    placed: Mapping[Cell, Cell | None]
    reference: str | None
    conditioned: bool
    notes: tuple[str, ...] = ()


def cells_of(trials: pl.DataFrame, taken: Taken, reference: str | None, intact: str | None) -> Cells:
    """Give every arm and condition of a table its cell: `none` and `without` for the reference.

    The reference and the intact condition are guessed from their names unless given.

    Raises:
        TableFault: there is nothing to compare, or it is not clear with what.
    """
    roles: tuple[Role, ...] = ("arm", "condition")
    for role in roles:
        name, several = taken.get(role), trials[role].n_unique()
        if several > _MOST:
            raise TableFault(
                f"column {name!r} was taken for the {role} and holds {several:,} different texts; "
                f"{option(role)} names another one"
            )
    pairs: list[Cell] = trials.select("arm", "condition").unique(maintain_order=True).rows()
    arms = distinct(trials["arm"])
    if reference is not None and reference not in arms:
        raise TableFault(f"--reference {reference}: there is no such arm; there are {listed(arms)}")
    if taken.get("condition") is not None:
        return _with_conditions(pairs, taken, reference, intact)
    if intact is not None:
        raise TableFault(
            "--intact names a condition, and no column was taken for it: --condition-column does"
        )
    reference = _reference(arms, taken, reference)
    placed = [WITHOUT if arm == reference else (_other(arm), INTACT) for arm in arms]
    return Cells(dict(zip(pairs, placed, strict=True)), reference, False)


def refuse_unpaired(outcomes: Outcomes, taken: Taken, cells: Cells) -> None:
    """Some task was played in two cells, one of them intact. Raises TableFault: none was."""
    for table in map(outcomes.cells, outcomes.backbones):
        played = dict(zip(table.cells, (table.trials > 0).T, strict=True))
        for whole in (cell for cell in played if cell[1] in (INTACT, INSTRUCTED)):
            others = (cell for cell in played if cell != whole and cell[0] in (whole[0], WITHOUT[0]))
            if any((played[whole] & played[other]).any() for other in others):
                return
    what, advice = f"both with {cells.reference!r} and with another arm", "--reference names another arm"
    if cells.conditioned:
        column = taken.get("condition")
        what = "by one arm both intact and damaged, or intact and without memory"
        advice = f"{option('arm')} {column} takes column {column!r}, taken for the condition, for the arm"
    raise TableFault(
        f"column {taken.get('task')!r} was taken for the task, and no task was played {what} on the same "
        f"backbone, so there is nothing to compare; {option('task')} names another column, {advice}"
    )


def _reference(arms: tuple[str, ...], taken: Taken, asked: str | None) -> str:
    if len(arms) < 2:
        raise TableFault(
            f"column {taken.get('arm')!r} was taken for the arm and holds {listed(arms)} alone; a comparison "
            f"needs two: {option('arm')} names another column"
        )
    if asked is not None:
        return asked
    for names in (_NO_MEMORY, _BASELINES, ("control",)):
        fit = tuple(arm for arm in arms if arm.lower() in names)
        if len(fit) == 1:
            return fit[0]
        arms = fit or arms
    raise TableFault(f"which arm are the others compared with? --reference says it; there are {listed(arms)}")


def _with_conditions(pairs: list[Cell], taken: Taken, reference: str | None, intact: str | None) -> Cells:
    whole = _intact(taken, tuple(dict.fromkeys(condition for _, condition in pairs)), intact)
    placed: dict[Cell, Cell | None] = {}
    left_out: list[str] = []
    pooled: list[str] = []
    for arm, condition in pairs:
        without, none = condition.lower() in _WITHOUT, arm.lower() == WITHOUT[0]
        bare = condition == whole or without or condition.lower() in _NOTHING
        cell: Cell | None = (_other(arm), INTACT if condition == whole else condition)
        if arm == reference or (none and reference is None):
            if none and not bare:
                raise TableFault(
                    f"arm {arm!r} has no memory to damage, yet there are rows with condition {condition!r}"
                )
            cell = WITHOUT if bare else None
        elif without:
            cell = WITHOUT if reference is None else None
            pooled += [f"{arm} {condition}"] if cell else []
        elif bare and condition != whole:
            raise TableFault(f"every row names its condition; arm {arm!r} has rows with {condition!r}")
        left_out += [] if cell else [f"{arm} {condition}"]
        placed[arm, condition] = cell
    found = set(placed.values()) - {None}
    if found <= {WITHOUT}:
        raise TableFault("a comparison needs an arm with memory; every row is an agent without")
    notes = []
    if sum(cell == WITHOUT for cell in placed.values()) > 1 and pooled:
        notes.append(
            f"{listed(pooled)}: an agent without memory is one shared cell, these rows are pooled in it"
        )
    if left_out:
        notes.append(f"left out, as {reference!r} stands for an agent without memory: {listed(left_out)}")
    if WITHOUT not in found:
        notes.append(
            "no row is of an agent without memory, so no utility is established: such rows have the arm "
            "'none' or the condition 'without', or --reference names their arm"
        )
    return Cells(placed, reference or ("none" if WITHOUT in found else None), True, tuple(notes))


def _intact(taken: Taken, conditions: tuple[str, ...], asked: str | None) -> str:
    if asked is not None and asked in conditions:
        return asked
    for names in ((INTACT,), _INTACT) if asked is None else ():
        fit = [condition for condition in conditions if condition.lower() in names]
        if len(fit) == 1:
            return fit[0]
    column = taken.get("condition")
    raise TableFault(
        f"column {column!r} was taken for the condition, and none of {listed(conditions)} is called "
        f"{asked or INTACT}; --intact says in which nothing was damaged, {option('arm')} {column} takes it "
        "for the arm"
    )


def _other(arm: str) -> str:
    """The name of an arm that is not the reference: `none` is taken by the reference."""
    return f"({arm})" if arm == WITHOUT[0] else arm
