"""Could the same be said in fewer words?

A program sees phrases that only lead up to something, a sentence that says an earlier one of its field again,
and advice of many words of which few carry meaning. How much of the rest could go, the judge says. A negative
control: an item that is wordy and sound is expected to be followed as well as a short one.
"""

import re
from collections.abc import Iterator

from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.sentences import cut_sentences, mask_quotes
from memtrial.memory.words import content_words, words

PADDING = re.compile(
    r"(?i)\b(?:"
    + "|".join(line.replace(" ", r"\s+") for line in read_section("gates.padding").split("\n"))
    + r")\b"
)
LEAST_WORDS = 15
THIN = 0.3
"""The share of its words that carry meaning, below which advice of so many words is thin."""
LEAST_SAID = 4
"""Content words of a sentence that is compared with those before it."""
SAID = 0.9
"""The share of them that stand before it in its field, from which on it says the same again."""


def looseness(case: GateCase) -> Iterator[Ruling]:
    """What could go without changing what anybody does, seen by a program."""
    for field in (case.roles.what, case.roles.why, case.roles.where or ""):
        covered = mask_quotes(field)
        for padding in PADDING.finditer(covered):
            yield Ruling("these words lead up to the advice and add nothing", field[slice(*padding.span())])
        before: set[str] = set()
        for sentence in cut_sentences(field):
            own = content_words(sentence)
            again = sum(word in before for word in own)
            if len(own) >= LEAST_SAID and again >= SAID * len(own):
                yield Ruling(
                    "this sentence says again what stands before it", sentence.strip().split("\n")[0]
                )
            before.update(own)
    advice = words(mask_quotes(case.roles.what))
    n_content = len(content_words(" ".join(advice)))
    if len(advice) >= LEAST_WORDS and n_content < THIN * len(advice):
        yield Ruling(f"of {len(advice)} words of the advice only {n_content} carry meaning")


PROSE_ECONOMY = GateKind(
    "prose-economy",
    "The item takes many more words than what it says needs.",
    ("what",),
    looseness,
    control=True,
)
