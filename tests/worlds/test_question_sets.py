"""Sets of questions as people keep them: their layouts, what is left out, the split, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from memtrial.faults import SpecFault
from memtrial.worlds.single_turn.question import PosedQuestion
from memtrial.worlds.single_turn.question_set import QuestionChoice, QuestionSet, load_questions

BENCHMARKS = Path(__file__).resolve().parents[3] / "shared" / "data" / "benchmarks"
AIME = {"ID": "2024-I-4", "Problem": "Find $m+n$ of the lottery.", "Solution": "Count.", "Answer": 116}
MATH = {
    "problem": "What is $\\frac{1}{4}+\\frac{1}{4}$ of $x$?",
    "level": "Level 1",
    "type": "Algebra",
    "solution": "Add: $\\boxed{\\frac{x}{2}}$.",
}
GPQA = {
    "Question": "Which metal is red?",
    "Correct Answer": "copper",
    "Incorrect Answer 1": "zinc",
    "Incorrect Answer 2": "tin",
    "Incorrect Answer 3": "iron",
    "Subdomain": "Inorganic Chemistry",
    "Record ID": "rec1",
}
MMLU_PRO = {
    "question_id": 70,
    "question": "Stack is also known as",
    "options": ["FIFO memory", "LIFO memory"],
    "answer": "B",
    "answer_index": 1,
    "category": "engineering",
}
GSM8K = {"question": "Two and two?", "answer": "2+2=<<2+2=4>>4\n#### 4"}
HOTPOT = {
    "_id": "5a8b",
    "question": "Were Ed Wood and Scott Derrickson of one nation?",
    "answer": "yes",
    "type": "comparison",
    "context": [["Ed Wood", ["He was American.", " He made films."]]],
}


def write_lines(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def only(source: Path, **more: object) -> PosedQuestion:
    """The one question of a set of two, the other of which is to train on."""
    loaded = load_questions(QuestionChoice(source, **more))  # type: ignore[arg-type]
    return loaded.test[0]


def as_json(path: Path, row: object) -> Path:
    path = path.with_suffix(".json")
    path.write_text(json.dumps([row]), encoding="utf-8")
    return path


def as_csv(path: Path, row: dict[str, str]) -> Path:
    path = path.with_suffix(".csv")
    pl.DataFrame([row]).write_csv(path)
    return path


def as_parquet(path: Path, row: dict[str, str]) -> Path:
    path = path.with_suffix(".parquet")
    pl.DataFrame([row]).write_parquet(path)
    return path


@pytest.mark.parametrize(
    ("row", "write", "kind", "answers", "family"),
    [
        (AIME, write_lines, "number", ("116",), ""),
        (MATH, as_json, "maths", ("\\frac{x}{2}",), "Algebra"),
        (MMLU_PRO, as_parquet, "choice", ("B",), "engineering"),
        (GSM8K, write_lines, "number", ("4",), ""),
        (HOTPOT, as_json, "text", ("yes",), "comparison"),
    ],
    ids=["AIME", "MATH", "MMLU-Pro", "GSM8K", "HotpotQA"],
)
def test_sets_are_read_as_they_are_laid_out(
    row: dict[str, str],
    write: Callable[[Path, dict[str, str]], Path],
    kind: str,
    answers: tuple[str, ...],
    family: str,
    tmp_path: Path,
) -> None:
    question = only(write(tmp_path / "test.jsonl", row), n_train=None)
    assert (question.kind, question.answers, question.family) == (kind, answers, family)


def test_passages_are_shown_beside_the_question_and_a_solution_is_its_lesson(tmp_path: Path) -> None:
    shown = only(as_json(tmp_path / "test", HOTPOT)).shown
    assert shown.startswith("Ed Wood\nHe was American. He made films.\n\nYour next action is")
    assert "yes" not in shown
    assert only(write_lines(tmp_path / "test.jsonl", GSM8K)).lesson.startswith("2+2=")


def test_choices_of_gpqa_are_ordered_by_the_seed_alone(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "gpqa_test", GPQA)
    orders = {seed: only(path, seed=seed).options for seed in range(8)}
    assert orders == {seed: only(path, seed=seed).options for seed in range(8)}
    assert len(set(orders.values())) > 3
    for seed in range(8):
        question = only(path, seed=seed)
        assert question.options[question.letters.index(question.answers[0])] == "copper"
        assert question.admissible == ("A", "B", "C", "D")
        assert question.truth.answers == ("copper",)


@pytest.mark.parametrize(
    ("answer", "choices"),
    [(1, ["x", "y"]), ("y", ["x", "y"]), ("B", {"A": "x", "B": "y"}), ("b", {"text": ["x", "y"]})],
)
def test_a_right_choice_is_named_by_number_text_or_letter(
    answer: object, choices: object, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "test.jsonl", {"question": "Which?", "choices": choices, "answer": answer})
    assert only(path).answers == ("B",)


# -- the split and what is left out


def numbered(n: int, text: str = "What is kept in the drawer of room {}?") -> list[dict[str, str]]:
    names = "abcdefghijklmnopqrstuvwxyz"
    return [
        {"id": str(k), "question": text.format(names[k % 26] * (k // 26 + 1)), "answer": f"thing {k}"}
        for k in range(n)
    ]


def ids(questions: tuple[PosedQuestion, ...]) -> set[str]:
    return {question.id for question in questions}


def test_files_named_train_and_test_are_the_split(tmp_path: Path) -> None:
    rows = numbered(12)
    write_lines(tmp_path / "algebra" / "train-00000.jsonl", *rows[:5])
    write_lines(tmp_path / "test.jsonl", *rows[5:9])
    write_lines(tmp_path / "validation.jsonl", *rows[9:])
    loaded = load_questions(QuestionChoice(tmp_path))
    assert (len(loaded.train), len(loaded.test), loaded.splitting) == (5, 4, "as the files say")


def test_what_is_validated_on_is_trained_on_where_a_set_has_no_training(tmp_path: Path) -> None:
    write_lines(tmp_path / "test.jsonl", *numbered(4)[1:])
    write_lines(tmp_path / "validation.jsonl", numbered(1)[0])
    loaded = load_questions(QuestionChoice(tmp_path))
    assert (len(loaded.train), len(loaded.test)) == (1, 3)


def test_without_a_stated_split_it_is_drawn_and_more_questions_only_add_some(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "all.jsonl", *numbered(60))
    wide, again, other = (load_questions(QuestionChoice(path, 20, 20, seed=seed)) for seed in (1, 1, 2))
    assert wide == again
    assert ids(wide.test) != ids(other.test)
    assert not ids(wide.test) & ids(wide.train)
    fewer = load_questions(QuestionChoice(path, 10, 20, seed=1))
    assert ids(fewer.train) < ids(wide.train)
    assert "drawn with seed 1" in wide.splitting


def test_questions_that_differ_in_numbers_alone_stay_on_one_side(tmp_path: Path) -> None:
    rows = [
        {"question": f"{name} has {n} apples and eats 2. How many are left?", "answer": n - 2}
        for name in ("Ann", "Bo", "Cy", "Di")
        for n in range(3, 8)
    ]
    loaded = load_questions(QuestionChoice(write_lines(tmp_path / "all.jsonl", *rows)))
    sides = [{question.template for question in side} for side in (loaded.train, loaded.test)]
    assert (len(sides[0]), len(sides[1]), sides[0] & sides[1]) == (2, 2, set())


def test_duplicates_are_taken_once_and_contradictions_not_at_all(tmp_path: Path) -> None:
    rows = numbered(6)
    again = {**rows[0], "question": rows[0]["question"].upper(), "id": "again"}
    opposed = {**rows[1], "answer": "another", "id": "opposed"}
    write_lines(tmp_path / "a_train.jsonl", *rows[:4], opposed)
    write_lines(tmp_path / "b_test.jsonl", again, *rows[4:])
    loaded = load_questions(QuestionChoice(tmp_path))
    assert ids(loaded.train) == {"2", "3"}
    assert ids(loaded.test) == {"again", "4", "5"}
    assert loaded.left_out == (
        "1 that stand there twice",
        "1 to which the set gives two answers, the first 1",
    )


def test_few_different_answers_are_a_list_to_choose_from(tmp_path: Path) -> None:
    rows = [{**row, "answer": ("SUPPORTS", "REFUTES")[n % 2]} for n, row in enumerate(numbered(20))]
    question = only(write_lines(tmp_path / "all.jsonl", *rows))
    assert (question.kind, question.admissible) == ("label", ("REFUTES", "SUPPORTS"))


# -- what is refused


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no row"),
        ('{"answer": 3}', r"t\.jsonl:1 needs a question under question or problem or .*; its fields: answer"),
        ('{"question": "a?"}', r"t\.jsonl:1 needs its answer under .*; its fields: question"),
        ('{"question": "a?", "choices": ["x"], "answer": "y"}', "'y' is none of its 1 choices"),
        ('["a"]', "list"),
        ('{"question"', "a JSON object is needed"),
    ],
)
def test_a_row_that_is_no_question_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(SpecFault, match=says) as caught:
        load_questions(QuestionChoice(path))
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_said_with_what_to_bring(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"as AIME, MATH, .* is not there; the questions are yours to bring"):
        load_questions(QuestionChoice(tmp_path / "none"))
    with pytest.raises(SpecFault, match="holds no such file"):
        load_questions(QuestionChoice(tmp_path))
    path = write_lines(tmp_path / "a.jsonl", *numbered(4))
    with pytest.raises(SpecFault, match=r"environment\.test: 9 questions are asked for, and .* has 4"):
        load_questions(QuestionChoice(path, n_test=9))
    with pytest.raises(SpecFault, match="kind: maths may fit"):
        load_questions(QuestionChoice(path, kind="number"))
    write_lines(tmp_path / "train.jsonl", {"question": "More?", "answer": "no"})
    with pytest.raises(SpecFault, match=r"4 questions of .* state no split, and others do"):
        load_questions(QuestionChoice(tmp_path))


@pytest.mark.skipif(not BENCHMARKS.is_dir(), reason="the benchmarks are not beside this checkout")
@pytest.mark.parametrize(
    ("name", "n_rows", "kind"),
    [
        ("2wiki", 100, "text"),
        ("aime_2024", 30, "number"),
        ("equation_balancer", 250, "equation"),
        ("fever", 300, "label"),
        ("mmlu_pro_engineering", 200, "choice"),
    ],
)
def test_released_benchmarks_are_read_whole(name: str, n_rows: int, kind: str) -> None:
    loaded: QuestionSet = load_questions(QuestionChoice(BENCHMARKS / f"{name}.jsonl"))
    assert loaded.n_rows == n_rows
    assert {question.kind for question in (*loaded.train, *loaded.test)} == {kind}
    assert not loaded.left_out
