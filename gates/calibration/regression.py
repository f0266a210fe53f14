"""Rates of the gates on labelled fixtures: hits and false alarms apart, with the surroundings of a run.

Source: GATES 5.4.
"""

import json
from asyncio import Semaphore, gather
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from inspect import getsourcefile
from pathlib import Path
from typing import NamedTuple

from memtrial.agents.trajectory import Trajectory
from memtrial.gates import gate, judged_gate
from memtrial.gates.calibration.confidence import Confidence, StatedConfidence, fit_threshold, halves
from memtrial.gates.calibration.labelled_items import Fixture, digest_of
from memtrial.gates.calibration.mutations import mutants
from memtrial.gates.calibration.rates import GateRow, Rates, exact_rate
from memtrial.gates.gate import Finding, GateKind, Surroundings
from memtrial.gates.judged_gate import JudgedGate, shown_digests
from memtrial.gates.questions import other_tasks, worked_examples
from memtrial.judges.closed_question import INSTRUCTIONS, ClosedQuestion, Judge, JudgeAnswer
from memtrial.memory.language.lexicon import sections

LEAST_HIT = 0.8
MOST_FALSE = 0.15
LEAST_JUDGED = 0.5
"""Of the positives that the program lets through, so many at least the judge flags: else its half is idle."""
FLAGS = ("WARN", "FAIL")
SHARED = (gate, judged_gate, other_tasks, worked_examples)
"""The code behind every gate."""


