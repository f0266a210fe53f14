"""Claims: what is counted in each experiment, and what `plan` and STATISTICS promise about it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from loadbearing.analysis.calibration.bands import Band, Check, Values, near
from loadbearing.analysis.calibration.bench import RULES, Bench, Case, Setting, measured
from loadbearing.analysis.calibration.experiments import Measured, units
from loadbearing.analysis.planning.power import ClosedForm

ALPHA = RULES.alpha


@dataclass(frozen=True, slots=True)
class Row:
    """One planned check: the mean over experiments of what `see` returns has to lie in the band.

    The name is unique and says what is promised, for which participant, at which size.
    """

    name: str
    see: Callable[[Bench], Values]
    band: Band

    def check(self, bench: Bench) -> Check:
        """Compare the promise with the experiments of the bench."""
        seen = self.see(bench)
        return Check(self.name, float(seen.mean()), *self.band(seen))


Counts = Literal[
    "effect",
    "effect above",
    "effect below",
    "margin ruled out",
    "truth held",
    "zero held",
    "disagreement",
    "outside",
    "error",
    "width",
]
"""What is counted in an experiment: a hit (0 or 1), the error of the estimate, or the relative excess of the
squared half width over the one that the true variance implies. `disagreement`: interval and p disagree about
zero; `outside`: an end of the interval is beyond what is possible."""


def on(name: str, case: Case, counts: Counts, band: Band) -> Row:
    """A check of one contrast."""
    return Row(name, lambda bench: _counted(counts, measured(bench, case), case), band)


def _counted(what: Counts, seen: Measured, case: Case) -> Values:
    shown = seen.p <= ALPHA
    match what:
        case "effect":
            return shown
        case "effect above":
            return shown & (seen.estimate > 0)
        case "effect below":
            return shown & (seen.estimate < 0)
        case "margin ruled out":
            return seen.p_equivalence <= ALPHA
        case "truth held":
            return (seen.low <= case.true.effect) & (case.true.effect <= seen.high)
        case "zero held":
            return (seen.low <= 0) & (seen.high >= 0)
        case "disagreement":
            return np.asarray(((seen.low > 0) | (seen.high < 0)) != shown)
        case "outside":
            least, greatest = case.contrast.bounds
            return (seen.low < least - 1e-9) | (seen.high > greatest + 1e-9)
        case "error":
            return seen.estimate - case.true.effect
        case "width":
            return ((seen.high - seen.low) / 2) ** 2 / _promised_width(case) - 1.0


def _promised_width(case: Case) -> float:
    """The mean squared half width of Student's t interval, exact whatever the shape of the contrasts.

    Records of tasks that do not depend on each other, and are all of one size, count as units.
    """
    from scipy.stats import t

    n = case.setting.tasks
    freedom = len(np.unique(units(case.who, n))) - 1
    return float(t.isf(ALPHA / 2, freedom)) ** 2 * case.true.parts.total(case.setting.repeats) / n


def power(name: str, case: Case) -> Row:
    """The share of experiments that show the effect, with the right sign, is the one that `plan` promises."""
    promised = closed_form(case).power(case.true.effect, case.setting.tasks)
    side: Counts = "effect above" if case.true.effect > 0 else "effect below"
    return on(name, case, side, near(promised, closeness(case.setting)))


def closed_form(case: Case) -> ClosedForm:
    """The closed form from which `plan` promises power for the case."""
    true, repeats = case.true, case.setting.repeats
    return ClosedForm(repeats, true.parts, ALPHA)


def planned(case: Case, wanted: float) -> Case:
    """The case with as many tasks as `plan` asks for."""
    tasks = closed_form(case).tasks(case.true.effect, wanted)
    assert tasks is not None, f"{case}: no number of tasks shows the effect"
    return replace(case, setting=Setting(tasks, case.setting.repeats))


def closeness(setting: Setting) -> float:
    """Largest allowed difference between closed-form and simulated power (analysis/planning/power.py)."""
    return 0.03 if setting.tasks >= 60 else 0.05
