"""The plan of a run, made of design, tasks and memories before the first trial, and the make-up of these."""

from collections import Counter
from collections.abc import Mapping

from memtrial.arms.arm import ENFORCE, NONE, OF_THE_WORLD
from memtrial.call_purpose import COLLECT, Purpose, write_purpose
from memtrial.gates.suite import NAMES, NEGATIVE_CONTROLS, SEED_SUBSET, gates_of_native
from memtrial.ledger.run_plan import Checker, Makeup, RunPlan, WordCounts
from memtrial.memory.words import words
from memtrial.models.providers.local.weights_file import weights_notes
from memtrial.outcomes.reserved_names import INTACT
from memtrial.plugins.elsewhere_agent import ELSEWHERE
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.setup.design import Design
from memtrial.runs.setup.model_roles import GateStanding, judges_of_gates, standings_of
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.condenser_factors import CondenserSpec
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.given.world import GivenTasks
from memtrial.worlds.world import Task

OF_THE_SPEC = {"name", "question", "seed", "mode", "repeats", "leakage"}
ACTS_UNSEEN = (
    "The agent reports its own outcomes, and what it did is not seen: `load-bearing` rests on scores under"
    " damage and under its placebos alone. Costs are of calls through `ask` or the proxy, and of what the"
    " agent reports."
)
ELSEWHERE_UNSEEN = (
    "Another harness played the trials and stated their outcomes. That a trial showed the text that was"
    " locked rests on the digest that came back with it: no request was seen."
)
OF_THE_ANALYSIS = {"outcome", "margin", "alpha", "flips", "cluster", "looks", "stop"}
"""What the plan states as the spec does, under the same names."""


def run_plan(
    experiment: Experiment,
    world: World,
    tasks: tuple[Task, ...],
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    planned: Mapping[str, int],
    space: str,
    lost: Mapping[str, Mapping[str, str]],
) -> RunPlan:
    """The plan of a run.

    Args:
        arm_slots: by backbone, what the arms show, once a draw of the banks; none in mode `stream`,
            where it is not known yet.
        lost: by backbone and training task, why it left no trajectory.
    """
    spec, design = experiment.spec, experiment.design
    digests = {"world": world.digest, "embedder": space} | dict(experiment.digests)
    for backbone, drawn in arm_slots.items():
        for draw, slots in enumerate(drawn):
            # the first is the bank that a run with one draw would show, and is named as that
            of = f", draw {draw}" if draw else ""
            for name, digest in slots.digests.items():
                if draw == 0 or name in design.drawn:
                    digests[f"memory {name}, {backbone}{of}"] = digest
    tuned = {instruction.subject for instruction in experiment.tuned}
    standings = standings_of(spec, experiment.control, tuned, design.memories)
    return RunPlan(
        version=1,
        **spec.model_dump(include=OF_THE_SPEC),
        **spec.analysis.model_dump(include=OF_THE_ANALYSIS),
        simulated=experiment.simulated,
        control=experiment.control_label,
        cue=experiment.cue.label,
        world=world.name,
        temperature=sampling_of(spec.sampling.agent, "agent").temperature,
        temperatures=_temperatures(experiment),
        backbones=spec.backbone,
        arms=(NONE, *(arm.name for arm in design.arms)),
        injections={arm.name: arm.injection.name for arm in design.arms},
        waiting=tuple(arm.name for arm in design.arms if arm.injection.by_trigger),
        gates={name: standing.why for name, standing in standings.items()},
        makeups={name: makeup_of(experiment, name) for name in design.memories},
        levels={arm.name: (arm.memory, arm.shown) for arm in design.arms},
        conditions=design.conditions,
        effects=dict(design.effects),
        arm_conditions={
            arm.name: (INTACT, *(kind.name for kind in design.damages[arm.name])) for arm in design.arms
        },
        primary=design.primary,
        pairs=design.pairs,
        channel_pairs=design.channel_pairs,
        tasks=len(tasks),
        draws=design.draws,
        drawn=tuple(arm.name for arm in design.arms if arm.memory in design.drawn),
        words=_words(design, tasks, arm_slots),
        trials=sum(planned.values()),
        planned=dict(planned),
        clusters=_clusters(spec, design, tasks, arm_slots),
        coder=spec.roles.coder or "",
        grader="" if spec.roles.grader is None else f"{spec.roles.grader}, {spec.grading.form}",
        digests=digests,
        reported=isinstance(world, GivenTasks),
        notes=(
            *experiment.given.notes,
            *weights_notes(experiment.models),
            *experiment.sampling_notes,
            *_notes(spec, design, arm_slots, lost),
            *([ACTS_UNSEEN] if isinstance(world, GivenTasks) else []),
            *([ELSEWHERE_UNSEEN] if spec.agent == ELSEWHERE else []),
            *_advising_gates(standings),
        ),
        negative_controls=_negative_controls(spec, design),
        gate_factors={} if spec.ablation is None else spec.ablation.factors,
        gate_subsets={} if spec.ablation is None else spec.ablation.subsets,
    )


