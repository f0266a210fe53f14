"""What a probe asks again: the decisions of a run, and the rules by which the run was analysed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtrial.analysis_rules import AnalysisRules
from memtrial.api.probe.probe_calls import AskingRules
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_size import take_enough
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.api.probe.run_decisions import RunDecisions, list_arms
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import RunPlan, identity_in_force, plan_in_force
from memtrial.outcomes.count_words import list_names
from memtrial.runs.run_folder.folder import open_for_reading

PROBE = "probe"
"""The folder of a probe, inside that of the run."""
RECORDED_AGENTS = ("react", "direct", "choice")
"""Agents whose requests a ledger keeps as they were sent, and whose replies are read here."""


@dataclass(frozen=True, slots=True)
class ProbeSource:
    """What is asked again.

    Args:
        by_arm: decisions of each arm, the first ones first.
        clustered: what the unit of inference is.
        left_out: requests that are no decision to be asked again, by why.
        notes: what a reader has to know.
        simulated: a scripted server answers in the place of a model.
        run: the folder of the run; None of logs.
    """

    name: str
    folder: Path
    by_arm: tuple[tuple[RecordedDecision, ...], ...]
    rules: AnalysisRules
    asking: AskingRules
    clustered: str
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()
    simulated: bool = False
    run: Path | None = None


def read_run(run: Path, options: ProbeOptions) -> ProbeSource:
    """The decisions of a run. SpecFault where it has none that can be asked again, or lacks an arm."""
    if options.memory is not None:
        raise SpecFault("--memory is of logs; a run keeps what stood in its prompts: leave it out")
    for name, value in (("--seed", options.seed), ("--margin", options.margin)):
        if value is not None:
            raise SpecFault(f"{name} is of logs; a run has its own: leave it out")
    with open_for_reading(run) as (folder, ledger):
        plan, identity = plan_in_force(ledger), identity_in_force(ledger) or {}
        if plan is None:
            raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
        agent = identity.get("agent")
        if not isinstance(agent, str) or agent not in RECORDED_AGENTS:
            raise SpecFault(
                f"the requests of an agent of ours are needed ({list_names(RECORDED_AGENTS)}); {folder} was"
                f" played by {agent if isinstance(agent, str) else 'a command'}: keep its requests with"
                " `memtrial proxy`, and probe that folder as logs"
            )
        arms = _choose_arms(plan, options, folder)
        decisions = RunDecisions(ledger, plan)
        by_arm = [
            tuple(take_enough(decisions.of_arm(backbone, arm), options.calls))
            for backbone in plan.backbones
            for arm in arms
        ]
    left_out = {why: n for why, n in decisions.left_out.items() if n}
    if not any(by_arm):
        why = "; ".join(f"{n:,} {reason}" for reason, n in left_out.items())
        raise SpecFault(f"{folder} holds no request with an intact memory in it: {why or 'no trial of it'}")
    temperature = identity.get("sampling.agent.temperature")
    tokens = identity.get("sampling.agent.max_tokens")
    asking = AskingRules(
        agent=agent,
        model=options.model or "",
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        max_tokens=tokens if isinstance(tokens, int) else None,
        samples=max(1, options.samples),
        scored=not options.samples,
    )
    place = options.out or folder / PROBE
    whole = tuple(filter(None, by_arm))
    return ProbeSource(str(folder), place, whole, plan.rules, asking, plan.cluster, left_out, run=folder)


def _choose_arms(plan: RunPlan, options: ProbeOptions, folder: Path) -> tuple[str, ...]:
    shown = list_arms(plan)
    if not shown:
        raise SpecFault(f"an arm with a memory is needed; {folder} has none")
    for arm in options.arms:
        if arm not in shown:
            raise SpecFault(f"--arm names one with a memory, {list_names(shown)}; got {arm!r}")
    return options.arms or shown
