"""The cell of every arm and condition of a table, as the analysis has them; the reference among the arms."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from memtrial.outcomes.column_roles import Role, Taken, option
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.outcomes import WITHOUT, Cell, Outcomes
from memtrial.outcomes.reserved_names import INSTRUCTED, INTACT
from memtrial.outcomes.sheet import Sheet, distinct
from memtrial.outcomes.table_fault import TableFault, UnclearTable
from memtrial.outcomes.table_options import TableOptions

_MOST = 60
_WITHOUT = ("without", "no memory", "no_memory", "without memory", "without_memory")
_INTACT = ("original", "clean", "unperturbed", "undamaged", "unmodified", "normal", "full")
_NO_MEMORY = ("none", "nomemory", "no-memory", *_WITHOUT)
_BASELINES = ("baseline", "base", "vanilla", "retry")
_LIKELY_BASELINES = (
    "baseline",
    "no mem",
    "no_mem",
    "no-mem",
    "without",
    "vanilla",
    "control",
    "plain",
    "base",
)
_NOTHING = ("", "none", "n/a", "na", "-", "nan")


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of every arm and condition; the reference's name."""

    placed: Mapping[Cell, Cell]
    reference: str | None
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
    if (several := trials["backbone"].n_unique()) > _MOST:
        raise TableFault(
            f"column {taken.get('backbone')!r} was taken for the backbone and holds {several:,} different "
            f"texts, {_MOST} at most; {option('backbone')} names another one"
        )
    pairs: list[Cell] = trials.select("arm", "condition").unique(maintain_order=True).rows()
    arms = distinct(trials["arm"])
    if reference is not None and reference not in arms:
        raise TableFault(f"--reference {reference}: there is no such arm; there are {list_names(arms)}")
    if taken.get("condition") is not None:
        return _with_conditions(pairs, taken, reference, intact)
    if intact is not None:
        raise TableFault(
            "--intact names a condition, and no column was taken for it: --condition-column does"
        )
    reference = _reference(arms, taken, reference)
    placed = [WITHOUT if arm == reference else (_other(arm), INTACT) for arm in arms]
    return Cells(dict(zip(pairs, placed, strict=True)), reference)


def rows_of_arms(
    sheet: Sheet, taken: Taken, asked: TableOptions, pairs: Sequence[str]
) -> tuple[Sheet, str | None]:
    """The rows of the arms that were asked for, and the reference that was named.

    Without conditions the control of the pairs is the reference; with conditions pairs leave nothing out.

    Raises:
        TableFault: an arm is not there, or pairs have several controls.
    """
    column, conditioned = taken.get("arm"), taken.get("condition") is not None
    if column is None or not (asked.arms or (pairs and not conditioned)):
        return sheet, asked.reference
    there = distinct(sheet.frame[column])
    kept, reference = set(split_names(asked.arms, there)), asked.reference
    if unknown := kept.difference(there):
        raise TableFault(f"--arms {min(unknown)}: there is no such arm; there are {list_names(there)}")
    if pairs and not conditioned:
        read = [read_pair(text, there) for text in pairs]
        controls = list(dict.fromkeys(control for _, control in read))
        if len(controls) > 1 or reference not in (None, controls[0]):
            raise TableFault(
                f"without conditions all arms are compared with one: --pairs names {list_names(controls)}"
                f"{f' and --reference {reference!r}' if reference is not None else ''}; ask for one at a time"
            )
        reference = controls[0]
        kept |= {arm for pair in read for arm in pair}
    kept |= {reference} if reference is not None else set()
    rows = sheet.frame[column].is_in(list(kept))
    if conditioned:  # the agent without memory is every arm's reference
        rows |= sheet.frame[column].str.to_lowercase() == WITHOUT[0]
        rows |= sheet.frame[taken.columns["condition"]].str.to_lowercase().is_in(_WITHOUT)
    return replace(sheet, frame=sheet.frame.filter(rows)), reference


def split_names(texts: Sequence[str], there: Collection[str]) -> tuple[str, ...]:
    """Names that were given one by one or with commas between them; a name may hold commas of its own."""
    return tuple(name.strip() for text in texts for name in ((text,) if text in there else text.split(",")))


def read_pair(text: str, arms: Sequence[str]) -> tuple[str, str]:
    """Treatment and control in `TREATMENT:CONTROL`. Raises TableFault: they are no two of the arms."""
    # a name may hold colons of its own
    begun = [arm for arm in arms if text.startswith(f"{arm}:")]
    pairs_read = [(arm, rest) for arm in begun if (rest := text[len(arm) + 1 :]) in arms and rest != arm]
    if len(pairs_read) != 1:
        raise TableFault(
            f"--pairs needs TREATMENT:CONTROL, two different arms of {list_names(arms)}; got {text!r}"
        )
    return pairs_read[0]


