"""What can be tuned: a gate's question, the draft, the revision; with examples, and what scores them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadbearing.condensers.draft_calls import asked_anew, run_inputs, to_draft, to_revise
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.calibration.labelled_items import Fixture
from loadbearing.gates.gate import Case, Finding, GateKind
from loadbearing.gates.suite import ALL as GATES
from loadbearing.gates.surroundings import Surroundings
from loadbearing.judges.question import answered, asked, signature
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.item_roles import roles_of
from loadbearing.memory.markdown import render
from loadbearing.models.client.structured import instruction_key
from loadbearing.runs.tuning.optimiser import Example

FLAGS = ("WARN", "FAIL")


@dataclass(frozen=True, slots=True)
class Subject:
    """An instruction with the examples that it is tuned and scored on.

    Args:
        signature: DSPy's, with the instruction as shipped.
        flags: of a gate, the flag that each example ought to get, by its id; else empty.
    """

    name: str
    signature: Any
    examples: tuple[Example, ...]
    flags: dict[str, bool]


def key_of(subject: str) -> str:
    """`instruction_key` of what is shipped for a subject now."""
    if subject == "draft":
        return instruction_key(to_draft(()).instructions, {})
    if subject == "revise":
        return instruction_key(to_revise("theory", placebo=False).instructions, {})
    question = next((kind.question for kind in GATES if kind.name == subject), None)
    return instruction_key(signature().instructions, {"question": question.render() if question else ""})


def of_gate(kind: GateKind, fixtures: Sequence[Fixture], view: View = "full") -> Subject:
    """A gate's question: a judge's answer is right where it flags what is labelled so, with evidence.

    What the program decides by itself is no example.
    """
    question = kind.question.render() if kind.question else ""
    labelled = [one for one in fixtures if one.gate == kind.name and one.flag is not None]
    left = [one for one in labelled if _ruling(kind, one.item, one.trajectory, one.stored) is None]

    def example(one: Fixture) -> Example:
        item = render(one.item)

        def score(said: Any) -> tuple[float, str]:
            answer = answered(said, item, one.trajectory, view)
            if answer.verdict == "ERROR":
                return 0.0, answer.reason
            if (answer.verdict in FLAGS) == one.flag:
                return 1.0, ""
            wanted = "should have been flagged" if one.flag else "is sound in this respect"
            return 0.0, f"The item {wanted}. {one.why}".strip()

        return Example(one.name, asked(question, item, one.trajectory, view), score)

    return Subject(
        kind.name, signature(), tuple(map(example, left)), {one.name: bool(one.flag) for one in left}
    )


def of_draft(traces: Sequence[Trajectory], view: View = "full") -> Subject:
    """The draft: the share of all gates whose program finds no fault in an item, mean over its items."""
    around = Surroundings(tuple(traces))

    def example(trace: Trajectory) -> Example:
        def score(said: Any) -> tuple[float, str]:
            items = [TheoryItem(**raw.model_dump()) for raw in said.memory_items]
            faults = [_faults(item, trace, around) for item in items]
            told = [f"Item {number}: {'; '.join(found)}." for number, found in enumerate(faults, 1) if found]
            share = 1 - sum(map(len, faults)) / (len(items) * len(GATES)) if items else 0.0
            return share, " ".join(told) if items else "There are no items."

        return Example(trace.trace_id, run_inputs(trace, view), score)

    return Subject("draft", to_draft(()), tuple(map(example, traces)), {})


def of_revise(fixtures: Sequence[Fixture], view: View = "full") -> Subject:
    """The revision: right where the fault that a program found is gone, and no other has come."""
    examples = []
    for one in fixtures:
        kind = next((kind for kind in GATES if kind.name == one.gate), None)
        ruled = _ruling(kind, one.item, one.trajectory, one.stored) if kind is not None and one.flag else None
        if ruled is None or ruled.finding not in FLAGS or not isinstance(one.item, TheoryItem):
            continue
        before = set(_by_gate(one.item, one.trajectory, Surroundings()))

        def score(said: Any, one: Fixture = one, before: set[str] = before) -> tuple[float, str]:
            after = _by_gate(TheoryItem(**said.memory_item.model_dump()), one.trajectory, Surroundings())
            new = {gate: why for gate, why in after.items() if gate == one.gate or gate not in before}
            return float(not new), " ".join(f"{gate}: {why}." for gate, why in new.items())

        inputs = run_inputs(one.trajectory, view) | asked_anew(one.item, 1, [ruled])
        examples.append(Example(one.name, inputs, score))
    return Subject("revise", to_revise("theory", placebo=False), tuple(examples), {})


def _ruling(kind: GateKind, item: Any, trace: Trajectory, stored: Sequence[Any]) -> Finding | None:
    """What the program says of it; None where it leaves the item to the judge."""
    around = Surroundings(stored=lambda _: tuple(stored))
    ruling = kind.ruling(Case(item, roles_of(item), trace, around=around))
    if ruling is None:
        return None
    return Finding(kind.name, ruling.verdict, ruling.quote or None, "item", ruling.reason)


def _by_gate(item: TheoryItem, trace: Trajectory, around: Surroundings) -> dict[str, str]:
    found = {kind.name: kind.ruling(Case(item, roles_of(item), trace, around=around)) for kind in GATES}
    return {gate: one.reason for gate, one in found.items() if one is not None and one.verdict in FLAGS}


def _faults(item: TheoryItem, trace: Trajectory, around: Surroundings) -> list[str]:
    return [f"{gate}: {why}" for gate, why in _by_gate(item, trace, around).items()]
