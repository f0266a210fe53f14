"""What the episodes and calls of a spec are expected to look like, from its own world and prompts."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from loadbearing.arms.arm import DOSES, OF_THE_WORLD, ORACLE, Arm
from loadbearing.arms.ladder import donated
from loadbearing.arms.planted import as_native
from loadbearing.condensers.condenser import MOST_ITEMS
from loadbearing.environments.world import Task, Truth, World, WorldFault
from loadbearing.episodes.react import SYSTEM, TURN
from loadbearing.judges.decision import INSTRUCTIONS as DECISION
from loadbearing.memory.markdown import render
from loadbearing.models.client.prices import PriceTable
from loadbearing.prompts.templates import Prompt
from loadbearing.runs.planning.cost import CHARACTERS, NOTHING, Range, Shape, of_calls, of_episode
from loadbearing.runs.plugins.load import wants
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.spec import Spec
from loadbearing.runs.trials.advice_check import ATTEMPTS, is_composed

SAMPLED = 5
"""Tasks whose prompts are rendered."""
ITEM = (40.0, 90.0, 200.0)
"""Tokens of one item, native or theory: at least, likely, at most; the simulated scribe's have 40 to 110."""
ITEMS = (0, 2, MOST_ITEMS)
"""Items of one record: at least, likely, at most."""
REPLY = (30.0, 60.0, 200.0)
"""Tokens of one reply of an agent: a thought and an action."""
DRAFT = (40.0, 400.0, 800.0)
FINDING = (30.0, 80.0, 200.0)
OBSERVED = (0.0, 1.0, 3.0)
"""Calls of a memory system that asks a model, for each trajectory that it sees and each slot it recalls."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Means over a few tasks.

    Args:
        rules, turn, lesson: tokens.
        planted: tokens of the true proposition as an item; the two schemas are of about one length.
        rung: tokens of one slot of the dose ladder.
        path: turns that the world's own way takes.
        limit: turns that an agent has.
    """

    rules: float
    turn: float
    lesson: float
    planted: float
    rung: float
    path: float
    limit: float

    @property
    def turns(self) -> tuple[float, float, float]:
        """Of one episode: at least, likely, at most."""
        shortest = min(self.path, self.limit)
        return shortest, (shortest + self.limit) / 2, self.limit

    @property
    def traces(self) -> tuple[float, float, float]:
        """Tokens of one trajectory: at least, likely, at most."""
        low, likely, high = (n * (self.turn + one) for n, one in zip(self.turns, REPLY, strict=True))
        return low, likely, high


def sample(world: World, tasks: tuple[Task, ...]) -> Sample:
    """Render the first turns of a few tasks, spread over all.

    Raises:
        WorldFault: the world broke.
    """
    few = few_of(tasks)
    turns, truths = [], []
    for task in few:
        state = world.reset(task)
        shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
        turns.append(len(TURN.render(shown | {"memory": ""})) / CHARACTERS)
        truths.append(_truth(world, task))
    rules = len(SYSTEM.render({"rules": world.rules, "memory": ""})) / CHARACTERS
    limit = fmean(world.step_limit(task) for task in few)
    return Sample(
        rules=rules,
        turn=fmean(turns),
        lesson=fmean(len(truth.lesson) / CHARACTERS for truth in truths),
        planted=fmean(_planted(truth) for truth in truths),
        rung=fmean(_rung(truth) for truth in truths),
        path=fmean(len(truth.path) for truth in truths),
        limit=limit,
    )


def few_of(tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """A few tasks, spread over all."""
    return tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]


def _truth(world: World, task: Task) -> Truth:
    """What the world states; no lesson and a single turn where it states nothing."""
    try:
        return world.ground_truth(task)
    except WorldFault:
        # a world of one's own need not state it; only arms with true memory and expert traces need it
        return Truth("", ("",))


def _planted(truth: Truth) -> float:
    return 0.0 if truth.proposition is None else len(render(as_native(truth.proposition))) / CHARACTERS


def _rung(truth: Truth) -> float:
    """Distractors are other families' rules, of about the same length."""
    if truth.proposition is None:
        return 0.0
    return sum(map(len, donated((truth.proposition, *truth.further)))) / CHARACTERS


def shape_of(spec: Spec, arm: Arm | None, seen: Sample) -> Shape:
    """The episodes of one arm; None stands for no memory."""
    low, likely, high = seen.turns
    slot = (0.0, 0.0, 0.0)
    if arm is not None:
        slot = _slot(spec, arm, seen)
        if arm.injection.name == "trigger":
            # an action that an item speaks of is withheld once, and the agent asked again
            high += shown(spec)[2]
    system = (seen.rules + slot[0], seen.rules + slot[1], seen.rules + slot[2])
    return Shape(system, seen.turn, REPLY, (low, likely, high))


def shown(spec: Spec) -> tuple[int, int, int]:
    """Items in a slot: at least, likely, at most. Where a record holds none the slot is empty."""
    k = spec.retrieval.k
    return (0, k, k) if spec.retrieval.unit == "item" else (k * ITEMS[0], k * ITEMS[1], k * ITEMS[2])


