"""The instrument on known truth. Simulated throughout: no evidence about any language model."""

from dataclasses import asdict, dataclass
from html import escape

from pydantic import JsonValue

from memtrial.analysis.calibration.calibration_table import table
from memtrial.analysis.calibration.error_bands import PromiseCheck
from memtrial.analysis.calibration.experiments import MUTANTS, REAL
from memtrial.analysis.calibration.measured_experiments import FAST, FULL, Bench
from memtrial.api.planted_runs import served_path, whole_path
from memtrial.console.display import Display, progress_of
from memtrial.console.line_width import columns
from memtrial.faults import SpecFault
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.spec.option_values import plain_value, seed_value

SIMULATED = (
    "simulated participants: this calibrates the instrument, and is no evidence about any language model"
)

EXPECTED = (
    "made-up experiments first, then two runs in the process and one over HTTP on this machine; "
    "all together some 6 minutes of processor time"
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was promised, what was seen, and whether each promise is kept."""

    bench: Bench
    checks: tuple[PromiseCheck, ...]

    @property
    def kept(self) -> bool:
        """Every band holds."""
        return all(check.holds for check in self.checks)

    def to_json(self) -> dict[str, JsonValue]:
        """What `calibrate --json` prints."""
        return {
            "simulated": True,
            "instrument": self.bench.instrument.name,
            "effort": self.bench.effort.name,
            "seed": self.bench.seed,
            "checks": [asdict(check) | {"passed": check.holds} for check in self.checks],
        }

    def lines(self, width: int | None = None) -> tuple[str, ...]:
        """What the terminal shows, in so many columns."""
        rows: list[tuple[str, ...]] = [("check", "observed", "low", "high", "kept")]
        for check in self.checks:
            values = (check.observed, check.low, check.high)
            numbers = (
                f"{value:.4f}" if value == 0 or abs(value) >= 1e-4 else f"{value:.0e}" for value in values
            )
            rows.append((check.name, *numbers, "yes" if check.holds else "NO"))
        broken = sum(not check.holds for check in self.checks)
        sums = f"{len(self.checks) - broken} of {len(self.checks)} bands hold"
        return (
            f"{self.bench.instrument.name}, {self.bench.effort.name}: {SIMULATED}",
            *columns(rows, width, right=(1, 2, 3)),
            sums + (f"; {broken} {'is' if broken == 1 else 'are'} broken" if broken else ""),
        )

    def _repr_html_(self) -> str:
        return f"<pre>{escape(chr(10).join(self.lines()))}</pre>"


@without_loop
def calibrate(
    full: bool = False, mutant: str | None = None, seed: int = 0, display: Display | None = None
) -> Calibration:
    """Hold every promise of the instrument against simulated experiments.

    Args:
        full: more experiments, more sizes, and text-level participants through the whole path, also over
            HTTP.
        mutant: an instrument that is wrong on purpose, by name, in the place of the real one.
        seed: of the experiments; the bands leave room for chance, so that another seed may break one.
        display: shows progress; unless given a bar in a notebook, and nothing elsewhere.

    Raises:
        SpecFault: there is no such mutant.
    """
    seed, mutant = seed_value(seed), plain_value("mutant", mutant, str | None)
    named, shown = {mutant.name: mutant for mutant in MUTANTS}, progress_of(display)
    if mutant is not None and mutant not in named:
        raise SpecFault(f"no mutant is named {mutant!r}; there are {', '.join(named)}")
    bench = Bench(REAL if mutant is None else named[mutant], FULL if full else FAST, seed)
    # a mutant stands in for the estimators; the whole path knows only the real ones
    throughout = full and mutant is None
    if throughout:
        shown.say(EXPECTED)
    checks = answers(bench, shown)
    if throughout:
        checks += whole_path(shown, seed) + served_path(shown, seed)
    return Calibration(bench, checks)


def answers(bench: Bench, display: Display) -> tuple[PromiseCheck, ...]:
    """Every check of the table, with progress."""
    rows = [row for asked in table(bench.effort).values() for row in asked]
    checks = []
    with display.phase("calibrate", len(rows)) as tick:
        for row in rows:
            checks.append(row.check(bench))
            tick()
    return tuple(checks)
