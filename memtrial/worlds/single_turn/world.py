"""Single-turn sets behind the protocol of worlds: a task is a question, and the first action its answer.

Nothing that the world shows says whether an answer is right: an agent, and whoever condenses its trajectory,
learns that from the outcome alone, or not at all.
"""

import json
from dataclasses import asdict
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version

from memtrial.faults import SpecFault
from memtrial.worlds.single_turn.answers.answer_grade import AnswerGrade, grade_answer
from memtrial.worlds.single_turn.answers.maths_process import (
    INSTALL,
    Equivalence,
    MathsProcess,
    maths_installed,
)
from memtrial.worlds.single_turn.invented_questions import invent_questions
from memtrial.worlds.single_turn.question import PosedQuestion
from memtrial.worlds.single_turn.question_set import QuestionChoice, QuestionSet, load_questions
from memtrial.worlds.world import Outcome, Split, State, Task, Truth

VERSION = 2  # goes up with every change of what is shown, or of how an answer is read or compared
RULES = """You answer questions, each in one turn: your action is your final answer, and nothing can be \
looked up or tried before it. Write the answer alone, or last, as \\boxed{answer} or behind the \
label Answer."""
UNREAD = "broken format"
"""The cause of a failure that is one of form; the last observation says what could not be read."""
WRONG = "wrong answer"


class SingleTurn:
    """Questions of a set, one a task.

    `blocking` where answers are compared by a process, which is begun at the first that needs it.

    Raises:
        SpecFault: its answers are compared by algebra, and math-verify is not installed.
    """

    name = "single_turn"
    rules = RULES

    def __init__(self, questions: QuestionSet, equivalence: Equivalence | None = None) -> None:
        self.questions = questions
        self._by_task = {
            split: {question.id: question for question in asked}
            for split, asked in (("train", questions.train), ("test", questions.test))
        }
        kinds = {question.kind for question in (*questions.train, *questions.test)}
        self._algebra = "maths" in kinds
        if self._algebra and equivalence is None and not maths_installed():
            raise SpecFault(
                f"answers of kind maths are compared by math-verify, which is not installed: {INSTALL}; for"
                " plain numbers use environment.kind: number"
            )
        self.blocking: bool = bool(kinds & {"maths", "pattern"})
        self._equivalence = equivalence or MathsProcess(algebra=self._algebra)
        self._question: PosedQuestion | None = None
        self._grade: AnswerGrade | None = None

    @cached_property
    def digest(self) -> str:
        """Of all questions with their answers, and of what compares them."""
        described = [
            [asdict(each) for each in split] for split in (self.questions.train, self.questions.test)
        ]
        compared = version("math-verify") if self._algebra and maths_installed() else ""
        canonical = json.dumps([VERSION, RULES, compared, described], sort_keys=True)
        return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

    def tasks(self, split: Split) -> tuple[Task, ...]:
        return tuple(
            Task(question.id, question.text, question.family, question.template, split)
            for question in self._by_task[split].values()
        )

    def step_limit(self, task: Task) -> int:  # noqa: ARG002
        """One: an answer is final."""
        return 1

    def reset(self, task: Task) -> State:
        """Show what belongs to the question, and what an answer to it is."""
        self._question, self._grade = self._by_task[task.split][task.id], None
        return State(self._question.shown, self._question.admissible)

    def step(self, action: str) -> State:
        """Take the answer down; one that cannot be read is refused. Either ends the task."""
        question = self._question
        if question is None:
            raise ValueError("step needs a task: call reset(task) first")
        if self._grade is not None:
            return State("The question has been answered.", done=True, refused=True)
        self._grade = grade_answer(question, action, self._equivalence)
        if self._grade.unread:
            return State(f"No answer can be read in that: {self._grade.unread}.", done=True, refused=True)
        return State(f"Your answer is taken down: {self._grade.read}", done=True)

    def outcome(self) -> Outcome:
        """Success is a right answer; the score of a free short answer is the F1 of its words."""
        grade = self._grade
        if grade is None:
            return Outcome(False, 0.0)
        if grade.right:
            return Outcome(True, 1.0)
        return Outcome(False, grade.score, UNREAD if grade.unread else WRONG)

    def ground_truth(self, task: Task) -> Truth:
        """The solution where the set states one, else the answer itself; the rule where one is known."""
        return self._by_task[task.split][task.id].truth

    def close(self) -> None:
        """End the process that compares, if there is one."""
        self._equivalence.close()


def open_questions(choice: QuestionChoice) -> SingleTurn:
    """The world of a user's set."""
    return SingleTurn(load_questions(choice))


def invent_world(seed: int, n_train: int, n_test: int) -> SingleTurn:
    """The world of invented offices, which needs no files."""
    train, test = invent_questions(seed, "train", n_train), invent_questions(seed, "test", n_test)
    return SingleTurn(QuestionSet(train, test, n_train + n_test, f"invented with seed {seed}"))