def planned_at_most(spec: Spec, design: Design, n_tasks: int) -> dict[str, int]:
    """Trials by arm where it shows only on the way which damage does not apply."""
    each = n_tasks * spec.repeats * len(spec.backbone)
    return {arm: n * each for arm, n in Counter(arm for arm, _ in design.cells).items()}


def _words(
    design: Design, tasks: tuple[Task, ...], arm_slots: Mapping[str, tuple[ArmSlots, ...]]
) -> dict[str, WordCounts]:
    """Words in the slots of the world's own memories, headings among them, by arm."""
    counted = {}
    for slots in [drawn[0] for drawn in arm_slots.values()][:1]:
        for arm in (arm for arm in design.arms if arm.memory in OF_THE_WORLD):
            counts = [sum(len(words(item)) for item in slots.of(arm, task).slot.items) for task in tasks]
            mean = round(sum(counts) / len(counts), 2)
            counted[arm.name] = WordCounts(mean=mean, least=min(counts), most=max(counts))
    return counted


def _temperatures(experiment: Experiment) -> dict[str, float | None]:
    """What is asked for, by purpose; a grader's calls are those of play, where its model is no backbone."""
    spec, drawn = experiment.spec, experiment.spec.sampling
    asked = {COLLECT: sampling_of(drawn.agent, "agent").temperature}
    gate = sampling_of(drawn.gate, "gate", experiment.control).temperature
    for name in (memory for memory in experiment.design.memories if memory in spec.condensers):
        prompts = experiment.control_of(name)
        asked[Purpose("condense", name)] = sampling_of(drawn.condenser, "condenser", prompts).temperature
        asked[Purpose("gate", name)] = gate
    return {write_purpose(purpose): temperature for purpose, temperature in asked.items()}


def _clusters(
    spec: Spec, design: Design, tasks: tuple[Task, ...], arm_slots: Mapping[str, tuple[ArmSlots, ...]]
) -> dict[str, str]:
    """The unit of inference of each task; none where tasks stand for themselves."""
    if spec.analysis.cluster == "family":
        return {task.id: task.family for task in tasks}
    if spec.analysis.cluster == "record" and design.memories and arm_slots:
        # every draw is of the same records
        slots = next(iter(arm_slots.values()))[0]
        sources = {task.id: slots.shown[design.memories[0], task.id].sources for task in tasks}
        return {task_id: records[0] for task_id, records in sources.items() if records}
    return {}


def _negative_controls(spec: Spec, design: Design) -> tuple[str, ...]:
    """The gates on wording alone that some condenser has."""
    asked = {name for gates in judges_of_gates(spec, design.memories).values() for name in gates}
    return tuple(name for name in NEGATIVE_CONTROLS if name in asked)


def _advising_gates(standings: Mapping[str, GateStanding]) -> tuple[str, ...]:
    """Which gates' judges can drop nothing."""
    names = [name for name, standing in standings.items() if not standing.blocks]
    sentence = "Gates whose judge only advised, without a fresh, passed calibration: its FAIL dropped no item"
    return (f"{sentence}: {', '.join(names)}.",) if names else ()


