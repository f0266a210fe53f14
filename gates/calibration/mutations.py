"""Positives made by code: each spoils a sound item in one way, and names the gate that ought to see it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from loadbearing.gates.calibration.labelled_items import Fixture, Half
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.language.scope_text import read_scope
from loadbearing.memory.language.sentences import cut


class Mutation(NamedTuple):
    """One way to spoil an item.

    Args:
        change: the item, and the next sound one, which lends a field.
    """

    name: str
    gate: str
    half: Half
    change: Callable[[TheoryItem, TheoryItem], TheoryItem]


def _drop_exclusion(item: TheoryItem, other: TheoryItem) -> TheoryItem:  # noqa: ARG001
    kept = [one for one in cut(item.scope) if not read_scope(one).beyond]
    return replace(item, scope=" ".join(kept))


def _widen_scope(item: TheoryItem, other: TheoryItem) -> TheoryItem:  # noqa: ARG001
    return replace(item, scope=f"Any task, on every site. {item.scope}")


def _swap_mechanism(item: TheoryItem, other: TheoryItem) -> TheoryItem:
    return replace(item, mechanism=other.mechanism)


def _insert_literal(item: TheoryItem, other: TheoryItem) -> TheoryItem:  # noqa: ARG001
    return replace(item, claim=f"{item.claim} See http://shop.example/admin/order/187.")


def _label_only(item: TheoryItem, other: TheoryItem) -> TheoryItem:  # noqa: ARG001
    words = item.mechanism.replace('"', "").split()[:3]
    return replace(item, claim=f"Handling of {' '.join(words).lower().rstrip(',;:.')}")


def _invert(item: TheoryItem, other: TheoryItem) -> TheoryItem:  # noqa: ARG001
    turned = item.claim.replace("do not ", "\0").replace("do ", "do not ", 1).replace("\0", "do ")
    return replace(item, claim=turned)


ALL: tuple[Mutation, ...] = (
    Mutation("drop exclusion", "unwarranted-scope", "rule", _drop_exclusion),
    Mutation("widen scope", "unwarranted-scope", "rule", _widen_scope),
    Mutation("swap mechanism", "grounding-alignment", "rule", _swap_mechanism),
    Mutation("insert literal", "source-residue", "rule", _insert_literal),
    Mutation("label only", "title-as-claim", "rule", _label_only),
    Mutation("invert polarity", "internal-consistency", "judge", _invert),
)


def mutants(fixtures: Sequence[Fixture]) -> tuple[Fixture, ...]:
    """What the mutations for its gate make of each sound theory item; what changes nothing is left out."""
    sound = [one for one in fixtures if one.flag is False and " sound " in one.name]
    made = []
    for at, one in enumerate(sound):
        item, other = one.item, sound[(at + 1) % len(sound)].item
        if not isinstance(item, TheoryItem) or not isinstance(other, TheoryItem):
            continue
        for kind in ALL:
            if kind.gate == one.gate and (spoilt := kind.change(item, other)) != item:
                name = f"{one.name}, {kind.name}"
                made.append(replace(one, name=name, item=spoilt, flag=True, half=kind.half, made=kind.name))
    return tuple(made)
