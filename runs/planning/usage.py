"""What the episodes and calls of a spec are expected to look like, from its own world and prompts."""

from __future__ import annotations

import numpy as np

from loadbearing.arms.arm import OF_THE_WORLD, Arm
from loadbearing.condensers.condenser import MOST_ITEMS
from loadbearing.judges.decision import INSTRUCTIONS as DECISION
from loadbearing.prompts.templates import Prompt
from loadbearing.runs.planning.cost import CHARACTERS, NOTHING, Range, Three, of_calls, of_episode
from loadbearing.runs.planning.world_sample import REPLY, WorldSample
from loadbearing.runs.plugins.load import wants
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.advice_check import ATTEMPTS, is_composed

ITEM: Three = np.array([40.0, 90.0, 200.0])
"""Tokens of one item, native or theory; the simulated scribe's have 40 to 110."""
ITEMS: Three = np.array([0.0, 2.0, MOST_ITEMS])
"""Items of one record: at least, likely, at most, as all that follows."""
ONE_ITEM: Three = np.array([0.0, 1.0, 1.0])
DRAFT: Three = np.array([40.0, 400.0, 800.0])
FINDING: Three = np.array([30.0, 80.0, 200.0])
OBSERVED: Three = np.array([0.0, 1.0, 3.0])
"""Calls of a memory system that asks a model, for each trajectory that it sees and each slot it recalls."""


def episode_usd(experiment: Experiment, model: str, arm: Arm | None, seen: WorldSample) -> Range:
    """What one episode of one arm costs with this model; None stands for no memory."""
    spec, system, turns = experiment.spec, np.full(3, seen.rules), seen.turns
    if arm is not None:
        system = system + _slot(spec, arm, seen)
        if arm.injection.watches:
            # an action that an item speaks of is withheld once, and the agent asked again
            turns = turns + _items(spec) * np.array([0.0, 0.0, 1.0])
    return of_episode(model, experiment.prices, system, seen.turn, REPLY, turns)


def _items(spec: Spec) -> Three:
    """Items in a slot. Where a record holds none the slot is empty."""
    return (ONE_ITEM if spec.retrieval.unit == "item" else ITEMS) * np.float64(spec.retrieval.k)


def _slot(spec: Spec, arm: Arm, seen: WorldSample) -> Three:
    """Tokens of one slot."""
    if arm.memory in OF_THE_WORLD:
        return np.array([0.0, 1.0, 2.0]) * seen.stated[arm.memory]
    condenser = spec.condensers.get(arm.memory)
    if condenser is not None and condenser.kind == "raw":
        return seen.traces * ONE_ITEM * spec.retrieval.k
    return ITEM * _items(spec)


def preparation(experiment: Experiment, seen: WorldSample) -> Range:
    """Collecting and condensing, all backbones together; what several have in common is paid once."""
    spec, design = experiment.spec, experiment.design
    if not (design.memories or design.systems):
        return NOTHING
    whole = NOTHING
    if spec.mode == "stream":
        for backbone in spec.backbone:
            for arm in design.arms:
                if arm.memory not in OF_THE_WORLD:
                    one = _remember(experiment, arm.memory, spec.roles.condenser or backbone, seen)
                    whole += one.times(seen.n_test * spec.repeats)
        return whole
    imported = spec.traces.source == "import"
    players = dict.fromkeys("" if imported else spec.traces.player or one for one in spec.backbone)
    walked = round(seen.n_train * spec.traces.expert_share) if spec.traces.source == "expert" else 0
    for player in filter(None, players):
        one = episode_usd(experiment, player, None, seen)
        most = None if one.high is None else one.high * spec.traces.attempts
        whole += Range(one.low, one.likely, most).times(seen.n_train - walked)
    models = {
        ("" if imported else spec.traces.player or one, spec.roles.condenser or one): None
        for one in spec.backbone
    }
    for _, model in models:
        for memory in design.memories:
            times = design.draws if memory in design.drawn else 1
            whole += _remember(experiment, memory, model, seen).times(seen.n_train * times)
        for system in design.systems:
            whole += _remember(experiment, system, model, seen).times(seen.n_train + seen.n_test)
    return whole


def deciding(experiment: Experiment, seen: WorldSample) -> Range:
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
        prompt = before + _slot(spec, arm, seen)
        whole += of_calls(str(spec.roles.judge), experiment.prices, prompt, FINDING, calls)
    return whole.times(len(spec.backbone))


def _remember(experiment: Experiment, memory: str, model: str, seen: WorldSample) -> Range:
    """What one trajectory costs a memory: a condenser, by its name, or a memory system."""
    spec, prices = experiment.spec, experiment.prices
    asking = len(Prompt("theory_draft").render({"most": MOST_ITEMS})) / CHARACTERS
    prompt = asking + seen.traces
    if memory in experiment.design.systems:
        return of_calls(model, prices, prompt, DRAFT, OBSERVED) if wants(memory, "ask") else NOTHING
    asked = spec.condensers[memory]
    if asked.kind in ("nothing", "raw") or (is_plugin(asked.kind) and not wants(asked.kind, "ask")):
        return NOTHING
    batch = spec.engine.batch
    whole = of_calls(model, prices, prompt, DRAFT, np.ones(3), batch)
    if asked.kind != "theory":
        return whole
    rounds, gates = asked.max_rounds, len(asked.gates)
    whole += of_calls(model, prices, prompt, ITEM, np.array([0, min(1, rounds), MOST_ITEMS * rounds]), batch)
    # an item is judged anew after each revision; gates that need no judge are counted at most
    judged = ITEMS * gates * np.array([0, 1, rounds + 1])
    prompt = len(Prompt("judge").render()) / CHARACTERS + ITEM[1] + seen.traces
    return whole + of_calls(gate_model(model, spec.roles.gate), prices, prompt, FINDING, judged, batch)
