"""The report's answer to its own title: for each backbone whether it uses what its memory says, and whether
the compared arms differ in that."""

from collections.abc import Sequence
from dataclasses import dataclass

from memtrial.analysis.hypothesis_families import NEGATIVE_CONTROL
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Hypothesis
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import ORACLE
from memtrial.reports.text.arm_readings import Carried, sum_up_content
from memtrial.reports.text.reading import list_with_and, margin_text
from memtrial.reports.text.verdict_glossary import Tone, printed_word
from memtrial.views.lookup import find, judged_backbones, reference_of
from memtrial.views.rows.results import Results


@dataclass(frozen=True, slots=True)
class UseSentence:
    """What a backbone does with some of its memories, and the tone in which it is printed."""

    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class BackboneAnswer:
    """What a run says of one backbone.

    Args:
        uses: what it does with its memories, beginning with a verb: a sentence for arms of which the same
            holds, which are counted where they are all.
        compares: whether the compared arms differ in that, a sentence for those of which the same holds;
            empty where none was compared.
    """

    backbone: str
    uses: tuple[UseSentence, ...]
    compares: str

    @property
    def says(self) -> str:
        """What it does with its memories."""
        return " ".join(use.text for use in self.uses)

    @property
    def tone(self) -> Tone:
        """Of what is said, where it holds of all arms; else open."""
        tones = {use.tone for use in self.uses}
        return tones.pop() if len(tones) == 1 else "open"

    @property
    def sentence(self) -> str:
        """The whole, with the name of the backbone."""
        return " ".join(filter(None, (f"{self.backbone} {self.says}", self.compares)))


_USES: dict[Carried, tuple[str, Tone]] = {
    "fully": ("uses what its memory says", "effect"),
    "partly": ("uses a part of what its memory says", "effect"),
    "not": ("scores the same, whatever its memory says", "absence"),
    "reversed": ("does better where what its memory says is damaged", "harm"),
    "untestable": ("could not show whether it uses what its memory says", "open"),
    "insensitive": ("is not judged, as the positive control did not work", "open"),
    "open": ("may or may not use what its memory says, which is not settled", "open"),
    "unmeasured": ("was not asked whether it uses what its memory says", "open"),
}
_WITH_UTILITY: dict[tuple[str, Carried], tuple[str, Tone]] = {
    ("helps", "not"): ("is helped by having a memory, whatever it says", "absence"),
    ("none", "not"): ("shows no sign of its memory", "absence"),
    ("none", "untestable"): ("shows no sign of its memory", "absence"),
}
_MORE = {"none": ", and gains nothing by it", "harms": ", and is harmed by it"}
"""What is added where it is used, and does not help."""

_COMPARED = {
    "load-bearing": "depends on its text more",
    "reversed": "depends on its text less",
    "inconclusive": "not settled",
    "insensitive": "not judged",
}


def answer_backbones(results: Results) -> tuple[BackboneAnswer, ...]:
    """One answer for each backbone with a verdict, in the order of the run; none where the arms are only held
    against a reference. The positive and the negative control are no memory that is asked about."""
    if reference_of(results):
        return ()
    return tuple(_answer_one(results, backbone, arms) for backbone, arms in judged_backbones(results).items())


def _answer_one(results: Results, backbone: str, arms: Sequence[str]) -> BackboneAnswer:
    asked = [arm for arm in arms if not _is_control(results, backbone, arm)] or list(arms)
    groups = group_by(asked, lambda arm: _use(results, backbone, arm))
    if len(groups) == 1:
        ((says, tone),) = groups
        uses = [UseSentence(f"{says} ({how_many(len(asked), 'arm')} of {len(asked)}).", tone)]
    else:
        # what is settled is said first
        settled = sorted(groups.items(), key=lambda entry: entry[0][1] == "open")
        uses = [
            UseSentence(f"{'It ' if number else ''}{says} ({list_with_and(names)}).", tone)
            for number, ((says, tone), names) in enumerate(settled)
        ]
    return BackboneAnswer(backbone, tuple(uses), _compare(results, backbone))


def _is_control(results: Results, backbone: str, arm: str) -> bool:
    """It is the positive control, or the negative one, whose text is not shown."""
    gain = find(results, "utility", backbone, arm)
    return arm == ORACLE or (gain is not None and gain.family == NEGATIVE_CONTROL)


def _use(results: Results, backbone: str, arm: str) -> tuple[str, Tone]:
    """What the backbone does with one memory."""
    carried = sum_up_content(results, backbone, arm)
    gain = results.utility.get(backbone, {}).get(arm, "")
    if carried == "unmeasured" and gain:
        return f"was not asked whether it uses what its memory says; utility: {printed_word(gain)}", "open"
    says, tone = _WITH_UTILITY.get((gain, carried), _USES[carried])
    return says + _MORE.get(gain, "") * (carried in ("fully", "partly")), tone


def _compare(results: Results, backbone: str) -> str:
    """Whether the treatments depend on their text more than their controls do."""
    own = [entry for entry in results.hypotheses if entry.backbone == backbone]
    pairs = group_by(own, lambda entry: (entry.treatment, entry.control))
    alike = group_by(pairs.items(), lambda entry: (entry[0][1], _say_words(results, entry[1])))
    parts = []
    for (control, words), entries in alike.items():
        settle = _would_settle(results, [entry for _, some in entries for entry in some])
        treatments = list_with_and([treatment for (treatment, _), _ in entries])
        # what would settle it stands beside what is open, where other words follow
        told = words.replace(_COMPARED["inconclusive"], _COMPARED["inconclusive"] + settle, 1)
        parts.append(f"{treatments} against {control}: {told}")
    return f"{'. '.join(parts)}." if parts else ""


def _say_words(results: Results, entries: Sequence[Hypothesis]) -> str:
    """The words on one pair of arms: alone where they agree, else each with its kinds of damage."""
    words = group_by(entries, lambda entry: entry.verdict)
    margin = f"no difference beyond ±{margin_text(results)}"
    said = {word: margin if word == "inert" else _COMPARED.get(word, word) for word in words}
    if len(words) == 1:
        return next(iter(said.values()))
    return ", ".join(
        f"{said[word]} under {list_with_and([entry.condition for entry in some])}"
        for word, some in words.items()
    )


def _would_settle(results: Results, entries: Sequence[Hypothesis]) -> str:
    """How many tasks would settle what is open, as far as that is known; empty where nothing is open."""
    rows = [
        find(results, "contrast", entry.backbone, entry.treatment, entry.condition, entry.control)
        for entry in entries
        if entry.verdict == "inconclusive"
    ]
    needed = [
        row.tasks_to_settle for row in rows if row and row.code == Reason.UNDECIDED and row.tasks_to_settle
    ]
    if not needed:
        return ""
    least, most = min(needed), max(needed)
    tasks = how_many(most, "task") if least == most else f"{least:,} to {how_many(most, 'task')}"
    return f" ({tasks} would settle it)"
