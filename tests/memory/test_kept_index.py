"""An index in a folder: read again as it was written, and made anew wherever it cannot be trusted."""

import asyncio
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.kept_index import IndexFault, IndexFolder, digest_of, from_bytes, size_of, to_bytes
from memtrial.memory.retrieval import NearestIndex, make_index
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

TEXTS = ("", "buy soap", "buy tea", "boil water", "paint the fence", "sort books")
DIMENSIONS = 16


@dataclass
class Asked:
    """Hashed words times a factor, and what was asked for."""

    space: str = "asked"
    sign: float = 3.0
    texts: list[tuple[str, ...]] = field(default_factory=list)

    async def embed(self, texts: Sequence[str]) -> Array:
        self.texts.append(tuple(texts))
        vectors = HashingEmbedder(DIMENSIONS).vectors(texts) * self.sign
        return np.asarray(vectors, dtype=np.float32)


@dataclass
class Kept:
    """A folder for indices, what was said of it, and its one file."""

    folder: Path
    lines: list[str] = field(default_factory=list)

    def index(self, embedder: Asked, texts: Sequence[str] = TEXTS) -> NearestIndex:
        return asyncio.run(IndexFolder(self.folder, self.lines.append).index(texts, embedder))

    @property
    def file(self) -> Path:
        (file,) = self.folder.iterdir()
        return file


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "index")


def rows(index: NearestIndex) -> Array:
    return np.array(index.flat.reconstruct_n(0, len(index)))


EXPECTED = rows(make_index(HashingEmbedder(DIMENSIONS).vectors(TEXTS)))


