"""`mt.trial`: agents in plain Python, of known disposition, get the words that they must get."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

import memtrial as mt
from memtrial.analysis.reasons import Reason
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow
from memtrial.memory.item import TheoryItem
from memtrial.memory.stated_store import StatedStore

NOTES = """When the lamp is red, press the green button.
When the bell rings, open the north door.
When the tank is full, close the valve."""
ACTS = {"lamp": "press the green button", "bell": "open the north door", "tank": "close the valve"}
TASKS = [
    {
        "id": f"{thing} {number}",
        "query": f"The {thing} again, case {number}.",
        "thing": thing,
        "family": thing,
    }
    for number in range(14)
    for thing in ACTS
][:40]
FEW = TASKS[:3]
SHORT = ("corrupt_invert",)


def luck(task: Any, share: int) -> bool:
    return crc32(task.id.encode()) % 100 < share


def reads(task: Any, memory: Any) -> bool:
    lines = [line.casefold() for line in memory.text.splitlines() if task["thing"] in line]
    return any(ACTS[task["thing"]] in line and "never" not in line for line in lines) or luck(task, 20)


def ignores(task: Any, memory: Any) -> bool:
    assert isinstance(memory.text, str)
    return luck(task, 50)


def lifted_by_any_text(task: Any, memory: Any) -> bool:
    return luck(task, 80 if memory.text else 20)


def heeds_the_topic(task: Any, memory: Any) -> bool:
    """Solves whatever its notes mention, whatever they say of it."""
    return task["thing"] in memory.text or luck(task, 20)


def never_looks(task: Any, memory: Any) -> bool:
    return luck(task, 50)


def under(folder: Path, **more: Any) -> mt.TrialOptions:
    # figures would take most of the time
    return mt.TrialOptions(**{"out": folder / "run", "report": False} | more)


def rows_of(folder: Path) -> tuple[TrialRow, ...]:
    ledger = open_ledger_to_read(folder / "run" / "ledger.sqlite")
    try:
        return tuple(ledger.trials())
    finally:
        ledger.close()


def play_few(
    agent: Callable[..., Any], folder: Path, memory: object = NOTES, **more: Any
) -> dict[str, TrialRow]:
    """A short trial: by condition, the row of the first task."""
    model = more.pop("model", None)
    options = under(folder, **{"conditions": SHORT} | more)
    results = mt.trial(agent, FEW, memory, model, options)
    assert results.tasks == len(FEW)
    return {row.condition: row for row in rows_of(folder) if row.task == "lamp 0"}


@pytest.mark.parametrize(
    ("agent", "utility", "content"),
    [
        (reads, "helps", "load-bearing"),
        (ignores, "none", "untestable"),  # nothing to carry
        (lifted_by_any_text, "helps", "inert"),
        (never_looks, "untestable", "untestable"),
    ],
)
def test_each_disposition_gets_its_word(
    agent: Callable[..., bool], utility: str, content: str, tmp_path: Path
) -> None:
    kinds = ("corrupt_invert", "counter", "paraphrase", "oddity+corrupt_invert")
    options = under(tmp_path, conditions=kinds, report=agent is reads)
    results = mt.trial(agent, TASKS, NOTES, options=options)
    assert (tmp_path / "run" / "report.html").exists() == options.report
    (words,) = results.verdicts.values()
    assert results.utility == {f"own/{agent.__name__}": {"memory": utility}}
    assert (words["memory"]["corrupt_invert"], words["memory"]["counter"]) == (content, content)
    assert words["memory"]["paraphrase"] != "load-bearing"
    assert not results.simulated
    alarm = "MEMORY WAS NEVER GIVEN: in 200 of 200 trials" in str(results)
    assert alarm == (agent is never_looks)
    assert not any(row.estimand.startswith("follow") for row in results.estimates), "no act is seen"
    drawn = results._repr_html_()
    assert "<pre" in drawn
    assert "<svg" in drawn


@pytest.mark.parametrize(("agent", "word"), [(reads, "load-bearing"), (heeds_the_topic, "inconclusive")])
def test_text_about_nothing_shows_use_of_content_only_beside_other_advice(
    agent: Callable[..., bool], word: str, tmp_path: Path
) -> None:
    kinds = ("filler", "oddity+filler", "corrupt_invert", "oddity+corrupt_invert")
    results = mt.trial(agent, TASKS, NOTES, options=under(tmp_path, conditions=kinds))
    row = next(row for row in results.estimates if (row.estimand, row.condition) == ("drop", "filler"))
    assert row.estimate is not None
    assert row.estimate > 0.3
    assert row.verdict == word, row.reason
    assert (row.code == Reason.NOT_TURNED) == (agent is heeds_the_topic)


def test_by_default_all_conditions_are_played_and_what_does_not_apply_says_why(tmp_path: Path) -> None:
    results = mt.trial(reads, FEW, ["The weather was fine.", "It was Tuesday."], options=under(tmp_path))
    kinds = (
        "corrupt_invert",
        "counter",
        "irrelevant_generic",
        "filler",
        "paraphrase",
        "oddity+corrupt_invert",
    )
    assert results.conditions == kinds
    missing = [row for row in results.manipulation if row.condition == "counter"]
    assert (missing[0].applicable, bool(missing[0].not_applicable_because)) == (0, True)


# what counts as delivered


def test_a_model_that_is_asked_proves_delivery_by_its_requests(tmp_path: Path) -> None:
    async def asks(task: Any, memory: Any, ask: Any) -> float:
        await ask("Are you there?")
        reply = await ask(
            [{"role": "system", "content": memory.text or "."}, {"role": "user", "content": task.query}]
        )
        return float(bool(reply.text))

    rows = play_few(asks, tmp_path, model="simulated/reader")
    assert {(row.calls, row.handed, row.undelivered, row.carrying) for row in rows.values()} == {
        (2, 0, 0, 0),
        (2, 0, 0, 1),
    }
    assert rows["without"].carrying == 0


def test_memory_that_was_taken_and_stood_in_no_request_is_not_delivered(tmp_path: Path) -> None:
    def drops_it(task: Any, memory: Any, ask: Any) -> bool:
        assert memory.text is not None
        return bool(ask(task.query).text)

    rows = play_few(drops_it, tmp_path, model="simulated/reader")
    assert (rows["intact"].undelivered, rows["intact"].handed, rows["without"].undelivered) == (1, 0, 0)


def test_items_one_by_one_are_delivery_too_and_no_model_is_needed_for_it(tmp_path: Path) -> None:
    def takes_items(task: Any, memory: Any) -> bool:
        return len(memory.items) == 2

    rows = play_few(takes_items, tmp_path, ["Press the red button.", "Open the door."])
    assert [rows[name].score for name in ("intact", "without")] == [1.0, 0.0]
    assert (rows["intact"].carrying, rows["intact"].handed, rows["intact"].undelivered) == (1, 1, 0)


def test_by_trigger_an_item_comes_up_in_its_moment_and_once(tmp_path: Path) -> None:
    item = TheoryItem(
        "When the lamp is red, press it.", "state: lamp red", "It works.", "Always.", "heuristic"
    )

    def looks(task: Any, memory: Any) -> bool:
        before, due = memory.at("all is dark"), memory.at("the lamp is red")
        return memory.text == before == memory.at("the lamp is red") == "" and "press it" in due

    rows = play_few(looks, tmp_path, [item], injection="trigger")
    assert (rows["intact"].status, rows["without"].status) == ("success", "failure")
    assert [(entry["step"], entry["shown"]) for entry in rows["intact"].firings] == [(1, True)]
    assert (rows["intact"].handed, rows["intact"].undelivered) == (1, 0)
    with pytest.raises(SpecFault, match="no item of its memory has a `## Trigger`"):
        play_few(looks, tmp_path / "other", NOTES, injection="trigger")


# what an agent may be, and what it may return


class Counts:
    """Made anew for each trial, so that it never gets beyond 1."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self, task: Any, memory: Any) -> float:
        self.times += 1
        await asyncio.sleep(0)
        return 0.5 if self.times == 1 and memory.text else 0.0


