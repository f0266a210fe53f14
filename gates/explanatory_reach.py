"""Does the item say why, in a way that could turn out wrong?"""

from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.words import content_words

OUTCOME = frozenset(
    content_words(
        "work success successful successfully succeed fail failure better best good well great fine right"
        " correct correctly effective effectively efficient efficiently helpful help useful reliable proven"
        " prove improve optimal fast faster easy easier way approach method strategy action step agent run"
        " attempt task goal problem solve solution complete completion achieve reach obtain get give lead"
        " led result outcome answer reward score otherwise overall finally turn reliably"
        " happen finish done thing indeed clearly out"
    )
)
"""Words that report how something went. A reason needs at least one other word: a thing, or what it does."""


def shortfall(case: Case) -> Ruling | None:
    """What is wrong with the Mechanism, seen by a program; whether it is a reason, the judge says."""
    told = {word for word in content_words(case.roles.why) if len(word) > 1 or not word.isascii()} - OUTCOME
    if not told:
        return Ruling("the Mechanism states an outcome and no reason")
    # in a schema without that field the reason stands inside the text that it is held against
    if case.roles.why not in case.roles.what and told <= set(content_words(case.roles.what)):
        return Ruling("the Mechanism only says the Claim again")
    return None


EXPLANATORY_REACH = GateKind(
    "explanatory-reach", "The item says that something worked, and gives no mechanism.", ("why",), shortfall
)
