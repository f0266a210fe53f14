"""What a judge is asked of free items, beside what programs find.

Those gates alone whose test reads the item by itself. The others hold it against the run that it came from,
or against a Trigger and a Form, which nothing has that people write by hand. No calibration is of such items,
so that a judge's word warns, whatever it is.
"""

from asyncio import Semaphore, gather
from collections.abc import Sequence
from dataclasses import replace

from memtrial.agents.trajectory import Trajectory
from memtrial.gates.claim_strength import CLAIM_STRENGTH
from memtrial.gates.explanatory_reach import EXPLANATORY_REACH
from memtrial.gates.gate import GateCase, GateKind
from memtrial.gates.internal_consistency import INTERNAL_CONSISTENCY
from memtrial.gates.judged_gate import question_on
from memtrial.gates.notes.note_phrases import advises
from memtrial.gates.notes.note_report import NoteFinding, NotesReport, Weight, place_finding
from memtrial.gates.prose.prose_economy import PROSE_ECONOMY
from memtrial.gates.prose.register_style import REGISTER_STYLE
from memtrial.gates.refuter import REFUTER
from memtrial.judges.closed_question import Judge
from memtrial.memory.item import ProseItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem

JUDGED = (CLAIM_STRENGTH, EXPLANATORY_REACH, REFUTER, INTERNAL_CONSISTENCY)
"""The gates that read a free item by itself."""
CONTROLS = (PROSE_ECONOMY, REGISTER_STYLE)
"""Gates on wording alone, asked where they are named."""
NO_RUN = Trajectory(
    "by hand", "by hand", "none: the item stands in a file that people wrote by hand", "success", ()
)
AT_ONCE = 8
UNREAD = "no answer: "


def asked_items(files: Sequence[NoteFile]) -> tuple[tuple[NoteFile, NoteItem], ...]:
    """The items that a judge is shown: those that advise, without lines that only lead up to others."""
    items = ((file, item) for file in files for item in file.read.items)
    return tuple((file, item) for file, item in items if not item.leads and advises(item.text))


async def judge_notes(
    files: Sequence[NoteFile], report: NotesReport, kinds: Sequence[GateKind], judge: Judge
) -> NotesReport:
    """The report with a finding for each gate and item of which the judge does not say that it passes.

    Raises:
        ModelFault: no answer could be had at all.
    """
    free = Semaphore(AT_ONCE)

    async def ask(kind: GateKind, file: NoteFile, item: NoteItem) -> NoteFinding | None:
        shown = show_item(file, item)
        prose = ProseItem(shown)
        question = question_on(kind, GateCase(prose, roles_of(prose), NO_RUN))
        if question is None:
            return None
        async with free:
            answer = await judge(question, shown, NO_RUN)
        if answer.verdict in ("PASS", "NOT_APPLICABLE"):
            return None
        quote = answer.quote if answer.quote and answer.quote in item.text else item.text.split("\n")[0]
        weight: Weight = "INFO" if answer.verdict == "ERROR" else "WARN"
        unread = UNREAD if answer.verdict == "ERROR" else ""
        return place_finding(kind.name, file, item, quote, f"{unread}{answer.reason} (judge)", weight)

    asked = asked_items(files)
    answers = await gather(*(ask(kind, *place) for place in asked for kind in kinds))
    judged = [finding for finding in answers if finding is not None]
    order = {file.name: number for number, file in enumerate(files)}
    whole = sorted((*report.findings, *judged), key=lambda each: (order[each.file], each.line, each.gate))
    n_unanswered = sum(finding.reason.startswith(UNREAD) for finding in judged)
    n_asked = len(asked) * len(kinds)
    return replace(report, findings=tuple(whole), n_asked=n_asked, n_unanswered=n_unanswered)


def show_item(file: NoteFile, item: NoteItem) -> str:
    """The item below its headings and the lines that lead up to it, as a reader of the file meets it."""
    headings = [
        f"{'#' * level} {title}" for level, title in enumerate(file.read.sections[item.section].titles, 1)
    ]
    return "\n\n".join((*headings, *item.above, item.text))
