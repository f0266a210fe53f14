"""A judge's confidence: its threshold is learnt on one half, scored on the other, and used by the gate."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from memtrial.api.gates import regress as regress_by_name
from memtrial.gates.calibration.confidence import StatedConfidence, fit_threshold, halves
from memtrial.gates.calibration.labelled_items import read_fixtures
from memtrial.gates.calibration.rates import GateCalibration
from memtrial.gates.calibration.regression import regress
from memtrial.gates.gate import GateCase
from memtrial.gates.judged_gate import JudgedGate
from memtrial.gates.suite import NAMES, kinds_of
from memtrial.judges.closed_question import JudgeAnswer, ModelJudge
from memtrial.memory.item_roles import roles_of
from memtrial.runs.setup.model_roles import standings
from tests.support.scripted_judge import GOOD, SOLVED, Scripted, caller, verdict

FIXTURES = [one for one in read_fixtures(gates=NAMES) if one.gate == "claim-strength"]
(KIND,) = kinds_of(("claim-strength",))
BAD = {one.item.claim for one in FIXTURES if one.flag and hasattr(one.item, "claim")}


def judge(wrong=(), sound=0.3, bad=0.7):
    """It passes everything, and knows better; of the claims in `wrong` it is as sure as of a sound one."""

    async def ask(question, item, trajectory):
        flawed = any(claim in item and claim not in wrong for claim in BAD)
        line = item.split("\n")[1]
        return JudgeAnswer("PASS", line, "item", "It stands.", bad if flawed else sound)

    return ask


def case(one) -> GateCase:
    return GateCase(one.item, roles_of(one.item), one.trajectory)


def rates(one) -> tuple:
    (row,) = asyncio.run(regress((KIND,), one, FIXTURES))
    return row


def test_the_halves_are_of_each_label_and_the_same_every_time():
    flags = {f"fixture {at}": at % 3 == 0 for at in range(20)}
    trained, scored = halves(flags)
    assert trained | scored == set(flags)
    assert not trained & scored
    assert sum(flags[name] for name in trained) == 4
    assert halves(dict(reversed(flags.items()))) == (trained, scored)


def test_a_judge_that_passes_all_and_is_sure_of_the_right_ones_is_held_to_its_confidence():
    row = rates(judge())
    assert row.confidence.threshold == 0.5
    assert (row.confidence.area, row.confidence.scored_area) == (1, 1)
    assert row.confidence.reliability == ((0.3, 0), (0.7, 1))
    assert row.passed
    assert row.hit_rate == 1
    assert row.n_positive + row.n_negative == len(FIXTURES) - row.confidence.n_trained
    again = GateCalibration.model_validate_json(
        GateCalibration(judge="j", judge_digest="j", gates=(row,)).model_dump_json()
    )
    standing = standings((KIND,), "j", (again,))[KIND.name]
    assert standing.blocks
    assert standing.threshold == 0.5
    assert "flags from confidence 0.5 on" in standing.why


def test_what_the_threshold_was_learnt_from_is_in_no_rate_and_the_other_half_moves_nothing_but_the_score():
    row = rates(judge())
    asked = {one.name: bool(one.flag) for one in FIXTURES if KIND.rule_on(case(one)) is None}
    left = {name for name in asked if asked[name]}
    trained, scored = halves(asked)
    for names, moved in ((scored, False), (trained, True)):
        wrong = {one.item.claim for one in FIXTURES if one.name in names & left}
        other = rates(judge(wrong))
        assert (other.confidence is None) is moved
        if not moved:
            assert set(other.missed) == scored & left
            assert other.hit_rate < 1
    assert row.missed == ()


@pytest.mark.parametrize("sure", [None, 0.5])
def test_a_judge_without_a_confidence_that_tells_keeps_its_verdicts(sure):
    row = rates(judge(sound=sure, bad=sure))
    assert row.confidence is None
    assert row.n_positive + row.n_negative == len(FIXTURES)


def test_too_few_of_a_label_give_no_threshold():
    many = [
        StatedConfidence(0.2, False),
        StatedConfidence(0.3, False),
        StatedConfidence(0.8, True),
        StatedConfidence(0.9, True),
    ]
    assert fit_threshold(many, many).threshold == 0.55
    assert fit_threshold(many[:3], many) is None
    assert fit_threshold(many, many[:3]) is None
    assert fit_threshold([StatedConfidence(1 - one.confidence, one.flag) for one in many], many) is None


def test_the_threshold_is_where_hits_less_false_alarms_are_largest():
    rng = np.random.default_rng(5)
    said = [
        StatedConfidence(round(float(rng.beta(4, 2) if at % 2 else rng.beta(2, 4)), 3), bool(at % 2))
        for at in range(200)
    ]
    found = fit_threshold(said, said)

    def gain(cut):
        return np.mean([one.confidence >= cut for one in said if one.flag]) - np.mean(
            [one.confidence >= cut for one in said if not one.flag]
        )

    assert gain(found.threshold) == pytest.approx(max(gain(cut) for cut in np.linspace(0, 1, 1001)))
    assert found.area == found.scored_area
    assert len(found.reliability) == 5
    assert found.brier < 0.25


@pytest.mark.parametrize(
    ("said", "confidence", "threshold", "found"),
    [
        ("fail", "0.4", 0.6, "PASS"),
        ("fail", "0.7", 0.6, "FAIL"),
        ("warn", "0.6", 0.6, "WARN"),
        ("pass", "0.9", 0.6, "WARN"),
        ("fail", "0.4", None, "FAIL"),
        ("fail", "rather", 0.6, "FAIL"),
        ("fail", "nan", 0.6, "FAIL"),
        ("fail", "7", 0.6, "FAIL"),
        ("fail", None, 0.6, "FAIL"),
    ],
)
def test_a_gate_flags_from_its_threshold_on(said, confidence, threshold, found):
    told = "" if confidence is None else f"[[ ## confidence ## ]]\n{confidence}\n\n[[ ## completed"
    reply = verdict(said, "The lid springs open.", "trace", "So.").replace(
        "[[ ## completed", told or "[[ ## completed"
    )
    gate = JudgedGate(KIND, ModelJudge(caller(Scripted(lambda asked: reply))), threshold=threshold)
    finding = asyncio.run(gate(GOOD, SOLVED))
    assert finding.finding == found
    assert ("threshold 0.6" in finding.reason) is (found != said.upper())
    assert asyncio.run(replace(gate, blocks=False)(GOOD, SOLVED)).finding in (found, "WARN")


def test_a_simulated_judge_can_say_how_sure_it_is():
    found = regress_by_name(
        "simulated/examiner?hit=0.5&false_alarm=0.4&confidence=1", ("claim-strength",)
    ).gates[0]
    assert found.confidence.area > 0.9
    assert found.passed
    assert regress_by_name("simulated/examiner", ("claim-strength",)).gates[0].confidence is None
