"""A bank goes into a file and comes back the same, or not at all."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memtrial.memory.bank.bank_item import ItemDetails
from memtrial.memory.bank.events.bank_events import EpisodeAdded, ItemRevised, StandingSet
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import get_item
from memtrial.memory.bank.events.kept_episode import make_episode
from memtrial.memory.bank.exports.bank_files import export_log, import_log, read_export
from memtrial.memory.item import ProseItem
from memtrial.memory.stored_item import MemoryFault
from tests.support.event_bank import CAUSE, fill, hide_secret, make_item, make_trajectory, open_log, tables_of

ODD = 'a\u2028line, \x00, ünïcode 水車 \U0001f9e0, "quotes"\n\tand blanks '


def _bank(folder: Path) -> BankLog:
    log = open_log(folder)
    fill(log, range(12))
    first = make_item(3).id
    log.append([ItemRevised(first, ProseItem(ODD), ItemDetails(ODD)), StandingSet(first, "archived")], CAUSE)
    log.append([EpisodeAdded(make_episode(make_trajectory(1, ODD)))], CAUSE)
    log.rollback(first, 2, CAUSE)
    return log


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_export_wipe_import_is_an_identity(tmp_path: Path, ending: str) -> None:
    log = _bank(tmp_path)
    before = tables_of(log), log.last(), log.id, list(log.rows())
    path = tmp_path / f"bank{ending}"
    assert export_log(log, path).events == log.last()[0]
    content = path.read_bytes()
    log.close()
    (tmp_path / "memory.db").unlink()
    import_log(read_export(path), tmp_path / "memory.db", hide_secret)
    back = open_log(tmp_path)
    assert (tables_of(back), back.last(), back.id, list(back.rows())) == before
    assert back.check() == before[1][1]
    export_log(back, tmp_path / f"again{ending}")
    assert (tmp_path / f"again{ending}").read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir() if "import" in path.name) == []


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_an_empty_bank_is_one_too(tmp_path: Path, ending: str) -> None:
    log = open_log(tmp_path)
    export_log(log, tmp_path / f"bank{ending}")
    import_log(read_export(tmp_path / f"bank{ending}"), tmp_path / "new.db", hide_secret)
    assert open_log(tmp_path, "new.db").id == log.id


def _swap(lines: list[str]) -> list[str]:
    return [*lines[:3], lines[4], lines[3], *lines[5:]]


def _other_word(lines: list[str]) -> list[str]:
    return [line.replace("title 5", "title 6") for line in lines]


def _other_head(lines: list[str]) -> list[str]:
    return [json.dumps(json.loads(lines[0]) | {"version": 2}) + "\n", *lines[1:]]


DAMAGES: dict[str, Callable[[list[str]], list[str]]] = {
    "cut behind a line": lambda lines: lines[:-1],
    "cut in a line": lambda lines: [*lines[:-1], lines[-1][:40]],
    "a line left out": lambda lines: [*lines[:5], *lines[6:]],
    "two lines exchanged": _swap,
    "a line twice": lambda lines: [*lines[:5], *lines[4:]],
    "another word": _other_word,
    "another version": _other_head,
    "no head": lambda lines: lines[1:],
    "nothing": lambda lines: [],
    "no JSON": lambda lines: ["\x00\x01", *lines],
    "deep": lambda lines: ["[" * 100_000],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_export_is_refused_in_a_line_and_nothing_is_made(tmp_path: Path, damage: str) -> None:
    source = tmp_path / "bank.jsonl"
    export_log(_bank(tmp_path), source)
    lines = source.read_text().splitlines(keepends=True)
    source.write_text("".join(DAMAGES[damage](lines)))
    there = sorted(tmp_path.iterdir())
    with pytest.raises(MemoryFault) as fault:
        import_log(read_export(source), tmp_path / "new.db", hide_secret)
    assert "\n" not in str(fault.value)
    assert str(source) in str(fault.value)
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize("keep", [0, 4, 100, 3000])
def test_a_damaged_parquet_file_is_refused(tmp_path: Path, keep: int) -> None:
    source = tmp_path / "bank.parquet"
    export_log(_bank(tmp_path), source)
    raw = source.read_bytes()
    source.write_bytes(raw[:keep])
    with pytest.raises(MemoryFault, match=r"no export of a bank"):
        import_log(read_export(source), tmp_path / "new.db", hide_secret)
    assert not (tmp_path / "new.db").exists()


def test_a_bank_is_never_written_over(tmp_path: Path) -> None:
    log = _bank(tmp_path)
    export_log(log, tmp_path / "bank.jsonl")
    with pytest.raises(MemoryFault, match="without a bank"):
        import_log(read_export(tmp_path / "bank.jsonl"), tmp_path / "memory.db", hide_secret)
    with pytest.raises(MemoryFault, match=r"ends in .jsonl or .parquet"):
        export_log(log, tmp_path / "bank.csv")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(MemoryFault, match="cannot be used"):
        import_log(read_export(tmp_path / "folder.jsonl"), tmp_path / "new.db", hide_secret)


def test_a_bank_that_somebody_makes_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    export_log(_bank(tmp_path), tmp_path / "bank.jsonl")
    target = tmp_path / "new" / "memory.db"
    target.parent.mkdir()

    def redact(text: str) -> str:
        target.write_text("another's", encoding="utf-8")
        return text

    with pytest.raises(MemoryFault, match="without a bank"):
        import_log(read_export(tmp_path / "bank.jsonl"), target, redact)
    assert [file.read_text(encoding="utf-8") for file in target.parent.iterdir()] == ["another's"]


def test_what_an_export_holds_passes_the_redactor(tmp_path: Path) -> None:
    log = _bank(tmp_path)
    export_log(log, tmp_path / "bank.jsonl")
    import_log(
        read_export(tmp_path / "bank.jsonl"), tmp_path / "new.db", lambda text: text.replace("ünïcode", "[U]")
    )
    assert "ünïcode".encode() not in (tmp_path / "new.db").read_bytes()
    new = open_log(tmp_path, "new.db")
    assert get_item(new, make_item(3).id).item == ProseItem(ODD.replace("ünïcode", "[U]"))
    new.check()
    before = tables_of(new)
    new.rebuild()
    assert tables_of(new) == before


def test_an_import_names_all_that_a_killed_one_left(tmp_path: Path) -> None:
    export_log(_bank(tmp_path), tmp_path / "bank.jsonl")
    target = tmp_path / "new" / "memory.db"
    target.parent.mkdir()
    left = [target.with_name(f".memtrial-memory.db{ending}") for ending in ("-wal", "-shm")]
    for file in left:
        file.touch()
    with pytest.raises(MemoryFault) as raised:
        import_log(read_export(tmp_path / "bank.jsonl"), target, hide_secret)
    assert all(str(file) in str(raised.value) for file in left)
    for file in left:
        file.unlink()
    import_log(read_export(tmp_path / "bank.jsonl"), target, hide_secret)
    assert [file.name for file in target.parent.iterdir()] == ["memory.db"]
