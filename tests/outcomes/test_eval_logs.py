"""Logs of Inspect: read by its own reader, and a line where that is not installed or they are no logs."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions
from tests.support.stranger_tables import BASE, MEMORY

HERE = find_spec("inspect_ai") is not None
installed = pytest.mark.skipif(not HERE, reason="Inspect is not installed")


@pytest.mark.skipif(HERE, reason="Inspect is installed")
def test_without_inspect_a_line_says_how_to_get_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.eval", "w") as archive:
        archive.writestr("header.json", "{}")
    (tmp_path / "t.json").write_text('{"version": 2, "status": "success", "eval": {}}')
    for name in ("t.eval", "t.json"):
        with pytest.raises(TableFault, match=r"pip install 'memtrial\[inspect\]'"):
            read_sheet(tmp_path / name)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two logs that Inspect writes here, without a model: the sandbox of one sample went away."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import match
    from inspect_ai.solver import solver

    @solver
    def plain_agent():
        async def solve(state, generate):
            state.output.completion = "yes" if BASE[int(state.sample_id)] else "no"
            return state

        return solve

    @solver
    def with_memory():
        async def solve(state, generate):
            if state.sample_id == 4:
                raise RuntimeError("the sandbox went away")
            state.output.completion = "yes" if MEMORY[int(state.sample_id)] else "no"
            return state

        return solve

    folder = tmp_path_factory.mktemp("logs")
    for agent, form in ((plain_agent(), "eval"), (with_memory(), "json")):
        samples = [Sample(id=number, input="q", target="yes") for number in range(len(BASE))]
        task = Task(dataset=samples, solver=agent, scorer=match(location="any"), name="quiz")
        # one of each format: a folder of them alone would be read as other JSON
        ending = {"log_dir": str(folder), "log_format": form, "display": "none", "fail_on_error": False}
        eval(task, model="mockllm/model", **ending)
    return folder


@installed
def test_logs_are_read_by_inspects_own_reader(logs: Path) -> None:
    files = sorted(path for path in logs.iterdir() if path.suffix in (".eval", ".json"))
    results = analyze(files, TableOptions(reference="plain_agent"), AnalysisOptions(flips=99))
    (row,) = results.estimates
    # the fifth task was lost with memory, and is left out
    assert row.estimate == pytest.approx((sum(MEMORY) - MEMORY[4] - sum(BASE)) / (len(BASE) - 1))
    assert results.simulated
    assert results.errors == {"plain_agent": 0, "with_memory": 1}


@installed
@pytest.mark.parametrize("header", ["[1, 2]", "[" * 100_000, "{}"])
def test_a_hostile_log_is_a_line(header: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", header)
        archive.writestr("../../evil", "x")
    with pytest.raises(TableFault, match="is no log of Inspect") as caught:
        read_sheet(tmp_path / "t.eval")
    assert "\n" not in str(caught.value)


@installed
def test_an_archive_that_unfolds_to_more_than_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.eval", "w") as archive:
        archive.writestr("header.json", "{}")
        archive.filelist[0].file_size = 3 << 30  # what the archive says of itself
    with pytest.raises(TableFault, match="unfolds to 3,072 MiB"):
        read_sheet(tmp_path / "t.eval")
