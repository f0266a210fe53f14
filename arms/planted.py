"""One true proposition in both schemas: the same content words, and the same sentence in matching fields.

The content is fixed and the form varies, so the contrast of the two measures the form (STATISTICS 0c.1).
"""

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
    """The proposition in the treatment's schema.

    The Trigger names the content words of the situation, and the place where they appear.
    """
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
