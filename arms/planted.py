"""Items of the world's own truth: a proposition in both schemas, and the dose ladder.

One true proposition in both schemas: the same content words, and the same sentence in matching fields.

The content is fixed and the form varies, so the contrast of the two measures the form (STATISTICS 0c.1).

The dose ladder: slots of three prose items, of which 0 to 3 are true (STATISTICS 0c.7). A true item is a rule
of the task's own family, a distractor is a rule of another family. Neither contains a step of the task's own
solution. Between neighbouring rungs one item changes, at the same place.
"""

from collections.abc import Sequence

from numpy.random import Generator

from loadbearing.environments.world import Proposition
from loadbearing.memory.item import NativeItem, TheoryItem


def as_native(said: Proposition) -> NativeItem:
    """The proposition in the control's schema."""
    return NativeItem(
        title=_sentence(said.situation),
        description=f"A heuristic for this {said.where} that {_range(said, 'applies', 'does not apply')}",
        content=f"When {said.situation}, {said.action}, because then {said.why}.",
    )


def as_theory(said: Proposition) -> TheoryItem:
    """The proposition in the treatment's schema; the Trigger holds the situation's words, and their place."""
    return TheoryItem(
        claim=f"When {said.situation}, {said.action}.",
        trigger=f"{said.where}: {said.situation}",
        mechanism=f"Because then {said.why}.",
        scope=_sentence(_range(said, "applies", "does NOT apply")),
        form="heuristic",
    )


def _range(said: Proposition, holds: str, ends: str) -> str:
    return f"{ends} when {said.unless}." if said.unless else f"{holds} always."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


PLACES = 3
_WORDINGS = (("When", "because then", ""), ("If", "so that", ""), ("As soon as", "since", " in that way"))


def rungs(
    true: Sequence[Proposition], foreign: Sequence[Sequence[Proposition]], rng: Generator
) -> tuple[tuple[str, ...], ...]:
    """The slots of one task, by their number of true items: 0 to PLACES.

    `true` are the rules of the task's family, `foreign` those of each other family, none empty. `rng` draws
    which rule comes first, which distractors there are, and the order of the places.
    """
    rules = [true[at] for at in rng.permutation(len(true))]
    families = [foreign[at] for at in rng.permutation(len(foreign))]
    others = [one[int(rng.integers(len(one)))] for one in families[:PLACES]]
    truths, distractors = _worded(rules), _worded(others)
    places = rng.permutation(PLACES)
    return tuple(
        tuple(headed(truths[at] if at < dose else distractors[at], n) for n, at in enumerate(places, 1))
        for dose in range(PLACES + 1)
    )


def donated(true: Sequence[Proposition]) -> tuple[str, ...]:
    """The items that a slot of another family gets from this family: only its rules, no distractors."""
    return tuple(headed(text, number) for number, text in enumerate(_worded(true), 1))


def headed(text: str, number: int) -> str:
    """Prose under a numbered heading, which separates the items of a slot."""
    return f"# Memory Item {number}\n{text}"


def _worded(said: Sequence[Proposition]) -> list[str]:
    """`PLACES` prose items; if there are fewer rules, they are repeated in other words."""
    found = []
    for at in range(PLACES):
        one = said[at % len(said)]
        opening, reason, end = _WORDINGS[at // len(said)]
        unless = f", unless {one.unless}" if one.unless else ""
        found.append(f"{opening} {one.situation}, {one.action}{unless}, {reason} {one.why}{end}.")
    return found
