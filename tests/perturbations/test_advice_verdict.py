"""What a judge read in two texts is held against what the kind claims, whoever the judge is."""

import json
from pathlib import Path

import pytest

from memtrial.judges.advice_comparison import AdviceComparison, AdvicePair, AdvicePiece, find_fault
from memtrial.perturbations.written.advice_verdict import explain_refusal
from memtrial.perturbations.written.claims import CLAIMS
from memtrial.perturbations.written.draft_proofs import refuse_draft

JUDGED = [json.loads(line) for line in (Path(__file__).parent / "judged_pairs.jsonl").open(encoding="utf-8")]
"""Texts by two hands, drafts of honest writers and of cheats, and what a careful reader says of both."""


def reading_of(row):
    names = ("first", "second", "pairs", "first_contradicts", "second_contradicts")
    return AdviceComparison.model_validate({name: row[name] for name in names})


@pytest.mark.parametrize("row", JUDGED, ids=lambda row: f"{row['id']} {row['kind']} {row['quality']}")
def test_cheats_are_refused_and_honest_drafts_accepted_by_what_a_careful_reader_says(row):
    reading, claim = reading_of(row), CLAIMS[row["kind"]]
    assert find_fault(reading, row["before"], row["after"]) == ""
    assert (explain_refusal(claim, reading, row["after"]) == "") == row["accept"]
    if row["accept"]:
        assert refuse_draft(claim, row["before"], row["after"]) == ""


def test_both_halves_of_the_material_are_there():
    kept = [row["accept"] for row in JUDGED]
    assert len(kept) >= 40
    assert 10 < sum(kept) < len(kept) - 20


def piece(action: str, polarity: str = "do", field: str = "Content") -> AdvicePiece:
    return AdvicePiece(field=field, polarity=polarity, action=action, quote=action)


def read(first, second, *pairs, contradicts=False) -> AdviceComparison:
    return AdviceComparison(
        first=tuple(first),
        second=tuple(second),
        pairs=tuple(AdvicePair(first=one, second=two, relation=how) for one, two, how in pairs),
        second_contradicts=contradicts,
    )


OPEN, SHUT, LOOK = piece("open the box"), piece("open the box", "avoid"), piece("look under the mat")
ALONE, OTHER = piece("shout", "avoid"), piece("shout loudly", "avoid")


@pytest.mark.parametrize(
    ("claim", "reading", "holds"),
    [
        ("turned", read([OPEN], [SHUT], (1, 1, "opposite")), True),
        ("turned", read([OPEN], [SHUT], (1, 1, "opposite"), contradicts=True), False),
        ("turned", read([OPEN], [LOOK], (1, 1, "another action")), False),
        ("turned", read([OPEN], [], (1, 0, "not there")), False),
        ("turned", read([OPEN], [SHUT, LOOK], (1, 1, "opposite"), (0, 2, "not there")), False),
        ("turned", read([OPEN, LOOK], [SHUT, LOOK], (1, 1, "opposite"), (2, 2, "same")), False),
        ("exchanged", read([OPEN], [LOOK], (1, 1, "another action")), True),
        # the old advice is not there, and what is new stands in its place
        ("exchanged", read([OPEN], [LOOK], (1, 0, "not there"), (0, 1, "not there")), True),
        ("exchanged", read([OPEN], [OTHER], (1, 0, "not there"), (0, 1, "not there")), False),
        ("exchanged", read([OPEN], [], (1, 0, "not there")), False),
        ("exchanged", read([OPEN], [SHUT], (1, 1, "opposite")), False),
        ("exchanged", read([OPEN], [OTHER], (1, 1, "another action")), False),
        # beside advice to do something, what is to be avoided may go; alone it gets another action
        ("exchanged", read([OPEN, ALONE], [LOOK], (1, 1, "another action"), (2, 0, "not there")), True),
        ("exchanged", read([ALONE], [], (1, 0, "not there")), False),
        ("exchanged", read([ALONE], [OTHER], (1, 1, "another action")), True),
        ("exchanged", read([ALONE], [LOOK], (1, 1, "another action")), False),
        ("kept", read([OPEN, ALONE], [OPEN, ALONE], (1, 1, "same"), (2, 2, "same")), True),
        ("kept", read([OPEN], [LOOK], (1, 1, "another action")), False),
        ("kept", read([OPEN, ALONE], [OPEN], (1, 1, "same"), (2, 0, "not there")), False),
        ("kept", read([OPEN], [OPEN, LOOK], (1, 1, "same"), (0, 2, "not there")), False),
        ("spared", read([OPEN], [OPEN], (1, 1, "same")), True),
        ("spared", read([LOOK], [LOOK], (1, 1, "same")), False),  # it stands no longer letter by letter
    ],
)
def test_each_claim_asks_for_its_own(claim, reading, holds):
    after = "When it is shut, open the box." if claim == "spared" else "Something else is written here."
    assert (explain_refusal(claim, reading, after) == "") == holds


def test_old_advice_that_stands_word_for_word_is_refused_whatever_the_judge_says():
    reading = read([OPEN], [LOOK], (1, 1, "another action"))
    after = "When it is shut, open the box, or look under the mat."
    assert "still stands there" in explain_refusal("exchanged", reading, after)


def test_an_answer_that_could_not_be_read_refuses():
    for claim in set(CLAIMS.values()):
        assert explain_refusal(claim, AdviceComparison(fault="gibberish"), "") == "gibberish"
