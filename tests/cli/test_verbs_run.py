"""`init`, `schema`, `compare` and `export` on a run that was really played."""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from memtrial.agents.traces import read_traces, trace_to_json
from memtrial.api.analyze import analyze
from memtrial.api.run import RunEnd
from memtrial.cli.experiment.init import BACKBONES, Provider, init_spec
from memtrial.cli.experiment.run import exit_code
from memtrial.cli.results.compare import compare_runs
from memtrial.cli.results.export import export_run
from memtrial.cli.results.schema import WHAT, Shape, shape_of, show_schema
from memtrial.cli.results.show import show_run
from memtrial.cli.results.status import show_status
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.engine.schedule import Ending
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from memtrial.views.results.run_results import results
from memtrial.views.rows.results import Results
from tests.support.carried_out import play_spec
from tests.support.verb_ledger import PLAN, begun, play

Printed = pytest.CaptureFixture[str]
FEW = ["environment.train=12", "environment.test=4", "repeats=1", "arms=[none, control, oracle]",
       "conditions=[filler]"]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of the starter spec, made small; the second with another participant."""
    place = tmp_path_factory.mktemp("starter")
    path = init_spec(place / "mine.yaml")
    for name, more in (("one", []), ("two", ["backbone=simulated/ignorer"])):
        assert play_spec(load_spec(path, FEW + more), place / name) == 0
    return place / "one", place / "two"


@pytest.fixture(scope="module")
def hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with errors, two attempts and two backbones, written by hand."""
    folder = tmp_path_factory.mktemp("hand")
    ledger = begun(folder)
    rows = play(ledger, errors=5)
    ledger.add_trials([rows[0]])
    ledger.close()
    return folder


@pytest.mark.parametrize("provider", [None, *BACKBONES])
def test_what_init_writes_loads_and_names_what_it_should(tmp_path: Path, provider: Provider | None) -> None:
    path = init_spec(tmp_path / "new folder", provider)
    assert path == tmp_path / "new folder" / "experiment.yaml"
    spec = load_spec(path)
    text = path.read_text()
    assert all(line.startswith(("#", " ")) or ":" in line for line in text.splitlines() if line)
    if provider is None:
        check_spec(spec)
        assert all(BACKBONES[name] in text for name in ("anthropic", "openai", "vllm"))
        assert "# budget:" in text
    else:
        assert spec.backbone == (BACKBONES[provider],)
        assert (spec.budget.max_cost_usd is None) == (provider in ("vllm", "ollama", "llama.cpp"))
        assert (spec.budget.max_hours is None) == (spec.budget.max_cost_usd is not None)


def test_a_run_of_errors_alone_measured_nothing_and_says_so(
    runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = SqliteLedger.open_read_only(runs[0] / "ledger.sqlite")
    played = results(ledger)
    ledger.close()
    lost = [cell.model_copy(update={"n_errors": cell.n_trials, "score": None}) for cell in played.cells]
    some = [*lost[1:], played.cells[0]]
    for cells, code in ((played.cells, 0), (some, 0), (lost, 1)):
        end = RunEnd(runs[0], Ending(), played.model_copy(update={"cells": tuple(cells)}))
        assert exit_code(end, require_decision=False) == code
    assert capsys.readouterr().err.count("nothing was measured") == 1


@pytest.mark.parametrize("name", ["x.yaml", "-ünï.yml", "a b.yaml"])
def test_init_takes_any_file_name_and_overwrites_none(tmp_path: Path, name: str) -> None:
    path = init_spec(tmp_path / name)
    load_spec(path)
    before = path.read_bytes()
    with pytest.raises(SpecFault, match="overwrites nothing"):
        init_spec(path)
    assert path.read_bytes() == before
    with pytest.raises(SpecFault, match="init"):
        init_spec(path / "below.yaml")
    with pytest.raises(SpecFault, match="init"):
        init_spec(tmp_path / "no" / "such" / "place.yaml")


@pytest.mark.parametrize("shape", WHAT)
def test_every_shape_is_printed_as_text_and_as_json(shape: Shape, capsys: Printed) -> None:
    show_schema(shape, True)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(shape_of(shape)))
    show_schema(shape, False)
    text = capsys.readouterr().out
    described = shape_of(shape)
    assert all(str(key) in text for key in described.get("properties", described))
    show_schema(None, False)
    assert shape in capsys.readouterr().out


def test_the_shapes_are_those_of_a_real_run(runs: tuple[Path, Path]) -> None:
    ledger = SqliteLedger.open_read_only(runs[0] / "ledger.sqlite")
    assert shape_of("results")["properties"].keys() == Results.model_fields.keys()
    line = next(iter(ledger.traces("simulated/reader").values()))
    assert set(shape_of("trace")) == set(line)
    ledger.close()
    assert set(shape_of("spec")["properties"]) == set(Spec.model_fields)


