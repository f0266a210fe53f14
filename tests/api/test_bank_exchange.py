"""Banks of a run in upstream's form: what its agent would read is what ours was shown."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.api.interchange.bank_export import DIMENSIONS, BankChoice, export_bank
from memtrial.api.interchange.bank_import import import_bank
from memtrial.cli.results.export import export_run
from memtrial.cli.results.import_records import import_records
from memtrial.faults import SpecFault
from memtrial.prompts.templates import cue_line
from memtrial.runs.run_folder.folder import open_for_reading
from tests.support.exchanged_run import NAME, play_exchanged
from tests.support.once import once
from tests.support.stub_provider import Heard, Said, provider

SHOPPING = BankChoice("webarena", site="shopping", memory="theory")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "exchanged", play_exchanged) / NAME


@pytest.mark.parametrize(("memory", "arm"), [("theory", "artifact"), ("native", "control")])
@pytest.mark.parametrize("form", ["webarena", "swe"])
def test_upstream_would_read_what_the_run_showed(
    folder: Path, tmp_path: Path, memory: str, arm: str, form: str
) -> None:
    banks = []
    for draw in (0, 1):
        choice = BankChoice(form, memory=memory, draw=draw)  # type: ignore[arg-type]
        bank = export_bank(folder, tmp_path / str(draw), choice).bank
        assert bank.name == f"{memory}.jsonl"
        rows = list(map(json.loads, bank.read_text("utf-8").splitlines()))
        banks.append({row["task_id"]: "\n\n".join(row["memory_items"]) for row in rows})
    with open_for_reading(folder) as (_, ledger):
        shown = [row for row in ledger.trials() if (row.arm, row.condition) == (arm, "intact")]
        assert len({row.repeat for row in shown}) == 2
        for row in shown:
            text = banks[row.repeat][row.record].strip()
            assert ledger.slot(row.slot) == "\n\n".join(filter(None, (cue_line() if text else "", text)))
        traces = {body["task_id"]: body for _, body in ledger.shared_traces()}
    for row in rows:
        trace = traces[row["task_id"]]
        assert row["query"] == trace["query"]
        assert row["status"] == {"success": "success", "failure": "fail"}[trace["outcome"]]
        if form == "webarena":
            assert row["action_list"] == [step["action"] for step in trace["steps"]]
            assert isinstance(row["template_id"], int)


def test_the_cache_has_a_vector_for_each_record_and_no_other(folder: Path, tmp_path: Path) -> None:
    made = export_bank(folder, tmp_path, SHOPPING)
    records = list(map(json.loads, made.bank.read_text().splitlines()))
    rows = list(map(json.loads, made.cache.read_text().splitlines()))
    assert [(row["id"], row["text"]) for row in rows] == [(one["task_id"], one["query"]) for one in records]
    assert {len(row["embedding"]) for row in rows} == {DIMENSIONS}
    assert len(records) == made.records == 6


def test_what_was_exported_is_imported_whole(folder: Path, tmp_path: Path) -> None:
    made = export_bank(folder, tmp_path / "theirs", SHOPPING)
    taken = import_bank(made.bank, tmp_path / "ours")
    assert (taken.report.n_records, taken.report.n_traces) == (6, 6)
    assert not any((taken.report.duplicates, taken.report.orphans, taken.report.unsearched))
    again = export_bank(taken.bank, tmp_path / "again", BankChoice("webarena", site="shopping"))
    assert again.bank.read_bytes() == made.bank.read_bytes()
    assert again.cache.read_bytes() == made.cache.read_bytes()


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (BankChoice("webarena"), "--memory is needed"),
        (BankChoice("webarena", memory="nobody"), "'native', 'theory'; got nobody"),
        (BankChoice("webarena", memory="theory", backbone="x"), "--backbone is needed"),
        (BankChoice("webarena", memory="theory", draw=7), "--draw is 0 or 1"),
        (BankChoice("webarena", memory="theory", site="../x"), "--site is the name"),
        (BankChoice("webarena", memory="theory", site="gemini-2.5"), "without dots for webarena"),
        (BankChoice("atlas", memory="theory"), "webarena or swe"),  # type: ignore[arg-type]
        (BankChoice("webarena", memory="theory", embedder="nobody/x"), "NOBODY_BASE_URL"),
        (BankChoice("webarena", memory="theory", embedder="hash"), "hash"),
    ],
)
def test_what_cannot_be_chosen_is_one_line(
    folder: Path, tmp_path: Path, choice: BankChoice, said: str
) -> None:
    with pytest.raises(SpecFault) as fault:
        export_bank(folder, tmp_path / "out", choice)
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)
    assert not (tmp_path / "out").exists()


def test_a_bank_goes_out_in_the_form_it_came_in(folder: Path, tmp_path: Path) -> None:
    made = export_bank(folder, tmp_path / "theirs", SHOPPING)
    taken = import_bank(made.bank, tmp_path / "ours")
    with pytest.raises(SpecFault, match="use --format webarena"):
        export_bank(taken.bank, tmp_path / "again", BankChoice("swe"))
    shutil.copy(made.bank, tmp_path / "bank.jsonl")
    with pytest.raises(SpecFault, match="would overwrite what is read"):
        import_bank(tmp_path / "bank.jsonl", tmp_path)


def test_options_that_do_not_go_together_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="--format"):
        export_run(folder, bank=tmp_path / "out")
    with pytest.raises(SpecFault, match="go with --bank"):
        export_run(folder, out=tmp_path / "out", memory="theory")
    with pytest.raises(SpecFault, match="go alone"):
        export_run(folder, bank=tmp_path / "out", form="swe", out=tmp_path / "other")
    with pytest.raises(SpecFault, match="needs a bank and a folder"):
        import_records("bank", [folder])
    with pytest.raises(SpecFault, match="others are options of other kinds"):
        import_records("outcomes", [folder, folder], out=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("length", [DIMENSIONS, 384])
def test_a_providers_vectors_are_of_the_length_that_upstream_searches_with(
    folder: Path, tmp_path: Path, length: int
) -> None:
    def answer(heard: Heard) -> Said:
        vector = [float(len(heard.body["input"][0])), *[0.5] * (length - 1)]
        data = [{"object": "embedding", "index": 0, "embedding": vector}]
        usage = {"prompt_tokens": 9, "total_tokens": 9}
        return Said({"data": data, "model": "e", "usage": usage})

    with provider(answer) as server:
        choice = replace(SHOPPING, embedder="ollama/e", base_urls=(f"ollama={server.url}/v1",))
        if length != DIMENSIONS:
            with pytest.raises(SpecFault, match="have 384; nothing was written"):
                export_bank(folder, tmp_path / "out", choice)
            assert not (tmp_path / "out").exists()
            return
        made = export_bank(folder, tmp_path / "out", choice)
    for row in map(json.loads, made.cache.read_text().splitlines()):
        assert row["embedding"][:2] == [len(row["text"]), 0.5]
