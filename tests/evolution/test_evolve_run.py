"""Evolutions in their folders: streams that are paired, answers that are shared, kills, refusals, tables."""

import csv
import json
import sqlite3
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.api.run import RunOptions
from memtrial.api.shown.report_files import PAGE, SHORT
from memtrial.api.streams.arm_pairs import pairs_of
from memtrial.api.streams.evolve import METRICS, OUTCOMES, EvolveResults, evolve
from memtrial.evolution.asked_temperatures import temperature_notes
from memtrial.evolution.evolve_metrics import measure_arms
from memtrial.evolution.evolve_spec import EvolveArm, load_evolve
from memtrial.evolution.stream_rows import TaskRow
from memtrial.faults import SpecFault
from memtrial.memory.interchange.bank_file import BankLine
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.run_folder.folder import EVOLUTION_RESULTS
from tests.support.process import begin
from tests.support.scripted_run import ANSWERED, CLAUDE, query, said, script, sent, surroundings

SPEC = """
name: small
seed: 4
environment: {world: workshop, train: 8, test: 12}
backbone: simulated/reader
roles: {writer: simulated/scribe}
streams: 2
tasks: 5
arms:
  vanilla: {mode: vanilla}
  bank: {}
  best-of-2: {mode: parallel, k: 2, learn: none}
  parallel-2: {mode: parallel, k: 2}
"""


READER = "simulated/reader"
YES = '{"verdict": "success", "confidence": 0.9}'
WRITTEN = '{"memories": [{"title": "Look first", "description": "D", "content": "Look before you act."}]}'
VERB = ("evolve", "spec.yaml", "--out", "out", "--display", "none")


def write(folder: Path, text: str = SPEC) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "spec.yaml").write_text(text, encoding="utf-8")
    return folder / "spec.yaml"


def carry_out(path: Path, **options: Any) -> EvolveResults:
    return evolve(load_evolve(path), RunOptions(path.parent / "out", **{"report": False} | options))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> EvolveResults:
    return carry_out(write(tmp_path_factory.mktemp("done")), report=True)


def test_arms_of_a_stream_do_the_same_tasks_in_the_same_order(done: EvolveResults) -> None:
    orders: dict[int, set[tuple[str, ...]]] = {0: set(), 1: set()}
    for stream, seen in orders.items():
        for arm in ("vanilla", "bank", "best-of-2", "parallel-2"):
            rows = [row for row in done.end.rows if (row.stream, row.arm) == (stream, arm)]
            assert [row.position for row in rows] == list(range(5))
            seen.add(tuple(row.task for row in rows))
    assert [len(seen) for seen in orders.values()] == [1, 1]
    assert orders[0] != orders[1]
    assert sorted(*orders[0]) == sorted(*orders[1])


def test_equal_prompts_share_an_answer_within_a_stream_and_not_between_streams(done: EvolveResults) -> None:
    first = {
        (row.stream, row.arm): (row.solved, row.n_steps, row.calls)
        for row in done.end.rows
        if row.position == 0
    }
    # at its first task a bank is empty, so that all arms ask the same
    assert first[0, "vanilla"] == first[0, "bank"]
    assert first[1, "vanilla"] == first[1, "bank"]
    n_sent = query(done.end.folder.parent, ANSWERED)[0][0]
    assert n_sent < sum(row.calls + row.writer_calls for row in done.end.rows)


def test_the_tables_say_what_the_rows_say(done: EvolveResults) -> None:
    folder = done.end.folder
    outcomes = list(csv.DictReader((folder / OUTCOMES).open(encoding="utf-8")))
    assert len(outcomes) == len(done.end.rows) == 40
    metrics = {row["arm"]: row for row in csv.DictReader((folder / METRICS).open(encoding="utf-8"))}
    bank = [row for row in done.end.rows if row.arm == "bank"]
    assert float(metrics["bank"]["success"]) == pytest.approx(sum(bool(row.solved) for row in bank) / 10)
    assert float(metrics["bank"]["new_items_a_100"]) == pytest.approx(
        10 * sum(len(row.new_items) for row in bank)
    )
    told = json.loads((folder / EVOLUTION_RESULTS).read_text(encoding="utf-8"))
    assert (told["simulated"], told["unit"], told["ending"]) == (True, "stream", "done")
    assert told == done.as_json()
    assert READER in (folder / PAGE).read_text(encoding="utf-8")
    assert READER in (folder / SHORT).read_text(encoding="utf-8")
    assert READER in done._repr_html_()
    assert READER in str(done)
    assert json.loads((folder / "evolve.json").read_text(encoding="utf-8"))["truth_seen"] is False


