"""How right an answer is: read by its kind, then compared with the right ones."""

from dataclasses import dataclass

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import read_tail
from memtrial.worlds.single_turn.answers.choice_answer import read_choice
from memtrial.worlds.single_turn.answers.equation_answer import read_equation, solves
from memtrial.worlds.single_turn.answers.maths_answer import read_expression, settle, simplify, split_unit
from memtrial.worlds.single_turn.answers.maths_process import Equivalence
from memtrial.worlds.single_turn.answers.number_values import read_whole_number
from memtrial.worlds.single_turn.answers.numeric_answer import read_number
from memtrial.worlds.single_turn.answers.short_answer import read_label, read_short_answer
from memtrial.worlds.single_turn.answers.word_overlap import is_same_text, overlap
from memtrial.worlds.single_turn.question import PosedQuestion


@dataclass(frozen=True, slots=True)
class AnswerGrade:
    """What came of an answer.

    Args:
        right: it is a right answer; of words, the same words in the same order.
        score: the share that is right, in [0, 1]: of words their F1, else 0 or 1.
        read: the answer as it was read; empty where none could be.
        unread: why none could be read; empty where one was.
    """

    right: bool
    score: float
    read: str
    unread: str = ""


def grade_answer(question: PosedQuestion, reply: str, equivalence: Equivalence) -> AnswerGrade:
    """Grade one reply. Nothing that stands in it raises; WorldFault where the comparison itself broke."""
    try:
        return _grade_by_kind(question, read_tail(reply), equivalence)
    except AnswerFault as fault:
        return AnswerGrade(False, 0.0, "", str(fault))


def _grade_by_kind(question: PosedQuestion, reply: str, equivalence: Equivalence) -> AnswerGrade:
    if question.kind == "number":
        values = read_number(reply)
        right = any(values & read_whole_number(answer) for answer in question.answers)
        return _decided(right, str(min(values, key=lambda value: value.denominator)))
    if question.kind == "choice":
        letter = read_choice(reply, question.options)
        return _decided(letter in question.answers, letter)
    if question.kind == "label":
        label = read_label(reply, question.options)
        return _decided(label in question.answers, label)
    if question.kind == "equation":
        side = read_equation(reply)
        right = any(solves(side, question.text, target) for target in question.answers)
        return _decided(right, side)
    if question.kind == "maths":
        expression = read_expression(reply)
        right = any(_is_same(answer, expression, equivalence) for answer in question.answers)
        return _decided(right, expression)
    words = read_short_answer(reply)
    if question.kind == "pattern":
        right = any(equivalence.matches(pattern, words) for pattern in question.answers)
        return _decided(right, words)
    right = any(is_same_text(words, answer) for answer in question.answers)
    return AnswerGrade(right, max(overlap(words, answer) for answer in question.answers), words)


def _decided(right: bool, read: str) -> AnswerGrade:
    return AnswerGrade(right, float(right), read)


def _is_same(right: str, answer: str, equivalence: Equivalence) -> bool:
    settled = settle(right, answer)
    if settled is not None:
        return settled
    first, second = (split_unit(simplify(text))[0] for text in (right, answer))
    return equivalence.same(first, second)
