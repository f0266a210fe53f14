"""What reads the tasks and the memory that somebody gave, as functions of one text."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from polars.exceptions import PanicException, PolarsError

from memtrial.arms.trigger_watch import watch_texts
from memtrial.commands.command_outcome import read_result
from memtrial.commands.command_spec import read_command
from memtrial.commands.process_order import CommandFault, ProcessEnd
from memtrial.delivery.shown_texts import list_shown
from memtrial.delivery.text_delivery import expect_text, is_given
from memtrial.faults import SpecFault
from memtrial.memory.notes.note_topics import leads_in, names_topic
from memtrial.outcomes.arm_cells import read_pair, split_names
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.outcome_table import shape_or_ask
from memtrial.outcomes.score_texts import holds_scores, read_numbers, read_range, read_words
from memtrial.outcomes.sheet import sheet_of
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions, quote_words, read_options
from memtrial.perturbations.advice.frame_spans import frame_spans, telling_headings
from memtrial.plugins.given_memory import read_memory
from memtrial.worlds.given.frame_rows import read_frame
from memtrial.worlds.given.task_rows import read_tasks
from memtrial.worlds.single_turn.answers.answer_grade import grade_answer
from memtrial.worlds.single_turn.question import AnswerKind, PosedQuestion
from memtrial.worlds.single_turn.question_set import QuestionChoice, load_questions


class NoAlgebra:
    """Stands for the process that compares, which no text keeps busy."""

    def same(self, right: str, answer: str) -> bool:
        return right == answer

    def matches(self, pattern: str, answer: str) -> bool:
        return pattern == answer

    def close(self) -> None:
        """There is none."""


NO_ALGEBRA = NoAlgebra()


def _in_file(name: str, text: str) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return read_tasks(path)
    return None


def _in_frame(text: str) -> object:
    """Tasks of a CSV file; what its process does is done here, where the time of it is seen."""
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault, PolarsError, PanicException):
        path = Path(folder) / "t.csv"
        path.write_text(text, encoding="utf-8")
        lines = [json.dumps(row, default=str) for row in read_frame(path).to_dicts()]
        return read_tasks(map(json.loads, lines))
    return None


def _outcome(text: str) -> object:
    with suppress(CommandFault):
        return read_result(text.encode("utf-8", "surrogatepass"))
    return None


def _command(text: str) -> object:
    with suppress(SpecFault):
        return read_command({"command": text, "base": "/nonexistent"}).name
    return None


def _remembered(text: str) -> object:
    with suppress(SpecFault):
        return read_memory(text).open(), watch_texts([text])
    return None


def _see(body: bytes, texts: tuple[str, ...]) -> object:
    shown = list_shown(body)
    return [is_given(expect_text(text), shown) for text in texts]


def _table(text: str, arms: tuple[str, ...] = ()) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(TableFault):
        path = Path(folder) / "t.csv"
        path.write_text(text, encoding="utf-8")
        return shape_or_ask(read_sheet(path), TableOptions(arms=arms), ("memtrial", "analyze", text))
    return None


def _json_table(text: str) -> object:
    sheets = []
    for body in (
        json.dumps([{"task": text, "score": 1}]),
        f"[{text}",
        f'{{"a": 1}}\n{text}',
        json.dumps({text: []}),
    ):
        with tempfile.TemporaryDirectory() as folder, suppress(TableFault):
            path = Path(folder) / "t.json"
            path.write_text(body, encoding="utf-8")
            sheets.append(read_sheet(path))
    return sheets


def _options(text: str) -> object:
    for read in (read_range, lambda given: read_options([given]), lambda given: read_pair(given, ["a", ":"])):
        with suppress(ValueError):
            read(text)
    return split_names([text], ["a"]), quote_words([text])


def _score(text: str) -> object:
    column = sheet_of({"score": [text, f"{text}%", f"0,{text}"]}).frame["score"]
    return read_numbers(column), read_words(column), holds_scores(column)


def _answer(text: str) -> object:
    """An answer of each kind, alone, behind a label and in a box; algebra has a process of its own."""
    return [
        grade_answer(PosedQuestion("q", "4 ? 2 = 6", kind, ("6",), ("6", text[:9])), reply, NO_ALGEBRA)
        for kind in get_args(AnswerKind)
        for reply in (text, f"Answer: {text}", f"\\boxed{{{text}", f"not {text}")
    ]


def _question(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder, suppress(SpecFault):
        path = Path(folder) / "test.json"
        path.write_text(text, encoding="utf-8")
        return load_questions(QuestionChoice(path))
    return None


GIVEN_READERS: Mapping[str, Callable[[str], object]] = MappingProxyType(
    {
        "an answer": _answer,
        "the frame of a memory file": lambda text: (
            frame_spans(text),
            list(telling_headings(text, text)),
            names_topic(text),
            leads_in(text),
        ),
        "questions of a set": lambda text: (
            _question(text),
            _question(json.dumps([{"question": text, "answer": text, "context": text}])),
            _question(json.dumps([{"question": "a", "solution": f"\\boxed{{{text}", "choices": [text]}])),
        ),
        "a table of JSON": _json_table,
        "tasks in lines": lambda text: _in_file("t.jsonl", text),
        "a task's text": lambda text: _in_file("t.jsonl", json.dumps({"query": text, "id": text})),
        "tasks in a table": lambda text: _in_frame(f"query\n{text}"),
        "a given memory": _remembered,
        "scores of a wide table": lambda text: _table(f"task,a,b\n{text}", ("a", "b")),
        "names of a table's columns": lambda text: _table(f"task,{text},\n1,1,0\n"),
        "the name of an arm's column": lambda text: _table(f'task,"{text}run1","{text}run2"\n1,1,0\n'),
        "a score": _score,
        "options about a table": _options,
        "a command": _command,
        "a command's result": _outcome,
        "a command's result as a field": lambda text: _outcome(json.dumps({"success": True, "cause": text})),
        "a command's output": lambda text: ProcessEnd(0, "", text, len(text), 0.0).last_line,
        "a request with memory": lambda text: _see(
            json.dumps({"input": [text], "system": text}).encode(), (text, f"{text}x", text[::2])
        ),
        "a request that is no JSON": lambda text: _see(text.encode("utf-8", "replace"), (text[1:],)),
    }
)
