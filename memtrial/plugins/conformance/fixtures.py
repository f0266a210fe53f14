"""What the laws are tried on: runs in the workshop, slots of every schema, and odd texts."""

from dataclasses import dataclass
from functools import cache

from memtrial.agents.slot import Slot
from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.agents.trajectory_views import recount
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.item import Item, NativeItem, ProseItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Reply, Request
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.plugins.shipped_memory import is_shipped
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import State, Task

SEED = 7
CUE = "Notes from earlier tasks:"

THEORY = TheoryItem(
    claim="In the press room when the blue lamp is lit, do `pull the brass lever`.",
    trigger='task: press | state: "blue lamp"',
    mechanism="That vents the press.",
    scope="Presses of one room. Does NOT apply when the lamp is red.",
    form="heuristic",
)
NATIVE = NativeItem(
    title="Vent before opening",
    description="How a press with a lever is started.",
    content="Always pull the brass lever before you open the gate. Do not turn the dial when it is red.",
)
PROSE = ProseItem("Task: start the press. First pull the brass lever, then open the gate. That worked.")
PRESS = Trajectory(
    "press",
    "press",
    "Start the press.",
    "success",
    (
        Step("The lever comes first.", "pull the brass lever", "Steam leaves the press; the gate can move."),
        Step("Now the gate.", "open the gate", "The press runs."),
    ),
    start="You stand in the press room. The blue lamp is lit.",
)
VAGUE = TheoryItem("Be careful.", "", "", "", "heuristic")
BROKEN = TheoryItem("In x, do `y`.", "state:", "Because.", "Everywhere.", "check: (((")
ITEMS: tuple[Item, ...] = (THEORY, NATIVE, PROSE, VAGUE, BROKEN)

EMPTY = Trajectory("no steps", "no-steps", "Start the press.", "failure", ())


def slot_of(*items: Item) -> Slot:
    """A slot that shows these items."""
    return Slot(CUE, tuple(render(item, number) for number, item in enumerate(items, 1)))


SLOTS = (
    slot_of(THEORY),
    slot_of(NATIVE),
    slot_of(PROSE),
    slot_of(NATIVE, THEORY),
    slot_of(PROSE, NATIVE, THEORY),
    slot_of(ProseItem(recount(PRESS))),
)
DONOR = slot_of(
    NativeItem(
        "Read the newest row",
        "Tables sorted by date.",
        "Sort the invoices by date and copy the amount of the newest row. Never use the total below.",
    ),
    # what can be done with the things of the press room, in the place of what is advised there
    NativeItem("Look closer first", "Old machines.", "Do `open the brass gate`."),
)
ODD_TEXTS = (
    "",
    " \n\t ",
    "...!?",
    "Stop",
    "當燈亮時，永遠不要拉動黃銅桿。先檢查儀表。",
    "Wenn die Lampe leuchtet, zieh nicht am Hebel. 🔥🚀",
    "## Title\n## Description\n## Content",
    "```python\n# Title\nimport os\n```",
    "odd\u2028breaks\x0binside\r\nand the rest\r",
    " ".join(["Pull the lever when the lamp is red, then read gauge 7."] * 400),
)
ODD = tuple(Slot(CUE, (text,)) for text in ODD_TEXTS)


@cache
def trajectories() -> tuple[Trajectory, ...]:
    """Twelve runs in the workshop: every other one a success on the true path, the rest failures."""
    world, played = Workshop(SEED, 12, 8, 8), []
    for number, task in enumerate(world.tasks("train")):
        actions = world.ground_truth(task).path if number % 2 else ("look around", "wait")
        start = world.reset(task).observation
        steps: list[Step] = []
        for action in actions:
            state = world.step(action)
            thought = f"Step {len(steps) + 1}: I try this."
            steps.append(Step(thought, action, state.observation, "refused" if state.refused else ""))
        outcome = world.outcome()
        verdict: Verdict = "success" if outcome.success else "failure"
        names = (task.id, task.id, task.query)
        played.append(Trajectory(*names, verdict, tuple(steps), start, task.family, outcome.score))
    return tuple(played)


@cache
def tasks_asked() -> tuple[tuple[Task, State], ...]:
    """Eight other tasks with what the workshop shows at their beginning."""
    world = Workshop(SEED, 12, 8, 8)
    return tuple((task, world.reset(task)) for task in world.tasks("test"))


@dataclass(frozen=True, slots=True)
class Steady:
    """A model that gives every request the same answer: two items in the native schema."""

    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        return Reply(f"{render(NATIVE, 1)}\n\n{render(NATIVE, 2)}", 100, 50, "steady")

    async def close(self) -> None: ...


def steady_caller() -> Caller:
    """A caller whose model gives every request the same answer."""
    return Caller(ModelClient(CallCache(MemoryCallStore()), lambda _: Steady()), "steady/model")


def caller_for(source: str) -> Caller:
    """Whom an object asks while the laws are tried: the same answer to all, or the scribe, who answers what
    the memory systems that ship ask."""
    if not is_shipped(source):
        return steady_caller()
    return Caller(ModelClient(CallCache(MemoryCallStore()), open_simulated), "simulated/scribe")
