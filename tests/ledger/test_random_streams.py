"""Random streams: one number each, in one file, and no generator is made from any other number."""

import re
from pathlib import Path

from memtrial.ledger.random_streams import Stream, generator, named_generator

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(path.name for path in (ROOT / "memtrial").iterdir() if (path / "__init__.py").is_file())
MAKERS = re.compile(r"\b(default_rng|SeedSequence|RandomState|Philox|PCG64)\(")
POOLED = [one.pooled for one in Stream if one.pooled >= 0]
ALLOWED = {
    *("memtrial/ledger/random_streams.py", "memtrial/worlds/workshop/task_families.py"),
    *("memtrial/worlds/single_turn/invented_questions.py", "memtrial/worlds/scenarios/world.py"),
    *("perturbations/paraphrase.py", "perturbations/oddity_placebo.py"),
    *("perturbations/written/written_slot.py", "perturbations/written/draft_masks.py"),
}
"""A world draws from a seed of its own, and must not know this experiment's ledger; whether two kinds of
damage apply to a slot is tried by one fixed draw, whatever the run; so is how many words an inversion
changes, and which marks stand in a mask that a model chose."""


def test_no_number_stands_twice() -> None:
    assert len({*Stream, *POOLED}) == len(Stream.__members__) + len(POOLED)


def test_no_two_streams_draw_the_same() -> None:
    # a key that ends in zero is the same key without it: place 0 of a stream is the stream itself
    streams = {*Stream, *POOLED}
    drawn = {generator(5, one, *place).bytes(16) for one in streams for place in ((), (1,))}
    named = {named_generator(5, name, 0, 0).bytes(16) for name in ("donor", "filler", "corrupt_invert")}
    assert len(drawn | named) == 2 * len(streams) + 3


def test_every_generator_is_made_in_one_file() -> None:
    makers = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / "memtrial" / room).resolve().rglob("*.py")
        if MAKERS.search(path.read_text(encoding="utf-8"))
    }
    assert makers == ALLOWED
