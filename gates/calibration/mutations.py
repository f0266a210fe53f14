"""Ways to spoil a sound item by code, each of which its gate ought to see."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from memtrial.gates.calibration.labelled_items import Fixture, Half
from memtrial.memory.item import TheoryItem
from memtrial.memory.language.scope_text import read_scope
from memtrial.memory.language.sentences import cut_sentences


class Mutation(NamedTuple):
    """One way to spoil an item: the `field` says the `text` made of the item and of the next sound one."""

    name: str
    gate: str
    half: Half
    field: str
    text: Callable[[TheoryItem, TheoryItem], str]


def _without_exclusion(item: TheoryItem, _: TheoryItem) -> str:
    return " ".join(sentence for sentence in cut_sentences(item.scope) if not read_scope(sentence).beyond)


def _label(item: TheoryItem, _: TheoryItem) -> str:
    words = item.mechanism.replace('"', "").split()[:3]
    return f"Handling of {' '.join(words).lower().rstrip(',;:.')}"


def _turn_polarity(item: TheoryItem, _: TheoryItem) -> str:
    return item.claim.replace("do not ", "\0").replace("do ", "do not ", 1).replace("\0", "do ")


ELSEWHERE, LITERAL = "Any task, on every site.", "See http://shop.example/admin/order/187."
ALL: tuple[Mutation, ...] = (
    Mutation("drop exclusion", "unwarranted-scope", "rule", "scope", _without_exclusion),
    Mutation(
        "widen scope", "unwarranted-scope", "rule", "scope", lambda item, _: f"{ELSEWHERE} {item.scope}"
    ),
    Mutation("swap mechanism", "grounding-alignment", "rule", "mechanism", lambda _, other: other.mechanism),
    Mutation("insert literal", "source-residue", "rule", "claim", lambda item, _: f"{item.claim} {LITERAL}"),
    Mutation("label only", "title-as-claim", "rule", "claim", _label),
    Mutation("invert polarity", "internal-consistency", "judge", "claim", _turn_polarity),
)


def mutants(fixtures: Sequence[Fixture]) -> tuple[Fixture, ...]:
    """What the mutations for its gate make of each sound theory item; what changes nothing is left out."""
    sound = [fixture for fixture in fixtures if fixture.flag is False and " sound " in fixture.name]
    made = []
    for place, fixture in enumerate(sound):
        item, other = fixture.item, sound[(place + 1) % len(sound)].item
        if not isinstance(item, TheoryItem) or not isinstance(other, TheoryItem):
            continue
        for kind in ALL:
            spoilt = replace(item, **{kind.field: kind.text(item, other)})
            if kind.gate == fixture.gate and spoilt != item:
                name = f"{fixture.name}, {kind.name}"
                made.append(
                    replace(fixture, name=name, item=spoilt, flag=True, half=kind.half, made=kind.name)
                )
    return tuple(made)
