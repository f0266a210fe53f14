"""The table of requirements: each line that was asked for stands there once, and all tests named exist."""

import ast
import re
from collections import Counter
from functools import cache
from itertools import chain

import pytest

from tests.house.test_house import ROOT

PAGE = ROOT / "docs" / "requirements.md"
STATES = ("whole", "part", "open", "not to be built")
ASKED = {
    "A": (*range(1, 7), *range(8, 31), 47, 48, 49, 51, 54, 57, 58),
    "C": (2, 3, 5, 6, 7, 8, 10, 11, 12, 15, 16, 22, 24),
    "F": (*range(1, 33), *range(36, 43), *range(44, 49), *range(50, 68), 69, 70),
    "R": (1, 2, 3, 6, 8, 9, 10, 14, 15, 16, *range(18, 30), 34, 36),
}
"""The lines that a ReasoningBank is built for, by document."""
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [ACFR]-\d\d", line)
]


@cache
def names_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_each_line_stands_there_once() -> None:
    stated = Counter(chain.from_iterable(row[0].split(", ") for row in ROWS))
    asked = [f"{letter}-{number:02d}" for letter, numbers in ASKED.items() for number in numbers]
    assert stated == Counter(asked)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_test_that_is_named_is_there(row: tuple[str, ...]) -> None:
    lines, asked, named, state, missing = row
    tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
    assert named == ", ".join(f"`{path}::{name}`" for path, name in tests)
    assert [name for path, name in tests if name not in names_of(path)] == []
    assert asked
    assert state in STATES
    assert bool(tests) == (state in ("whole", "part"))
    assert bool(missing) == (state != "whole"), lines
