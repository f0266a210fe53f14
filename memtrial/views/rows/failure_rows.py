"""How agents failed with memory where they succeeded without: rows, tests, and who coded them."""

from dataclasses import dataclass

from memtrial.analysis.failures.agreement import Agreement
from memtrial.analysis.failures.harm_model import HarmModel
from memtrial.analysis.failures.shares import Corrected
from memtrial.analysis.failures.solved_without import Estimated, Flow, TableTest
from memtrial.result_record import ResultRecord


class FailurePlace(ResultRecord):
    """Whose failures these are; a key that does not apply is empty."""

    backbone: str = ""
    domain: str = ""
    """The world, website or data set."""
    arm: str = ""
    condition: str = ""


class FailureRow(FailurePlace):
    """The failures of one cell by mode."""

    n: int | float
    """Failures; with repeats the sum over tasks of m_N (1 - m_U), where m is the share of solved repeats."""
    counts: dict[str, int | float]
    shares: dict[str, float | None]
    low: dict[str, float | None]
    high: dict[str, float | None]
    """Simultaneous 95 % intervals after Goodman."""
    sison_glaz: dict[str, tuple[float, float]]
    n_tasks: int = 0
    """Tasks of the base set: solved without memory at least once."""
    rates: dict[str, float]
    """Of the base set: share that succeeds, and share that fails in each mode."""
    undecided: float = 0.0
    """The part of `other` that no rule decides."""
    errors: int = 0
    """Failures whose code is an error; they are in no share."""
    flow: Flow | None = None


class FailureTest(FailurePlace):
    """Two cells, or several rows, compared."""

    test: str
    versus: str
    """The other arm, the other condition, or what the rows are."""
    mode: str = ""
    """Empty for a test of all modes together."""
    table: TableTest | None = None
    difference: Estimated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarmRow(HarmModel):
    """What precedes the failures of one backbone that memory may have caused."""

    backbone: str


class WorkedStep(ResultRecord):
    """One turn of two runs: what was done, and what the world said; empty where a run had ended."""

    turn: int
    solved: str
    failed: str


class WorkedCase(FailurePlace):
    """The clearest pair of one mode: the runs around the turn at which they part."""

    mode: str
    case: str
    task: str
    parting: int
    """The first turn, from 1, at which the two act differently."""
    turns_solved: int
    turns_failed: int
    steps: tuple[WorkedStep, ...]
    item: str
    """The part of the memory that names what was done there; empty where none does."""
    reason: str
    """The coder's."""


class FailureModes(ResultRecord):
    """The failure-mode table."""

    simulated: bool = False
    coder: str = ""
    """Who coded: a model and the digest of its prompt, rules and the digest of their source, or a file
    with its raters, where it names some."""
    cases: int = 0
    """Failures; of labels those that somebody has labelled."""
    coded: int = 0
    """Those of them that the coder put into a mode, `other` among them; no errors, none undecided."""
    unlabelled: int = 0
    """Of labels: cases that nobody has labelled yet, failures or not."""
    rows: tuple[FailureRow, ...]
    tests: tuple[FailureTest, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    corrected: tuple[Corrected, ...] = ()
    predictors: tuple[HarmRow, ...] = ()
    """What precedes harm, a row a backbone; none while arms are masked, as it would tell them apart."""
    worked: tuple[WorkedCase, ...] = ()
    """The clearest pair of each mode; none while arms are masked."""
    notes: tuple[str, ...] = ()
    alarm: str = ""
    """Rows that were changed after they were written."""
