"""Worked examples beside a gate's question: one item that is flagged and one that passes, of other domains.

A gate has examples of several domains in `examples/`, and those that share least with the item are shown: so
they tell how strict the test is, and nothing about the item. They are no fixtures, and in no rate.
"""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from memtrial.memory.words import content_words
from memtrial.prompts.templates import Prompt

FOLDER = Path(__file__).parents[1] / "examples"
WORKED_EXAMPLES = Prompt("worked_examples")


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """One lesson of one run in two wordings.

    Args:
        run: what the run showed, in a sentence or two.
        flagged: the fields that the test reads, of a wording that fails it.
        verdict: `fail` or `warn`, as the test has it.
        why_flagged, why_sound: the way through the test, in one sentence.
        sound: the same fields, of a wording that passes.
    """

    domain: str
    run: str
    flagged: str
    verdict: str
    why_flagged: str
    sound: str
    why_sound: str

    @property
    def words(self) -> frozenset[str]:
        """The stems of all that it is about."""
        return frozenset(content_words(f"{self.domain} {self.run} {self.flagged} {self.sound}"))


@cache
def read_examples(gate: str) -> tuple[WorkedExample, ...]:
    """The examples of a gate that asks a judge."""
    lines = (FOLDER / f"{gate}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(WorkedExample(**json.loads(line)) for line in lines)


@cache
def digest_of_examples(gate: str) -> str:
    """Sha256 of a gate's examples."""
    return sha256((FOLDER / f"{gate}.jsonl").read_bytes()).hexdigest()


def show_examples(gate: str, about: str) -> str:
    """A flagged and a sound wording, from the two domains that share least with the item and its task.

    Args:
        about: the text of the item and of its task.
    """
    words = frozenset(content_words(about))
    failing, passing, *_ = sorted(read_examples(gate), key=lambda example: len(words & example.words))
    values = {
        "flagged_run": failing.run,
        "flagged": failing.flagged,
        "verdict": failing.verdict,
        "why_flagged": failing.why_flagged,
        "sound_run": passing.run,
        "sound": passing.sound,
        "why_sound": passing.why_sound,
    }
    return WORKED_EXAMPLES.render(values)