def test_what_was_kept_is_read_bit_by_bit_and_one_text_alone_is_embedded_again(kept: Kept) -> None:
    assert np.allclose(rows(kept.index(Asked())), EXPECTED, atol=1e-6)
    again = Asked()
    assert np.array_equal(rows(kept.index(again)), rows(kept.index(Asked())))
    assert again.texts == [("buy soap",)]  # a blank text has no vector to compare
    assert not kept.lines
    assert stat.S_IMODE(kept.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700


def test_the_file_is_in_the_format_of_faiss(kept: Kept) -> None:
    import faiss

    kept.index(Asked())
    index = faiss.read_index(str(kept.file))
    assert np.allclose(index.reconstruct_n(0, len(TEXTS)), EXPECTED, atol=1e-6)


def test_other_texts_another_order_and_another_space_have_a_file_of_their_own(kept: Kept) -> None:
    for texts in (TEXTS, TEXTS[::-1], TEXTS[1:], (*TEXTS, "")):
        kept.index(Asked(), texts)
    kept.index(Asked("another"))
    assert len(list(kept.folder.iterdir())) == 5


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\0")


def empty(file: Path) -> None:
    file.write_bytes(b"")


def flip(position: int) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        raw = bytearray(file.read_bytes())
        raw[position] ^= 1
        file.write_bytes(bytes(raw))

    return change


def rename(file: Path) -> None:
    """The vectors of as many other texts under this name."""
    vectors = HashingEmbedder(DIMENSIONS).vectors([*TEXTS[:5], "other words"])
    file.write_bytes(to_bytes(make_index(vectors), digest_of(TEXTS[::-1], "asked")))


def widen(file: Path) -> None:
    """An index of another dimension, whole in itself."""
    vectors = HashingEmbedder(2 * DIMENSIONS).vectors(TEXTS)
    file.write_bytes(to_bytes(make_index(vectors), digest_of(TEXTS, "asked")))


def shorten(file: Path) -> None:
    """An index of too few vectors, whole in itself."""
    vectors = HashingEmbedder(DIMENSIONS).vectors(TEXTS[:3])
    file.write_bytes(to_bytes(make_index(vectors), digest_of(TEXTS, "asked")))


DAMAGE = {
    "cut short": cut,
    "longer": lengthen,
    "empty": empty,
    "a kind of index changed": flip(0),
    "a number of vectors changed": flip(8),
    "a vector changed": flip(60),
    "the seal changed": flip(-1),
    "of other texts": rename,
    "of another dimension": widen,
    "of fewer texts": shorten,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_that_is_not_right_is_made_again_with_a_line(kept: Kept, name: str) -> None:
    kept.index(Asked())
    whole = kept.file.read_bytes()
    DAMAGE[name](kept.file)
    embedder = Asked()
    assert np.allclose(rows(kept.index(embedder)), EXPECTED, atol=1e-6)
    assert embedder.texts[-1] == TEXTS
    (line,) = kept.lines
    assert line.startswith(f"the index of {len(TEXTS)} texts is made again; {kept.file}: ")
    assert kept.file.read_bytes() == whole


def test_an_embedder_that_gives_other_vectors_under_its_old_name_is_noticed(kept: Kept) -> None:
    kept.index(Asked())
    other = kept.index(Asked(sign=-1.0))
    assert np.allclose(rows(other), -EXPECTED, atol=1e-6)
    assert ["the embedder gives other vectors now" in line for line in kept.lines] == [True]


def test_what_is_none_of_ours_is_neither_read_nor_written(kept: Kept, tmp_path: Path) -> None:
    kept.index(Asked())
    file, dear = kept.file, tmp_path / "dear"
    file.rename(dear)
    whole = dear.read_bytes()
    file.symlink_to(dear)
    assert np.allclose(rows(kept.index(Asked(sign=-1.0))), -EXPECTED, atol=1e-6)
    assert ["a link, which is not opened" in line for line in kept.lines] == [True, True]
    assert file.is_symlink()
    assert dear.read_bytes() == whole


def test_a_folder_that_cannot_be_made_leaves_the_index(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "nowhere" / "index")
    assert np.allclose(rows(kept.index(Asked())), EXPECTED, atol=1e-6)
    assert ["is not kept" in line for line in kept.lines] == [True]


def test_faiss_is_never_given_a_header_that_it_did_not_write() -> None:
    """It takes the numbers there for true, and as much memory as they ask for; the seal is no secret."""
    index = make_index(HashingEmbedder(DIMENSIONS).vectors(TEXTS))
    whole = to_bytes(index, "of these")
    header = len(whole) - 32 - 4 * DIMENSIONS * len(TEXTS)
    assert len(whole) == size_of(len(TEXTS), DIMENSIONS)
    for position in range(header):
        body = bytearray(whole[:-32])
        body[position] ^= 0x40
        with pytest.raises(IndexFault, match="6 vectors of 16 numbers"):
            from_bytes(resealed(bytes(body)), "of these", len(TEXTS), DIMENSIONS)
    assert len(from_bytes(resealed(whole[:-32]), "of these", len(TEXTS), DIMENSIONS)) == len(TEXTS)


SPEC = """
name: kept
environment: {world: workshop, train: 6, test: 3}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 3}
arms: [none, control, artifact]
conditions: [filler]
repeats: 1
retrieval: {profile: paper}
analysis: {flips: 199}
"""


def played(folder: Path, out: str, limit: int | None = None) -> dict[str, bytes]:
    """The indices of a run after one more session."""
    spec = load_spec(write_spec(folder, SPEC))
    assert play_spec(spec, folder / out, limit, told=False) == 0
    return {file.name: file.read_bytes() for file in (folder / out / "index").iterdir()}


def shown(folder: Path) -> list[tuple[str, str, float | None]]:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    trials = sorted((trial.key, trial.slot, trial.similarity) for trial in ledger.trials())
    ledger.close()
    return trials


def test_a_resumed_run_reads_its_indices_and_makes_a_damaged_one_again(tmp_path: Path) -> None:
    whole = played(tmp_path, "whole")
    begun = played(tmp_path, "parted", limit=1)
    assert begun == whole
    assert len(begun) == 3  # the sources of all records, and the items of two condensers
    cut(tmp_path / "parted" / "index" / max(begun))
    (tmp_path / "parted" / "index" / min(begun)).unlink()
    assert played(tmp_path, "parted") == whole
    log = (tmp_path / "parted" / "logs" / "attempt_2.log").read_text()
    assert log.count("is made again") == 1
    assert f"{max(begun)}: " in log
    assert shown(tmp_path / "parted") == shown(tmp_path / "whole")


def resealed(body: bytes) -> bytes:
    return body + sha256(b"of these" + body).digest()
