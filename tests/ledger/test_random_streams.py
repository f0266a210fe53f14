"""Random streams: one number each, in one file, and no generator is made from any other number."""

import re
from pathlib import Path

import pytest

from loadbearing.ledger.random_streams import Stream, generator, named_generator

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(path.name for path in (ROOT / "loadbearing").iterdir() if path.is_symlink())
MAKERS = re.compile(r"\b(default_rng|SeedSequence|RandomState|Philox|PCG64)\(")
ALLOWED = {
    *("ledger/random_streams.py", "environments/workshop/families.py"),
    *("perturbations/paraphrase.py", "perturbations/oddity.py"),
}
"""A world draws from a seed of its own, and must not know this experiment's ledger; whether two kinds of
damage apply to a slot is tried by one fixed draw, whatever the run."""


def test_no_number_stands_twice() -> None:
    assert len({one.value for one in Stream}) == len(Stream.__members__)


def test_no_two_streams_draw_the_same() -> None:
    # a key that ends in zero is the same key without it: place 0 of a stream is the stream itself
    drawn = {generator(5, one).bytes(16) for one in Stream} | {
        generator(5, one, 1).bytes(16) for one in Stream
    }
    named = {named_generator(5, name, 0, 0).bytes(16) for name in ("donor", "filler", "corrupt_invert")}
    assert len(drawn | named) == 2 * len(Stream) + 3


def test_every_generator_is_made_in_one_file() -> None:
    makers = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if MAKERS.search(path.read_text(encoding="utf-8"))
    }
    assert makers == ALLOWED


@pytest.mark.parametrize("stream", [one for one in Stream if f"{one.name}_POOLED" in Stream.__members__])
def test_each_family_has_a_stream_for_its_mean_over_backbones(stream: Stream) -> None:
    assert stream.pooled.name == f"{stream.name}_POOLED"