def _slot(spec: Spec, arm: Arm, seen: Sample) -> tuple[float, float, float]:
    if arm.memory in OF_THE_WORLD:
        of_memory = {ORACLE: seen.lesson} | dict.fromkeys(DOSES, seen.rung)
        likely = of_memory.get(arm.memory, seen.planted)
        return (0.0, likely, 2 * likely)
    condenser = spec.condensers.get(arm.memory)
    if condenser is not None and condenser.kind == "raw":
        return (0.0, seen.traces[1] * spec.retrieval.k, seen.traces[2] * spec.retrieval.k)
    low, likely, high = (n * tokens for n, tokens in zip(shown(spec), ITEM, strict=True))
    return low, likely, high


def preparation(experiment: Experiment, seen: Sample, n_train: int, n_test: int) -> Range:
    """Collecting and condensing, all backbones together; what several have in common is paid once.

    Args:
        n_train, n_test: tasks.
    """
    spec, design = experiment.spec, experiment.design
    if not (design.memories or design.systems):
        return NOTHING
    whole = NOTHING
    if spec.mode == "stream":
        for backbone in spec.backbone:
            for arm in design.arms:
                if arm.memory not in OF_THE_WORLD:
                    one = _remember(experiment, arm.memory, spec.roles.condenser or backbone, seen)
                    whole += one.times(n_test * spec.repeats)
        return whole
    imported = spec.traces.source == "import"
    players = {} if imported else dict.fromkeys(spec.traces.player or backbone for backbone in spec.backbone)
    for player in players:
        one = of_episode(player, experiment.prices, shape_of(spec, None, seen))
        most = None if one.high is None else one.high * spec.traces.attempts
        whole += Range(one.low, one.likely, most).times(n_train - _walked(spec, n_train))
    pairs = {
        ("" if imported else spec.traces.player or backbone, spec.roles.condenser or backbone): None
        for backbone in spec.backbone
    }
    for _, model in pairs:
        for memory in design.memories:
            times = design.draws if memory in design.drawn else 1
            whole += _remember(experiment, memory, model, seen).times(n_train * times)
        for system in design.systems:
            whole += _remember(experiment, system, model, seen).times(n_train + n_test)
    return whole


def deciding(experiment: Experiment, seen: Sample, n_test: int) -> Range:
    """The decision check, all backbones together; arms that show one memory share its questions.

    Args:
        n_test: tasks.
    """
    spec, design = experiment.spec, experiment.design
    whole, known = NOTHING, set[str]()
    for arm in design.arms if spec.roles.judge is not None else ():
        damages = sum(not is_composed(kind.name) for kind in design.damages[arm.name])
        n = min(spec.decision.slots, n_test)
        # an intact slot is asked about twice; at most each cell has tasks of its own, all asked again
        likely = 0 if arm.memory in known else n * (2 + damages)
        most = ATTEMPTS * n * damages * 3
        known.add(arm.memory)
        before = len(DECISION.render()) / CHARACTERS + seen.rules + seen.turn
        low, middle, high = (
            of_calls(str(spec.roles.judge), experiment.prices, before + slot, said, (n, n, n), False).likely
            for slot, said, n in zip(_slot(spec, arm, seen), FINDING, (0, likely, most), strict=True)
        )
        whole += Range(low, middle, high)
    return whole.times(len(spec.backbone))


def _walked(spec: Spec, n_train: int) -> int:
    """Training tasks on which the world's own path is taken."""
    return round(n_train * spec.traces.expert_share) if spec.traces.source == "expert" else 0


def _remember(experiment: Experiment, memory: str, model: str, seen: Sample) -> Range:
    """What one trajectory costs a memory: a condenser, by its name, or a memory system."""
    spec, prices = experiment.spec, experiment.prices
    instruction = len(Prompt("theory_draft").render({"most": MOST_ITEMS})) / CHARACTERS
    if memory in experiment.design.systems:
        return _calls(model, prices, instruction, seen, DRAFT, OBSERVED) if wants(memory, "ask") else NOTHING
    asked = spec.condensers[memory]
    if asked.kind in ("nothing", "raw") or (is_plugin(asked.kind) and not wants(asked.kind, "ask")):
        return NOTHING
    batch = spec.engine.batch
    whole = _calls(model, prices, instruction, seen, DRAFT, (1, 1, 1), batch)
    if asked.kind != "theory":
        return whole
    rounds, gates = asked.max_rounds, len(asked.gates)
    revised = (0.0, min(1.0, rounds), float(MOST_ITEMS * rounds))
    whole += _calls(model, prices, instruction, seen, ITEM, revised, batch)
    # an item is judged anew after each revision; gates that need no judge are counted at most
    judged = (0.0, float(ITEMS[1] * gates), float(MOST_ITEMS * gates * (rounds + 1)))
    asking = len(Prompt("judge").render()) / CHARACTERS
    judge = gate_model(model, spec.roles.gate)
    return whole + _calls(judge, prices, asking + ITEM[1], seen, FINDING, judged, batch)


def _calls(
    model: str,
    prices: PriceTable,
    instruction: float,
    seen: Sample,
    reply: tuple[float, float, float],
    calls: tuple[float, float, float],
    batch: bool = False,
) -> Range:
    """Calls that show a trajectory below an instruction."""
    low, likely, high = (
        of_calls(model, prices, instruction + trace, one, (n, n, n), batch).likely
        for trace, one, n in zip(seen.traces, reply, calls, strict=True)
    )
    return Range(low, likely, high)