def test_compare_puts_every_estimate_of_both_beside_each_other(
    runs: tuple[Path, Path], capsys: Printed
) -> None:
    compare_runs(*runs, True)
    said = json.loads(capsys.readouterr().out)
    assert said["identity"] == {"backbone": [["simulated/reader"], ["simulated/ignorer"]]}
    assert said["tasks"] == {"first": 4, "second": 4, "shared": 4}
    both = [json.loads((folder / "results.json").read_text()) for folder in runs]
    rows = [row for result in both for row in result["estimates"]]
    assert len(said["estimates"]) == len(rows)  # two participants: no row is in both
    assert {row["verdict"] for row in said["estimates"]} == {"one run only"}
    assert all(row["difference"] is None for row in said["estimates"])
    compare_runs(*runs, False)
    text = capsys.readouterr().out
    assert "no verdict on the difference" in text
    assert "no paired test" in text
    assert "no evidence about any language model" in text


def test_compare_with_itself_finds_no_difference(runs: tuple[Path, Path], capsys: Printed) -> None:
    compare_runs(runs[0], runs[0], True)
    said = json.loads(capsys.readouterr().out)
    result = json.loads((runs[0] / "results.json").read_text())
    assert said["identity"] == {}
    for row, own in zip(said["estimates"], result["estimates"], strict=True):
        assert row["verdict"] == "same"
        assert row["difference"] == 0
        for one in row["runs"]:
            assert one == {key: own[key] for key in one}
            assert {"estimate", "low", "high", "verdict"} <= set(one)
    assert said["errors"] == {arm: [n, n] for arm, n in result["errors"].items()}
    assert {arm: pair[0] for arm, pair in said["cost"].items()} == result["cost"]


def test_compare_needs_trials(runs: tuple[Path, Path], tmp_path: Path) -> None:
    begun(tmp_path).close()
    with pytest.raises(SpecFault, match="not come as far"):
        compare_runs(runs[0], tmp_path, False)


