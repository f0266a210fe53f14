"""What a run may cost, from rendered prompts, before anything is played.

A pilot, a run with trials, measures what is taken from tables here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import ClassVar

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.arms.arm import DOSES, NONE, OF_THE_WORLD, Arm
from memtrial.condensers.condenser import MOST_ITEMS
from memtrial.faults import SpecFault, refused
from memtrial.gates.questions.worked_examples import show_examples
from memtrial.gates.suite import ALL as GATES
from memtrial.judges.closed_question import DECISION
from memtrial.judges.success import ORACLE, PROMPTS
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import RunPlan, plan_in_force
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.types import Reply
from memtrial.outcomes.outcomes import Outcomes
from memtrial.plugins.load_plugin import asks, wants
from memtrial.prompts.templates import Prompt
from memtrial.protocol.run_cells import analysis_plan, outcome_table
from memtrial.runs.engine.grades import READINGS
from memtrial.runs.forecast.world_sample import CHARACTERS, REPLY, Three, WorldSample
from memtrial.runs.run_folder.folder import alarm_of, open_for_reading
from memtrial.runs.setup.context import begins_together
from memtrial.runs.setup.model_roles import gate_model
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.condenser_factors import GATED, RAW, TYPED
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.decision_check import ATTEMPTS, is_composed

CACHEABLE = 1024
"""Tokens of the shortest prefix that Anthropic's prompt cache keeps."""
ITEM: Three = np.array([40.0, 90.0, 200.0])
"""Tokens of one item, native or theory; the simulated scribe's have 40 to 110."""
ITEMS: Three = np.array([0.0, 2.0, MOST_ITEMS])
"""Items of one record: at least, likely, at most, as all that follows."""
ONE_ITEM: Three = np.array([0.0, 1.0, 1.0])
DRAFT: Three = np.array([40.0, 400.0, 800.0])
FINDING: Three = np.array([30.0, 80.0, 200.0])
OBSERVED: Three = np.array([0.0, 1.0, 3.0])
"""Calls of a memory system that asks a model, for each trajectory that it sees and each slot it recalls."""