@dataclass(frozen=True, slots=True)
class Always:
    """A judge that gives one verdict whatever it is shown, with the item's first line as its evidence."""

    verdict: str

    async def __call__(self, question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:  # noqa: ARG002
        line = next((line for line in item.split("\n")[1:] if line.strip()), item)
        return JudgeAnswer(
            "PASS" if self.verdict == "pass" else "WARN", line, "item", f"always {self.verdict}"
        )


class _Heard(NamedTuple):
    """What a gate found on a fixture, and the judge's answer; None where the program has its own word."""

    fixture: Fixture
    finding: Finding
    answer: JudgeAnswer | None

    @property
    def flagged(self) -> bool:
        return self.finding.finding in FLAGS


@cache
def gate_digest(kind: GateKind) -> str:
    """Sha256 of the gate's own file, the contract, the gates' word lists and all that its judge is shown.

    As they were when the gate was first asked about: what a process has loaded stays.
    """
    lists = [text for name, text in sections("words").items() if name.startswith("gates.")]
    files = [Path(getsourcefile(kind.rule) or ""), *(Path(module.__file__ or "") for module in SHARED)]
    whole = sha256("".join([*shown_digests(kind).values(), *lists]).encode())
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()


def judge_digest(model: str, temperature: float | None = None, max_tokens: int | None = 2048) -> str:
    """Sha256 of the judge's configuration; a simulated one has no temperature."""
    drawn = None if model.startswith("simulated/") else temperature
    body = json.dumps([model, drawn, max_tokens, INSTRUCTIONS.digest])
    return sha256(body.encode()).hexdigest()


async def regress(
    kinds: Sequence[GateKind],
    judge: Judge | None,
    fixtures: Sequence[Fixture],
    held_out: Sequence[Fixture] = (),
    at_once: int = 8,
) -> tuple[GateRow, ...]:
    """The rates of each gate that has labelled fixtures.

    Args:
        judge: None: the programs alone, on the positives that they claim to see.
        held_out: fixtures that are measured beside the others, and from which nothing is learnt.
    """
    free = Semaphore(at_once)

    async def heard(kind: GateKind, fixture: Fixture, threshold: float | None = None) -> _Heard:
        async with free:
            return await _heard(kind, judge or Always("pass"), fixture, threshold)

    rows = []
    for kind in kinds:
        labelled = _select_labelled(kind, fixtures)
        asked = [one for one in (*labelled, *mutants(labelled)) if _is_measured(one, judge)]
        if asked:
            found = await gather(*(heard(kind, one) for one in asked))
            found, worth = await _by_confidence(kind, found)
            row = _row(kind, found, judge is not None, labelled, worth)
            if beside := [one for one in _select_labelled(kind, held_out) if _is_measured(one, judge)]:
                threshold = worth.threshold if worth else None
                others = await gather(*(heard(kind, one, threshold) for one in beside))
                rates = _rates(kind, others, judge is not None, _select_labelled(kind, held_out))
                row = row.model_copy(update={"held_out": rates})
            rows.append(row)
    return tuple(rows)


def _select_labelled(kind: GateKind, fixtures: Sequence[Fixture]) -> list[Fixture]:
    return [fixture for fixture in fixtures if fixture.gate == kind.name and fixture.flag is not None]


def _is_measured(fixture: Fixture, judge: Judge | None) -> bool:
    """Whether it is measured: without a judge, not what only a judge is claimed to see."""
    return judge is not None or fixture.flag is False or fixture.half == "rule"


async def _heard(kind: GateKind, judge: Judge, fixture: Fixture, threshold: float | None = None) -> _Heard:
    answers: list[JudgeAnswer] = []

    async def note_answer(question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:
        answers.append(await judge(question, item, trajectory))
        return answers[-1]

    around = Surroundings(fixture.training, stored=lambda _: fixture.stored)
    finding = await JudgedGate(kind, note_answer, around=around, threshold=threshold)(
        fixture.item, fixture.trajectory
    )
    # with the program silent there is no finding but the judge's
    return _Heard(fixture, finding, answers[0] if answers and not finding.beside else None)


async def _by_confidence(kind: GateKind, cases: list[_Heard]) -> tuple[list[_Heard], Confidence | None]:
    """Decided again by the threshold of one half, and without that half; as it was where there is none."""
    stated = {
        case.fixture.name: StatedConfidence(case.answer.confidence, bool(case.fixture.flag))
        for case in cases
        if case.answer is not None and case.answer.confidence is not None and not case.fixture.made
    }
    trained, scored = halves({name: confidence.flag for name, confidence in stated.items()})
    worth = fit_threshold([stated[name] for name in trained], [stated[name] for name in scored])
    if worth is None:
        return cases, None
    left = [case for case in cases if case.fixture.name not in trained]

    async def again(case: _Heard, answer: JudgeAnswer) -> _Heard:
        async def repeat_answer(question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:  # noqa: ARG001
            return answer

        return await _heard(kind, repeat_answer, case.fixture, worth.threshold)

    return [case if case.answer is None else await again(case, case.answer) for case in left], worth


def _row(
    kind: GateKind, heard: list[_Heard], judged: bool, labelled: list[Fixture], confidence: Confidence | None
) -> GateRow:
    written = [case for case in heard if not case.fixture.made]
    caught = [case.flagged for case in heard if case.fixture.made]
    rates = _rates(kind, written, judged, labelled)
    hit, alarm, judge_hit = rates.hit_rate, rates.false_alarm_rate, rates.judge_hit_rate
    passed = hit is not None and alarm is not None and hit >= LEAST_HIT and alarm <= MOST_FALSE
    idle = judged and kind.judged and (judge_hit is None or judge_hit < LEAST_JUDGED)
    return GateRow(
        **rates.model_dump(exclude={"n_errors"}),
        gate=kind.name,
        n_errors=sum(case.finding.finding == "ERROR" for case in heard),
        mutants_caught=sum(caught),
        n_mutants=len(caught),
        passed=passed and not idle,
        digest=gate_digest(kind),
        confidence=confidence,
    )


def _rates(kind: GateKind, heard: list[_Heard], judged: bool, labelled: list[Fixture]) -> Rates:
    # an item that the gate does not apply to is no negative; a positive it does not apply to was missed
    positives = [case for case in heard if case.fixture.flag]
    negatives = [case for case in heard if not case.fixture.flag and case.finding.finding != "NOT_APPLICABLE"]
    alarms = [case for case in negatives if case.flagged or case.finding.finding == "ERROR"]
    hit, hit_low, hit_high = exact_rate([case.flagged for case in positives])
    alarm, alarm_low, alarm_high = exact_rate([case in alarms for case in negatives])
    by_judge = [case.flagged for case in positives if case.fixture.half == "judge"]
    return Rates(
        hit_rate=hit,
        hit_low=hit_low,
        hit_high=hit_high,
        false_alarm_rate=alarm,
        false_alarm_low=alarm_low,
        false_alarm_high=alarm_high,
        n_positive=len(positives),
        n_negative=len(negatives),
        judge_hit_rate=exact_rate(by_judge)[0] if judged and kind.judged else None,
        n_errors=sum(case.finding.finding == "ERROR" for case in heard),
        domains=tuple(sorted({case.fixture.domain for case in (*positives, *negatives)} - {""})),
        fixtures=digest_of(tuple(labelled)),
        missed=tuple(case.fixture.name for case in positives if not case.flagged),
        false_alarms=tuple(case.fixture.name for case in alarms),
        blocked=tuple(case.fixture.name for case in alarms if case.finding.finding == "FAIL"),
    )
