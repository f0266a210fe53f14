"""Answers as models write them, each with whether it is right, wrong or unreadable: read by hand."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from memtrial.worlds.single_turn.answers.answer_grade import grade_answer
from memtrial.worlds.single_turn.answers.maths_process import INSTALL, MathsProcess
from memtrial.worlds.single_turn.question import AnswerKind, Question

RIGHT, WRONG, UNREAD = "right", "wrong", "unread"
METALS = ("copper", "iron", "an alloy of copper and tin", "zinc", "none of these")
Case = tuple[str, str, str]
"""The right answer, a reply, and what is to come of it."""

NUMBERS: tuple[Case, ...] = (
    ("42", "42", RIGHT),
    ("42", "The answer is 42.", RIGHT),
    ("42", "**Answer:** 42", RIGHT),
    ("42", "### Final Answer\n\n$$\\boxed{42}$$", RIGHT),
    ("42", "So x = 6 and y = 7, hence xy = 42", RIGHT),
    ("42", "6 * 7 = 42", RIGHT),
    ("42", "She has 50 - 8 = 42 apples left.\n#### 42", RIGHT),
    ("42", "<think>Maybe 41? No, 40 + 2.</think>42", RIGHT),
    ("42", "<think>Is the answer 41? Answer: \\boxed{41}</think>It is 42", RIGHT),
    ("42", "<answer>42</answer>", RIGHT),
    ("42", "Finish[42]", RIGHT),
    ("42", '{"answer": 42}', RIGHT),
    ("42", "I get \\boxed{41}. Wait, I dropped a one.\nThe correct value is \\boxed{42}.", RIGHT),
    ("42", "Final answer: forty-two? I mean 42", RIGHT),
    ("42", "The answer is \\boxed{42 \\text{ apples}}", RIGHT),
    ("42", "The final answer is $42$ dollars, since 6 times 7 is 42.", RIGHT),
    ("8", "There are eight.", RIGHT),
    ("1000", "The total is 1,000 people", RIGHT),
    ("1000", "\\boxed{1{,}000}", RIGHT),
    ("1000", "\\boxed{1\\,000}", RIGHT),
    ("1000", "1 000", RIGHT),
    ("1000", "10^3", RIGHT),
    ("12000000", "\\boxed{1.2 \\times 10^7}", RIGHT),
    ("0.5", "\\boxed{\\frac{1}{2}}", RIGHT),
    ("0.5", "\\boxed{\\dfrac12}", RIGHT),
    ("0.5", "1/2", RIGHT),
    ("0.5", "50\\%", RIGHT),
    ("50", "Answer: 50%", RIGHT),
    ("1.5", "1 1/2", RIGHT),
    ("-3", "\\boxed{-3}", RIGHT),
    ("-3", "The answer is −3.", RIGHT),
    ("0", "-0", RIGHT),
    ("75", "The cost is $75.00.", RIGHT),
    ("75", "It costs $5 * 15 = $75", RIGHT),
    ("5", "The answer is not 4 but 5.", RIGHT),
    ("5", "At first I thought the answer is 4. It isn't 4, though. The answer is 5.", RIGHT),
    ("025", "25", RIGHT),
    ("204", "Thus, Aya's walk takes 204 minutes in total, including the 24 minutes in the coffee shop, so the"
     " answer is \\(\\boxed{204}\\).", RIGHT),
    ("5", "The answer is not 5", UNREAD),
    ("5", "The answer is not 5.", UNREAD),
    ("5", "The answer is not \\boxed{5}", UNREAD),
    ("5", "It cannot be 5, so it is 6.", WRONG),
    ("5", "The answer is 5. Hmm, no: the answer is not 5.", UNREAD),
    ("5", "The answer is 5 or 6.", UNREAD),
    ("6", "The answer is 5 or 6.", UNREAD),
    ("5", "\\boxed{5, 6}", UNREAD),
    ("5", "\\boxed{15}", WRONG),
    ("5", "55", WRONG),
    ("9", "9**9**9**9", UNREAD),
    ("3", "\\boxed{3!}", UNREAD),
    ("1", "1e999999999", WRONG),
    ("2", "\\boxed{2x}", UNREAD),
    ("5", "-5", WRONG),
    ("7", "I do not know.", UNREAD),
    ("7", "", UNREAD),
    ("7", "\\boxed{}", UNREAD),
    ("7", "The answer is not 7.", UNREAD),
)  # fmt: skip
CHOICES: tuple[Case, ...] = (
    ("C", "C", RIGHT),
    ("C", "(C)", RIGHT),
    ("C", "C.", RIGHT),
    ("C", "c", RIGHT),
    ("B", "B. iron", RIGHT),
    ("B", "B) iron", RIGHT),
    ("C", "Answer: **C**", RIGHT),
    ("C", "**Answer: (C)**", RIGHT),
    ("C", "The correct answer is (C).", RIGHT),
    ("C", "The answer is C because bronze holds tin.", RIGHT),
    ("C", "The best choice is therefore option C.", RIGHT),
    ("D", "I would go with option D", RIGHT),
    ("D", "\\boxed{D}", RIGHT),
    ("D", "\\boxed{\\text{D}}", RIGHT),
    ("D", "\\boxed{\\text{(D) zinc}}", RIGHT),
    ("D", "$\\boxed{D}$. The answer is unique.", RIGHT),
    ("B", "iron", RIGHT),
    ("B", "The answer is iron.", RIGHT),
    ("C", "It is an alloy of copper and tin.", RIGHT),
    ("A", "A", RIGHT),
    ("A", "Copper conducts best.\n\nAnswer: A", RIGHT),
    ("A", "(A) is wrong? No. (B) is wrong, (C) is wrong, (D) is wrong. So the answer is (A).", RIGHT),
    ("B", "Options A, C and D can be ruled out. B is correct.", RIGHT),
    ("B", "The answer is not (A) but (B).", RIGHT),
    ("E", "E: none of these", RIGHT),
    ("B", '{"answer": "B"}', RIGHT),
    ("B", "After weighing (A) and (C), I choose B.", RIGHT),
    ("B", "The answer is not B", UNREAD),
    ("B", "Not B.", UNREAD),
    ("B", "A or B", UNREAD),
    ("B", "B, C", UNREAD),
    ("B", "Answer: B/C", UNREAD),
    ("B", "The answer is B. On second thoughts, the answer is not B.", UNREAD),
    ("B", "Both A and B are correct.", UNREAD),
    ("B", "The answer is A. A lot of people say B.", WRONG),
    ("A", "A common mistake is to pick zinc; the answer is D.", WRONG),
    ("B", "G", UNREAD),
    ("B", "I cannot say.", UNREAD),
    ("B", "Maybe it depends on the temperature?", UNREAD),
)  # fmt: skip
TEXTS: tuple[Case, ...] = (
    ("Małgorzata Braunek", "Małgorzata Braunek", RIGHT),
    ("Małgorzata Braunek", "Answer: Małgorzata Braunek.", RIGHT),
    ("the Eiffel Tower", "Eiffel tower", RIGHT),
    ("Washington, D.C.", "The answer is Washington D.C.", RIGHT),
    ("yes", "Yes.", RIGHT),
    ("yes", "Finish[yes]", RIGHT),
    ("1994", "\\boxed{1994}", RIGHT),
    ("Paris", "Let me think. The capital is Paris.\n\n**Final answer:** Paris", RIGHT),
    ("Paris", "<answer>Paris</answer>", RIGHT),
    ("yes", "yes, they were", WRONG),
    ("Paris", "The answer is not Paris.", UNREAD),
    ("Paris", "not Paris", UNREAD),
    ("Paris", "Lyon", WRONG),
    ("Paris", "", UNREAD),
)
MATHS: tuple[Case, ...] = (
    ("\\frac{1}{2}", "\\boxed{\\frac12}", RIGHT),
    ("\\frac{1}{2}", "The answer is $0.5$.", RIGHT),
    ("2\\sqrt{2}", "\\boxed{\\sqrt{8}}", RIGHT),
    ("(x+1)^2", "Thus the answer is $x^2 + 2x + 1$.", RIGHT),
    ("[1,2)", "\\boxed{[1, 2)}", RIGHT),
    ("(1,\\infty)", "\\boxed{x > 1}", RIGHT),
    ("(-\\infty,0)\\cup(1,\\infty)", "\\boxed{(-\\infty, 0) \\cup (1, \\infty)}", RIGHT),
    ("(3,-2)", "\\boxed{(3,-2)}", RIGHT),
    ("5\\text{ cm}", "\\boxed{5\\text{ cm}}", RIGHT),
    ("5", "\\boxed{5 \\text{ cm}}", RIGHT),
    ("90^\\circ", "\\boxed{90}", RIGHT),
    ("50\\%", "\\boxed{50}", RIGHT),
    ("1000", "\\boxed{1,000}", RIGHT),
    ("0", "\\boxed{-0}", RIGHT),
    ("\\frac{1}{3}", "\\boxed{0.\\overline{3}}", RIGHT),
    ("1000", "\\boxed{1e3}", RIGHT),
    ("y=2x+3", "\\boxed{y = 2x + 3}", RIGHT),
    ("5", "\\boxed{x = 5}", RIGHT),
    ("2, -2", "\\boxed{-2, 2}", RIGHT),
    ("\\pi r^2", "The area is \\(\\pi r^2\\).", RIGHT),
    ("\\frac{3\\sqrt{3}}{4}", "\\[\\boxed{\\frac{3 \\sqrt{3}}{4}}\\]", RIGHT),
    ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", "\\boxed{\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}}", RIGHT),
    ("\\text{even}", "\\boxed{\\text{even}}", RIGHT),
    ("\\frac{1}{2}", "\\boxed{\\frac{1}{2}", RIGHT),
    ("1 \\pm \\sqrt{2}", "\\boxed{1 + \\sqrt{2}, 1 - \\sqrt{2}}", RIGHT),
    ("5\\text{ cm}", "\\boxed{5\\text{ m}}", WRONG),
    ("[1,2)", "\\boxed{(1,2)}", WRONG),
    ("(1,2)", "\\boxed{(2,1)}", WRONG),
    ("(1,2)", "\\boxed{\\{1,2\\}}", WRONG),
    ("\\frac{1}{3}", "\\boxed{0.33}", WRONG),
    ("9", "\\boxed{9**9}", WRONG),
    ("9", "\\boxed{9^{9^{9^9}}}", WRONG),
    ("12", "\\boxed{12_5}", WRONG),
    ("42", "\\boxed{41}, no: \\boxed{42, 41}", WRONG),
    ("7", "I do not know.", UNREAD),
)  # fmt: skip
TABLES: dict[AnswerKind, tuple[Case, ...]] = {
    "number": NUMBERS,
    "choice": CHOICES,
    "text": TEXTS,
    "maths": MATHS,
}


@pytest.fixture(scope="module")
def equivalence() -> Iterator[MathsProcess]:
    process = MathsProcess(cpu_s=1.0)
    yield process
    process.close()


def what_came(kind: AnswerKind, case: Case, equivalence: MathsProcess) -> str:
    question = Question("q", "Which?", kind, (case[0],), METALS if kind == "choice" else ())
    grade = grade_answer(question, case[1], equivalence)
    return RIGHT if grade.right else UNREAD if grade.unread else WRONG


@pytest.mark.parametrize("kind", TABLES)
def test_each_answer_of_the_table_is_read_as_a_person_reads_it(
    kind: AnswerKind, equivalence: MathsProcess
) -> None:
    if kind == "maths" and find_spec("math_verify") is None:
        pytest.skip(f"math-verify is not installed: {INSTALL}")
    came = [(case, what_came(kind, case, equivalence)) for case in TABLES[kind]]
    wrong = [(case, word) for case, word in came if word != case[2]]
    assert not wrong, "\n".join(map(str, wrong))
