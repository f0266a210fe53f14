"""What a gate is worth on labelled fixtures, as `gates regress --out` writes it.

Source: GATES 5.4; Clopper and Pearson (1934) for the intervals, by scipy.
"""

from pydantic import BaseModel, ConfigDict

from memtrial.gates.calibration.confidence import Confidence


class Rates(BaseModel):
    """Hits and false alarms on one set of fixtures; intervals are exact, at 95 %.

    Args:
        judge_hit_rate: of the positives that the program lets through; None where no judge is asked.
        n_errors: questions that were not answered; each counts against the gate.
        missed, false_alarms: the fixtures that the gate got wrong, by name.
        blocked: of the false alarms, those with a FAIL: sound items that would be dropped.
        fixtures: digest of the set, with its runs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hit_rate: float | None
    hit_low: float
    hit_high: float
    false_alarm_rate: float | None
    false_alarm_low: float
    false_alarm_high: float
    n_positive: int
    n_negative: int
    judge_hit_rate: float | None
    n_errors: int
    domains: tuple[str, ...]
    fixtures: str
    missed: tuple[str, ...] = ()
    false_alarms: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Both rates in a few words."""
        return (
            f"hits {self.hit_rate} of {self.n_positive},"
            f" false alarms {self.false_alarm_rate} of {self.n_negative}"
        )


class GateRow(Rates):
    """What one gate is worth with one judge.

    Args:
        confidence: of a judge that says it; the gate then flags by its threshold, and the fixtures that this
            was learnt from are in no rate.
        mutants_caught, n_mutants: positives made by code, in no rate.
        passed: by the rates of the first set; held-out ones are told beside them.
        digest: of the gate's code and prompts.
        held_out: on fixtures that no rule and no threshold was made from; None where none were given.
    """

    gate: str
    mutants_caught: int
    n_mutants: int
    passed: bool
    digest: str
    confidence: Confidence | None = None
    held_out: Rates | None = None


class GateCalibration(BaseModel):
    """The rates of a suite with one judge.

    Args:
        in_sample: the fixtures are those that ship, from which the rules of the programs were written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: str
    judge_digest: str
    in_sample: bool = True
    gates: tuple[GateRow, ...]

    @property
    def passed(self) -> bool:
        """Every gate did."""
        return all(row.passed for row in self.gates)


def exact_rate(flags: list[bool]) -> tuple[float | None, float, float]:
    """The share with its interval; of nothing, all that is possible."""
    if not flags:
        return None, 0.0, 1.0
    from scipy.stats import binomtest

    held = binomtest(sum(flags), len(flags)).proportion_ci(0.95, "exact")
    return round(sum(flags) / len(flags), 4), round(float(held.low), 4), round(float(held.high), 4)