@dataclass(frozen=True, slots=True)
class Range:
    """US dollars; None where no price is known."""

    low: float | None
    likely: float | None
    high: float | None

    def __add__(self, other: Range) -> Range:
        """Both together; unknown where one of them is."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Range(
            *(None if first is None or second is None else first + second for first, second in pairs)
        )

    def times(self, n: float) -> Range:
        return Range(*(None if end is None else end * n for end in astuple(self)))


NOTHING, UNKNOWN = Range(0.0, 0.0, 0.0), Range(None, None, None)


def conversation(model: str, system: float, turn: float, reply: float, turns: float) -> Reply:
    """The tokens of a growing conversation, all its calls together.

    Each call sends the whole again; where the provider caches a stable prefix, that is read from there.
    """
    n = max(1, round(turns))
    fresh = read = written = 0.0
    for number in range(n):
        before = system + number * (turn + reply)
        if model.startswith("anthropic/") and before + turn >= CACHEABLE:
            # what was sent last time, where it was long enough to be kept
            known = before - reply if number and before - reply >= CACHEABLE else 0.0
            read, written = read + known, written + before + turn - known
        else:
            fresh += before + turn
    tokens = (round(fresh), round(n * reply))
    return Reply("", *tokens, model, cache_read_tokens=round(read), cache_write_tokens=round(written))


def of_episode(
    model: str, prices: PriceTable, system: Three, turn: float, reply: Three, turns: Three
) -> Range:
    """What one episode costs; see `conversation`."""
    costs = [
        prices.usd(model, conversation(model, sent, turn, written, n))
        for sent, written, n in zip(system, reply, turns, strict=True)
    ]
    known = [cost for cost in costs if cost is not None]
    # a longer prompt can be cheaper: from some length on the provider's cache keeps it
    return Range(*sorted(known)) if len(known) == len(costs) else UNKNOWN


def of_calls(model: str, prices: PriceTable, prompt: Three, reply: Three, calls: Three) -> Range:
    """What so many single calls of such a length cost."""
    each = [
        prices.usd(model, Reply("", round(sent), round(written), model))
        for sent, written in zip(prompt, reply, strict=True)
    ]
    return Range(*(None if usd is None else usd * n for usd, n in zip(each, calls, strict=True)))


def episode_usd(experiment: Experiment, model: str, arm: Arm | None, seen: WorldSample) -> Range:
    """What one episode of one arm costs with this model; None stands for no memory."""
    spec, system, turns = experiment.spec, np.full(3, seen.rules), seen.turns
    if arm is not None:
        system = system + slot_tokens(spec, arm, seen)
        if arm.injection.by_trigger:
            # an action that an item speaks of is withheld once, and the agent asked again
            turns = turns + _items(spec) * np.array([0.0, 0.0, 1.0])
    return of_episode(model, experiment.prices, system, seen.turn, REPLY, turns)


def preparation(experiment: Experiment, seen: WorldSample) -> Range:
    """Collecting and condensing, all backbones together; what several have in common is paid once."""
    spec, design = experiment.spec, experiment.design
    whole = NOTHING
    if spec.mode == "stream":
        for backbone in spec.backbone:
            for arm in design.arms:
                if arm.memory not in OF_THE_WORLD:
                    remembered = _remember(experiment, arm.memory, spec.roles.condenser or backbone, seen)
                    whole += remembered.times(seen.n_test * spec.repeats)
        return whole
    if not (design.memories or design.systems):
        return whole
    pairs = {
        (spec.traces.player or backbone, spec.roles.condenser or backbone): None for backbone in spec.backbone
    }
    if spec.traces.source == "import":
        pairs = {("", condenser): None for _, condenser in pairs}
    walked = round(seen.n_train * spec.traces.expert_share) if spec.traces.source == "expert" else 0
    for player in dict.fromkeys(player for player, _ in pairs if player):
        episode = episode_usd(experiment, player, None, seen)
        if begins_together(experiment):
            whole += episode.times(spec.traces.attempts * (seen.n_train - walked))
            continue
        most = None if episode.high is None else episode.high * spec.traces.attempts
        whole += Range(episode.low, episode.likely, most).times(seen.n_train - walked)
    for _, model in pairs:
        for memory in design.memories:
            times = design.draws if memory in design.drawn else 1
            whole += _remember(experiment, memory, model, seen).times(seen.n_train * times)
        for system in design.systems:
            whole += _remember(experiment, system, model, seen).times(seen.n_train + seen.n_test)
    return whole


def cost_decisions(experiment: Experiment, seen: WorldSample) -> Range:
    """The decision check, all backbones together; arms that show one memory share its questions."""
    spec, design = experiment.spec, experiment.design
    whole, known = NOTHING, set[str]()
    before = len(DECISION.render()) / CHARACTERS + seen.rules + seen.turn
    for arm in design.arms if spec.roles.judge is not None else ():
        damages = sum(not is_composed(kind.name) for kind in design.damages[arm.name])
        n = min(spec.decision.slots, seen.n_test)
        # an intact slot is asked about twice; at most each cell has tasks of its own, all asked again
        likely = 0 if arm.memory in known else n * (2 + damages)
        calls = np.array([0, likely, ATTEMPTS * n * damages * 3])
        known.add(arm.memory)
        prompt = before + slot_tokens(spec, arm, seen)
        whole += of_calls(str(spec.roles.judge), experiment.prices, prompt, FINDING, calls)
    return whole.times(len(spec.backbone))


def cost_grades(experiment: Experiment, seen: WorldSample) -> Range:
    """What a judge of success costs for one trial."""
    spec = experiment.spec
    if spec.roles.grader in (None, ORACLE):
        return NOTHING
    prompt = len(PROMPTS[1].render()) / CHARACTERS + seen.traces
    likely = 1 + spec.grading.regrade * (len(READINGS) - 1)
    return of_calls(
        str(spec.roles.grader), experiment.prices, prompt, FINDING, np.array([1, likely, 2 * likely])
    )


def _items(spec: Spec) -> Three:
    """Items in a slot. Where a record holds none the slot is empty."""
    return (ONE_ITEM if spec.retrieval.unit == "item" else ITEMS) * np.float64(spec.retrieval.k)


def slot_tokens(spec: Spec, arm: Arm, seen: WorldSample) -> Three:
    """Tokens of one slot."""
    if arm.memory in OF_THE_WORLD:  # one item, and three on a rung of the dose ladder
        return ITEM * (3.0 if arm.memory in DOSES else 1.0)
    condenser = spec.condensers.get(arm.memory)
    if condenser is not None and condenser.kind in RAW:
        return seen.traces * ONE_ITEM * spec.retrieval.k
    return ITEM * _items(spec)


def _remember(experiment: Experiment, memory: str, model: str, seen: WorldSample) -> Range:
    """What one trajectory costs a memory: a condenser, by its name, or a memory system."""
    spec, prices = experiment.spec, experiment.prices
    prompt = len(Prompt("theory_draft").render({"most": MOST_ITEMS})) / CHARACTERS + seen.traces
    if memory in experiment.design.systems:
        return of_calls(model, prices, prompt, DRAFT, OBSERVED) if wants(memory, "ask") else NOTHING
    asked = spec.condensers[memory]
    if asked.kind not in GATED and not asks(asked.kind):
        return NOTHING
    whole = of_calls(model, prices, prompt, DRAFT, np.ones(3)) if asks(asked.kind) else NOTHING
    # one that follows another rewrites as often as that has gates
    peer = spec.condensers[asked.placebo_like] if asked.placebo_like is not None else asked
    rounds, gates = peer.max_rounds, len(asked.gates)
    # what lacks the form of its schema is written again without gates, too
    likely = min(1, rounds) if peer.gates else 0
    if rounds and (peer.gates or asked.kind in TYPED):
        whole += of_calls(model, prices, prompt, ITEM, np.array([0, likely, MOST_ITEMS * rounds]))
    if not peer.gates:
        return whole
    # an item is judged anew after each revision; gates that need no judge are counted at most
    judged = ITEMS * gates * np.array([0, 1, rounds + 1])
    prompt = len(Prompt("judge").render()) / CHARACTERS + _question_tokens() + ITEM[1] + seen.traces
    return whole + of_calls(gate_model(model, spec.roles.gate), prices, prompt, FINDING, judged)


@cache
def _question_tokens() -> float:
    """Of a gate's question with its worked examples, the mean of those that ship."""
    asked = {kind.name: kind.question for kind in GATES if kind.question is not None}
    shown = (question.render() + show_examples(name, "") for name, question in asked.items())
    return fmean(map(len, shown)) / CHARACTERS


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run measured: its plan, and its trials, errors among them."""

    plan: RunPlan
    rows: tuple[TrialRow, ...]
    compares_arms: ClassVar[bool] = False
    """A run knows damage, so that its drops are its own."""

    @property
    def simulated(self) -> bool:
        return self.plan.simulated

    def measured(self, outcome: str) -> tuple[Outcomes, AnalysisPlan]:
        """Its trials by an outcome (score or success), and what is compared in it."""
        with refused(ValueError, prefix="--pilot needs a run whose outcomes can be read: "):
            outcomes = outcome_table(self.rows, self.plan.model_copy(update={"outcome": outcome}))
        return outcomes, analysis_plan(self.plan)

    def trial_usd(self, arm: str, model: str, prices: PriceTable) -> Range | None:
        """What one trial of an arm costs with this model: as all others do where it was not played."""
        played = [row for row in self.rows if row.status != "error"]
        own = [row for row in played if row.arm == arm]
        return from_pilot(map(_tokens, own or [row for row in played if row.arm != NONE]), model, prices)


def read_pilot(named: Path) -> Pilot:
    """The trials of a run folder; SpecFault where there are none, or rows of it were changed."""
    with open_for_reading(named) as (folder, ledger):
        if alarm := alarm_of(ledger.damage):
            raise SpecFault(f"--pilot needs a run that is whole; {folder}: {alarm}")
        rows, plan = tuple(ledger.trials()), plan_in_force(ledger)
    if plan is None or all(row.status == "error" for row in rows):
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    return Pilot(plan, rows)


def from_pilot(measured: Iterable[Reply], model: str, prices: PriceTable) -> Range | None:
    """What one trial costs, from trials of the same arm in a pilot run, each as the sum of its calls.

    Likely is their mean, low and high are two standard errors away. None without a trial.
    """
    costs = [prices.usd(model, tokens) for tokens in measured]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs):
        return UNKNOWN
    if not known:
        return None
    mean = fmean(known)
    reach = 2 * stdev(known) / sqrt(len(known)) if len(known) > 1 else mean
    return Range(max(0.0, mean - reach), mean, mean + reach)


def _tokens(row: TrialRow) -> Reply:
    read, written = row.cache_read_tokens, row.cache_write_tokens
    tokens = (row.input_tokens, row.output_tokens)
    return Reply("", *tokens, "", cache_read_tokens=read, cache_write_tokens=written)
