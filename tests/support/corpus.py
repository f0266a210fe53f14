"""Items as models write them, by hands that had not seen the rules; and what each kind makes of them.

`python -m tests.support.corpus development KIND…` counts what applies and what passes; with one kind the
texts are printed before and after, to be read by a person. Rules are written from `development` alone;
`held_out` is opened to measure, and an item of it that leads to a change of a rule moves to `development`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from memtrial.api.perturb import DamagedSlot, perturb
from memtrial.perturbations.kinds import ALL
from memtrial.perturbations.oddity_placebo import ODD

FOLDER = Path(__file__).parents[2] / "perturbations" / "corpus"
Part = Literal["development", "held_out"]
PLAIN = ("without", "empty", "shuffle", "instructed")
KINDS = (*(kind.name for kind in ALL if kind.name not in PLAIN), *(f"oddity+{kind.name}" for kind in ODD))
SEED = 6


class CorpusItem(NamedTuple):
    """An item, and what its author says that it advises.

    Args:
        advises: objects with `polarity` (do, avoid), `action` and, where it is bound to one, `when`.
    """

    id: str
    domain: str
    schema: str
    text: str
    advises: list[dict[str, str]]


def read_corpus(part: Part) -> tuple[CorpusItem, ...]:
    """The items of one half."""
    lines = (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(CorpusItem(**json.loads(line)) for line in lines)


def damage_corpus(part: Part, kind: str) -> Iterator[tuple[CorpusItem, DamagedSlot]]:
    """Each item as a slot of its own, damaged, with the others of the half as donors."""
    items = read_corpus(part)
    lines = "\n".join(json.dumps({"items": [{"markdown": item.text}]}) for item in items)
    yield from zip(items, perturb(lines, kind, SEED).slots, strict=True)


def _count(part: Part, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        pairs = list(damage_corpus(part, kind))
        applied = [slot for _, slot in pairs if slot.applicable]
        passed = sum(slot.passed for slot in applied)
        print(f"{part} {kind}: {len(pairs)} items, {len(applied)} apply, {passed} pass")
        for item, slot in pairs if len(kinds) == 1 else ():
            after = slot.after if slot.applicable else f"not applicable: {slot.reason}"
            print(f"=== {item.id}\n{slot.before}\n--- {kind}\n{after}\n")


if __name__ == "__main__":
    half: Part = "held_out" if sys.argv[1] == "held_out" else "development"
    _count(half, tuple(sys.argv[2:]) or KINDS)
