"""A judge of free items: which it is shown and how, and that no answer is no pass."""

import asyncio
from dataclasses import dataclass, field

from memtrial.agents.trajectory import Trajectory
from memtrial.gates.claim_strength import CLAIM_STRENGTH
from memtrial.gates.notes.judged_notes import judge_notes
from memtrial.gates.notes.note_report import NotesReport
from memtrial.gates.notes.notes_check import check_files
from memtrial.judges.closed_question import ClosedQuestion, JudgeAnswer, Verdict
from tests.support.room_readers import note_of

TEXT = (
    "# Tests\n\nFor each push:\n\n- Run the tests twice.\n- They take a minute.\n- Never skip the linter.\n"
)


@dataclass
class Answering:
    """A judge that gives one answer and keeps what it was shown."""

    verdict: Verdict
    quote: str
    shown: list[str] = field(default_factory=list)

    async def __call__(self, question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:
        self.shown.append(item)
        return JudgeAnswer(self.verdict, self.quote, "item", "because")


def judged(judge: Answering) -> NotesReport:
    files = [note_of(TEXT, "CLAUDE.md")]
    return asyncio.run(judge_notes(files, check_files(files), (CLAIM_STRENGTH,), judge))


def test_items_that_advise_are_shown_below_their_headings() -> None:
    judge = Answering("PASS", "")
    report = judged(judge)
    assert judge.shown == [
        "# Tests\n\nFor each push:\n\nRun the tests twice.",
        "# Tests\n\nFor each push:\n\nNever skip the linter.",
    ]
    assert (report.n_asked, report.n_unanswered, report.findings) == (2, 0, ())


def test_a_judge_warns_at_the_line_of_the_item_whatever_its_word() -> None:
    report = judged(Answering("FAIL", "tests twice"))
    assert [(each.finding, each.line, each.quote) for each in report.findings] == [
        ("WARN", 5, "tests twice"),
        ("WARN", 7, "Never skip the linter."),
    ]


def test_no_answer_is_no_pass() -> None:
    report = judged(Answering("ERROR", ""))
    assert (report.n_asked, report.n_unanswered) == (2, 2)
    assert all(each.finding == "INFO" and "no answer" in each.reason for each in report.findings)
