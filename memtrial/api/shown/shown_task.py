"""One task of a run as it is shown: HTML in a notebook, text at a prompt."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from memtrial.console.escape import one_line, printable, shorten
from memtrial.console.line_width import columns, fold
from memtrial.console.standard_output import width_of
from memtrial.outcomes.count_words import how_many
from memtrial.pages.view.trial_reading import MASKED, ComparedTrials, TaskReading, TrialReading, TrialTurn
from memtrial.pages.view.view_pages import PageFacts, render_view
from memtrial.reports.text.reading import SIMULATED
from memtrial.views.numbers import dollars

MOST_PRINTED = 4_000
"""Characters of one text at a prompt; a notebook has room for more, as it folds."""
_STATUS = {"success": "solved", "failure": "failed"}
_FLIP = {-1: " lost", 0: "", 1: " gained"}
_LEFT_OUT, _NEW = ("<del>", "[-", "</del>", "-]"), ("<ins>", "{+", "</ins>", "+}")


@dataclass(frozen=True, slots=True, repr=False)
class ShownTask:
    """A task side by side; in a notebook HTML that needs nothing else, at a prompt text.

    Args:
        others: backbones that played the task, too.
        alarm: rows were changed after they were written; empty where none were.
    """

    name: str
    task: TaskReading
    others: tuple[str, ...]
    alarm: str
    simulated: bool

    def _repr_html_(self) -> str:
        values = {
            "task": self.task,
            "others": self.others,
            "alarm": self.alarm,
            "simulated": SIMULATED if self.simulated else "",
            "parting": _say_parting(self.task.compared),
        }
        # halves of surrogate pairs were replaced, so that the text can be sent on
        return render_view("fragment", PageFacts("", "", self.name, single=True), values)

    def __str__(self) -> str:
        width = width_of()
        return "\n".join(part for line in self._lines() for part in fold(str(printable(line)), width))

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        task, reading = self.task, self._front
        also = f"; it was also played on {', '.join(self.others)}" if self.others else ""
        yield f"Task {task.task} on {task.backbone}{also}"
        yield from filter(None, (self.alarm, SIMULATED if self.simulated else ""))
        yield ""
        yield from columns([("arm", *task.conditions), *map(self._row, task.arms)], width_of())
        yield ""
        if reading.masked:
            yield MASKED
            return
        yield from _slot_lines(reading)
        yield ""
        if task.compared is None:
            yield _facts(reading)
            for number, turn in enumerate(reading.turns, 1):
                yield f"Turn {number}"
                yield from _turn_lines(turn)
        else:
            yield from _pair_lines(task.compared)
        if not reading.kept:
            yield "Nothing is kept of what was said."

    @property
    def _front(self) -> TrialReading:
        """The trial that is read, beside another one or alone."""
        reading = self.task.compared.second if self.task.compared else self.task.only
        assert reading is not None
        return reading

    def _row(self, arm: str) -> tuple[str, ...]:
        shown = (
            ", ".join(
                f"{_STATUS.get(trial.status, trial.status)}{_FLIP[trial.flip]}"
                for trial in self.task.of_cell(arm, condition)
            )
            for condition in self.task.conditions
        )
        return (arm, *shown)


def _say_parting(compared: ComparedTrials | None) -> str:
    """Where two trials part, in a sentence; empty without two."""
    if compared is None:
        return ""
    if not compared.parting:
        return "The two do the same in every turn."
    begin = "The two do the same until they part in" if compared.parting > 1 else "The two part in"
    return f"{begin} turn {compared.parting}."


def _cell(reading: TrialReading) -> str:
    return f"{reading.row.arm} / {reading.row.condition}"


def _facts(reading: TrialReading) -> str:
    row = reading.row
    score = "" if row.score is None else f", score {row.score:.3f}"
    cause = f": {one_line(row.cause)}" if row.cause else ""
    return (
        f"{_cell(reading)}, repeat {row.repeat}: {_STATUS.get(row.status, row.status)}{score}{cause};"
        f" {how_many(row.calls, 'call')}, {dollars(row.usd)}"
    )


def _slot_lines(reading: TrialReading) -> Iterator[str]:
    slot = reading.slot
    if not slot.damaged:
        yield f"Memory of {_cell(reading)}"
        yield _plain(slot.shown, _NEW) or "(no memory)"
        return
    yield f"Memory of {_cell(reading)}, intact; [-what the damage takes-]"
    yield _plain(slot.intact, _LEFT_OUT) or "(no memory)"
    yield "as shown; {+what is new+}"
    yield _plain(slot.shown, _NEW) or "(no memory)"


def _plain(marked: Markup, signs: tuple[str, ...]) -> str:
    """Marked text without markup; all but our own marks was escaped, so that these are no one else's."""
    begin, begin_sign, end, end_sign = signs
    text = str(marked).replace(begin, begin_sign).replace(end, end_sign)
    return shorten(Markup(text).unescape(), MOST_PRINTED)


def _pair_lines(compared: ComparedTrials) -> Iterator[str]:
    yield _facts(compared.first)
    yield _facts(compared.second)
    yield _say_parting(compared)
    for pair in compared.turns:
        here = ": here the two paths part" if pair.number == compared.parting else ""
        yield f"\nTurn {pair.number}{': the same is done' if pair.same else here}"
        for reading, turn in ((compared.first, pair.first), (compared.second, pair.second)):
            yield f"  {_cell(reading)}"
            yield from _turn_lines(turn)


def _turn_lines(turn: TrialTurn | None) -> Iterator[str]:
    if turn is None:
        yield "    It had ended."
        return
    for name in ("thought", "action", "observation", "fault"):
        if text := getattr(turn, name):
            yield f"    {name}: {shorten(one_line(text), MOST_PRINTED)}"
    for firing in turn.firings:
        now = ", and it is shown now" if firing["shown"] else ""
        yield f"    Trigger of item {firing['item'] + 1} holds{now}: {one_line(firing['why'])}"
