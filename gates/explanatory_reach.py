"""Does the item say why, in a way that could turn out wrong?"""

from collections import Counter
from collections.abc import Iterator

from memtrial.gates.gate import GateCase, GateKind, Ruling, run_words
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.roles import spans
from memtrial.memory.language.sentences import mask_quotes
from memtrial.memory.words import content_words

OUTCOME = frozenset(content_words(read_section("gates.outcome")))
"""Words that report how something went. A reason needs at least one other word: a thing, or what it does."""
MOST_LOOSE = 3
"""Words besides those up to which a reason that names nothing of its run or item would fit any."""


def shortfall(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the Mechanism, seen by a program; whether it is a reason, the judge says."""
    reason_words = {
        word for word in content_words(case.roles.why) if len(word) > 1 or not word.isascii()
    } - OUTCOME
    if not reason_words:
        yield Ruling("the Mechanism states an outcome and no reason")
        return
    # in a schema without that field the reason stands inside the text that it is held against
    inside = case.roles.why in case.roles.what
    advised = Counter(content_words(case.roles.what))
    advised -= Counter(content_words(case.roles.why)) if inside else Counter()
    own = set(advised) | set(content_words(f"{case.roles.when or ''} {case.roles.where or ''}"))
    quotes = mask_quotes(case.roles.why) != case.roles.why
    if (
        not quotes
        and len(reason_words) <= MOST_LOOSE
        and not reason_words & (own | run_words(case.trajectory, case.view))
    ):
        yield Ruling("the Mechanism names nothing of the run or the item: it would fit any other")
    # the Claim may end in the reason itself, which the Mechanism may well repeat
    reasons = " ".join(case.roles.what[low:high] for low, high in spans(case.roles.what, "why"))
    of_advice = reason_words - set(content_words(reasons))
    if (
        not inside
        and reason_words <= set(content_words(case.roles.what))
        and 2 * len(of_advice) >= len(reason_words)
    ):
        yield Ruling("the Mechanism only says the Claim again")


EXPLANATORY_REACH = GateKind(
    "explanatory-reach", "The item says that something worked, and gives no mechanism.", ("why",), shortfall
)
