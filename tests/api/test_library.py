"""`import memtrial`: light, lazy, and the same results as the verbs give."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import memtrial
from memtrial.api.run import RunEnd
from memtrial.cli.results.report import report_run
from memtrial.faults import SpecFault
from tests.support.small import FEW, write_spec

TABLE = [
    {"task": f"t{task}", "arm": arm, "score": int(arm == "memory" and task % 3 > 0)}
    for task in range(30)
    for arm in ("none", "memory")
]
TRACE = {
    "trace_id": "a",
    "task_id": "a",
    "query": "open the red door",
    "outcome": "success",
    "steps": [{"thought": "t", "action": "open red door", "observation": "It is open."}],
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> RunEnd:
    """A run carried out while an event loop runs, as in a notebook."""
    place = tmp_path_factory.mktemp("library")
    options = memtrial.RunOptions(out=place / "out")

    async def notebook() -> RunEnd:
        return memtrial.run(write_spec(place, FEW), options)

    return asyncio.run(notebook())


def test_importing_it_loads_no_library_and_every_name_is_there() -> None:
    code = (
        "import sys, memtrial; print(*sorted({name.partition('.')[0] for name in sys.modules}));"
        "print(*(getattr(memtrial, name).__name__ for name in memtrial.__all__))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded, names = (line.split() for line in done.stdout.splitlines())
    assert not {"numpy", "scipy", "pydantic", "polars", "anthropic", "typer"} & set(loaded)
    assert names == memtrial.__all__
    assert set(names) <= set(dir(memtrial)), "a prompt completes them"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(memtrial, "nothing")  # noqa: B009


def test_a_run_is_carried_out_and_read_again(ended: RunEnd, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended.ending.how == "done"
    assert ended.results == memtrial.load(ended.folder)
    report_run(ended.folder, True)
    assert json.loads(capsys.readouterr().out) == json.loads(memtrial.load(ended.folder).json_text())


def test_results_show_themselves_and_become_frames(ended: RunEnd) -> None:
    assert ended.results is not None
    assert "simulated" in ended._repr_html_()
    frame, pandas = ended.results.to_polars(), ended.results.to_pandas()
    assert frame.height == len(pandas) == len(ended.results.estimates)
    assert (
        frame["verdict"].to_list()
        == list(pandas["verdict"])
        == [one.verdict for one in ended.results.estimates]
    )


@pytest.mark.parametrize("frame", [pl.DataFrame(TABLE), pd.DataFrame(TABLE)], ids=["polars", "pandas"])
def test_frames_are_analyzed_like_a_file(frame: pl.DataFrame | pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pl.DataFrame(TABLE).write_csv(path)
    of_frame, of_file = memtrial.analyze(frame), memtrial.analyze(path)
    assert of_frame.estimates == of_file.estimates
    assert of_frame.utility == {"model": {"memory": "helps"}}
    other = memtrial.analyze(str(path), rules=memtrial.AnalysisOptions(margin=0.3, flips=199))
    assert other.margin == 0.3


def test_parts_on_their_own(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text(json.dumps(TRACE))
    condensed = memtrial.condense(path, memtrial.CondenseOptions("native", "simulated/scribe"))
    (made,) = condensed.made
    assert made.items
    damaged = memtrial.perturb(made.items, "corrupt_mask", 3)
    (slot,) = damaged.slots
    assert slot.applicable
    assert slot.before != slot.after
    assert memtrial.perturb(slot.before, "corrupt_mask", 3).slots[0].after == slot.after
    assert "Memory Item" in damaged._repr_html_()
    assert "Memory Item" in condensed._repr_html_()
    with pytest.raises(SpecFault, match="no perturbation is named 'x'"):
        memtrial.perturb("text", "x")


def test_a_spec_is_planned_from_a_file_or_a_mapping(tmp_path: Path) -> None:
    wanted = memtrial.PlanOptions(simulate=0)
    of_file = memtrial.plan(write_spec(tmp_path), wanted)
    keys = {"environment": {"world": "workshop", "train": 4, "test": 4}, "backbone": "simulated/reader"}
    of_keys = memtrial.plan({"name": "mine", "arms": ["none", "oracle"], **keys}, wanted)
    assert of_file.episodes > 0
    assert of_keys.name == "mine"
    assert "This design" in of_keys._repr_html_() or "No design" in of_keys._repr_html_()
    with pytest.raises(SpecFault, match="environment"):
        memtrial.plan({"name": "mine"})
