"""The worked file: what every kind makes of 120 slots, to be read by a person.

`python -m tests.support.worked` writes it anew; `python -m tests.support.worked KIND` prints one kind, before
and after, and counts what applies and what passes.

The slots: `slots/SOURCE.SCHEMA.md`, twenty each, from question answering (half of them by the simulated
scribe of public traces, the rest ours), ScienceWorld and work on the web, in the house and in code (ours).
The same number is the same lesson in both schemas.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memtrial.api.perturb import DamagedSlot, perturb
from memtrial.perturbations.kinds import ALL

FOLDER = Path(__file__).parents[1] / "perturbations" / "worked"
SOURCES = ("hotpotqa", "scienceworld", "handwritten")
SCHEMAS = ("native", "theory")
PLAIN = ("without", "empty", "shuffle", "instructed")
"""They leave nothing to read, are for raw trajectories alone, or change no item."""
KINDS = (
    *(kind.name for kind in ALL if kind.name not in PLAIN),
    *(f"oddity+{name}" for name in ("corrupt_mask", "corrupt_invert")),
)
SEED = 6


def slots(source: str, schema: str) -> list[str]:
    """The intact items, one a slot."""
    text = (FOLDER / "slots" / f"{source}.{schema}.md").read_text(encoding="utf-8")
    return [item.strip() for item in re.split(r"(?m)^=== \d+\n", text)[1:]]


def damaged(source: str, schema: str, kind: str) -> tuple[DamagedSlot, ...]:
    """Each slot of a file damaged, with the other slots of the file as donors."""
    lines = "\n".join(json.dumps({"items": [{"markdown": item}]}) for item in slots(source, schema))
    return perturb(lines, kind, SEED).slots


def shown(one: DamagedSlot) -> str:
    """What became of a slot: its text, or why there is none."""
    if not one.applicable:
        return f"not applicable: {one.reason}"
    return one.after if one.passed else f"{one.after}\n!!! {one.reason}"


def page(source: str, schema: str) -> str:
    """A slot, and below it what each kind makes of it; twenty times."""
    by_kind = {kind: damaged(source, schema, kind) for kind in KINDS}
    out = []
    for at, item in enumerate(slots(source, schema)):
        out.append(f"=== {source} {schema} {at + 1}: intact\n{item}\n")
        out += [f"--- {kind}\n{shown(found[at])}\n" for kind, found in by_kind.items()]
    return "\n".join(out)


def pages() -> Iterator[tuple[Path, str]]:
    """Every page, and where it lies."""
    for source in SOURCES:
        for schema in SCHEMAS:
            yield FOLDER / f"{source}.{schema}.txt", page(source, schema)


def _read_aloud(kind: str) -> None:
    for schema in SCHEMAS:
        count: Counter[str] = Counter()
        for source in SOURCES:
            for number, one in enumerate(damaged(source, schema, kind), 1):
                count["applicable" if one.applicable else "not applicable"] += 1
                count["passed"] += one.passed
                print(f"=== {source} {schema} {number}\n{one.before}\n--- {kind}\n{shown(one)}\n")
        print(f"{kind}, {schema}: {dict(count)}\n")


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        _read_aloud(chosen)
    if not sys.argv[1:]:
        for path, text in pages():
            path.write_text(text, encoding="utf-8")
            print(path)
