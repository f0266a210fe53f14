"""Logs of Inspect, as it writes them itself and as archives of other hands."""

import json
import struct
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.transcripts.inspect_log import read
from memtrial.transcripts.log_formats import recognise
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.logged_run import LogFault

needs_package = pytest.mark.skipif(
    not find_spec("inspect_ai"), reason="pip install 'memtrial[inspect]' brings Inspect"
)
MESSAGES = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "attachment://" + "0" * 32},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "One and one."}, {"type": "text", "text": "I add."}],
        "tool_calls": [{"id": "c", "function": "add", "arguments": {"x": 1, "y": 1}, "type": "function"}],
    },
    {"role": "tool", "content": "2", "tool_call_id": "c", "function": "add"},
    {"role": "assistant", "content": "2"},
]


def sample(name: str, value: object, scorer: str = "match") -> dict[str, object]:
    scores = {scorer: {"value": value, "answer": "2"}}
    attached = {"0" * 32: f"What is {name}?"}
    return {
        "id": name,
        "epoch": 1,
        "input": "What?",
        "messages": MESSAGES,
        "scores": scores,
        "attachments": attached,
    }


def archive(path: Path, *samples: dict[str, object], packed: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packed) as file:
        file.writestr("header.json", "{}")
        for one in samples:
            file.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    return path


def test_samples_are_runs_and_scores_are_outcomes(tmp_path: Path) -> None:
    log = archive(tmp_path / "a.eval", sample("a", "C"), sample("b", "I"), sample("c", 1), sample("d", None))
    found = read(log, LogQuestion())
    assert [run.outcome for run in found.runs] == ["success", "failure", "success", ""]
    first = found.runs[0]
    assert (first.source, first.query) == ("scorer match", "What?")
    assert [(turn.thought, turn.action, turn.observation) for turn in first.turns] == [
        ("One and one.\nI add.", 'add({"x": 1, "y": 1})', "2"), ("", "2", ""),
    ]  # fmt: skip


def test_a_score_between_needs_a_word(tmp_path: Path) -> None:
    log = archive(tmp_path / "a.eval", sample("a", "P"))
    with pytest.raises(LogFault, match="--success-from"):
        read(log, LogQuestion())
    assert read(log, LogQuestion("", 0.5)).runs[0].outcome == "success"


def test_of_several_scorers_one_is_asked_for(tmp_path: Path) -> None:
    two = sample("a", "C")
    two["scores"] = {"match": {"value": "C"}, "judge": {"value": "I"}}
    log = archive(tmp_path / "a.eval", two)
    with pytest.raises(LogFault, match=r"2 scorers .match, judge.; say which: --outcome-field match"):
        read(log, LogQuestion())
    assert read(log, LogQuestion("judge")).runs[0].outcome == "failure"


def damage(path: Path, name: str) -> None:
    """Make a bad archive of a good one."""
    raw = bytearray(path.read_bytes())
    at = raw.rindex(b"PK\x01\x02")
    if name == "cut short":
        del raw[len(raw) // 2 :]
    elif name == "an unknown way of packing":
        raw[at + 10 : at + 12] = struct.pack("<H", 98)
    elif name == "it begins elsewhere":
        raw[at + 42 : at + 46] = struct.pack("<I", 1 << 30)
    else:
        raw[raw.index(b"samples/a") + 30] ^= 255
    path.write_bytes(raw)


@pytest.mark.parametrize(
    "name", ["cut short", "an unknown way of packing", "it begins elsewhere", "other bytes"]
)
def test_a_damaged_archive_is_one_line(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "a.eval", sample("a", "C"))
    damage(path, name)
    with pytest.raises(LogFault) as fault:
        list(read(path, LogQuestion()).runs)
    assert "\n" not in str(fault.value)


def test_a_score_that_was_altered_in_the_archive_is_seen(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.eval", sample("a", "C"), packed=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b'"value": "C"', b'"value": "I"'))
    with pytest.raises(LogFault, match="its checksum is another"):
        read(path, LogQuestion())


def test_a_member_that_packs_more_than_it_may_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("samples/a.json", "w") as member:
        for _ in range(140):
            member.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(LogFault, match="packs more than 128 MiB"):
        read(path, LogQuestion())


@needs_package
def test_what_inspect_writes_itself_is_read(tmp_path: Path) -> None:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.log import write_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match

    said = [ModelOutput.from_content("mockllm/model", text) for text in ("2", "no", "2", "4")]
    for output in said:
        output.usage = ModelUsage(input_tokens=7, output_tokens=2, total_tokens=9)
    samples = [
        Sample(id="a", input="What is 1+1?", target="2"),
        Sample(id="b", input="What is 2+2?", target="4"),
    ]
    model = get_model("mockllm/model", custom_outputs=said)
    (log,) = eval(
        Task(dataset=samples, scorer=match(), epochs=2), model=model, log_dir=str(tmp_path), display="none",
        max_samples=1,
    )  # fmt: skip
    write_eval_log(log, str(tmp_path / "same.json"), format="json")
    (packed,) = tmp_path.glob("*.eval")
    for path in (packed, tmp_path / "same.json"):
        seen = recognise(path).log_format
        assert seen is not None
        runs = seen.read(path, LogQuestion()).runs
        said_by_log = {s.uuid: s.scores["match"].value for s in log.samples or []}
        assert {run.name: "C" if run.outcome == "success" else "I" for run in runs} == said_by_log
        assert sorted(len(run.turns) for run in runs) == [1, 1, 1, 1]


def test_a_scorer_that_could_not_tell_states_nothing(tmp_path: Path) -> None:
    log = archive(tmp_path / "a.eval", sample("a", float("nan")), sample("b", 1.0))
    assert [run.outcome for run in read(log, LogQuestion()).runs] == ["", "success"]


def test_of_several_values_one_is_asked_for_or_a_file_states_outcomes(tmp_path: Path) -> None:
    log = archive(tmp_path / "a.eval", sample("a", {"exact": 1, "near": 0}))
    with pytest.raises(LogFault, match=r"2 values .exact, near.; say which: --outcome-field match.exact"):
        read(log, LogQuestion())
    assert read(log, LogQuestion("match.near")).runs[0].outcome == "failure"
    with pytest.raises(LogFault, match="has no value 'far'; it has exact, near"):
        read(log, LogQuestion("match.far"))
    assert read(log, LogQuestion(listed=True)).runs[0].outcome == ""