def test_a_class_is_made_anew_for_each_trial_and_an_object_is_said_to_be_one(tmp_path: Path) -> None:
    options = {"conditions": SHORT, "max_connections": 3}
    fresh = mt.trial(Counts, FEW, NOTES, options=under(tmp_path, **options))
    assert {row.score for row in rows_of(tmp_path) if row.arm == "memory"} == {0.5}
    held = mt.trial(Counts(), FEW, NOTES, options=under(tmp_path / "held", **options))
    assert [any("One object of the agent" in note for note in one.notes) for one in (fresh, held)] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (None, "returned None"),
        ("yes", "returned 'yes'"),
        (1.5, "returned 1.5"),
        (float("nan"), "returned nan"),
    ],
)
def test_what_is_no_score_is_an_error_of_the_agent_and_never_a_failure(
    returned: Any, says: str, tmp_path: Path
) -> None:
    row = play_few(lambda task, memory: returned, tmp_path, version="1")["intact"]
    assert (row.status, row.boundary, row.score) == ("error", "agent", None)
    assert says in row.cause
    assert "a score from 0 to 1, True or False, or an Outcome is needed" in row.cause


def test_what_the_code_raises_is_an_error_with_its_line(tmp_path: Path) -> None:
    def breaks(task: Any, memory: Any) -> bool:
        return {}["nothing"]  # type: ignore[no-any-return]

    cause = play_few(breaks, tmp_path)["intact"].cause
    assert "KeyError: 'nothing' (test_trial.py, line" in cause


def test_to_ask_without_a_model_is_one_clear_line(tmp_path: Path) -> None:
    row = play_few(lambda task, memory, ask: bool(ask("Hello")), tmp_path)["intact"]
    assert "asked a model, and none is named; name one, as model=" in row.cause


