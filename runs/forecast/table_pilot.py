"""A table of anyone's outcomes in the place of a pilot run: its scores tell variance, and nothing of cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.arms.arm import PAIRS, named_pairs
from memtrial.faults import SpecFault
from memtrial.models.client.prices import PriceTable
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.table_fault import TableFault
from memtrial.perturbations.kinds import NAMED
from memtrial.runs.forecast.cost_forecast import Range
from memtrial.runs.run_folder.folder import LEDGER, LOGS

OPTION = "--pilot-option"
"""How the command line says what a table's columns are: `--pilot-option reference=baseline`."""


@dataclass(frozen=True, slots=True, eq=False)
class TablePilot:
    """Outcomes of a table, and what is compared in it.

    Args:
        compares_arms: the table knows no damage; the differences of its arms tell how much a drop varies.
    """

    outcomes: Outcomes
    analysis: AnalysisPlan
    simulated: bool
    compares_arms: bool

    def measured(self, outcome: str) -> tuple[Outcomes, AnalysisPlan]:  # noqa: ARG002
        """The scores as they are: a table has no other outcome."""
        return self.outcomes, self.analysis

    def trial_usd(self, arm: str, model: str, prices: PriceTable) -> Range | None:  # noqa: ARG002
        """Nothing: a table tells no tokens."""
        return None


def is_table(named: Path) -> bool:
    """Whether a pilot that the user named is a table, or a folder of tables, and no run."""
    if any((folder / LEDGER).exists() for folder in (named, LOGS / named)):
        return False
    from memtrial.outcomes.files.table_files import files_of

    try:
        return named.is_file() or (named.is_dir() and bool(files_of(named)))
    except TableFault:
        return False


def read_table_pilot(named: Path, options: Sequence[str], command: Sequence[str]) -> TablePilot:
    """Read a table as a pilot.

    Args:
        options: what the user said about it, as `reference=baseline`.
        command: the words of the command line, to be run again with what is unclear; empty in Python.

    Raises:
        SpecFault: an option that there is not; TableFault: no table, or something of it is unclear.
    """
    from memtrial.outcomes.files.table_files import read_sheet
    from memtrial.outcomes.outcome_table import shape_or_ask
    from memtrial.outcomes.table_options import read_options

    try:
        asked = read_options(options)
    except ValueError as fault:
        raise SpecFault(f"{OPTION} {fault}") from fault
    shaped = shape_or_ask(read_sheet(named), asked, command, within=OPTION)
    return TablePilot(
        outcomes=shaped.outcomes,
        analysis=AnalysisPlan(
            arms=shaped.arms,
            conditions=shaped.conditions,
            pairs=named_pairs(PAIRS, shaped.arms if shaped.conditioned else ()),
            effects=tuple(
                (kind.name, kind.aim.declared.effect) for kind in NAMED if kind.name in shaped.conditions
            ),
        ),
        simulated=shaped.simulated,
        compares_arms=not shaped.conditioned,
    )
