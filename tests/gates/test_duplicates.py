"""Near-duplicates: the same advice in near words is one, opposite advice in the same words is none."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from memtrial.gates.calibration.regression import Always
from memtrial.gates.duplicate import DUPLICATE
from memtrial.gates.gate import Finding, Surroundings
from memtrial.gates.judged_gate import JudgedGate
from memtrial.models.embeddings.embedding import Array
from memtrial.protocols import Embedder
from tests.support.scripted_judge import GOOD, SOLVED

OPPOSITE = [
    (
        "Always sort the grid by date before you read the top row.",
        "Never sort the grid by date before you read the top row.",
    ),
    ("Always open the box.", "Never open the box."),
    ("In a cart, do enter the code before checkout.", "In a cart, do enter the code after checkout."),
    ("In a cart, do enter the code before checkout.", "In a cart, avoid entering the code before checkout."),
    (
        "When the grid is long, use search instead of sort.",
        "When the grid is long, use sort instead of search.",
    ),
    (
        "When the grid is long, use search rather than the sort.",
        "When the grid is long, use the sort rather than search.",
    ),
    (
        "If the lid is shut, press the stud and do not pull.",
        "If the lid is shut, pull and do not press the stud.",
    ),
    ("Only confirm the fare once it is priced.", "Do not confirm the fare once it is priced."),
    ("Sort ascending to find the oldest order.", "Sort descending to find the oldest order."),
    ("Open the valve first when the gauge is high.", "Close the valve first when the gauge is high."),
    ("Trust the status bar over the formula.", "Trust the formula over the status bar."),
    ("Turn the heater on before you leave the hall.", "Turn the heater off before you leave the hall."),
    (
        "It is safe to skip the check when the log is green.",
        "It is not safe to skip the check when the log is green.",
    ),
    ("Do open the archive if the inbox is empty.", "Do open the archive unless the inbox is empty."),
]
SAME = [
    (
        "Always sort the grid by date before you read the top row.",
        "You must always sort the grid by date before reading the top row.",
    ),
    ("Never open the box before the lamp is lit.", "Do not open the box before the lamp is lit."),
    ("In a cart, do enter the code before checkout.", "Before checkout, enter the code in a cart."),
    (
        "When the grid is long, use search instead of sort.",
        "When the grid is long, do use search and not sort.",
    ),
    ("Avoid the inner door when the lamp is lit.", "Do not take the inner door when the lamp is lit."),
    (
        "If the lid is shut, press the stud and do not pull.",
        "If the lid is shut, press the stud, never pull.",
    ),
    ("Trust the status bar over the formula.", "Always trust the status bar over the formula."),
]


def asked(claim: str, *stored: str, embedder: Embedder | None = None) -> Finding:
    held = tuple(replace(GOOD, claim=one, trigger='state: "x"') for one in stored)
    around = Surroundings(stored=lambda _: held, embedder=embedder)
    item = replace(GOOD, claim=claim, trigger='state: "x"')
    return asyncio.run(JudgedGate(DUPLICATE, Always("pass"), around=around)(item, SOLVED))


@pytest.mark.parametrize(("one", "other"), OPPOSITE)
def test_the_contrary_is_no_duplicate(one: str, other: str) -> None:
    assert asked(one, other).finding == asked(other, one).finding == "PASS"


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_near_words_is_one(one: str, other: str) -> None:
    assert asked(one, other).finding == asked(other, one).finding == "WARN"
    assert asked(one, one).finding == asked(one, f"  {one.upper()} ").finding == "FAIL"


def test_the_contrary_that_is_nearest_hides_no_duplicate_behind_it() -> None:
    one, other = OPPOSITE[0]
    found = asked(one, other, "Feed the hens at dawn.", SAME[0][1])
    assert found.finding == "WARN"
    assert "You must always sort" in found.reason


@dataclass(frozen=True)
class Meaning:
    """Vectors by what a text is about, of no length one."""

    space: str = "by hand"

    async def embed(self, texts: Sequence[str]) -> Array:
        about = [("box" in text or "crate" in text, "hen" in text, 0.1) for text in texts]
        return np.asarray(about, dtype=np.float32) * 3


def test_a_model_sees_a_restatement_in_other_words() -> None:
    one, other = "Always open the box.", "Lift each crate's cover."
    assert asked(one, other).finding == "PASS"
    assert asked(one, other, embedder=Meaning()).finding == "WARN"
    assert asked(one, "Never open the crate.", embedder=Meaning()).finding == "PASS"
    assert asked(one, "Feed the hens at dawn.", embedder=Meaning()).finding == "PASS"
    assert asked(one, embedder=Meaning()).finding == "PASS"
