"""What a run says first where a judge of its gates was not calibrated: how to do it, and at what cost."""

import shlex
from collections.abc import Collection, Iterator
from functools import cache

from memtrial.gates.calibration.labelled_items import Fixture, case_of, read_fixtures
from memtrial.gates.calibration.mutations import mutants
from memtrial.gates.gate import GateKind
from memtrial.gates.judged_gate import question_on
from memtrial.gates.suite import NAMES, kinds_of
from memtrial.judges.closed_question import INSTRUCTIONS, ask_fields
from memtrial.memory.markdown import render
from memtrial.models.client.prices import PriceTable
from memtrial.models.client.types import Reply
from memtrial.outcomes.count_words import how_many
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.runs.setup.model_roles import judges_of_gates, standings_by_judge
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec

LAYOUT = 2000
"""Characters that the structured call puts around its fields."""
CHARACTERS = 4
"""Of a token."""
ANSWER = 100
"""Tokens of a judge's answer."""


def advising_notices(
    spec: Spec, control: ControlPrompts, prices: PriceTable, tuned: Collection[str] = ()
) -> tuple[str, ...]:
    """A line for each judge of the spec's gates that has no fresh calibration at some of them."""
    drawn = sampling_of(spec.sampling.gate, "gate", control)
    held = standings_by_judge(spec, control, tuned)
    lines = []
    for judge, gates in judges_of_gates(spec).items():
        lacking = tuple(name for name in gates if held[judge][name].uncalibrated)
        if lacking:
            notice = advising_notice(judge, lacking, drawn.temperature, prices)
            lines.append(f"{notice}, and name the file as roles.gate_calibration")
    return tuple(lines)


def advising_notice(judge: str, gates: tuple[str, ...], temperature: float | None, prices: PriceTable) -> str:
    """That this judge only advises at these gates, and how to change that."""
    at_temperature = "" if temperature is None else f" --temperature {temperature:g}"
    command = (
        f"memtrial gates regress --judge {shlex.quote(judge)}{at_temperature} --gates {','.join(gates)}"
        " --out judge.json"
    )
    sizes = _call_sizes(gates)
    replies = [Reply("", (LAYOUT + size) // CHARACTERS, ANSWER, judge) for size in sizes]
    costs = [prices.usd(judge, reply) for reply in replies]
    known = [cost for cost in costs if cost is not None]
    price = f"about {sum(known):.2f} USD" if len(known) == len(costs) else "no price is known"
    return (
        f"{judge} was not calibrated at {', '.join(gates)}: there it only advises, and drops nothing. To"
        f" calibrate it: `{command}` (at most {how_many(len(sizes), 'call')}, {price})"
    )


@cache
def _call_sizes(gates: tuple[str, ...]) -> tuple[int, ...]:
    """Characters of each call that a calibration at these gates may make."""
    fixtures = read_fixtures(gates=NAMES)
    return tuple(size for kind in kinds_of(gates) for size in _sizes_of(kind, fixtures))


def _sizes_of(kind: GateKind, fixtures: Collection[Fixture]) -> Iterator[int]:
    labelled = [fixture for fixture in fixtures if fixture.gate == kind.name and fixture.flag is not None]
    for fixture in (*labelled, *mutants(labelled)):
        case = case_of(fixture)
        question = question_on(kind, case) if kind.find_gap(case) is None else None
        if question is not None:
            fields = ask_fields(question, render(fixture.item), fixture.trajectory, "full")
            yield len(INSTRUCTIONS.render()) + sum(map(len, fields.values()))
