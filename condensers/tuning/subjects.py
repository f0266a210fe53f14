"""What can be tuned, with examples and what scores them; their two halves, and the register of used ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.condensers.draft_calls import asked_anew, run_inputs, to_draft, to_revise
from memtrial.condensers.tuning.optimiser import Example
from memtrial.faults import SpecFault
from memtrial.gates.calibration.labelled_items import Fixture, case_of
from memtrial.gates.gate import Finding, GateCase, GateKind, Ruling, Surroundings
from memtrial.gates.judged_gate import question_on
from memtrial.gates.suite import ALL as GATES
from memtrial.judges.closed_question import ClosedQuestion, ask_fields, read_answer, signature
from memtrial.memory.item import TheoryItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.markdown import render
from memtrial.models.client.structured import instruction_key
from memtrial.private_file import write_whole

FLAGS = ("WARN", "FAIL")


@dataclass(frozen=True, slots=True)
class Subject:
    """A shipped instruction with the examples that it is tuned on; of a gate, the flag each ought to get."""

    name: str
    signature: Any
    examples: tuple[Example, ...]
    flags: dict[str, bool]


def key_of(subject: str) -> str:
    """`instruction_key` of what is shipped for a subject now."""
    if subject == "draft":
        return instruction_key(to_draft("theory", ()).instructions, {})
    if subject == "revise":
        return instruction_key(to_revise("theory", placebo=False).instructions, {})
    question = next((kind.question for kind in GATES if kind.name == subject), None)
    return instruction_key(signature().instructions, {"question": question.render() if question else ""})


def of_gate(kind: GateKind, fixtures: Sequence[Fixture], view: View = "full") -> Subject:
    """A gate's question: a judge's answer is right where it flags what is labelled so, with evidence.

    What the program decides by itself is no example.
    """
    labelled = [fixture for fixture in fixtures if fixture.gate == kind.name and fixture.flag is not None]
    left = [fixture for fixture in labelled if _rule_on(kind, fixture) is None]

    def example(fixture: Fixture) -> Example:
        item = render(fixture.item)

        def score(reply: Any) -> tuple[float, str]:
            answer = read_answer(reply, item, fixture.trajectory, view)
            if answer.verdict == "ERROR":
                return 0.0, answer.reason
            if (answer.verdict in FLAGS) == fixture.flag:
                return 1.0, ""
            wanted = "should have been flagged" if fixture.flag else "is sound in this respect"
            return 0.0, f"The item {wanted}. {fixture.why}".strip()

        asked = question_on(kind, case_of(fixture)) or ClosedQuestion("")
        return Example(fixture.name, ask_fields(asked, item, fixture.trajectory, view), score)

    return Subject(
        kind.name,
        signature(),
        tuple(map(example, left)),
        {fixture.name: bool(fixture.flag) for fixture in left},
    )


def of_draft(traces: Sequence[Trajectory], view: View = "full") -> Subject:
    """The draft: the share of all gates whose program finds no fault in an item, mean over its items."""
    around = Surroundings(tuple(traces))

    def example(trace: Trajectory) -> Example:
        def score(reply: Any) -> tuple[float, str]:
            items = [TheoryItem(**raw.model_dump()) for raw in reply.memory_items]
            faults = [[": ".join(entry) for entry in _by_gate(item, trace, around).items()] for item in items]
            wrong_items = [
                f"Item {number}: {'; '.join(wrong)}." for number, wrong in enumerate(faults, 1) if wrong
            ]
            share = 1 - sum(map(len, faults)) / (len(items) * len(GATES)) if items else 0.0
            return share, " ".join(wrong_items) if items else "There are no items."

        return Example(trace.trace_id, run_inputs(trace, view), score)

    return Subject("draft", to_draft("theory", ()), tuple(map(example, traces)), {})


def of_revise(fixtures: Sequence[Fixture], view: View = "full") -> Subject:
    """The revision: right where the fault that a program found is gone, and no other has come."""
    examples = []
    for fixture in fixtures:
        kind = next((kind for kind in GATES if kind.name == fixture.gate), None)
        ruled = _rule_on(kind, fixture) if kind is not None and fixture.flag else None
        if ruled is None or ruled.verdict not in FLAGS or not isinstance(fixture.item, TheoryItem):
            continue
        finding = Finding(fixture.gate, ruled.verdict, ruled.quote or None, "item", ruled.reason)
        before = set(_by_gate(fixture.item, fixture.trajectory, Surroundings()))

        def score(reply: Any, fixture: Fixture = fixture, before: set[str] = before) -> tuple[float, str]:
            after = _by_gate(TheoryItem(**reply.memory_item.model_dump()), fixture.trajectory, Surroundings())
            new = {gate: why for gate, why in after.items() if gate == fixture.gate or gate not in before}
            return float(not new), " ".join(f"{gate}: {why}." for gate, why in new.items())

        inputs = run_inputs(fixture.trajectory, view) | asked_anew(fixture.item, 1, [finding])
        examples.append(Example(fixture.name, inputs, score))
    return Subject("revise", to_revise("theory", placebo=False), tuple(examples), {})


def _rule_on(kind: GateKind, fixture: Fixture) -> Ruling | None:
    """What the program says of it; None where it leaves the item to the judge."""
    return kind.rule_on(case_of(fixture))


def _by_gate(item: TheoryItem, trace: Trajectory, around: Surroundings) -> dict[str, str]:
    rulings = {
        kind.name: kind.rule_on(GateCase(item, roles_of(item), trace, around=around)) for kind in GATES
    }
    return {
        gate: ruling.reason
        for gate, ruling in rulings.items()
        if ruling is not None and ruling.verdict in FLAGS
    }


REGISTER = "tuning_register.json"
LEAST = 2
"""Examples of each label in each half."""


class Used(BaseModel):
    """The examples of a subject that tuning has trained on or scored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trained: tuple[str, ...] = ()
    scored: tuple[str, ...] = ()


