"""The two halves of the examples, and the register that keeps a scored one from being scored again."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole
from loadbearing.runs.tuning.subjects import Subject

REGISTER = "tuning_register.json"
LEAST = 2
"""Examples of each label in each half."""


class Used(BaseModel):
    """The examples of a subject that tuning has trained on or scored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trained: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()


class Register(BaseModel):
    """What was used, by subject; it lies beside the tuned instructions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subjects: dict[str, Used] = {}


def read_register(folder: Path) -> Register:
    """The register of a folder; an empty one where there is none.

    Raises:
        SpecFault: it cannot be read.
    """
    path = folder / REGISTER
    if not path.exists():
        return Register()
    try:
        return Register.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as fault:
        raise SpecFault(
            f"{path} says which examples tuning has used, and cannot be read: {fault.__class__.__name__};"
            " put it right, or name --out in another folder"
        ) from fault


def write_register(
    folder: Path, register: Register, subject: str, trained: Sequence[str], kept: Sequence[str]
) -> None:
    """Note what is used now."""
    used = register.subjects.get(subject, Used())
    now = Used(trained=_joined(used.trained, trained), scored=_joined(used.scored, kept))
    whole = Register(subjects=register.subjects | {subject: now})
    write_whole(folder / REGISTER, whole.model_dump_json(indent=1) + "\n")


def halves(subject: Subject, used: Used, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids to train on, label by label, and those that are kept for the score, as many of each label.

    What was trained on or scored before is never kept again: it is trained on.

    Raises:
        SpecFault: too few are left that nothing has seen.
    """
    seen = {*used.trained, *used.scored}
    ids = sorted(
        (one.id for one in subject.examples), key=lambda id: sha256(f"{seed} {id}".encode()).digest()
    )
    trained: list[str] = []
    kept: list[str] = []
    labels: list[bool | None] = [*sorted(set(subject.flags.values()))]
    for label in labels or [None]:
        alike = [id for id in ids if subject.flags.get(id) == label]
        fresh = [id for id in alike if id not in seen]
        what = {True: " that ought to be flagged", False: " that ought not to be flagged", None: ""}[label]
        if len(alike) < 2 * LEAST or len(fresh) < LEAST:
            raise SpecFault(
                f"tuning {subject.name} needs {2 * LEAST} examples{what}, {LEAST} of them neither trained on"
                f" nor scored before; got {len(alike)}, {len(fresh)} of them unused; a scored half is not"
                " used twice: add examples of your own"
            )
        kept += fresh[: max(LEAST, min(len(fresh), len(alike) // 2))]
        trained += [id for id in alike if id not in kept]
    return tuple(trained), tuple(kept)


def _joined(*ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for some in ids for one in some))