def _notes(
    spec: Spec,
    design: Design,
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    lost: Mapping[str, Mapping[str, str]],
) -> tuple[str, ...]:
    """What a reader of the results has to know about the preparation."""
    if spec.mode == "stream":
        return (
            "Mode stream: each arm's memory grew from its own trials. Tasks of one stream share that memory"
            " and are still taken as units; more repeats, each in another order, show what the order does.",
        )
    notes = [
        f"{backbone}: {len(tasks)} training tasks left no trajectory, since the provider failed them to the"
        f" end; the banks were made without them. The first: {': '.join(next(iter(tasks.items())))}"
        for backbone, tasks in lost.items()
        if tasks
    ]
    if enforced := [arm.name for arm in design.arms if arm.injection == ENFORCE]:
        notes.append(
            f"Checks of {', '.join(enforced)} are executed as the shown text states them. Damage that leaves"
            " the Form as it is (corrupt_invert, counter, paraphrase) leaves them as they were: the program"
            " enforces the intact check, the damaged text only explains, and the drop tells what that adds."
        )
    for arm in (arm for arm in design.arms if arm.reach == "bank"):
        drawn = [slots for all_of in arm_slots.values() for slots in all_of]
        reached = [len(slots.bank[arm.memory, task].parts) for slots in drawn for _, task in slots.bank]
        notes.append(
            f"{arm.name} reaches into its whole bank: {min(reached)} to {max(reached)} of the"
            f" {len(drawn[0].records[arm.memory])} records with items may come up in a task. A record to"
            " which a kind of damage cannot be done is left out of every cell. The damage is drawn once for"
            " all repeats, and the unit of inference stays the retrieved record."
        )
    unknown = any(not family for drawn in arm_slots.values() for family in drawn[0].families.values())
    if "irrelevant_swap" in spec.perturbations and unknown:
        notes.append(
            "Imported traces name no family: a donor is of another source task, perhaps of the same kind."
        )
    if design.drawn:
        systems = "; memory systems recalled once, for all repeats" if design.systems else ""
        notes.append(
            f"Each repeat shows banks of its own: {', '.join(design.drawn)} condensed the same trajectories"
            f" {design.draws} times{systems}."
        )
    return tuple(notes)


def makeup_of(experiment: Experiment, name: str) -> Makeup:
    """The make-up of a condenser of the spec; a factor that it does not use is empty."""
    asked = experiment.spec.condensers[name]
    behind = " with our warning behind it, so no longer that" if asked.exhort else ""
    drafts = {
        "native": f"native, {experiment.control_of(name).label.removeprefix('control: ')}{behind}",
        "theory": "theory schema",
        "additive": "native and theory schema in one item",
        "raw": "the trajectory itself",
        "steps": "its steps, as they were recorded",
        "nothing": "stores nothing",
    }
    by, how = _checks(asked)
    thinned = "" if asked.thin_like is None else f"as many removed at random as {asked.thin_like} drops"
    return Makeup(
        draft=drafts.get(asked.kind, asked.kind),
        warned=f"prompt warns of {', '.join(asked.exhort)}" if asked.exhort else "",
        checked_by=by,
        checked=how,
        length="" if asked.length_like is None else f"as many words as {asked.length_like}",
        thinned=thinned,
        gates=_gate_set(asked),
        review=asked.review,
    )


def _gate_set(asked: CondenserSpec) -> str:
    """The level of fork B: the name of a set, or the gates; of revisions without criteria, that."""
    if asked.placebo_like is not None:
        return f"as many revisions as {asked.placebo_like}, without criteria"
    sets = {"none": (), "seed": SEED_SUBSET, "all": NAMES}
    native = asked.kind == "native"
    named = {name: gates_of_native(name) if native and gates else gates for name, gates in sets.items()}
    return next(
        (name for name, gates in named.items() if set(gates) == set(asked.gates)), ", ".join(asked.gates)
    )


def _checks(asked: CondenserSpec) -> tuple[Checker, str]:
    """Who looks at drafts before they are stored, and how."""
    then = "then our loop: " if asked.kind == "native" else ""
    if asked.review == "human":
        return "person", f"{then}a person decides on each first draft, gates advise: {len(asked.gates)}"
    if asked.kind == "steps" and asked.gates:
        return "gates", f"gates {', '.join(asked.gates)} drop, nothing is revised"
    if asked.gates:
        return "gates", f"{then}gates {', '.join(asked.gates)}, at most {asked.max_rounds} revisions"
    if asked.placebo_like is not None:
        return "placebo", f"revised as often as {asked.placebo_like}, without criteria"
    return "nobody", ""