def test_usage_that_is_reported_is_counted_and_stops_at_the_budget(tmp_path: Path) -> None:
    def pays(task: Any, memory: Any) -> mt.Outcome:
        assert memory.text is not None
        return mt.Outcome(False, 0.25, "ran out", mt.Usage(100, 10, 1.0))

    results = mt.trial(pays, TASKS, NOTES, options=under(tmp_path, conditions=SHORT, budget=9.0))
    rows = rows_of(tmp_path)
    assert {(row.score, row.cause, row.input_tokens, row.usd) for row in rows} == {
        (0.25, "ran out", 100, 1.0)
    }
    assert 3 <= len(rows) <= 9
    assert results.cost["memory"].usd == sum(row.usd or 0 for row in rows if row.arm == "memory")
    again = mt.trial(pays, TASKS, NOTES, options=under(tmp_path, conditions=SHORT, budget=9.0))
    assert len(rows_of(tmp_path)) == len(rows), "what earlier sessions reported counts"
    assert any("not finished" in note for note in again.notes)


# the same call again


def make_agent(act: str) -> Callable[..., bool]:
    def acts(task: Any, memory: Any) -> bool:
        return act in memory.text

    return acts


def test_the_same_call_goes_on_and_a_changed_one_is_refused_with_what_changed(tmp_path: Path) -> None:
    options = under(tmp_path, conditions=SHORT, limit=1)
    mt.trial(make_agent("press"), FEW, NOTES, options=options)
    assert len({row.task for row in rows_of(tmp_path)}) == 1
    results = mt.trial(make_agent("press"), FEW, NOTES, options=under(tmp_path, conditions=SHORT))
    assert results.cells
    assert len(rows_of(tmp_path)) == 9
    changed = {
        "the agent": (make_agent("open"), FEW, NOTES),
        "the tasks": (make_agent("press"), [{**FEW[0], "thing": "cup"}, *FEW[1:]], NOTES),
        "memory memory": (make_agent("press"), FEW, NOTES + " Wait."),
    }
    for name, call in changed.items():
        with pytest.raises(SpecFault, match=f"changed: digest of {name} "):
            mt.trial(*call, options=under(tmp_path, conditions=SHORT))


def test_an_agent_that_holds_what_nothing_can_tell_needs_a_version(tmp_path: Path) -> None:
    handle = object()

    def holds(task: Any, memory: Any) -> bool:
        return handle is not None and bool(memory.text)

    with pytest.raises(SpecFault, match=r"the agent holds 'handle', a object.*give version="):
        play_few(holds, tmp_path)
    assert not (tmp_path / "run").exists(), "nothing was written"
    assert play_few(holds, tmp_path, version="1")["intact"].score == 1.0


def test_a_lock_is_made_before_the_first_trial(tmp_path: Path) -> None:
    results = mt.trial(reads, FEW, NOTES, options=under(tmp_path, conditions=SHORT, lock=True))
    assert results.status == "confirmatory"
    assert (tmp_path / "run" / "lock.json").is_file()


# memory in all its forms


def test_several_arms_each_with_a_memory_of_another_form(tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Memory Item 1\nPress the button.\n\n# Memory Item 2\nOpen the door.\n")
    memories = {
        "file": notes,
        "made": lambda task: f"When the {task['thing']} is on, press the button.",
        "store": StatedStore({task["id"]: ("Open the north door.", "Close it.") for task in FEW}),
        "nothing": lambda task: None,
    }
    shown: dict[str, set[tuple[str, ...]]] = {}

    def keeps(task: Any, memory: Any) -> bool:
        shown.setdefault(task.id, set()).add(memory.items)
        return bool(memory.items)

    results = mt.trial(
        keeps, FEW, memories, options=under(tmp_path, conditions=SHORT, version="1", pairs=("made:file",))
    )
    assert results.arms == ("none", "file", "made", "store", "nothing")
    assert {
        ("# Memory Item 1\nPress the button.", "# Memory Item 2\nOpen the door."),
        ("When the lamp is on, press the button.",),
        ("Open the north door.", "Close it."),
        (),
    } <= shown["lamp 0"]
    assert results.empty_slots["nothing"] == 1.0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ((reads, FEW, None), "memory is what is put on trial"),
        ((reads, FEW, {}), "memory is what is put on trial"),
        ((reads, FEW, " "), "memory 'memory': a memory is a text.*the text is blank"),
        ((reads, FEW, {"a": 3}), "memory 'a': a memory is a text.*got int"),
        ((reads, FEW, Path("nowhere.md")), "nowhere.md cannot be read"),
        ((reads, FEW, "notes.md"), r"'notes.md' would be the text itself: give Path\('notes.md'\)"),
        ((reads, [], NOTES), "at least one task is needed"),
        ((reads, 7, NOTES), "tasks are a list of texts or rows.*got int"),
        ((lambda task: True, FEW, NOTES), r"agent: an agent is called as \(task, memory\).*takes \(task\)"),
        (("reads", FEW, NOTES), "an agent is a callable"),
    ],
)
def test_a_wrong_call_is_one_clear_line(call: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=says) as refused:
        mt.trial(*call, options=under(tmp_path))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()
