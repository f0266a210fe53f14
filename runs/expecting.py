"""What the episodes and calls of a spec are expected to look like, from its own world and prompts."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from arms.arm import ORACLE, Arm
from condensers.condenser import MOST_ITEMS
from environments.world import Task, World, WorldFault
from episodes.react import SYSTEM, TURN
from models.prices import PriceTable
from prompts.templates import Prompt
from runs.casting import gate_model
from runs.checking import Experiment
from runs.forecast import CHARACTERS, NOTHING, Range, Shape, of_calls, of_episode
from runs.naming import is_plugin
from runs.own.object import wants
from runs.spec import Spec

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
        path: turns that the world's own way takes.
        limit: turns that an agent has.
    """

    rules: float
    turn: float
    lesson: float
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
    few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
    turns, lessons, paths = [], [], []
    for task in few:
        state = world.reset(task)
        shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
        turns.append(len(TURN.render(shown | {"memory": ""})) / CHARACTERS)
        lesson, path = _truth(world, task)
        lessons.append(lesson)
        paths.append(path)
    rules = len(SYSTEM.render({"rules": world.rules, "memory": ""})) / CHARACTERS
    limit = fmean(world.step_limit(task) for task in few)
    return Sample(rules, fmean(turns), fmean(lessons), fmean(paths), limit)


def _truth(world: World, task: Task) -> tuple[float, int]:
    """Tokens of the lesson and turns of the path; no lesson and a single turn where neither is stated."""
    try:
        truth = world.ground_truth(task)
    except WorldFault:
        # a world of one's own need not state them; only arm oracle and expert traces do
        return 0.0, 1
    return len(truth.lesson) / CHARACTERS, len(truth.path)


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
    if arm.memory == ORACLE:
        return (0.0, seen.lesson, 2 * seen.lesson)
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
                if arm.memory != ORACLE:
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
            whole += _remember(experiment, memory, model, seen).times(n_train)
        for system in design.systems:
            whole += _remember(experiment, system, model, seen).times(n_train + n_test)
    return whole


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
