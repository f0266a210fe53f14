"""Whether a judge blocks: only while a calibration is of this judge, and of the gate as it is."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from loadbearing.gates.calibration.labelled_items import FixtureFault
from loadbearing.gates.calibration.regression import Calibration, GateRow, gate_digest
from loadbearing.gates.gate import GateKind

MOST_BYTES = 4 * 1024 * 1024


class Standing(NamedTuple):
    """Whether the judged half of a gate blocks or advises, and why, as the ledger says it.

    Args:
        threshold: of the judge's confidence, where a fresh calibration has one.
    """

    blocks: bool
    why: str
    threshold: float | None = None


def read_calibration(path: Path) -> Calibration:
    """A file that `gates regress --out` wrote.

    Raises:
        FixtureFault: it cannot be read, or is no such file.
    """
    needed = "the file of a calibration is needed, as gates regress --out writes it"
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise FixtureFault(f"{needed}; {path} is none")
        return Calibration.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise FixtureFault(f"{needed}; {path} cannot be read: {fault}") from fault
    except ValidationError as fault:
        first = fault.errors()[0]
        raise FixtureFault(f"{needed}; {path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from fault


@cache
def shipped() -> tuple[Calibration, ...]:
    """The calibrations that come with the gates."""
    return tuple(read_calibration(path) for path in sorted(Path(__file__).parent.glob("*.json")))


def standings(
    kinds: Sequence[GateKind], judge: str, calibrations: Sequence[Calibration]
) -> Mapping[str, Standing]:
    """By gate, whether its judge blocks.

    Args:
        judge: the digest of its configuration.
    """
    rows = [row for one in calibrations if one.judge_digest == judge for row in one.gates]
    return {kind.name: _standing(kind, [row for row in rows if row.gate == kind.name]) for kind in kinds}


def _standing(kind: GateKind, rows: list[GateRow]) -> Standing:
    if not kind.judged:
        return Standing(True, "blocks (a program decides all of it)")
    now = gate_digest(kind)
    fresh = [row for row in rows if row.digest == now]
    if not fresh:
        stale = (
            "its calibration is of other code or prompts" if rows else "no fresh calibration for this judge"
        )
        return Standing(False, f"advises ({stale})")
    row = fresh[-1]
    rates = (
        f"hits {row.hit_rate} of {row.n_positive}, false alarms {row.false_alarm_rate} of {row.n_negative}"
    )
    threshold = row.confidence.threshold if row.confidence else None
    if threshold is not None:
        rates += f", flags from confidence {threshold:g} on"
    if not row.passed:
        return Standing(False, f"advises (its calibration failed: {rates})", threshold)
    return Standing(True, f"blocks (calibrated: {rates})", threshold)
