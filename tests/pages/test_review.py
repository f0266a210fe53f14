"""Fork C: a run stops for a person, takes the decisions and goes on, whatever happens in between."""

import json
import re
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import asked_drafts, decisions
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.pages.decision_file import read_decisions
from memtrial.runs.spec.condenser_factors import CondenserSpec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.process import LOOK_S, Process, begin
from tests.support.refusing import Done, Warm
from tests.support.review_desk import ask
from tests.support.small import write_spec

SPEC = """
name: reviewed
seed: 3
environment: {world: workshop, train: 4, test: 2}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
condensers: {native: {kind: native}, theory: {kind: theory, review: human}}
arms: [none, control, artifact]
conditions: [corrupt_invert]
repeats: 1
analysis: {flips: 199}
"""
ASKED = "SELECT sum(calls) FROM free_calls WHERE purpose LIKE '%theory%'"
RUN = ("run", "spec.yaml", "--out", "out", "--display", "none")


def call(warm: Warm, folder: Path, *arguments: str) -> Done:
    return warm.call(*arguments, cwd=folder, within_s=120)


@pytest.fixture(scope="module")
def stopped(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that stopped at the gate; it is copied, never changed."""
    folder = tmp_path_factory.mktemp("stopped")
    write_spec(folder, SPEC, "spec.yaml")
    done = call(warm, folder, *RUN)
    assert done.code == 4
    assert "drafts wait for a person; `memtrial review out` opens the page to decide on them" in done.err
    assert "http://" not in done.err  # nothing answers before that command is given
    return folder


@pytest.fixture
def there(stopped: Path, tmp_path: Path) -> Path:
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    return tmp_path


def waiting(warm: Warm, folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(call(warm, folder, "review", "out", "--json").out)
    return found


def made(folder: Path) -> dict[str, dict[str, Any]]:
    with closing(SqliteLedger.open_read_only(folder / "out" / "ledger.sqlite")) as ledger:
        return {row.task: row.body for row in ledger.condensations() if row.condenser == "theory"}


def write_decisions(folder: Path, rows: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "decisions.jsonl").write_text(text, encoding="utf-8")


def address_of(process: Process, said: Path) -> str:
    """The address of the page, as soon as it is printed."""
    while True:
        assert process.poll() is None, process.err.read_text()
        if found := re.search(r"http://\S+/\n", said.read_text() if said.exists() else ""):
            return found[0].strip()
        time.sleep(LOOK_S)


def test_a_run_stops_takes_decisions_made_elsewhere_and_goes_on(warm: Warm, there: Path) -> None:
    assert not made(there)
    status = call(warm, there, "status", "out")
    drafts = waiting(warm, there)
    assert f"waiting for review: {len(drafts)} drafts" in status.out
    assert "`memtrial review out` serves them" in status.out
    assert all(draft["findings"] and draft["trajectory"] for draft in drafts)
    # where program and judge both find something, a person is told both
    by_draft = [[each["gate"] for each in draft["findings"]] for draft in drafts]
    assert any(len(gates) > len(set(gates)) for gates in by_draft)
    rows: list[dict[str, Any]] = []
    for at, draft in enumerate(drafts):
        row = {"draft": draft["draft"], "how": ("accept", "reject", "edit")[at % 3], "seconds": float(at)}
        edited = {"markdown": draft["markdown"] + " Edited."} if row["how"] == "edit" else {}
        reason = {"reason": "No lever there."} if at == 1 else {}
        rows.append(row | edited | reason)
    write_decisions(there, rows)
    assert call(warm, there, "review", "out", "--decisions", "decisions.jsonl").code == 0
    with closing(sqlite3.connect(there / "out" / "ledger.sqlite")) as ledger:
        before = ledger.execute(ASKED).fetchone()
    assert call(warm, there, *RUN).code == 0
    with closing(sqlite3.connect(there / "out" / "ledger.sqlite")) as ledger:
        after = ledger.execute(ASKED).fetchone()
    assert after == before  # nothing was asked twice
    for task, body in made(there).items():
        wanted, numbers = [], []
        for draft, row in zip(drafts, rows, strict=True):
            if draft["task"] == task and row["how"] != "reject":
                wanted.append(row.get("markdown", draft["markdown"]).partition("\n")[2])
                numbers.append(draft["number"])
        assert numbers == sorted(numbers)
        assert [item["markdown"].partition("\n")[2] for item in body["items"]] == wanted
        of_task = [row for draft, row in zip(drafts, rows, strict=True) if draft["task"] == task]
        assert [one["why"] for one in body["dropped"]] == [
            "rejected by a person" + (f": {row['reason']}" if "reason" in row else "")
            for row in of_task
            if row["how"] == "reject"
        ]
        assert not body["faults"]
    results = json.loads((there / "out" / "results.json").read_text(encoding="utf-8"))
    (people,) = results["people"]
    counts = [sum(row["how"] == how for row in rows) for how in ("accept", "edit", "reject")]
    assert [people[name] for name in ("accepted", "edited", "rejected")] == counts
    assert people["drafts"] == people["compared"] == len(rows)
    assert people["reasons"] == ["No lever there."]
    assert people["median_seconds"] == (len(rows) - 1) / 2
    page = (there / "out" / "report.html").read_text(encoding="utf-8")
    assert "People who reviewed drafts" in page
    assert call(warm, there, "review", "out").out == "No draft waits.\n"
    # the bank is made: a decision that comes too late is refused
    late = call(warm, there, "review", "out", "--decisions", "decisions.jsonl")
    assert late.code == 2
    assert "its bank may be made already; none of its decisions is taken" in late.err


def test_killed_while_a_person_decides_it_keeps_what_was_acknowledged(warm: Warm, there: Path) -> None:
    drafts = waiting(warm, there)
    names = [draft["draft"] for draft in drafts]

    process = begin(there, verb=("review", "out"))
    address = address_of(process, process.out)
    assert ask(address, names[0], {"how": "accept"}).status == 303
    busy = call(warm, there, *RUN)
    assert busy.code == 2
    assert "another run is going on" in busy.err
    twice = call(warm, there, "review", "out")
    assert (twice.code, twice.err) == (
        2,
        f"memtrial: the page is open already: decide at {address}, or end what serves it\n",
    )
    # a file of decisions is taken beside the page, which shows them
    write_decisions(there, [{"draft": names[1], "how": "reject"}])
    beside = call(warm, there, "review", "out", "--decisions", "decisions.jsonl")
    assert beside.code == 0
    assert " ".join(beside.out.split()).endswith(f"left. The open page shows it: finish there, at {address}")
    assert "<strong>rejected</strong>" in ask(address, names[1]).text
    assert process.kill()
    with closing(SqliteLedger.open_read_only(there / "out" / "ledger.sqlite")) as ledger:
        assert list(decisions(ledger)) == names[:2]
        assert len(asked_drafts(ledger)) == len(names)
    again = call(warm, there, *RUN)
    assert again.code == 4  # the others wait still
    # with a display the run itself serves the page, and goes on when a person says so
    process = begin(there, "--display", "plain")
    address = address_of(process, process.err)
    for name in names[2:-1]:
        assert ask(address, name, {"how": "reject"}).status == 303
    write_decisions(there, [{"draft": names[-1], "how": "reject", "reason": "Too vague."}])
    assert call(warm, there, "review", "out", "--decisions", "decisions.jsonl").code == 0
    assert process.poll() is None
    assert ask(address, "end", {}).status == 200
    code, _ = process.ended()
    assert code == 0
    assert sum(len(body["items"]) for body in made(there).values()) == 1
    whys = [one["why"] for body in made(there).values() for one in body["dropped"]]
    assert whys.count("rejected by a person: Too vague.") == 1


def test_a_checkpoint_of_another_hand_starts_nothing(warm: Warm, there: Path) -> None:
    """The loop begins anew from the answers in the ledger where its checkpoints are lost."""
    names = [draft["draft"] for draft in waiting(warm, there)]
    for path in (there / "out").glob("checkpoints.sqlite*"):
        assert path.stat().st_mode & 0o077 == 0
        path.unlink()
    write_decisions(there, [{"draft": name, "how": "accept"} for name in names])
    assert call(warm, there, "review", "out", "--decisions", "decisions.jsonl").code == 0
    assert call(warm, there, *RUN).code == 0
    (there / "elsewhere").mkdir()
    (there / "elsewhere" / "checkpoints.sqlite").symlink_to(there / "spec.yaml")
    assert call(warm, there, "run", "spec.yaml", "--out", "elsewhere").code == 2


def test_without_a_review_drafts_are_stored_as_they_are(warm: Warm, tmp_path: Path, stopped: Path) -> None:
    write_spec(tmp_path, SPEC.replace("review: human", "review: none"), "spec.yaml")
    assert call(warm, tmp_path, *RUN, "--limit", "1").code == 0
    body = made(tmp_path)
    assert not any(one["findings"] or one["dropped"] for one in body.values())
    with closing(SqliteLedger.open_read_only(stopped / "out" / "ledger.sqlite")) as ledger:
        drafts = {draft.markdown for draft in asked_drafts(ledger)}
    assert {item["markdown"] for one in body.values() for item in one["items"]} == drafts


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "line 1"),
        ('{"draft": "a", "how": "maybe"}', "line 1: how"),
        ('{"draft": "a", "how": "accept", "seconds": -1}', "line 1: seconds"),
        ('{"draft": "a", "how": "accept", "why": "x"}', "line 1: why"),
        ('{"draft": "a", "how": "accept"}\n\n{"draft": "a"}', "line 3: how"),
        ("[" * 100_000, "line 1"),
    ],
)
def test_a_file_with_a_wrong_decision_is_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "d.jsonl").write_text(text)
    with pytest.raises(SpecFault, match=why) as told:
        read_decisions(tmp_path / "d.jsonl")
    assert "\n" not in str(told.value)
    with pytest.raises(SpecFault, match="a plain file"):
        read_decisions(tmp_path)


@pytest.mark.parametrize(
    "keys",
    [
        {"kind": "raw", "review": "human"},
        {"kind": "theory", "review": "none", "gates": ["claim-strength"]},
        {"kind": "theory", "review": "human", "max_rounds": 1},
        {"kind": "theory", "review": "somebody"},
        {"kind": "native", "review": "human", "length_like": "theory"},
    ],
)
def test_what_a_review_rules_out_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CondenserSpec(**keys)


def test_review_is_a_level_of_a_factor(tmp_path: Path) -> None:
    levels = {review: CondenserSpec(kind="theory", review=review) for review in ("none", "gates", "human")}
    assert all(CondenserSpec(**one.model_dump()) == one for one in levels.values())  # spec.resolved.yaml
    assert [bool(one.gates) for one in levels.values()] == [False, True, True]
    assert [one.max_rounds for one in levels.values()] == [2, 2, 0]
    text = SPEC.replace("[none, control, artifact]", "[none, artifact]") + "mode: stream\n"
    with pytest.raises(SpecFault, match="mode: stream"):
        load_spec(write_spec(tmp_path, text, "spec.yaml"), [])
