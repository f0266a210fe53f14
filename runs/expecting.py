"""What the episodes and calls of a spec are expected to look like, from its own world and prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from arms.arm import NONE, ORACLE
from condensers.condenser import MOST_ITEMS
from environments.world import Task, World
from episodes.react import SYSTEM, TURN
from ledger.calls import spending
from ledger.store import Ledger
from models.call import Reply
from prompts.templates import Prompt
from runs.checking import Experiment
from runs.fault import SpecFault
from runs.folder import find_run
from runs.forecast import CHARACTERS, NOTHING, Range, Shape, from_pilot, of_calls, of_episode

SAMPLED = 5
"""Tasks whose prompts are rendered."""
ITEM = 90.0
"""Tokens of one item, native or theory; the simulated scribe's have 40 to 110."""
REPLY = (30.0, 60.0, 200.0)
"""Tokens of one reply of an agent: a thought and an action."""
DRAFT = 400.0
FINDING = 80.0


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


def sample(world: World, tasks: tuple[Task, ...]) -> Sample:
    """Render the first turns of a few tasks, spread over all."""
    few = tasks[:: max(1, len(tasks) // SAMPLED)][:SAMPLED]
    turns, lessons, paths = [], [], []
    for task in few:
        state, truth = world.reset(task), world.ground_truth(task)
        shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
        turns.append(len(TURN.render(shown | {"memory": ""})) / CHARACTERS)
        lessons.append(len(truth.lesson) / CHARACTERS)
        paths.append(len(truth.path))
    rules = len(SYSTEM.render({"rules": world.rules, "memory": ""})) / CHARACTERS
    limit = fmean(world.step_limit(task) for task in few)
    return Sample(rules, fmean(turns), fmean(lessons), fmean(paths), limit)


def shape_of(experiment: Experiment, arm: str, memory: str, seen: Sample) -> Shape:
    """The episodes of one arm."""
    turns = (min(seen.path, seen.limit), (seen.path + seen.limit) / 2, seen.limit)
    trace = turns[1] * (seen.turn + REPLY[1])
    condenser = experiment.spec.condensers.get(memory)
    if arm == NONE:
        slot = 0.0
    elif memory == ORACLE:
        slot = seen.lesson
    elif condenser is not None and condenser.kind == "raw":
        slot = trace * experiment.spec.retrieval.k
    else:
        slot = 2 * ITEM * experiment.spec.retrieval.k
    return Shape(seen.rules + slot, seen.turn, REPLY, turns)


def preparation(experiment: Experiment, seen: Sample, n_train: int) -> Range:
    """Collecting and condensing, all backbones together."""
    spec, prices = experiment.spec, experiment.prices
    if not (experiment.design.memories or experiment.design.systems):
        return NOTHING
    whole = NOTHING
    plain = shape_of(experiment, NONE, "", seen)
    trace = plain.turns[1] * (seen.turn + REPLY[1])
    drafting = len(Prompt("theory_draft").render({"most": MOST_ITEMS})) / CHARACTERS + trace
    judging = len(Prompt("judge").render()) / CHARACTERS + trace + ITEM
    for backbone in spec.backbone:
        player, model = spec.traces.player or backbone, spec.roles.condenser or backbone
        if spec.traces.source != "import":
            one = of_episode(player, prices, plain)
            tries = Range(one.low, one.likely, None if one.high is None else one.high * spec.traces.attempts)
            whole += tries.times(n_train)
        for name in experiment.design.memories:
            kind, gates = spec.condensers[name].kind, len(spec.condensers[name].gates)
            batch = spec.engine.batch
            if kind in ("nothing", "raw"):
                continue
            whole += of_calls(model, prices, drafting, DRAFT, (1, 1, 1), batch).times(n_train)
            if kind == "theory":
                rounds = spec.condensers[name].max_rounds
                revised = (0.0, min(1.0, rounds), 3.0 * rounds)
                whole += of_calls(model, prices, drafting + ITEM, ITEM, revised, batch).times(n_train)
                judged = (1.0 * gates, 3.0 * gates, 3.0 * gates * (rounds + 1))
                judge = spec.roles.gate or model
                whole += of_calls(judge, prices, judging, FINDING, judged, batch).times(n_train)
    return whole


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a run measured.

    Args:
        trials: by arm, each as the sum of its calls.
        preparation_usd: for each training task, all condensers together; None where a price is unknown.
    """

    trials: Mapping[str, tuple[Reply, ...]]
    preparation_usd: float | None

    def of(self, arm: str, model: str, experiment: Experiment) -> Range | None:
        """What one trial of an arm costs with this model; an arm the pilot has not is like all its others."""
        others = [one for name, rows in self.trials.items() if name != NONE for one in rows]
        own = self.trials.get(arm) or others
        return from_pilot(own, model, experiment.prices)


def read_pilot(named: Path) -> Pilot:
    """The trials of a run folder.

    Raises:
        SpecFault: there is no such run, or it has played nothing.
    """
    ledger = Ledger.reading(find_run(named) / "ledger.sqlite")
    try:
        by_arm: dict[str, list[Reply]] = {}
        for row in ledger.trials():
            if row.status != "error":
                tokens = Reply(
                    "",
                    row.input_tokens,
                    row.output_tokens,
                    row.backbone,
                    cache_read_tokens=row.cache_read_tokens,
                    cache_write_tokens=row.cache_write_tokens,
                )
                by_arm.setdefault(row.arm, []).append(tokens)
        plan = ledger.fact("plan") or {}
        n_traces = sum(len(ledger.traces(backbone)) for backbone in plan.get("backbones", ()))
        other = [one for one in spending(ledger.connection) if one.purpose not in ("play", "")]
        known = None if any(one.usd is None for one in other) else sum(one.usd or 0.0 for one in other)
    finally:
        ledger.close()
    if not by_arm:
        raise SpecFault(f"--pilot needs a run with trials; {named} has played none")
    per_trace = None if known is None else known / n_traces if n_traces else 0.0
    return Pilot({arm: tuple(rows) for arm, rows in by_arm.items()}, per_trace)
