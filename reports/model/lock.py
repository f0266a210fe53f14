"""What was fixed before the first trial, and what is not as it was fixed."""

from pydantic import JsonValue

from loadbearing.reports.model.record import Record


class LockDifference(Record):
    """One key that is not as it was locked."""

    where: str
    """lock.json, ledger, spec.resolved.yaml, code (that reads the ledger now), code of a session (that
    played), trials (what they showed) or slot texts."""
    key: str
    locked: JsonValue
    found: JsonValue
    says: str


class AmendmentRow(Record):
    """A change of the locked plan that was stated with its reason."""

    reason: str
    trials: int
    """Played when it was made."""
    changes: dict[str, tuple[JsonValue, JsonValue]]
    """By full name of a frozen key: what it was, and what it is."""
    says: str


class UnmaskedRow(Record):
    """Somebody looked at the arms' names before the data were complete."""

    trials: int
    by: str


class LockState(Record):
    """The lock of a run; of one without a lock only `locked`, `confirmatory`, `says` and `file_left`."""

    locked: bool
    confirmatory: bool
    says: str
    file_left: bool = False
    """A lock.json stands in the folder of a run that has no lock."""
    digest: str = ""
    trials_before: int = 0
    """Trials played before the lock was made."""
    complete: bool = False
    differences: tuple[LockDifference, ...] = ()
    """The first of them."""
    differences_in_all: int = 0
    amendments: tuple[AmendmentRow, ...] = ()
    unmasked_looks: tuple[UnmaskedRow, ...] = ()
    exploratory_analyses: tuple[str, ...] = ()
    masked: bool = False
    """The names of the arms are hidden in all that rests on scores."""
