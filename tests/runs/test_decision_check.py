"""The decision check: damage that leaves the advice as it was is found out, by a judge who is blind."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memtrial.agents.slot import NOTHING as EMPTY
from memtrial.agents.slot import Slot
from memtrial.arms.arm import PREPEND, Arm
from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.judges.closed_question import NOTHING, ModelReader
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.rows import DecisionRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.client.types import Message, ModelFault, Request
from memtrial.models.providers.open import open_backend
from memtrial.models.simulated.prompt import answer
from memtrial.reports.render.html_report import render_html
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.preparation.arm_slots import IntactSlot
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.trials.decision_check import check_decisions, sample_trials
from memtrial.runs.trials.trials import Block, Trial
from memtrial.views.evidence.advice_rows import FEWEST, decision_rows, untestable_by_decision
from memtrial.views.rows.results import Results
from memtrial.worlds.world import State, Task
from tests.support.carried_out import play_spec
from tests.support.scripted_judge import Scripted, caller
from tests.support.scripted_run import ANSWERED, query
from tests.support.small import write_spec

FOOTNOTE = Path(__file__).parents[1] / "own" / "footnote.py"
SPEC = f"""
name: deciding
seed: 3
environment: {{world: workshop, train: 12, test: 12, families: 8}}
backbone: simulated/ignorer
roles: {{condenser: simulated/scribe, gate: simulated/examiner, judge: 'JUDGE'}}
traces: {{source: play, player: simulated/ignorer}}
arms: [none, oracle, planted-native]
conditions: [corrupt_invert, paraphrase, {FOOTNOTE}:footnote]
repeats: 2
decision: {{slots: 10}}
"""
RULES, SITUATION = "You work.\n  - press THING", "Task: get it out\n\nObservation: The lid is shut."
NOTES = "Notes from earlier tasks.\n\nWhen the lid is shut, do `press the stud`."


def ask(*replies: str):
    left = list(replies)
    backend = Scripted(lambda asked: left.pop(0) if len(left) > 1 else left[0])
    return asyncio.run(ModelReader(caller(backend))(RULES, SITUATION, NOTES))


def said(action: str, quote: str) -> str:
    return answer({"action": action, "quote": quote})


def test_an_action_counts_with_a_passage_that_stands_in_the_notes():
    found = ask(said(" `press  the stud`. ", "do `press the stud`"))
    assert (found.action, found.quote, found.fault) == ("press the stud", "do `press the stud`", "")
    assert ask(said("Nothing.", "")).action == NOTHING
    assert ask(said("nothing", "the lid is shut")).action == NOTHING


@pytest.mark.parametrize(
    ("action", "quote"),
    [("press the stud", ""), ("press the stud", "Do `press the stud`"), ("nothing", "pull"), ("", "lid")],
)
def test_what_does_not_stand_there_is_no_answer(action, quote):
    found = ask(said(action, quote))
    assert found.action == ""
    assert found.fault


def test_a_reply_that_cannot_be_read_is_no_answer():
    assert "could not be read" in ask("I would press the stud.").fault


def row(condition, task, action, nth=0, fault="", arm="a", backbone="b"):
    return DecisionRow(backbone, arm, condition, task, 0, nth, "", action, "", fault)


def counted(condition, changed, unchanged, silent=0, noisy=0):
    """Decisions on slots of which so many change, stay, and advise nothing to begin with."""
    rows = []
    for at in range(changed + unchanged + silent):
        before = "press the stud" if at < changed + unchanged else NOTHING
        after = "pull the stud" if at < changed else before
        again = "look" if at < noisy else before
        rows += [row("intact", f"t{at}", before), row("intact", f"t{at}", again, nth=1)]
        rows += [row(condition, f"t{at}", after.upper().replace("THE ", ""))]
    return rows


@pytest.mark.parametrize(
    ("condition", "changed", "unchanged", "untestable"),
    [
        ("corrupt_invert", 9, 1, False),
        ("corrupt_invert", 6, 5, False),
        ("corrupt_invert", 5, 5, True),
        ("corrupt_invert", 0, FEWEST, True),
        ("corrupt_invert", 0, FEWEST - 1, False),
        ("paraphrase", 1, 9, False),
        ("paraphrase", 5, 5, True),
        ("paraphrase", 4, 0, False),
    ],
)
def test_most_slots_decide(condition, changed, unchanged, untestable):
    rows = counted(condition, changed, unchanged, silent=7)
    (found,) = decision_rows(rows)
    assert (found.asked, found.advising) == (changed + unchanged + 7, changed + unchanged)
    assert found.changed == changed
    assert found.untestable == untestable
    assert set(untestable_by_decision(rows)) == ({("b", "a", condition)} if untestable else set())


def test_a_judge_that_contradicts_itself_decides_nothing():
    (found,) = decision_rows(counted("corrupt_invert", 0, 10, noisy=5))
    assert (found.twice, found.twice_changed, found.untestable) == (10, 5, False)
    assert "contradicts itself" in found.reason


def test_what_could_not_be_read_is_counted_and_left_out():
    rows = counted("corrupt_invert", 0, 6)
    rows[2] = row("corrupt_invert", "t0", "", fault="unreadable")
    (found,) = decision_rows(rows)
    assert (found.asked, found.faults, found.untestable) == (5, 1, True)


def carry_out(
    folder: Path, judge: str = "simulated/decider?hit=1&noise=0", *settings: str, out: str = "out"
) -> dict:
    spec = load_spec(write_spec(folder, SPEC.replace("JUDGE", judge)), list(settings))
    assert play_spec(spec, folder / out) == 0
    return json.loads((folder / out / "results.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deciding")
    return folder, carry_out(folder)


def test_a_run_finds_the_damage_that_changes_no_advice(run):
    _, results = run
    found = {(one["arm"], one["condition"]): one for one in results["decision"]}
    for arm in ("oracle", "planted-native"):
        for condition, untestable in (("corrupt_invert", 0), ("paraphrase", 0), ("footnote", 1)):
            assert found[arm, condition]["untestable"] == untestable, found[arm, condition]
            assert FEWEST <= found[arm, condition]["advising"] <= found[arm, condition]["asked"] <= 10
            assert found[arm, condition]["twice_changed"] == 0
    for one in results["estimates"]:
        if one["condition"] == "footnote":
            assert one["verdict"] == "untestable"
            assert one["reason"].startswith("decision check: in 0 of")
        else:
            assert "decision check" not in one["reason"]


def test_the_same_text_is_asked_once_and_the_cost_is_of_the_preparation(run):
    folder, results = run
    (cost,) = (one for one in results["preparation"] if one["purpose"] == "decision check")
    ledger = SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")
    rows = list(ledger.decisions())
    assert all(ledger.slot(one.slot) for one in rows)
    ledger.close()
    assert cost["calls"] == len({(one.task, one.slot, one.nth) for one in rows})
    assert {one.nth for one in rows if one.condition != "intact"} == {0}
    twice = Counter((one.arm, one.task, one.repeat) for one in rows if one.condition == "intact")
    assert set(twice.values()) == {2}


def test_going_on_asks_nothing_again(run):
    folder, results = run
    before = query(folder, ANSWERED), query(folder, "SELECT * FROM decisions")
    assert carry_out(folder) == results
    assert (query(folder, ANSWERED), query(folder, "SELECT * FROM decisions")) == before


def test_the_report_shows_the_table(run):
    _, results = run
    page = render_html(Results.model_validate(results))
    assert "What a judge says that the slots advise" in page
    assert "footnote changed it" in page


def test_a_judge_that_sees_nothing_and_one_that_guesses_make_nothing_untestable(tmp_path):
    for judge, why in (
        ("simulated/decider?hit=0&noise=0", "too few"),
        ("simulated/decider?noise=1", "itself"),
    ):
        results = carry_out(
            *(tmp_path, judge, "repeats=1", "conditions=[paraphrase]", "arms=[none, planted-native]"),
            out=why.replace(" ", "_"),
        )
        assert all(why in one["reason"] and not one["untestable"] for one in results["decision"])


def test_without_a_judge_nothing_is_asked(tmp_path):
    text = SPEC.replace(", judge: 'JUDGE'", "")
    spec = load_spec(write_spec(tmp_path, text), ["environment.test=2", "repeats=1"])
    assert play_spec(spec, tmp_path / "out") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["decision"] == []
    assert not any(one["purpose"] == "decision check" for one in results["preparation"])


def test_the_judge_sees_neither_arm_nor_damage(tmp_path):
    asked = []
    backend = Scripted(lambda one: asked.append(one.messages) or said("nothing", ""))
    asyncio.run(ModelReader(caller(backend))(RULES, SITUATION, NOTES))
    told = "\n".join(message.text for message in asked[0])
    for word in (
        "intact",
        "damage",
        "perturb",
        "corrupt",
        "paraphrase",
        "condition",
        "arm ",
        "theory",
        "native",
    ):
        assert word not in told.lower(), word


def test_a_role_that_does_not_fit_is_refused(tmp_path):
    for judge in ("simulated/examiner", "simulated/reader"):
        spec = load_spec(write_spec(tmp_path, SPEC.replace("JUDGE", judge)), [])
        with pytest.raises(SpecFault, match=r"roles\.judge needs a model that says what slots advise"):
            check_spec(spec)
    with pytest.raises(SpecFault, match=r"roles\.judge reads slots before the first trial"):
        load_spec(write_spec(tmp_path, SPEC.replace("JUDGE", "simulated/decider")), ["mode=stream"])
    request = Request("simulated/decider", (Message("system", "You are an agent."), Message("user", "Go.")))
    with pytest.raises(ModelFault, match="says what notes advise"):
        asyncio.run(open_backend("simulated/decider").answer(request, 0))


def test_the_plan_counts_its_cost(tmp_path):
    priced = "budget.prices={openai/judge: {input: 1, output: 4}}"
    found = {}
    for slots in (5, 10):
        spec = load_spec(
            write_spec(tmp_path, SPEC.replace("JUDGE", "openai/judge")), [priced, f"decision.slots={slots}"]
        )
        experiment = check_spec(spec, {"OPENAI_API_KEY": "sk-none"})
        found[slots] = forecast_of(experiment, wanted=PlanOptions(simulate=0)).preparation_usd
    assert found[5].low == 0
    assert 0 < found[5].likely < found[5].high
    assert found[10].likely == pytest.approx(2 * found[5].likely, rel=0.01)


class Lid:
    """A world that shows one thing."""

    rules, blocking = RULES, False

    def reset(self, task):
        return State("The lid is shut.")


def trial(task: str, condition: str, text: str, arm: str = "a", repeat: int = 0, before: str = NOTES):
    shown = Slot("Notes.", (text,)) if text else EMPTY
    return Trial(
        f"{arm} {condition} {task} {repeat}",
        "b",
        Arm(arm, "native", PREPEND),
        condition,
        Task(task, f"get {task} out", "f", "t", "test"),
        repeat,
        shown,
        IntactSlot(Slot("Notes.", (before,)) if before else EMPTY, (), ()),
    )


def cells(*trials):
    return [Block("b", one.task, one.repeat, (one,)) for one in trials]


def test_a_sample_takes_the_same_tasks_everywhere_and_nothing_that_cannot_change():
    tasks = [f"t{at:02d}" for at in range(20)]
    trials = [
        trial(task, condition, NOTES if condition == "intact" else f"{condition}: pull.", arm, repeat)
        for task in tasks
        for repeat in range(2)
        for arm in ("a", "c")
        for condition in (
            "intact",
            "corrupt_invert",
            "paraphrase",
            "oddity+corrupt_invert",
            "instructed",
        )
    ]
    chosen = sample_trials(
        cells(*trials, trial("t99", "filler", NOTES), trial("t98", "filler", "", before="")), 6, 1
    )
    found = Counter((one.arm.name, one.condition) for one in chosen)
    assert found == {(arm, c): 6 for arm in "ac" for c in ("intact", "corrupt_invert", "paraphrase")}
    assert len({one.task.id for one in chosen}) == 6
    assert {one.repeat for one in chosen} == {0}
    assert sample_trials(reversed(cells(*trials)), 6, 1) == chosen
    assert {one.task.id for one in sample_trials(cells(*trials), 6, 2)} != {one.task.id for one in chosen}


def test_an_answer_without_evidence_is_asked_for_once_more(tmp_path):
    spec = load_spec(write_spec(tmp_path, SPEC.replace("JUDGE", "simulated/decider")), [])
    times: Counter[str] = Counter()

    def reply(asked):
        told = asked.messages[-1].text
        times[told] += 1
        if "t1" in told and times[told] == 1 and NOTES in told:
            return said("press the stud", "It is not there.")
        return said("press the stud", "It is not there." if "t2" in told else "press the stud")

    trials = [trial(f"t{at}", c, NOTES if c == "intact" else "press the stud.") for at in range(3)
              for c in ("intact", "corrupt_invert")]  # fmt: skip
    ledger = SqliteLedger(tmp_path / "l.sqlite")
    model_client = ModelClient(CallCache(ledger.calls), lambda model: Scripted(reply))
    nothing: Any = None  # no text is embedded
    run = RunContext(check_spec(spec), Lid(), nothing, model_client, ledger, Display("none"))
    asyncio.run(check_decisions(run, cells(*trials)))
    rows = {(one.task, one.condition, one.nth): one for one in ledger.decisions()}
    assert len(rows) == 9
    assert {task for (task, _, _), one in rows.items() if one.fault} == {"t2"}
    assert max(times.values()) == 4  # twice asked about, each once more
    assert ledger.accounts.counts().answers == sum(times.values())
    ledger.close()


@pytest.mark.parametrize(
    ("notes", "shown", "wanted"),
    [
        ("When the lid is shut, do `press the stud`.", "The lid is shut.", "press the stud"),
        ("When the lid is shut, do `press the stud`.", "The lamp glows.", NOTHING),
        ("When the lid is shut, avoid `press the stud`.", "The lid is shut.", NOTHING),
        ("Do `sing`, then `press the stud`.", "The lid is shut.\nActions: press the stud | pull", NOTHING),
        ("The paper of this note is yellow.", "The lid is shut.", NOTHING),
        ("", "The lid is shut.", NOTHING),
    ],
)
def test_the_simulated_judge_goes_by_the_notes_and_the_situation(notes, shown, wanted):
    backend = open_backend("simulated/decider?hit=1&noise=0")
    asking = Caller(ModelClient(CallCache(MemoryCallStore()), lambda model: backend), "simulated/decider")
    found = asyncio.run(ModelReader(asking)(RULES, f"Task: get it out\n\nObservation: {shown}", notes))
    assert (found.action, found.fault) == (wanted, "")


def test_the_simulated_judge_errs_at_the_rates_that_are_set():
    backend = open_backend("simulated/decider?hit=0.7&noise=0.1")
    model_client = ModelClient(CallCache(MemoryCallStore()), lambda model: backend)
    said = Counter(
        asyncio.run(
            ModelReader(Caller(model_client, "simulated/decider", repeat=at))(RULES, SITUATION, NOTES)
        ).action
        for at in range(300)
    )
    assert said["press the stud"] / 300 == pytest.approx(0.63, abs=0.09)
    assert said[NOTHING] / 300 == pytest.approx(0.27, abs=0.08)
