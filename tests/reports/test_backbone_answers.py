"""The report answers its own title: for each backbone whether it uses what its memory says."""

import re

import pytest

from memtrial.analysis.hypothesis_families import NEGATIVE_CONTROL
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Hypothesis
from memtrial.reports.text.backbone_answers import answer_backbones
from tests.support.report_example import bare, estimate_row, full
from tests.support.report_shown import demo

MEANING = {"counter": "meaning", "corrupt_invert": "meaning"}


def judged(words, utility, **more):
    """One backbone: by arm the words under kinds of damage to meaning, and what each adds."""
    return bare(
        backbones=("m",), arms=tuple(words), conditions=("counter", "corrupt_invert"), effects=MEANING,
        verdicts={"m": words}, utility={"m": utility}, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("word", "gain", "says", "tone"),
    [
        ("load-bearing", "helps", "uses what its memory says", "effect"),
        ("load-bearing", "harms", "uses what its memory says, and is harmed by it", "effect"),
        ("load-bearing", "none", "uses what its memory says, and gains nothing by it", "effect"),
        ("inert", "helps", "is helped by having a memory, whatever it says", "absence"),
        ("inert", "inconclusive", "scores the same, whatever its memory says", "absence"),
        ("untestable", "none", "shows no sign of its memory", "absence"),
        ("untestable", "helps", "could not show whether it uses what its memory says", "open"),
        ("reversed", "helps", "does better where what its memory says is damaged", "harm"),
        ("inconclusive", "helps", "may or may not use what its memory says, which is not settled", "open"),
        ("insensitive", "helps", "is not judged, as the positive control did not work", "open"),
    ],
)
def test_arms_of_which_the_same_holds_are_counted(word, gain, says, tone):
    results = judged({"a": {"counter": word}, "b": {"counter": word}}, {"a": gain, "b": gain})
    (answer,) = answer_backbones(results)
    assert answer.says == f"{says} (2 arms of 2)."
    assert (answer.tone, answer.compares) == (tone, "")


def test_arms_of_which_other_things_hold_are_named_and_the_controls_are_not_asked_about():
    negative = estimate_row(
        "utility", "w", backbone="m", versus="none", condition="without", family=NEGATIVE_CONTROL
    )
    words = {
        "a": {"counter": "load-bearing", "corrupt_invert": "inert"},
        "b": {"counter": "inert", "corrupt_invert": "inert"},
        "oracle": {"counter": "untestable"},
        "w": {"counter": "reversed"},
    }
    results = judged(words, dict.fromkeys(words, "helps"), estimates=(negative,))
    (answer,) = answer_backbones(results)
    parts = "uses a part of what its memory says (a). It is helped by having a memory, whatever it says (b)."
    assert answer.sentence == f"m {parts}"
    # what is shown of one arm does not look open for the other's sake
    assert (answer.tone, [use.tone for use in answer.uses]) == ("open", ["effect", "absence"])


def test_what_is_settled_is_said_before_what_is_open():
    words = {"a": {"counter": "inconclusive"}, "b": {"counter": "load-bearing"}}
    (answer,) = answer_backbones(judged(words, dict.fromkeys(words, "helps")))
    assert answer.says == (
        "uses what its memory says (b). It may or may not use what its memory says, which is not settled (a)."
    )


def test_compared_arms_are_said_by_word_and_by_what_would_settle_them():
    def row(arm, condition, tasks):
        return estimate_row(
            "contrast", arm, versus="c", condition=condition, verdict="inconclusive",
            code=Reason.UNDECIDED, tasks_to_settle=tasks,
        )  # fmt: skip

    def entry(arm, condition, verdict):
        return Hypothesis(treatment=arm, control="c", condition=condition, backbone="b", verdict=verdict)

    rows = (row("x", "counter", 500), row("x", "corrupt_invert", 90), row("y", "counter", 70))
    entries = (
        entry("x", "counter", "inconclusive"),
        entry("x", "corrupt_invert", "inconclusive"),
        entry("y", "counter", "inconclusive"),
        entry("y", "corrupt_invert", "load-bearing"),
        entry("z", "counter", "inert"),
    )
    words = {arm: {"counter": "load-bearing"} for arm in "xyz"}
    results = bare(
        backbones=("b",), arms=("x", "y", "z"), effects=MEANING, verdicts={"b": words},
        utility={"b": dict.fromkeys(words, "helps")}, estimates=rows, hypotheses=entries,
    )  # fmt: skip
    (answer,) = answer_backbones(results)
    assert answer.compares == (
        "x against c: not settled (90 to 500 tasks would settle it). "
        "y against c: not settled (70 tasks would settle it) under counter, depends on its text more under"
        " corrupt_invert. z against c: no difference beyond ±0.10."
    )


def test_every_backbone_is_answered_in_its_order_and_in_sentences_a_person_reads_at_once():
    for results in (full(), demo(3)):
        told = answer_backbones(results)
        assert tuple(answer.backbone for answer in told) == results.backbones
        for answer in told:
            for sentence in re.split(r"(?<=\.) (?=\w)", answer.sentence):
                assert len(sentence.split()) < 25, sentence
