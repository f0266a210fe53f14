"""Decisions of a run, asked again: the same numbers by hand, the same answer twice, nothing asked twice."""

import asyncio
import json
import shutil
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import pytest
from numpy.random import Generator

from memtrial.agents.react import parse
from memtrial.agents.slot import Slot
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.probe.advice_file import read_advice
from memtrial.api.probe.arm_answers import answer_arms
from memtrial.api.probe.prepared_probe import prepare_probe
from memtrial.api.probe.probe import probe
from memtrial.api.probe.probe_calls import FIRST_DRAW, AskingRules, name_action, read_action
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probed_cells import damage_decisions, list_cells
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.api.probe.run_decisions import RunDecisions, list_actions, read_slot
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.run_plan import stated_plan
from memtrial.memory.record_text import without_number
from memtrial.models.client.content_blocks import TextBlock, ToolResult, ToolUse
from memtrial.models.client.types import Message, Reply, Request
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.perturbations.advice.advised_action import exchangeable
from memtrial.perturbations.advice.known_actions import Repertoire, same_action
from memtrial.perturbations.aim import Aim
from memtrial.perturbations.damage_contract import DamageContext, Damaged
from memtrial.reports.text.probe_text import item_table
from memtrial.views.rows.probe_rows import ProbeResults, ProbeRow
from tests.support.probed_run import probed_run

READER = "simulated/reader?uptake=0.6"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return probed_run(tmp_path_factory)


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    shutil.copytree(run, tmp_path / "run", symlinks=True)
    return tmp_path / "run"


def _row(results: ProbeResults, outcome: str, condition: str) -> ProbeRow:
    return next(row for row in results.rows if (row.outcome, row.condition) == (outcome, condition))


def test_the_numbers_are_those_that_come_out_by_hand(copied: Path) -> None:
    ended = probe(copied, ProbeOptions(arms=("oracle",), calls=160))
    results = ended.results
    assert results.simulated
    assert results.n_decisions >= 12
    # from the ledger and the participant alone, without the code that is tested
    ledger = open_ledger_to_read(copied / "ledger.sqlite")
    rows = {(row.task, row.condition): row for row in ledger.trials() if row.arm == "oracle"}
    backend = open_simulated(READER)
    told: dict[str, list[float]] = defaultdict(list)
    moved: dict[str, list[float]] = defaultdict(list)

    def ask(messages: list[dict[str, str]], old: str, new: str, draw: int) -> str:
        request = Request(
            READER,
            tuple(
                Message(line["role"], line["content"].replace(old, new))  # type: ignore[arg-type]
                for line in messages
            ),
        )
        reply = asyncio.run(backend.answer(request, FIRST_DRAW + draw))
        return parse(reply.text)[1] or ""

    asked = {
        each.place
        for each in prepare_probe(copied, ProbeOptions(arms=("oracle",), calls=160)).drawn.decisions
    }
    for (task, condition), row in rows.items():
        episode = ledger.episode(row.key)
        if condition != "intact" or episode is None:
            continue
        old, new = ledger.slot(row.slot) or "", ledger.slot(rows[task, "counter"].slot) or ""
        for call in episode.calls:
            if f"oracle/{task}/0, turn {call['step'] + 1}" not in asked:
                continue
            messages = list(episode.conversation[: call["messages"]])
            state = episode.steps[call["step"] - 1]["observation"] if call["step"] else episode.start
            listed = messages[-1]["content"].rpartition("Actions: ")[2].split(" | ")
            scene = (messages[1]["content"] + state).casefold()
            due = [
                advice.action
                for advice in exchangeable(old, Repertoire((tuple(listed),)))
                if advice.do
                if all(when.casefold().strip() in scene for when in advice.when)
                if not any(unless.casefold().strip() in scene for unless in advice.unless)
            ]
            first, second = ask(messages, old, old, 0), ask(messages, old, old, 1)
            other = ask(messages, old, new, 0)
            hits = [any(same_action(done, action) for action in due) for done in (first, second, other)]
            told[task].append(fmean(hits[:2]) - hits[2])
            moved[task].append(((first != other) + (second != other)) / 2 - (first != second))
    ledger.close()
    assert sum(map(len, told.values())) == results.n_decisions
    assert _row(results, "advised", "counter").estimate == pytest.approx(fmean(map(fmean, told.values())))
    assert _row(results, "shift", "counter").estimate == pytest.approx(fmean(map(fmean, moved.values())))
    assert next(arm for arm in results.arms if arm.arm == "oracle").word == "follows"


