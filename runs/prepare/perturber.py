"""The perturber: a language model that drafts the damage of one slot, under a closed instruction per kind."""

import json
from collections.abc import Sequence
from functools import cache
from math import ceil, floor
from typing import Any
from unicodedata import category

from loadbearing.models.client.client import Caller
from loadbearing.models.client.structured import ReplyFault, Structured
from loadbearing.models.client.types import ProviderFault
from loadbearing.perturbations.language.words import n_words
from loadbearing.perturbations.written import CLAIMS, INSTRUCTIONS, Items

LONGEST = 12_000
"""Characters of a slot that is sent; a longer one is damaged by the rules."""
TOKENS = 8192
"""Most that a draft may have."""
UNREAD = ("large reply", "empty reply", "malformed reply")
"""Faults of a model that answered, but not in a way that can be read."""
GROWTH, ROOM = 2, 200
"""An item of a draft has at most so many times the characters of the intact one, and so many more."""


class DraftFault(ValueError):
    """A draft that cannot be used: a failed try."""


async def drafted(caller: Caller, kind: str, items: Items, accepted: Sequence[str]) -> Items:
    """One draft of a model that sees the items and the instruction, no task, arm or condition.

    Args:
        accepted: actions that one may put for another under `counter`; none where nothing is known.
    """
    inputs = {"notes": json.dumps(items, ensure_ascii=False), "lengths": lengths(items)}
    if CLAIMS[kind] == "exchanged":
        inputs["accepted"] = json.dumps(list(accepted), ensure_ascii=False)
    try:
        said = await Structured(caller).ask(_signature(kind), inputs)
    except (ReplyFault, ProviderFault) as fault:
        if isinstance(fault, ProviderFault) and fault.kind not in UNREAD:
            raise
        raise DraftFault(f"the draft could not be read: {fault}") from fault
    return read_draft(items, said.rewritten)


def lengths(items: Items) -> str:
    """Fewest and most words of each text, as the manipulation check counts them."""
    return json.dumps([[ceil(0.9 * n_words(one)), floor(1.1 * n_words(one))] for one in items])


def read_draft(items: Items, drafted: Sequence[str]) -> Items:
    """The items of a draft, bounded before anything else reads them.

    Raises:
        DraftFault: another number of texts, or one that is too long or holds what cannot be seen.
    """
    if len(drafted) != len(items):
        raise DraftFault(f"the draft has {len(drafted)} texts in the place of {len(items)}")
    found = []
    for number, (item, text) in enumerate(zip(items, drafted, strict=True), 1):
        if len(text) > GROWTH * len(item) + ROOM:
            raise DraftFault(f"text {number} has {len(text):,} characters in the place of {len(item):,}")
        clean = text.replace("\r\n", "\n").strip()
        if _unseen(clean) - _unseen(item):
            raise DraftFault(f"text {number} holds signs that cannot be seen")
        found.append(clean)
    return tuple(found)


def _unseen(text: str) -> set[str]:
    """The signs that cannot be seen: of control, of direction, halves of a pair, blanks of other kinds."""
    return {one for one in {*text} - {"\n", "\t", " "} if category(one)[0] in "CZ"}


@cache  # a signature is a class: making one for every call costs more than the call
def _signature(kind: str) -> Any:
    import dspy

    inputs = {
        "notes": (str, dspy.InputField(desc="the texts of the notes, a JSON list")),
        "lengths": (str, dspy.InputField(desc="fewest and most words of each text, a JSON list of pairs")),
    }
    if CLAIMS[kind] == "exchanged":
        said = "actions that are accepted, a JSON list; empty where they are not known"
        inputs["accepted"] = (str, dspy.InputField(desc=said))
    drafted = {"rewritten": (list[str], dspy.OutputField(desc="the texts as you wrote them, as many"))}
    return dspy.Signature(inputs | drafted).with_instructions(INSTRUCTIONS[kind].render())
