"""`calibrate`: the instrument on known truth. Simulated throughout: no evidence about any language model."""

from __future__ import annotations

import sys
from dataclasses import asdict

from loadbearing.analysis.calibration.bands import Check
from loadbearing.analysis.calibration.bench import FAST, FULL, Bench
from loadbearing.analysis.calibration.mutants import MUTANTS, REAL, Instrument
from loadbearing.analysis.calibration.table import table
from loadbearing.reports.base.line_width import columns
from loadbearing.runs.calibration import whole_path
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.progress.display import Display, Mode
from loadbearing.runs.progress.standard_output import put, put_json, width_of

SIMULATED = (
    "simulated participants: this calibrates the instrument, and is no evidence about any language model"
)


def calibrate_instrument(full: bool, mutant: str | None, seed: int, as_json: bool, mode: Mode) -> int:
    """Hold every promise of the instrument against simulated experiments and print what was seen.

    Args:
        full: more experiments, more sizes, and text-level participants through the whole path.
        mutant: an instrument that is wrong on purpose, by name, in the place of the real one.
        seed: of the experiments; the bands leave room for luck, so that another seed may break one.
        as_json: print JSON.
        mode: how to show progress.

    Returns:
        0 when every promise is kept, 1 when some are not.

    Raises:
        SpecFault: there is no such mutant.
    """
    bench = Bench(_instrument(mutant), FULL if full else FAST, seed)
    display = Display(mode)
    checks = answers(bench, display)
    # a mutant stands in for the estimators; the whole path knows only the real ones
    if full and mutant is None:
        checks += whole_path(display, seed)
    return tell(bench, checks, as_json)


def answers(bench: Bench, display: Display) -> tuple[Check, ...]:
    """Every check of the table, with progress."""
    rows = [row for asked in table(bench.effort).values() for row in asked]
    checks = []
    with display.phase("calibrate", len(rows)) as tick:
        for row in rows:
            checks.append(row.check(bench))
            tick()
    return tuple(checks)


def tell(bench: Bench, checks: tuple[Check, ...], as_json: bool) -> int:
    """Print the checks; 0 when every band holds, else 1."""
    if as_json:
        put_json(
            {
                "simulated": True,
                "instrument": bench.instrument.name,
                "effort": bench.effort.name,
                "seed": bench.seed,
                "checks": [asdict(check) | {"passed": check.passed} for check in checks],
            }
        )
    else:
        _print(bench, checks)
    return 0 if all(check.passed for check in checks) else 1


def _instrument(mutant: str | None) -> Instrument:
    named = {one.name: one for one in MUTANTS}
    if mutant is not None and mutant not in named:
        raise SpecFault(f"no mutant is named {mutant!r}; there are {', '.join(named)}")
    return REAL if mutant is None else named[mutant]


def _print(bench: Bench, checks: tuple[Check, ...]) -> None:
    rows: list[tuple[str, ...]] = [("check", "observed", "low", "high", "kept")]
    for check in checks:
        numbers = (_number(value) for value in (check.observed, check.low, check.high))
        rows.append((check.name, *numbers, "yes" if check.passed else "NO"))
    put(f"{bench.instrument.name}, {bench.effort.name}: {SIMULATED}")
    put("\n".join(columns(rows, width_of(sys.stdout), right=(1, 2, 3))))
    broken = sum(not check.passed for check in checks)
    put(f"{len(checks) - broken} of {len(checks)} bands hold" + (f"; {broken} are broken" if broken else ""))


def _number(value: float) -> str:
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.0e}"