def test_twice_is_the_same_answer_and_nothing_is_asked_again(copied: Path) -> None:
    options = ProbeOptions(arms=("oracle",), calls=60)
    first = probe(copied, options)
    written = {path.name: path.read_bytes() for path in first.folder.glob("re*")}
    assert {"results.json", "report.html", "report.md"} <= written.keys()
    assert b"Simulated participants" in written["report.html"]
    ledger = open_ledger_to_read(first.folder / "ledger.sqlite")
    kept = ledger.accounts.counts().answers
    ledger.close()
    assert kept == first.results.calls
    assert kept <= 60
    again = probe(copied, options)
    assert {path.name: path.read_bytes() for path in again.folder.glob("re*")} == written
    # more calls go on from there
    more = probe(copied, replace(options, calls=80)).results
    assert first.results.calls < more.calls <= 80


def test_the_forecast_asks_nothing_and_counts_what_is_asked(copied: Path) -> None:
    prepared = prepare_probe(copied, ProbeOptions(arms=("oracle",), calls=60))
    assert not (copied / "probe").exists()
    assert prepared.drawn == prepared.exact
    decisions = prepared.drawn.decisions
    cells = [list_cells(each, prepared.conditions) for each in decisions]
    assert sum(len(each) + 1 for each in cells) == prepared.drawn.calls <= 60
    assert any("at listed prices" in line for line in prepared.lines())


def test_the_unit_of_a_decision_is_the_one_of_its_task_in_the_plan(copied: Path) -> None:
    ledger = open_ledger_to_read(copied / "ledger.sqlite")
    plan = stated_plan(ledger)
    shared = plan.model_copy(update={"clusters": {"workshop-test-1": "r", "workshop-test-2": "r"}})
    units = {each.task: each.cluster for each in RunDecisions(ledger, shared).of_arm(READER, "oracle")}
    ledger.close()
    assert units["workshop-test-1"] == units["workshop-test-2"] == "r"
    assert units["workshop-test-3"] == "workshop-test-3"


def test_a_prompt_without_memory_is_the_one_that_an_agent_without_memory_gets(copied: Path) -> None:
    ledger = open_ledger_to_read(copied / "ledger.sqlite")
    bare = {
        (episode.conversation[0]["content"], episode.conversation[1]["content"])
        for row in ledger.trials()
        if row.arm == "none" and (episode := ledger.episode(row.key)) is not None
    }
    ledger.close()
    decisions = prepare_probe(copied, ProbeOptions(calls=40)).drawn.decisions
    first = [each for each in decisions if each.turn == 0]
    assert first
    for decision in first:
        system, user = decision.show("")
        assert (system.text, user.text) in bare
        assert any(decision.text in message.text for message in decision.messages)


def test_of_a_memory_that_waits_what_came_up_is_changed(copied: Path) -> None:
    prepared = prepare_probe(copied, ProbeOptions(arms=("planted-activation",), calls=60))
    ledger = open_ledger_to_read(copied / "ledger.sqlite")
    rows = {(row.task, row.condition): row for row in ledger.trials() if row.arm == "planted-activation"}
    assert prepared.drawn.decisions
    for decision in prepared.drawn.decisions:
        row = rows[decision.task, "intact"]
        came = [firing for firing in row.firings if firing["step"] <= decision.turn]
        assert len(decision.slot.items) == len(came)
        assert any(decision.text in message.text for message in decision.messages[1:])
        assert decision.text not in "".join(message.text for message in decision.show(""))
        whole = ledger.slot(rows[decision.task, "counter"].slot) or ""
        damaged = decision.texts["counter"].removeprefix(decision.slot.cue).strip()
        assert damaged
        assert damaged in whole
        assert decision.text not in whole
    assert prepared.source.left_out["requests in which no memory was meant to stand"]
    ledger.close()


def test_where_an_action_was_withheld_the_prompt_is_not_asked_without_memory(copied: Path) -> None:
    decision = prepare_probe(copied, ProbeOptions(arms=("oracle",), calls=40)).drawn.decisions[0]
    cells = list_cells(replace(decision, removable=False), ("without", "counter"))
    assert [cell.condition for cell in cells] == ["intact", "counter"]


def test_single_items_are_left_out_and_the_others_close_up(copied: Path) -> None:
    prepared = prepare_probe(copied, ProbeOptions(arms=("planted-native",), calls=60))
    decision = next(each for each in prepared.drawn.decisions)
    assert decision.slot.items
    items = tuple(f"# Memory Item {n}\n## Content {word}" for n, word in ((1, "a"), (2, "b"), (3, "c")))
    three = replace(decision, slot=Slot("Notes.", items), texts={})
    assert three.leave_out(1) == "Notes.\n\n# Memory Item 1\n## Content a\n\n# Memory Item 2\n## Content c"
    cells = list_cells(three, ("without", "filler"))
    assert [(cell.condition, cell.item) for cell in cells] == [
        *(("intact", None), ("without", None)),
        *(("", 0), ("", 1), ("", 2)),
    ]
    alone = replace(decision, slot=Slot("Notes.", items[:1]))
    assert not alone.items


