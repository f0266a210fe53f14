"""The failure modes of a run with all that is known of them, as the ledger holds it."""

from collections.abc import Mapping

from loadbearing.ledger.json_values import Json
from loadbearing.ledger.store import Ledger
from loadbearing.reports.evidence.failure_modes import failure_modes
from loadbearing.reports.evidence.harm.predictors import harm_rows
from loadbearing.reports.evidence.harm.worked_cases import worked_cases
from loadbearing.reports.evidence.view import View
from loadbearing.reports.model.failure_rows import FailureModes


def coded_modes(ledger: Ledger, view: View) -> FailureModes | None:
    """By who coded last; None where nobody has."""
    for coder, codes in reversed(ledger.codes().items()):
        return coded_by(coder, codes, ledger, view)
    return None


def coded_by(coder: str, codes: Mapping[str, Json], ledger: Ledger, view: View) -> FailureModes:
    """The table, and beside it what precedes harm and a worked case a mode.

    Both would tell masked arms apart, by their items, and are left out until the arms are named.
    """
    found = failure_modes(view.trials, view.plan, coder, codes)
    if view.mask:
        return found
    return found.model_copy(
        update={
            "predictors": harm_rows(ledger, view.trials, view.plan),
            "worked": worked_cases(ledger, view.trials, codes),
        }
    )
