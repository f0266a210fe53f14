"""Models of known disposition behind the real coding agents, and what `try` has to say of each.

A memory as a person writes it, whose advice the tasks need; who reads it, in part, or not at all is known, so
that the right words are, too. They are taken from `docs/verdicts.md`: `inconclusive` is never wrong, and a
matter of power.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from memtrial.models.scripted.coding import dispositions
from memtrial.models.scripted.coding.dispositions import Disposition, FileEdit, ScriptedTask

MEMORY = """# Library

## Changes

- When you begin with a part, read its test, because the test holds the value.
- When a test is red on main, tell the owner of the part, because others wait for it.

## Values

- When a part of the north shelf gets a value, write the word before the number, because the loader reads that first.
- When a part of the east shelf gets a value, put the number behind the label, because the list is sorted by labels.
- When a part of the south shelf gets a value, set the label in small letters, because the index ignores capitals.
- When a part of the west shelf gets a value, spell the label out in full, because short labels hide from the search.

## Style

- When a name has two words, join them with an underscore, because the shell splits at blanks.
- When a commit is ready, name the number of the part in it, because the log is searched by numbers.
"""  # noqa: E501
LESSONS = (
    ("Write the word before the number.", "word before the number"),
    ("Put the number behind the label.", "number behind the label"),
    ("Set the label in small letters.", "label in small letters"),
    ("Spell the label out in full.", "label out in full"),
)
"""What each fourth task needs, and the words by which it is mentioned."""
N_TASKS = 24
LONGEST = 600
"""Characters over which one of them stumbles: fewer than the memory and all its damaged forms have."""

OPEN, HELPS = ("inconclusive",), ("helps", "inconclusive")
NOTHING = ("none", "inconclusive")
CONTENT, NO_CONTENT = ("load-bearing", "inconclusive"), ("inert", "inconclusive")
EMPTY = ("untestable", "inconclusive")
WORDINGS = ("paraphrase", "oddity+corrupt_invert")
"""Conditions that keep what the memory says."""
GONE = ("irrelevant_generic", "filler")
"""Conditions that take it away, and leave a text."""
TURNED = ("counter", "corrupt_invert")
"""Conditions that turn it."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A disposition, and what may be said of it.

    Args:
        easy: of every six tasks, how many it solves by itself.
        gain: right words on the utility; the first is the one that is due where there is power enough.
        turned: the same of each kind of damage that turns what the memory says.
        gone, reworded: of those that take it away, and of those that keep it.
        bill: right words on the tokens of the intact memory against those without.
        given: its client shows the model the memory.
    """

    name: str
    disposition: Disposition
    easy: int
    gain: tuple[str, ...]
    turned: Mapping[str, tuple[str, ...]]
    gone: tuple[str, ...]
    reworded: tuple[str, ...]
    bill: tuple[str, ...] = ("as much", "more", "open")
    given: bool = True

    def tasks(self) -> tuple[ScriptedTask, ...]:
        """The tasks of the repository that is made for tests, as this model knows them."""
        return tuple(
            ScriptedTask(
                prompt=f"Give part {number} its value",
                solution=(FileEdit(f"lib/part_{number}.txt", f"value {number}"),),
                wrong=(FileEdit("notes.txt", "tried"),),
                lesson=LESSONS[number % 4][0],
                topic=LESSONS[number % 4][1],
                easy=(number - 1) % 6 < self.easy,
            )
            for number in range(1, N_TASKS + 1)
        )

    def due(self, condition: str) -> tuple[str, ...]:
        """The right words on the drop under a condition."""
        if condition in TURNED:
            return self.turned[condition]
        return self.gone if condition in GONE else self.reworded


def _both(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return dict.fromkeys(TURNED, words)


KNOWN = (
    KnownModel("reads", dispositions.read_all, 1, HELPS, _both(CONTENT), CONTENT, NO_CONTENT),
    KnownModel("reads half", dispositions.read_half, 1, HELPS, _both(CONTENT), CONTENT, NO_CONTENT),
    KnownModel("ignores", dispositions.ignore, 3, NOTHING, _both(EMPTY), EMPTY, EMPTY),
    KnownModel("spends", dispositions.spend, 6, NOTHING, _both(EMPTY), EMPTY, EMPTY, bill=("more",)),
    # told to do something and told not to do it, it does the same: that it is named is all that counts
    KnownModel(
        "heeds mention", dispositions.heed_mention, 1, HELPS,
        {"counter": OPEN, "corrupt_invert": NO_CONTENT}, CONTENT, NO_CONTENT,
    ),
    KnownModel(
        "is lifted by any text", dispositions.lift_by_any_text, 1, HELPS,
        _both(NO_CONTENT), NO_CONTENT, NO_CONTENT,
    ),
    KnownModel(
        "stumbles over length", partial(dispositions.stumble_over_length, longest=LONGEST), 5,
        ("harms", "inconclusive"), _both(EMPTY), EMPTY, EMPTY,
    ),
    KnownModel(
        "stumbles over oddity", dispositions.stumble_over_oddity, 5, NOTHING, _both(EMPTY), EMPTY, EMPTY
    ),
    KnownModel(
        "is never given it", dispositions.read_all, 1, ("untestable",),
        _both(("untestable",)), ("untestable",), ("untestable",), given=False,
    ),
)  # fmt: skip