def test_conditions_that_the_run_did_not_play_are_made_here(copied: Path) -> None:
    options = ProbeOptions(conditions=("without", "filler"), arms=("oracle",), calls=40)
    prepared = prepare_probe(copied, options)
    assert prepared.conditions == ("without", "filler")
    decision = prepared.drawn.decisions[0]
    made = decision.texts["filler"]
    assert made.startswith(decision.slot.cue)
    assert made != decision.text


def test_advice_that_was_written_down_stands_for_what_is_read(copied: Path, tmp_path: Path) -> None:
    prepared = prepare_probe(copied, ProbeOptions(arms=("oracle",), calls=40))
    decision = prepared.drawn.decisions[0]
    begins = without_number(decision.slot.items[0])[:40]
    listed = tmp_path / "advice.jsonl"
    listed.write_text(json.dumps({"item": begins, "actions": ["stand still"]}) + "\n", encoding="utf-8")
    told = read_advice(listed).tell(decision)
    assert [action.action for action in told.due] == ["stand still"]
    assert told.complies("stand still")
    listed.write_text('{"item": "x"}\n', encoding="utf-8")
    with pytest.raises(SpecFault, match="line 1"):
        read_advice(listed)


def test_what_cannot_be_asked_again_is_refused_in_a_line(copied: Path, tmp_path: Path) -> None:
    for options, said in (
        (ProbeOptions(arms=("none",)), "--arm names one with a memory"),
        (ProbeOptions(conditions=("intact",)), "the intact memory is always asked"),
        (ProbeOptions(model="nobody"), "provider/name"),
        (ProbeOptions(memory=tmp_path), "--memory is of logs"),
        (ProbeOptions(seed=0), "--seed is of logs"),
        (ProbeOptions(margin=0.3), "--margin is of logs"),
        (ProbeOptions(conditions=("without", "one_of_mine")), "got 'one_of_mine'"),
        (ProbeOptions(out=copied), "--out needs a folder of the probe's own"),
    ):
        with pytest.raises(SpecFault, match=said):
            prepare_probe(copied, options)
    with pytest.raises(SpecFault, match="is there"):
        prepare_probe(tmp_path / "nowhere")
    with pytest.raises(SpecFault, match="--calls takes a whole number"):
        ProbeOptions(calls=1)
    assert not (copied / "probe").exists()


def test_actions_are_read_as_the_agent_reads_them() -> None:
    def reply(text: str, *calls: ToolUse) -> Reply:
        return Reply(text, 1, 1, "m", blocks=calls)

    assert read_action(reply("Thought: x\nAction: pull it"), "react") == "pull it"
    assert read_action(reply("pull it"), "react") == ""
    assert read_action(reply("pull it"), "direct") == "pull it"
    assert read_action(reply("so\nAction: pull it"), "") == "pull it"
    assert read_action(reply("b"), "choice", ("a", "b")) == "b"
    assert read_action(reply("c"), "choice", ("a", "b")) == ""
    call = ToolUse("1", "Bash", '{"b": 1, "a": 2}')
    assert read_action(reply("", call), "") == 'Bash {"a": 2, "b": 1}'
    assert name_action("Pull the Lever") == name_action("pull lever")
    assert list_actions("Observation: x\nActions: a b | c") == ("a b", "c")
    assert AskingRules("react", exact=True).replies == 100


def test_a_slot_is_taken_apart_into_its_items() -> None:
    items = ("# Memory Item 1\n## Content a", "# Memory Item 2\n## Content b")
    slot = Slot("Notes.", items)
    assert read_slot(slot.text, ["## Content a", "## Content b"]) == slot
    plain = Slot("Notes:\n", ("- a", "- b"))
    assert read_slot(plain.text, ["- a", "- b"]).text == plain.text
    # what does not make it up leaves it whole
    assert read_slot(slot.text, ["## Content b", "## Content a"]) == Slot("", (slot.text,))
    assert read_slot(slot.text, []) == Slot("", (slot.text,))


def test_memory_in_what_a_tool_gave_back_is_changed_and_the_agents_own_words_stay() -> None:
    slot = Slot("", ("do a",))
    messages = (
        Message("user", (ToolResult("1", "notes: do a"), TextBlock("and do a"))),
        Message("assistant", "I will do a"),
        Message("user", (ToolResult("2", (TextBlock("do a"),)),)),
    )
    decision = RecordedDecision("p", "m", "arm", "t", "t", 0, 0, messages, (), slot)
    first, own, last = decision.show("do b")
    assert first.blocks == (ToolResult("1", "notes: do b"), TextBlock("and do b"))
    assert own.text == "I will do a"
    assert last.blocks == (ToolResult("2", (TextBlock("do b"),)),)


