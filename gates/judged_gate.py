"""How the two halves of a gate work together: both are asked, and the worst of their findings is reported."""

from dataclasses import dataclass, replace

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View
from memtrial.gates.gate import ALONE, Finding, GateCase, GateKind, Surroundings, evidence, worst_of
from memtrial.gates.questions.other_tasks import OTHER_TASKS, show_other_tasks
from memtrial.gates.questions.worked_examples import WORKED_EXAMPLES, digest_of_examples, show_examples
from memtrial.judges.closed_question import INSTRUCTIONS, ClosedQuestion, Judge, JudgeAnswer
from memtrial.memory.item import Item, TypedItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.markdown import render
from memtrial.prompts.templates import Prompt

OTHER_SCHEMA = Prompt("other_schema")
ADVISES = "advises only: this judge has no fresh calibration for the gate"


def question_on(kind: GateKind, case: GateCase) -> ClosedQuestion | None:
    """What a judge is asked about this item, and shown beside it; None where no judge is asked."""
    if kind.question is None:
        return None
    text, item = kind.question.render(), render(case.item)
    if not isinstance(case.item, TypedItem):
        text += f"\n\n{OTHER_SCHEMA.render()}"
    others = ""
    if kind.sees_others:
        others = show_other_tasks(item, case.trajectory.task_id, case.around.trajectories, case.view)
    return ClosedQuestion(text, show_examples(kind.name, f"{item}\n{case.trajectory.query}"), others)


def shown_digests(kind: GateKind) -> dict[str, str]:
    """Sha256 of every text that ships for a judge of this gate, by its name; none where no judge is asked."""
    if kind.question is None:
        return {}
    prompts = [kind.question, INSTRUCTIONS, OTHER_SCHEMA, WORKED_EXAMPLES]
    prompts += [OTHER_TASKS] if kind.sees_others else []
    digests = {f"prompt {prompt.name}": prompt.digest for prompt in prompts}
    return digests | {f"examples of {kind.name}": digest_of_examples(kind.name)}


@dataclass(frozen=True, slots=True)
class JudgedGate:
    """A program and a judge, each asked whatever the other says, so that no finding hides another.

    Where a part is missing that the gate reads there is nothing to judge, and the program speaks alone.

    Args:
        view: what of the trajectory the condenser saw; it can quote nothing else.
        blocks: whether the judge's FAIL may drop an item. Without a fresh calibration of this judge it only
            advises, as a WARN does (GATES 5.4).
        threshold: of the judge's confidence, from which on the gate flags; None: its verdict stands.
    """

    kind: GateKind
    judge: Judge
    view: View = "full"
    around: Surroundings = ALONE
    blocks: bool = True
    threshold: float | None = None

    @property
    def name(self) -> str:
        return self.kind.name

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        case = GateCase(item, roles_of(item), trajectory, self.view, self.around)
        if self.kind.embeds is not None and self.around.embedder is not None:
            case = replace(case, vectors=await self.around.embedder.embed(self.kind.embeds(case)))
        rulings = self.kind.rulings_on(case)
        findings = [
            Finding(self.name, ruling.verdict, ruling.quote or evidence(item), "item", ruling.account)
            for ruling in rulings
        ]
        if not all(ruling.applies for ruling in rulings):
            return Finding(self.name, "NOT_APPLICABLE", None, "item", rulings[0].account)
        question = question_on(self.kind, case) if self.kind.find_gap(case) is None else None
        if question is not None:
            findings.append(await self._ask(question, case, counts=not rulings))
        return worst_of(
            findings or [Finding(self.name, "PASS", evidence(item), "item", "the program found nothing")]
        )

    async def _ask(self, question: ClosedQuestion, case: GateCase, counts: bool) -> Finding:
        """The judge's finding; a PASS ends with what the program counted, where it had nothing to say."""
        answer = _held(await self.judge(question, render(case.item), case.trajectory), self.threshold)
        if answer.verdict == "FAIL" and not self.blocks:
            return Finding(self.name, "WARN", answer.quote, answer.where, f"{answer.reason} ({ADVISES})")
        counts = counts and answer.verdict == "PASS"
        counted = self.kind.measured(case) if self.kind.measured and counts else ""
        return Finding(self.name, answer.verdict, answer.quote, answer.where, f"{answer.reason}{counted}")


def _held(answer: JudgeAnswer, threshold: float | None) -> JudgeAnswer:
    """The answer as its confidence has it, where that was calibrated: flagged from the threshold on."""
    if threshold is None or answer.confidence is None or answer.verdict not in ("PASS", "WARN", "FAIL"):
        return answer
    flagged = answer.confidence >= threshold
    if flagged == (answer.verdict != "PASS"):
        return answer
    reason = f"{answer.reason} (confidence {answer.confidence:g}, threshold {threshold:g})"
    return replace(answer, verdict="WARN" if flagged else "PASS", reason=reason)
