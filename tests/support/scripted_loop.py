"""A scripted author and judge for the loop: items that tell which draft they are, and verdicts by draft."""

import asyncio

from memtrial.condensers.condenser import Condensation
from memtrial.gates.suite import choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import parse
from tests.support.scripted_judge import (
    GOOD,
    SOLVED,
    Asked,
    Scripted,
    caller,
    drafts,
    item,
    revision,
    verdict,
)
from tests.support.theory_loop import theory_loop

GATE = ("claim-strength",)


def numbered(number: int, version: int = 0) -> TheoryItem:
    """A sound item that tells which draft it is."""
    return item(scope=f"Box {number}.{version}. Does NOT apply to jars.")


def which(markdown: str) -> tuple[int, int]:
    """The number and version of a rendered `numbered` item."""
    number, version = parse(markdown).scope.split()[1].rstrip(".").split(".")
    return int(number), int(version)


def script(verdicts, count=1, revise=None) -> Scripted:
    """Drafts `count` items; the judge says `verdicts(number, version)`; a revision is the next version."""

    def rule(asked: Asked) -> str:
        if asked.kind == "draft":
            return drafts(*(numbered(number) for number in range(1, count + 1)))
        number, version = which(asked.fields["item"])
        if asked.kind == "revise":
            return revise(number, version) if revise else revision(numbered(number, version + 1))
        said = verdicts(number, version)
        return verdict(said, GOOD.claim) if said in ("pass", "warn", "fail") else said

    return Scripted(rule)


def condense(backend: Scripted, gates=GATE, max_rounds=2, trajectory=SOLVED) -> Condensation:
    theory = theory_loop(caller(backend), choose_gates(ModelJudge(caller(backend)), gates), max_rounds)
    return asyncio.run(theory(trajectory))


def rounds(made: Condensation) -> list[tuple[tuple[int, int], int, str]]:
    return [(which(review.draft), review.round, review.finding.finding) for review in made.reviews]