@pytest.mark.parametrize("which", ["real", "hand"])
def test_an_export_holds_what_the_ledger_holds(
    runs: tuple[Path, Path], hand: Path, tmp_path: Path, which: str
) -> None:
    import polars as pl

    folder = runs[0] if which == "real" else hand
    export_run(folder, tmp_path / "out", tmp_path / "outcomes.csv")
    lines = {
        path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        for path in (tmp_path / "out").glob("*.jsonl")
    }
    tables = {path.stem: pl.read_parquet(path).to_dicts() for path in (tmp_path / "out").glob("*.parquet")}
    assert lines.keys() == tables.keys()
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".jsonl", ".parquet"}
    for name, rows in tables.items():
        assert [_unpacked(row) for row in rows] == [_unpacked(row) for row in lines[name]], name
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    trials = list(ledger.trials())
    assert len(trials) > 10
    assert lines["trials"] == json.loads(json.dumps([asdict(row) for row in trials]))
    assert lines["checks"] == json.loads(json.dumps([asdict(row) for row in ledger.checks()]))
    assert {row["digest"]: row["text"] for row in lines["slots"]} == dict(ledger.slots())
    assert len(lines["condensations"]) == len(list(ledger.condensations()))
    # of calls that cost nothing no text is kept
    free = [call.to_kept() for call in ledger.calls.free_calls()]
    assert (len(free) > 10, any(call.reply for call in free)) == (which == "real", False)
    calls = [
        (call.key.hex(), call.reply, call.output_tokens, call.usd)
        for call in (*ledger.calls.records(), *free)
    ]
    assert calls
    told = [(row["key"], row["reply"], row["output_tokens"], row["usd"]) for row in lines["calls"]]
    assert told == calls
    clusters = ledger.fact("plan")["clusters"]
    ledger.close()
    with (tmp_path / "outcomes.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    for row, line, out in zip(trials, table, lines["outcomes"], strict=True):
        failed = row.status == "error"
        place = (row.task, row.arm, row.condition, row.repeat, row.backbone)
        assert tuple(out[k] for k in ("task", "arm", "condition", "repeat", "backbone")) == place
        success = None if failed else int(row.status == "success")
        assert (out["score"], out["success"], out["world_score"]) == (success, success, row.score)
        assert (out["error"], out["cluster"]) == (int(failed), clusters.get(row.task, ""))
        assert line == {key: "" if value is None else str(value) for key, value in out.items()}


@pytest.mark.parametrize("outcome", [None, "success", "score"])
def test_the_exported_outcomes_give_the_run_s_own_numbers(
    runs: tuple[Path, Path], tmp_path: Path, outcome: str | None
) -> None:
    folder = runs[0]
    if outcome is not None:
        folder = tmp_path / "hand"
        ledger = begun(folder)
        ledger.state("plan", PLAN | {"outcome": outcome})
        play(ledger, errors=5)
        ledger.close()
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    assert any(row.score not in (None, float(row.status == "success")) for row in ledger.trials())
    own = results(ledger).estimates
    ledger.close()
    export_run(folder, tmp_path / "out", tmp_path / "outcomes.csv")
    for table in (tmp_path / "outcomes.csv", tmp_path / "out" / "outcomes.parquet"):
        again = {row.key: row for row in analyze(table).estimates}
        told = [row for row in own if row.estimand in ("utility", "drop")]
        assert len(told) > 2
        for row in told:
            other = again[row.key]
            assert other.estimate == pytest.approx(row.estimate, abs=1e-9)
            assert (other.n_tasks, other.n_clusters, other.n_errors) == (
                row.n_tasks, row.n_clusters, row.n_errors,
            )  # fmt: skip
            assert (other.low is None) == (row.low is None)
            assert other.low is None or (other.low, other.high) == pytest.approx(
                (row.low, row.high), abs=1e-9
            )


def _unpacked(row: dict[str, object]) -> dict[str, object]:
    """Lists and objects as the text that Parquet holds them as; what is absent there is null."""
    return {
        key: json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
        for key, value in row.items()
        if value is not None
    }


@pytest.mark.parametrize("which", ["real", "hand"])
def test_exported_traces_are_read_by_condense(
    runs: tuple[Path, Path], hand: Path, tmp_path: Path, which: str
) -> None:
    folder = runs[0] if which == "real" else hand
    export_run(folder, tmp_path / "out")
    read = read_traces(tmp_path / "out" / "traces.jsonl")
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    if which == "real":
        assert [trace_to_json(one) for one in read] == list(ledger.traces("simulated/reader").values())
    else:
        # two backbones: one trace they share, one of each of them
        assert [one.trace_id for one in read] == ["a", "b", "b (simulated/ignorer)"]
        assert [one.query for one in read] == ["q", "simulated/reader", "simulated/ignorer"]
    ledger.close()


def test_an_export_is_there_whole_or_not_at_all(hand: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.txt").write_text("precious")
    for out in (taken, taken / "thesis.txt", tmp_path / "no" / "place"):
        with pytest.raises(SpecFault, match="--out"):
            export_run(hand, out)
        assert (taken / "thesis.txt").read_text() == "precious"
    for table in (taken, tmp_path / "no" / "file.csv", hand / "ledger.sqlite"):
        with pytest.raises(SpecFault, match="--outcomes"):
            export_run(hand, None, table)
    with pytest.raises(SpecFault, match="--out DIR"):
        export_run(hand, None)
    assert [path.name for path in tmp_path.rglob("*")] == ["taken", "thesis.txt"]
    empty = tmp_path / "empty"
    empty.mkdir()
    export_run(hand, empty)
    assert {path.suffix for path in empty.iterdir()} == {".jsonl", ".parquet"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "taken"]


def test_an_export_that_breaks_leaves_nothing(hand: Path, tmp_path: Path) -> None:
    import resource
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, hard))  # as a disk that is full after 3 kB
        with pytest.raises(RunFault, match="nothing was written"):
            export_run(hand, tmp_path / "out", tmp_path / "outcomes.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("body", ["{}", "[]", '"x"', '{"trials": "many"}', "not json"])
def test_a_plan_that_is_none_is_one_clear_line(tmp_path: Path, body: str) -> None:
    ledger = begun(tmp_path / "run")
    with ledger.connection:
        ledger.connection.execute("INSERT INTO facts VALUES ('plan', ?)", (body,))
    ledger.close()
    for look in (
        lambda: show_status(tmp_path / "run", False),
        lambda: show_run(tmp_path / "run", None, False),
        lambda: compare_runs(tmp_path / "run", tmp_path / "run", False),
        lambda: export_run(tmp_path / "run", tmp_path / "out"),
    ):
        with pytest.raises(SpecFault, match="ledger"):
            look()
    assert not (tmp_path / "out").exists()


def test_a_run_before_its_first_trial_is_exported_too(tmp_path: Path) -> None:
    begun(tmp_path / "run").close()
    export_run(tmp_path / "run", tmp_path / "out")
    assert (tmp_path / "out" / "trials.jsonl").read_text() == ""
    assert len(read_traces(tmp_path / "out" / "traces.jsonl")) == 3
