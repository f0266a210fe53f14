"""The controlled experiment on agents' condensed memory: does its content carry weight, or is it decoration?

Each room of the repository is a subpackage by a relative link (`memtrial/gates -> ../gates`). What a
script or a notebook needs stands here, and is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtrial.api.ablate import SubsetOptions, ablate
    from memtrial.api.analyze import AnalysisOptions, analyze
    from memtrial.api.calibrate import calibrate
    from memtrial.api.check_notes import check_notes
    from memtrial.api.coding.command_agent import command_agent
    from memtrial.api.coding.opened_try import TryOptions
    from memtrial.api.coding.tasks import tasks
    from memtrial.api.coding.try_agent import try_agent
    from memtrial.api.coding.try_sections import try_sections
    from memtrial.api.condense import CondenseOptions, condense
    from memtrial.api.inspect_agent import agent_from_inspect
    from memtrial.api.interchange.condensing_client import condensing_client
    from memtrial.api.interchange.gemini_stand_in import stand_in_for_gemini
    from memtrial.api.perturb import perturb
    from memtrial.api.probe.probe import probe
    from memtrial.api.probe.probe_options import ProbeOptions
    from memtrial.api.run import RunOptions, plan, run
    from memtrial.api.shards.merge import merge
    from memtrial.api.shown.loaded_results import load
    from memtrial.api.shown.show import show
    from memtrial.api.streams.evolve import evolve
    from memtrial.api.trial import Outcome, TrialOptions, Usage, trial
    from memtrial.outcomes.table_options import TableOptions
    from memtrial.runs.forecast.power_table import PlanOptions

__all__ = [
    "AnalysisOptions",
    "CondenseOptions",
    "Outcome",
    "PlanOptions",
    "ProbeOptions",
    "RunOptions",
    "SubsetOptions",
    "TableOptions",
    "TrialOptions",
    "TryOptions",
    "Usage",
    "ablate",
    "agent_from_inspect",
    "analyze",
    "calibrate",
    "check_notes",
    "command_agent",
    "condense",
    "condensing_client",
    "evolve",
    "load",
    "merge",
    "perturb",
    "plan",
    "probe",
    "run",
    "show",
    "stand_in_for_gemini",
    "tasks",
    "trial",
    "try_agent",
    "try_sections",
]

_MODULE_OF = {
    "AnalysisOptions": "analyze",
    "CondenseOptions": "condense",
    "agent_from_inspect": "inspect_agent",
    "Outcome": "trial",
    "TrialOptions": "trial",
    "TryOptions": "coding.opened_try",
    "command_agent": "coding.command_agent",
    "probe": "probe.probe",
    "ProbeOptions": "probe.probe_options",
    "condensing_client": "interchange.condensing_client",
    "stand_in_for_gemini": "interchange.gemini_stand_in",
    "evolve": "streams.evolve",
    "tasks": "coding.tasks",
    "try_agent": "coding.try_agent",
    "try_sections": "coding.try_sections",
    "Usage": "trial",
    "RunOptions": "run",
    "merge": "shards.merge",
    "load": "shown.loaded_results",
    "SubsetOptions": "ablate",
    "TableOptions": "analyze",
    "PlanOptions": "run",
    "plan": "run",
    "show": "shown.show",
}


def __dir__() -> list[str]:
    """All that stands here, also what was not used yet, so that a prompt completes it."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"memtrial.api.{_MODULE_OF.get(name, name)}"), name)
