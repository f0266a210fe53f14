"""The review page over a file of failures: modes by keyboard, one row a case and rater, hostile texts."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.judges.failure_coder import INSTRUCTIONS, LONGEST, MODES
from memtrial.ledger.review_facts import DraftDecision
from memtrial.outcomes.failures.failure_columns import read_labels
from memtrial.pages.desk import DeskFault
from memtrial.pages.failure_desk import FailureDesk
from memtrial.pages.page_server import serve_page
from tests.pages.test_review_page import BAD, TURNED
from tests.support.review_desk import ask

CASES = [
    {"case": "a", "task": "t1", "items": "Pull it.", "solved": "It looked.", "failed": "It pulled <b>."},
    {"case": "b", "task": "t2", "items": BAD, "solved": f"{BAD} {TURNED}", "failed": "\u202e" + BAD},
    {"case": "c/../d", "task": TURNED, "items": "", "solved": "x" * LONGEST, "failed": "\u2028"},
]
SECRETS = {"arm": "artifact", "condition": "corrupt_invert"}


def cases_in(folder: Path) -> Path:
    """A file of the cases that nobody has labelled."""
    rows = [one | {"mode": "", "rater": ""} | SECRETS for one in CASES]
    path = folder / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return cases_in(tmp_path)


def labels(file: Path) -> list[tuple[str, str, str]]:
    return [(one.case, one.mode, one.rater) for one in read_labels(file)]


def test_each_decision_is_in_the_file_at_once_under_the_name_of_its_rater(file: Path) -> None:
    desk = FailureDesk(file, "ann")
    first, second, third = (draft.id for draft in desk.queue().drafts)
    with serve_page(desk) as address:
        assert ask(address).headers["Location"].endswith(first)
        page = unescape(ask(address, first).text)
        assert all(text in page for text in ("Pull it.", "It looked.", "It pulled <b>.", "Case 1 of 3"))
        for line in INSTRUCTIONS.render().splitlines()[1:5]:
            assert line.partition(": ")[2] in page
        assert not any(secret in page for secret in SECRETS.values())
        assert "x" * LONGEST in ask(address, third).text  # what a model reads, a person can read
        assert ask(address, first, {"how": "reliance"}).headers["Location"].endswith(second)
        assert labels(file) == [("a", "reliance", "ann")]
        assert ask(address, first, {"how": "accept"}).status == 400
        assert ask(address, "/wrong/" + first, {"how": "other"}).status == 403
        assert ask(address, first, {"how": "other"}, {"Origin": "http://evil.example"}).status == 403
        assert ask(address, "end", {}).status == 409
        ask(address, first, {"how": "premature"})  # a correction
        assert labels(file) == [("a", "premature", "ann")]
        ask(address, second, {"how": "other"})
        assert ask(address, third, {"how": "other"}).headers["Location"].endswith("end")
        assert "0 distraction, 0 reliance, 1 premature, 2 other, none left" in ask(address, "end").text
        assert ask(address, "end", {}).status == 200
    rows = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
    assert rows == [
        one | {"mode": mode, "rater": "ann"} | SECRETS
        for one, mode in zip(CASES, ("premature", "other", "other"), strict=True)
    ]


def test_a_second_person_overwrites_nothing_and_is_shown_nothing(file: Path) -> None:
    ann, bo = FailureDesk(file, "ann"), FailureDesk(file, "bo")
    names = [draft.id for draft in ann.queue().drafts]
    ann.decide(*(DraftDecision(draft=name, how="other") for name in names))
    assert (ann.queue().left, bo.queue().left) == (0, 3)
    with serve_page(bo) as address:
        assert "Decided" not in ask(address, names[0]).text
        ask(address, names[0], {"how": "reliance"})
        assert "Decided: <strong>reliance</strong>" in ask(address, names[0]).text
        ask(address, names[0], {"how": "distraction"})
    assert sorted(labels(file)) == [
        ("a", "distraction", "bo"),
        *((case, "other", "ann") for case in ("a", "b")),
        ("c/../d", "other", "ann"),
    ]
    assert [draft.id for draft in ann.queue().drafts] == names
    bo.undo(names[0])
    assert sorted(labels(file))[0] == ("a", "other", "ann")
    with pytest.raises(DeskFault, match="under your name"):
        bo.undo(names[0])
    bo.decide(DraftDecision(draft=names[0], how="distraction"))
    assert len(labels(file)) == 4
    assert bo.queue().left == 2


def test_many_who_label_at_once_lose_nothing(file: Path) -> None:
    names = [draft.id for draft in FailureDesk(file, "").queue().drafts]
    raters = [f"rater {number}" for number in range(8)]

    def label(rater: str) -> None:
        for name, mode in zip(names, MODES, strict=False):
            FailureDesk(file, rater).decide(DraftDecision(draft=name, how=mode))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(label, raters))
    assert len(set(labels(file))) == 8 * len(names)


def test_a_label_by_hand_without_a_name_stays(file: Path) -> None:
    row = CASES[0] | {"mode": "other", "rater": ""}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    desk = FailureDesk(file, "ann")
    desk.decide(DraftDecision(draft=desk.queue().drafts[0].id, how="reliance"))
    assert labels(file) == [("a", "other", "human"), ("a", "reliance", "ann")]


def test_a_hostile_case_is_text_and_nothing_else(file: Path) -> None:
    desk = FailureDesk(file, "ann")
    with serve_page(desk) as address:
        text = ask(address, desk.queue().drafts[1].id).text
    assert re.findall(r"<(script|img)\b[^>]*>", text) == ["script"]  # the page's own
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\ufffe]", text)


def test_what_cannot_be_kept_is_refused_on_the_page(file: Path) -> None:
    desk = FailureDesk(file, "ann")
    drafts = desk.queue().drafts
    before = file.read_bytes()
    with pytest.raises(DeskFault, match="got 'accept'"):
        desk.decide(
            DraftDecision(draft=drafts[1].id, how="other"), DraftDecision(draft=drafts[0].id, how="accept")
        )
    assert file.read_bytes() == before
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(DeskFault, match="line 1: case"):
        desk.decide(DraftDecision(draft=drafts[0].id, how="other"))
    with pytest.raises(SpecFault, match="line 1: case"):
        desk.queue()