def refuse_unpaired(outcomes: Outcomes, taken: Taken, cells: Cells) -> None:
    """Some task was played in two cells, one of them intact. Raises TableFault: none was."""
    for table in map(outcomes.cells, outcomes.backbones):
        played = dict(zip(table.cells, (table.trials > 0).T, strict=True))
        for whole in (cell for cell in played if cell[1] in (INTACT, INSTRUCTED)):
            others = (cell for cell in played if cell != whole and cell[0] in (whole[0], WITHOUT[0]))
            if any((played[whole] & played[other]).any() for other in others):
                return
    what, advice = f"both with {cells.reference!r} and with another arm", "--reference names another arm"
    if (column := taken.get("condition")) is not None:
        what = "by one arm both intact and damaged, or intact and without memory"
        advice = f"{option('arm')} {column} takes column {column!r}, taken for the condition, for the arm"
    raise TableFault(
        f"column {taken.get('task')!r} was taken for the task, and no task was played {what} on the same "
        f"backbone, so there is nothing to compare; {option('task')} names another column, {advice}"
    )


def _reference(arms: tuple[str, ...], taken: Taken, asked: str | None) -> str:
    if len(arms) < 2:
        raise TableFault(
            f"column {taken.get('arm')!r} was taken for the arm and holds {list_names(arms)} alone; a "
            f"comparison needs two: {option('arm')} names another column"
        )
    if asked is not None:
        return asked
    for names in (_NO_MEMORY, _BASELINES, ("control",)):
        fit = tuple(arm for arm in arms if arm.lower() in names)
        if len(fit) == 1:
            return fit[0]
        arms = fit or arms
    likely = next((arm for arm in arms if any(word in arm.lower() for word in _LIKELY_BASELINES)), arms[0])
    question = f"which arm are the others compared with? --reference says it; there are {list_names(arms)}"
    raise UnclearTable(question, "--reference", likely)


def _with_conditions(pairs: list[Cell], taken: Taken, reference: str | None, intact: str | None) -> Cells:
    whole = _intact(taken, tuple(dict.fromkeys(condition for _, condition in pairs)), intact)
    placed: dict[Cell, Cell] = {}
    pooled: list[str] = []
    for arm, condition in pairs:
        none = arm == reference if reference is not None else arm.lower() == WITHOUT[0]
        without, is_whole = condition.lower() in _WITHOUT, condition == whole
        unnamed = condition.lower() in _NOTHING and not is_whole
        if none and not (without or unnamed or is_whole):
            raise TableFault(
                f"arm {arm!r} has no memory to damage, yet there are rows with condition {condition!r}"
            )
        if unnamed and not none:
            raise TableFault(f"every row names its condition; arm {arm!r} has rows with {condition!r}")
        pooled += [f"{arm} {condition}"] if without and not none else []
        bare = none or without
        placed[arm, condition] = WITHOUT if bare else (_other(arm), INTACT if is_whole else condition)
    conditions = list(placed.values())
    if set(conditions) == {WITHOUT}:
        raise TableFault("a comparison needs an arm with memory; every row is an agent without")
    notes = []
    if conditions.count(WITHOUT) > 1 and pooled:
        notes.append(
            f"{list_names(pooled)}: an agent without memory is one shared cell, these rows are pooled in it"
        )
    if WITHOUT not in conditions:
        notes.append(
            "no row is of an agent without memory, so no utility is established: such rows have the arm "
            "'none' or the condition 'without', or --reference names their arm"
        )
    return Cells(placed, reference or ("none" if WITHOUT in conditions else None), tuple(notes))


def _intact(taken: Taken, conditions: tuple[str, ...], asked: str | None) -> str:
    if asked is not None and asked in conditions:
        return asked
    for names in ((INTACT,), _INTACT) if asked is None else ():
        fit = [condition for condition in conditions if condition.lower() in names]
        if len(fit) == 1:
            return fit[0]
    column = taken.get("condition")
    needed = (
        f"column {column!r} was taken for the condition, and none of {list_names(conditions)} is called "
        f"{asked or INTACT}; --intact says in which nothing was damaged, {option('arm')} {column} takes it "
        "for the arm"
    )
    if asked is not None:
        raise TableFault(needed)
    raise UnclearTable(needed, "--intact", conditions[0])


def _other(arm: str) -> str:
    """The name of an arm that is not the reference: `none` is taken by the reference."""
    return f"({arm})" if arm == WITHOUT[0] else arm