class Register(BaseModel):
    """What was used, by subject; it lies beside the tuned instructions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subjects: dict[str, Used] = {}


def read_register(folder: Path) -> Register:
    """The register of a folder, an empty one where there is none; SpecFault where it cannot be read."""
    path = folder / REGISTER
    if not path.exists():
        return Register()
    try:
        return Register.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as fault:
        raise SpecFault(
            f"{path} says which examples tuning has used, and cannot be read: {fault.__class__.__name__};"
            " put it right, or name --out in another folder"
        ) from fault


def write_register(
    folder: Path, register: Register, subject: str, trained: Sequence[str], kept: Sequence[str]
) -> None:
    """Note what is used now."""
    used = register.subjects.get(subject, Used())
    now = Used(trained=_join_ids(used.trained, trained), scored=_join_ids(used.scored, kept))
    whole = Register(subjects=register.subjects | {subject: now})
    write_whole(folder / REGISTER, whole.model_dump_json(indent=1) + "\n")


def halves(subject: Subject, used: Used, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids to train on, label by label, and those that are kept for the score, as many of each label.

    What was trained on or scored before is never kept again: it is trained on. SpecFault: too few are left.
    """
    seen = {*used.trained, *used.scored}
    ids = sorted(
        (example.id for example in subject.examples), key=lambda id: sha256(f"{seed} {id}".encode()).digest()
    )
    trained: list[str] = []
    kept: list[str] = []
    labels: list[bool | None] = [*sorted(set(subject.flags.values()))]
    for label in labels or [None]:
        alike = [id for id in ids if subject.flags.get(id) == label]
        fresh = [id for id in alike if id not in seen]
        what = {True: " that ought to be flagged", False: " that ought not to be flagged", None: ""}[label]
        if len(alike) < 2 * LEAST or len(fresh) < LEAST:
            raise SpecFault(
                f"tuning {subject.name} needs {2 * LEAST} examples{what}, {LEAST} of them neither trained on"
                f" nor scored before; got {len(alike)}, {len(fresh)} of them unused; a scored half is not"
                " used twice: add examples of your own"
            )
        kept += fresh[: max(LEAST, min(len(fresh), len(alike) // 2))]
        trained += [id for id in alike if id not in kept]
    return tuple(trained), tuple(kept)


def _join_ids(*ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id_of for some in ids for id_of in some))