def test_shares_that_a_server_gives_take_one_call_a_cell(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    shutil.copytree(probed_run(tmp_path_factory, "choice"), tmp_path / "run", symlinks=True)
    options = ProbeOptions(arms=("oracle",), calls=60)
    prepared = prepare_probe(tmp_path / "run", options)
    assert all(each.choices for each in prepared.exact.decisions)
    ended = probe(tmp_path / "run", options)
    assert ended.results.exact
    assert ended.results.calls == prepared.exact.calls == 4 * ended.results.n_decisions
    # by hand, of each decision: the shares of what is advised, and how far all of them lie apart
    backend = open_simulated(READER)
    told: dict[str, list[float]] = defaultdict(list)
    moved: dict[str, list[float]] = defaultdict(list)
    for each in prepared.exact.decisions:
        shares = []
        for text in (each.text, each.texts["counter"]):
            request = Request(READER, each.show(text), choices=each.choices, scored=True)
            shares.append(asyncio.run(backend.answer(request, FIRST_DRAW)).shares)
        due = [any(same_action(choice, told.action) for told in each.due) for choice in each.choices]
        gaps = [before - after for before, after in zip(*shares, strict=True)]
        told[each.task].append(sum(gap for gap, is_due in zip(gaps, due, strict=True) if is_due))
        moved[each.task].append(sum(map(abs, gaps)) / 2)
    results = ended.results
    assert _row(results, "advised", "counter").estimate == pytest.approx(fmean(map(fmean, told.values())))
    assert _row(results, "shift", "counter").estimate == pytest.approx(fmean(map(fmean, moved.values())))
    # an item may well advise something where nothing of it applies
    silent = results.model_copy(update={"items": (results.items[0].model_copy(update={"advice": ()}),)})
    assert [line[2] for line in item_table(silent)] == ["none read that applies"]
    drawn = probe(tmp_path / "run", replace(options, samples=2, out=tmp_path / "drawn")).results
    assert not drawn.exact
    assert drawn.samples == 2


@dataclass(frozen=True)
class Idle:
    """A kind of damage that does nothing."""

    name: str = "idle"
    aim: Aim = Aim(content_left=(0.0, 0.1), length=None)

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged:
        return Damaged(slot)


def test_damage_that_fails_its_check_is_not_shown(copied: Path) -> None:
    decisions = prepare_probe(copied, ProbeOptions(arms=("oracle",), calls=40)).drawn.decisions
    made, lacking = damage_decisions(decisions, {"idle": Idle()}, 0)
    assert not any(each.texts.get("idle") for each in made)
    assert "its check fails" in lacking["idle"]


def _answer(**shown: float) -> str:
    """The word of an arm whose effects are these, each with its p; `still` ones are shown to be small."""
    rows = []
    for name, estimate in shown.items():
        outcome, _, condition = name.partition("_")
        word = "moves" if estimate > 0.1 else "still" if abs(estimate) < 0.05 else "reversed"
        row = dict.fromkeys(("before", "after", "low", "high", "p_equivalence"))
        p = 0.9 if word == "still" else 0.001
        counts = {"n_decisions": 40, "n_tasks": 40, "n_clusters": 40}
        made = {"backbone": "m", "arm": "a", "outcome": outcome, "condition": condition}
        rows.append(ProbeRow(**made, **counts, **row, estimate=estimate, p=p, p_adjusted=p, word=word))  # type: ignore[arg-type]
    (arm,) = answer_arms(rows, AnalysisRules())
    return arm.word


def test_an_arm_is_followed_only_where_all_three_are_shown() -> None:
    told, other, turned = "advised_counter", "other_counter", "advised_corrupt_invert"
    assert _answer(**{told: 0.3, other: 0.3, turned: 0.3}) == "follows"
    assert _answer(**{told: 0.3, other: 0.3, turned: 0.01}) == "naming"
    assert _answer(**{told: 0.3, other: 0.3}) == "inconclusive"
    # to stumble over other advice is no following
    assert _answer(**{told: 0.3, other: 0.01, turned: 0.3}) == "inconclusive"
    assert _answer(**{told: 0.01, other: 0.01, turned: 0.01}) == "ignores"
    assert _answer(**{told: -0.3, other: 0.01}) == "defies"
    assert _answer(**{turned: 0.3}) == "inconclusive"
    assert _answer(**{"shift_without": 0.3}) == "untestable"
