"""The leakage guard of a run: what its memories hold of the test tasks, looked for before the first trial."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict

from memtrial.agents.traces import trace_from_json
from memtrial.agents.trajectory import Trajectory
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import LeakCount
from memtrial.memory.leakage import (
    KINDS,
    Leak,
    Secrets,
    fold_words,
    item_leaks,
    remembers,
    says,
    secrets_of,
)
from memtrial.memory.retrieval import LeaveOut
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.setup.context import RunContext
from memtrial.runs.spec.spec import Spec
from memtrial.worlds.world import Task, Truth, WorldFault


def known_secrets(world: World, tasks: Sequence[Task], imported: Iterable[str] = ()) -> Secrets:
    """What gives the tasks away; of a world that states no truth only their texts."""
    train = (task.query for task in world.tasks("train"))
    return secrets_of(tasks, _truths(world, tasks), train, imported)


def _truths(world: World, tasks: Iterable[Task]) -> dict[str, Truth]:
    try:
        return {task.id: world.ground_truth(task) for task in tasks}
    except WorldFault:
        return {}


def leaks_of(
    run: RunContext,
    tasks: Sequence[Task],
    arm_slots: Mapping[str, tuple[ArmSlots, ...]],
    made: Sequence[str],
) -> tuple[Leak, ...]:
    """Every leak of the memories `made`, each once. What the world itself states is none."""
    if not made:
        return ()
    imported = run.spec.traces.source == "import"
    train = {task.id: task for task in run.world.tasks("train")}
    leaks = dict[Leak, None]()
    for backbone, drawn in arm_slots.items():
        traces = {name: trace_from_json(raw) for name, raw in run.ledger.traces(backbone).items()}
        queries = [trace.query for trace in traces.values()] if imported else []
        secrets = known_secrets(run.world, tasks, queries)
        if imported:
            with_memory = [name for name, trace in traces.items() if remembers(trace, run.cue)]
            leaks |= {
                Leak("memory echo", name, "trace", name, "a memory heading"): None for name in with_memory
            }
        honest = _honest(run, traces, train.values())
        for slots in drawn:
            leaks |= dict.fromkeys(
                _shown_leaks(tasks, made, slots, train, traces, run.spec.retrieval.leave_out)
            )
            stated = (
                leak
                for name in made
                for leak in _told_leaks(secrets, name, slots, name in run.design.systems)
            )
            leaks |= dict.fromkeys(leak for leak in stated if not honest(leak))
    return tuple(leaks)


def _shown_leaks(
    tasks: Sequence[Task],
    made: Sequence[str],
    slots: ArmSlots,
    train: Mapping[str, Task],
    traces: Mapping[str, Trajectory],
    leave_out: LeaveOut,
) -> Iterable[Leak]:
    """Records that a task is shown and should not be: its own, under any name, and those of its template."""
    times = Counter(" ".join(fold_words(task.query)) for task in tasks)
    for name in made:
        for task in tasks:
            query = " ".join(fold_words(task.query))
            reached = (part.sources[0] for _, part in slots.in_bank(name, task, leave_out))
            for source in dict.fromkeys((*slots.shown[name, task.id].sources, *reached)):
                renamed = source not in train and source in traces and times[query] == 1
                if source == task.id or (renamed and " ".join(fold_words(traces[source].query)) == query):
                    yield Leak("self-retrieval", task.id, name, source, task.query)
                elif task.template and source in train and train[source].template == task.template:
                    yield Leak("template-mate", task.id, name, source, task.template)


def _told_leaks(secrets: Secrets, name: str, slots: ArmSlots, system: bool) -> Iterable[Leak]:
    """What the items of one memory tell of test tasks."""
    for source, texts in slots.texts[name].items():
        # a system recalls for a task whose text it was given: what counts is the solution of that task, and
        # what is too long to be in a slot by chance, of any
        for leak in item_leaks(secrets, name, "" if system else source, texts):
            own = leak.task == source and leak.kind != "task text"
            if not system or own or leak.kind == "ground truth":
                yield leak


def _honest(
    run: RunContext, traces: Mapping[str, Trajectory], train: Iterable[Task]
) -> Callable[[Leak], bool]:
    """Whether an item could know an answer honestly.

    The run's own training episodes could not have seen a test task, so what they say is no leak. An imported
    trace could; then only what training tasks have for an answer is none.
    """
    answers: list[str] = []

    def honest(leak: Leak) -> bool:
        if leak.kind == "task text":
            return False
        if run.spec.traces.source != "import":
            own = [traces[leak.source]] if leak.source in traces else traces.values()
            return any(says(text, leak.text) for text in own)
        if not answers:
            truths = _truths(run.world, train).values()
            answers.extend(
                " ".join(fold_words(text)) for truth in truths for text in (*truth.answers, truth.lesson)
            )
            answers.append("")
        return any(leak.text == answer or f"{leak.text} " in f"{answer} " for answer in answers)

    return honest


def refuse_leaks(spec: Spec, leaks: Sequence[Leak]) -> None:
    """Play no trial on a memory that knows a test task: SpecFault, unless leaks are only counted."""
    # records of the same template are a leak only where the spec leaves them out
    honest = () if spec.retrieval.leave_out == "template" else ("template-mate",)
    bad = [leak for leak in leaks if leak.kind not in honest]
    if spec.leakage == "count" or not bad:
        return
    times = Counter(leak.kind for leak in bad)
    each = ", ".join(f"{kind} {times[kind]}" for kind in KINDS if times[kind])
    first = bad[0]
    source = f"source {first.source!r}" if first.source else "its slot"
    raise SpecFault(
        f"a memory must not know the tasks that it is tested on; leakage: {each}. First: task {first.task!r},"
        f" memory {first.memory}, {source}: {first.text[:120]!r}. Take it out of what memory is made from,"
        " or say leakage: count (and --clean) to play all the same, with the count in the report"
    )


def count_leaks(leaks: Sequence[Leak]) -> tuple[LeakCount, ...]:
    """The leaks as the plan states them: of each kind how many, and one example."""
    counts = []
    for kind in KINDS:
        own = [leak for leak in leaks if leak.kind == kind]
        example = asdict(own[0]) | {"text": own[0].text[:200]} if own else {"kind": kind}
        counts.append(LeakCount.model_validate(example | {"count": len(own)}))
    return tuple(counts)
