"""The exposure log: of each item the turn at which it was shown, fired, was cited and acted upon."""

from typing import Any

from memtrial.agents.episode import Episode
from memtrial.agents.slot import Firing, Slot
from memtrial.agents.trajectory import Step
from memtrial.arms.arm import ACTIVATION, ARTIFACT, CONTROL, Arm
from memtrial.arms.trigger_watch import watch
from memtrial.ledger.rows import TrialRow
from memtrial.memory.item import Item, NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN
from memtrial.reports.sections.row_tables import FUNNEL
from memtrial.runs.preparation.arm_slots import ArmSlots, IntactSlot
from memtrial.runs.trials.adherence import find_told_actions
from memtrial.runs.trials.exposure import count_echoed_words, find_citation, list_exposures
from memtrial.runs.trials.trials import Trial
from memtrial.views.evidence.exposure_rows import exposed_rows, funnel_rows
from memtrial.views.rows.evidence_rows import FunnelRow
from memtrial.views.rows.results import Results
from memtrial.worlds.world import Outcome, Task
from tests.support.plans import run_plan

LOOM = Task("t", "Get the ribbon loom running.", "loom", "", "test")
SLACK, OTHER, WIND = "The belt hangs slack.", "The gauge trembles.", "wind the brass crank"
NATIVE = NativeItem("Slack belts of looms", "On looms.", f"When the belt hangs slack, {WIND}.")
THEORY = TheoryItem(f"Do `{WIND}`.", 'state: "belt hangs slack"', "It moves.", "Looms.", "heuristic")
NEVER = TheoryItem("Do `pull the tin lever`.", 'state: "seven bells"', "It rings.", "Looms.", "heuristic")


def trial(arm: Arm, *items: Item) -> Trial:
    slot = Slot("Notes.", tuple(render(item, number) for number, item in enumerate(items, 1)))
    intact = IntactSlot(slot, watch(items), ("s",))
    slots = ArmSlots({}, {(arm.memory, "t"): intact}, {"t": ()}, {}, {})
    return Trial(
        "k", "b", arm, "intact", LOOM, 0, slot, intact, find_told_actions(arm, slots, LOOM, NOTHING_KNOWN)
    )


def episode(
    *seen_and_done: tuple[str, str],
    thought: str = "So.",
    fired: dict[int, int] | None = None,
    shown: bool = False,
) -> Episode:
    seen = [*[one for one, _ in seen_and_done[1:]], ""]
    steps = tuple(Step(thought, done, after) for (_, done), after in zip(seen_and_done, seen, strict=True))
    firings = tuple(Firing(step, item, "w", shown) for item, step in (fired or {}).items())
    return Episode(LOOM, seen_and_done[0][0], steps, Outcome(False, 0.0), firings, (), (), 9)


def entry(item: int, shown: int | None, fired: int | None, said: int | None, acted: int | None) -> Any:
    return {"item": item, "shown": shown, "fired": fired, "cited": said, "acted": acted}


def test_a_prepended_item_is_shown_at_once_and_its_moment_comes_later() -> None:
    played = episode((OTHER, WIND), (SLACK, "wait"), (SLACK, WIND), (SLACK, WIND))
    assert list_exposures(trial(CONTROL, NATIVE), played) == (entry(0, 0, 1, None, 2),)
    assert list_exposures(trial(CONTROL, NATIVE), episode((OTHER, WIND))) == (entry(0, 0, None, None, None),)


def test_each_item_of_a_slot_has_its_own_entry() -> None:
    played = episode((OTHER, "wait"), (SLACK, WIND), fired={0: 1})
    found = list_exposures(trial(ARTIFACT, THEORY, NEVER), played)
    assert found == (entry(0, 0, 1, None, 1), entry(1, 0, None, None, None))


def test_by_trigger_an_item_is_shown_when_it_fires() -> None:
    played = episode((OTHER, "wait"), (SLACK, WIND), fired={0: 1}, shown=True)
    assert list_exposures(trial(ACTIVATION, THEORY, NEVER), played) == (
        entry(0, 1, 1, None, 1),
        entry(1, None, None, None, None),
    )


def test_without_items_there_is_nothing_to_be_exposed_to() -> None:
    assert list_exposures(trial(CONTROL), episode((SLACK, WIND))) == ()


def test_a_thought_cites_an_item_by_number_title_or_words() -> None:
    item = render(NATIVE, 1)

    def by(thought: str) -> int | None:
        return find_citation(0, item, (Step("So.", "wait", ""), Step(thought, "wait", "")))

    assert by("Memory item 1 fits here.") == 1
    assert by("This is about slack belts of looms.") == 1
    assert by("It said to wind the crank, as the belt hangs slack.") is None
    assert by("It said: when the belt hangs slack, wind the brass crank.") == 1
    assert by("Item 2 fits; a note of 1 word.") is None


def test_words_of_memory_in_thoughts_are_counted() -> None:
    played = episode((SLACK, WIND), (SLACK, WIND), thought=f"When the belt hangs slack, {WIND}.")
    assert count_echoed_words(trial(CONTROL, NATIVE), played) == 18
    assert count_echoed_words(trial(CONTROL, NATIVE), episode((SLACK, WIND))) == 0


def row(arm: str, condition: str, score: float, task: str, *entries: Any, fired: bool = False) -> TrialRow:
    firing: Any = ({"step": 0, "item": 0, "why": "", "shown": False},) if fired else ()
    status: Any = "success" if score else "failure"
    return TrialRow(
        "k", "b", arm, condition, task, "", 0, status, score, "", "", False, "", firing, exposures=entries
    )


def test_each_stage_counts_those_of_the_stage_before() -> None:
    plan = run_plan(backbones=("b",), arms=("none", "control"), conditions=(), pairs=(), planned={})
    trials = [
        row("none", "without", 0.0, "t1", fired=True),
        row("none", "without", 1.0, "t2"),
        row("control", "intact", 1.0, "t1", entry(0, 0, 0, 0, 0), entry(1, 0, None, None, 0)),
        row("control", "intact", 1.0, "t2", entry(0, 0, 0, None, 0), entry(1, None, 0, None, None)),
    ]
    (found,) = funnel_rows(trials, plan)
    assert (found.retrieved, found.shown, found.fired, found.acted) == (4, 3, 2, 2)
    assert (found.mattered, found.cited) == (1, 1)
    exposed_where = {one.blocks: (one.n_tasks, one.estimate) for one in exposed_rows(trials, plan)}
    assert exposed_where == {"fired": (1, 1.0), "not fired": (1, 0.0)}


def test_the_funnel_is_printed_in_counts() -> None:
    row = FunnelRow(
        backbone="b", arm="control", retrieved=126, shown=120, fired=3, acted=2, mattered=1, cited=0
    )
    printed = FUNNEL(Results.model_construct(backbones=("b",), funnel=(row,))).rows
    assert printed == (("b", "control", "126", "120", "3", "2", "1", "0"),)