def test_a_bank_that_grew_is_a_bank_that_a_run_takes(done: EvolveResults) -> None:
    (path,) = (done.end.folder / "banks").glob("*_bank_0.jsonl")
    lines = [BankLine.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
    made = [row.new_items for row in done.end.rows if (row.arm, row.stream) == ("bank", 0)]
    assert sum(len(line.items) for line in lines) == sum(map(len, made))
    assert {line.task_id for line in lines} <= {row.task for row in done.end.rows}


def test_a_finished_folder_is_read_and_another_spec_is_refused_in_a_line(tmp_path: Path) -> None:
    text = SPEC.replace("tasks: 5", "tasks: 2").replace("streams: 2", "streams: 1")
    path = write(tmp_path, text)
    first = carry_out(path)
    calls = query(tmp_path, ANSWERED)
    assert carry_out(path).as_json() == first.as_json()
    assert query(tmp_path, ANSWERED) == calls
    before = (tmp_path / "out" / EVOLUTION_RESULTS).read_bytes()
    with pytest.raises(SpecFault) as raised:
        carry_out(write(tmp_path, text.replace("k: 2}", "k: 3}")))
    assert "\n" not in str(raised.value)
    assert (tmp_path / "out" / EVOLUTION_RESULTS).read_bytes() == before


def kept(folder: Path) -> int:
    """Answers that are saved by now."""
    try:
        return int(query(folder, ANSWERED)[0][0])
    except sqlite3.OperationalError:
        return 0


def test_killed_it_goes_on_with_the_same_results(tmp_path: Path, done: EvolveResults) -> None:
    path = write(tmp_path)
    for answers in (8, 60):
        process = begin(tmp_path, verb=VERB)
        while kept(tmp_path) < answers:
            assert process.poll() is None, process.err.read_text()
        assert process.kill()
    carry_out(path)
    assert (tmp_path / "out" / EVOLUTION_RESULTS).read_bytes() == (
        done.end.folder / EVOLUTION_RESULTS
    ).read_bytes()


def test_killed_it_asks_nothing_twice(tmp_path: Path) -> None:
    text = SPEC.replace("simulated/reader", CLAUDE).replace("streams: 2", "streams: 1")
    text = text.partition("  best-of-2")[0].replace("tasks: 5", "tasks: 2")
    write(tmp_path, f"{text}engine: {{first_wait_s: 0.01, workers: 1}}\n")
    log = tmp_path / "server.jsonl"
    with serve_script(script(latency_s=0.02, log=log)) as server:
        around = surroundings(server.url)
        process = begin(tmp_path, verb=VERB, environment=around)
        while kept(tmp_path) < 3:
            assert process.poll() is None, process.err.read_text()
        assert process.kill()
        code, err = begin(tmp_path, verb=VERB, environment=around).ended()
        assert code == 0, err
    times = Counter(row["digest"] for row in map(json.loads, log.read_text().splitlines()) if row["answered"])
    # each question was answered once, save those in flight at the kill
    assert sum(count - 1 for count in times.values()) <= sent(tmp_path).open
    assert len(times) == query(tmp_path, "SELECT count(*) FROM calls WHERE send IS NOT NULL")[0][0]


PROFILED = """
name: small
seed: 4
environment: {world: workshop, train: 8, test: 12}
backbone: BACKBONE
roles: {writer: WRITER, judge: JUDGE}
streams: 1
tasks: 1
arms: {vanilla: {mode: vanilla}, bank: {}}
engine: {first_wait_s: 0.01}
"""


def test_a_profiles_temperatures_are_sent_and_those_of_a_run_go_first(tmp_path: Path) -> None:
    text = PROFILED.replace("BACKBONE", "simulated/reader")
    text = text.replace("JUDGE", CLAUDE).replace("WRITER", "openai/gpt-4.1-nano")
    for name, more, judge, writer, notes in (
        ("released", "bank: {profile: upstream}", 0.0, 1.0, 0),
        ("own", "sampling: {judge: {temperature: 0.5}, condenser: {temperature: null}}", 0.5, None, 2),
    ):
        log = tmp_path / f"{name}.jsonl"
        spec = load_evolve(write(tmp_path / name, f"{text}{more}\n"))
        with serve_script(script(answers=said(("You judge", YES), ("", WRITTEN)), log=log)) as server:
            evolve(
                spec, RunOptions(tmp_path / name / "out", environment=surroundings(server.url), report=False)
            )
        assert (
            json.loads((tmp_path / name / "out" / EVOLUTION_RESULTS).read_text())["judge_audit"]["judged"]
            == 1
        )
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        asked = {row["model"]: row["temperature"] for row in rows}
        assert asked == {"claude-haiku-4-5": judge, "gpt-4.1-nano": writer}, name
        said_of = list(temperature_notes(spec))
        assert len(said_of) == notes
        assert all("as `sampling` says; profile paper of the bank states 0." in note for note in said_of)


def row(arm: str, stream: int, solved: bool | None, **more: Any) -> TaskRow:
    made = TaskRow("m", arm, stream, 0, "t", "f", solved, None if solved is None else float(solved))
    return replace(made, **more)


def test_errors_are_counted_and_in_no_mean() -> None:
    lost = row("bank", 0, None, error="ModelFault: away", position=1)
    (metrics,) = measure_arms([row("bank", 0, True, calls=4), lost, row("bank", 1, True, calls=2)])
    assert (metrics.tasks, metrics.errors, metrics.success, metrics.calls_a_task) == (3, 1, 1.0, 3.0)


def test_a_stream_is_one_observation() -> None:
    rows = [row("bank", 0, True, position=place) for place in range(9)] + [row("bank", 1, False)]
    (metrics,) = measure_arms(rows)
    assert metrics.success == 0.5


def test_arms_are_compared_with_those_of_equal_compute() -> None:
    arms = {
        "vanilla": EvolveArm(mode="vanilla"),
        "best-of-2": EvolveArm(mode="parallel", k=2, learn="none"),
        "parallel-2": EvolveArm(mode="parallel", k=2),
        "parallel-3": EvolveArm(mode="parallel", k=3),
        "success-only": EvolveArm(learn="success-only"),
        "contrastive": EvolveArm(learn="contrastive"),
    }
    pairs = [(reference, names) for _, reference, names in pairs_of(arms)]
    assert pairs == [
        ("vanilla", ("best-of-2", "parallel-2", "parallel-3", "success-only", "contrastive")),
        ("best-of-2", ("parallel-2",)),
        ("success-only", ("contrastive",)),
    ]


def test_an_arm_that_searches_otherwise_is_compared_with_the_same_that_does_not() -> None:
    arms = {
        "bank": EvolveArm(),
        "start": EvolveArm(query="task-and-start"),
        "within": EvolveArm(retrieve="within"),
        "raw-start": EvolveArm(learn="raw", query="task-and-start"),
    }
    assert [(reference, names) for _, reference, names in pairs_of(arms)] == [("bank", ("start", "within"))]


def test_tools_of_a_world_that_names_none_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    arm = "parallel-2: {mode: parallel, k: 2, vary: [tools]}"
    path = write(
        tmp_path, SPEC.replace("parallel-2: {mode: parallel, k: 2}", arm).replace("workshop", "single_turn")
    )
    with pytest.raises(SpecFault, match=r"arms\.parallel-2\.vary: .* has none"):
        carry_out(path)
    assert not (tmp_path / "out" / "evolve.json").exists()


@pytest.mark.parametrize(
    ("arm", "line"),
    [
        ("{mode: vanilla, learn: both}", "learns nothing"),
        ("{k: 3}", "goes with mode: parallel"),
        ("{mode: parallel}", "goes with mode: parallel"),
        ("{mode: sequential}", "goes with mode: sequential"),
        ("{mode: parallel, k: 2, vary: []}", "one way at least"),
        ("{mode: vanilla, query: task-and-start}", "has none"),
        ("{mode: parallel, k: 2, learn: none, retrieve: within}", "has none"),
        ("{learn: raw, retrieve: within}", "keeps runs as they are"),
        ("{learn: everything}", "learn: should be 'none', 'both'"),
        ("{profile: paper}", "`memtrial schema evolution` lists all keys"),
    ],
)
def test_an_arm_that_makes_no_sense_is_refused_in_a_line(tmp_path: Path, arm: str, line: str) -> None:
    path = write(tmp_path, SPEC.replace("bank: {}", f"bank: {arm}"))
    with pytest.raises(SpecFault) as raised:
        load_evolve(path)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("arms", ["{}", "{bank: {}}"])
def test_an_evolution_of_less_than_two_arms_is_refused_in_a_line(tmp_path: Path, arms: str) -> None:
    before, _, _ = SPEC.partition("arms:")
    path = write(tmp_path, f"{before}arms: {arms}\n")
    with pytest.raises(SpecFault, match="two arms at least"):
        load_evolve(path)


def test_more_tasks_than_there_are_are_refused_and_the_folder_takes_another_spec(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="at most the 12 of split test are there; got 13"):
        carry_out(write(tmp_path, SPEC.replace("tasks: 5", "tasks: 13")))
    shorter = SPEC.replace("tasks: 5", "tasks: 1").partition("  best-of-2")[0]
    assert carry_out(write(tmp_path, shorter)).results.metrics
