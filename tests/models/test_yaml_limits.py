"""YAML and JSON that stand for more than they seem to: one line at once, whichever way they come in."""

import time
from pathlib import Path

import pytest

from memtrial.models.yaml_text import MOST_DIGITS, MOST_VALUES, YamlFault, read_yaml
from memtrial.runs.run_folder.lock_surroundings import beside_of
from tests.support.refusing import Warm, refused
from tests.support.verb_ledger import begun

LONG = 256 * 1024
LONGEST_S = 5.0
"""Of processor time, for what takes 0.4 s on a machine of 2024."""


def bomb(first: str, more: str, levels: int = 9) -> str:
    """Aliases of aliases: each line stands for ten of the line before."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} {more % ', '.join([f'*a{n - 1}'] * 10)}" for n in range(1, levels)]
    return "\n".join(lines)


MERGED = bomb("{" + ", ".join(f"k{n}: {n}" for n in range(10)) + "}", "{<<: [%s]}")
MANY = "".join(f"key{n}: 1\n" for n in range(60_000))
CHAIN = "\n".join(["c0: &c0 [x]", *(f"c{n}: &c{n} [*c{n - 1}]" for n in range(1, 3_000))])
BOMBS = {
    "aliases": (bomb("[x, x]", "[%s]"), "aliases"),
    "merge keys": (MERGED, "aliases"),
    "merge keys in one list": (f"a: &a {{x: 1}}\nb: {{<<: [{'*a,' * 9_000}]}}", "aliases"),
    "it holds itself": ("a: &a [*a]", "aliases"),
    "it merges itself": ("a: &a {<<: *a}", "aliases"),
    "keys": (MANY, "10,000 values"),
    "the same key": ("key: 1\n" * 60_000, "10,000 values"),
    "entries": ("[" + "x," * (LONG // 2) + "]", "10,000 values"),
    "a set": ("!!set {" + "".join(f"k{n}," for n in range(60_000)) + "}", "10,000 values"),
    "anchors": ("".join(f"- &a{n} x\n" for n in range(60_000)), "10,000 values"),
    "lists": ("[" * LONG, "too deeply"),
    "mappings": ("{" * LONG, "too deeply"),
    "lists in a block": ("- " * (LONG // 2), "too deeply"),
    "complex keys": ("? " * (LONG // 2), "too deeply"),
    "a chain of aliases": (CHAIN, "aliases"),
    "digits": ("9" * LONG, "digits"),
    "digits of sixteen": ("0x" + "f" * LONG, "digits"),
    "digits of sixty": ("1" + ":1" * (LONG // 2), "digits"),
    "digits of a tag": ("!!int 1" + ":1" * (LONG // 2), "digits"),
    "a fraction": ("1." + "1" * LONG, "digits"),
    "a float out of range": ("1" + ":1" * 400 + ".5", "float"),
    "a time out of range": ("2001-01-01T01:01:01+99:99", "offset"),
    "documents": ("---\n" * (LONG // 4), "single document"),
    "no number": ("!!int ''", "constructor"),
    "no truth": ("!!bool perhaps", "constructor"),
    "no time": ("!!timestamp soon", "constructor"),
    "bytes": ("!!binary AAAA", "constructor"),
    "a set in no order": ("!!set {a, b}", "constructor"),
    "a mapping for a list": ("!!seq {a: 1}", "constructor"),
    "a key that is a mapping": ("? {a: 1}\n: 2", "unhashable"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_line_at_once(name: str) -> None:
    text, said = BOMBS[name]
    begun = time.process_time()
    with pytest.raises(YamlFault) as fault:
        read_yaml(text)
    assert time.process_time() - begun < LONGEST_S
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def test_what_people_write_is_read() -> None:
    assert read_yaml("[!!str 429, '3', 0x1f, 1:30, 1.5, ~, yes, '<<']") == [
        "429",
        "3",
        31,
        90,
        1.5,
        None,
        True,
        "<<",
    ]
    assert len(read_yaml("".join(f"- {n}\n" for n in range(MOST_VALUES - 1)))) == MOST_VALUES - 1
    assert read_yaml("[" * 50 + "x" + "]" * 50)
    assert read_yaml("9" * MOST_DIGITS) == int("9" * MOST_DIGITS)
    assert len(read_yaml("x " * 100_000)) == 199_999


@pytest.mark.parametrize("text", [CHAIN], ids=str.__len__)
def test_a_bomb_beside_a_ledger_is_a_file_that_cannot_be_compared(tmp_path: Path, text: str) -> None:
    """The folder came from somebody else; its report is read all the same."""
    ledger = begun(tmp_path)
    (tmp_path / "spec.resolved.yaml").write_text(text)
    (tmp_path / "lock.json").write_text("[" * 100_000)
    found = beside_of(tmp_path, ledger)
    ledger.close()
    assert found is not None
    assert (found.file, found.spec, found.file_fault) == (None, None, "a file that is no JSON object")


@pytest.mark.parametrize("row", ['{"task": ' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":[\n[\n['])
def test_a_row_of_a_table_that_goes_ever_deeper(warm: Warm, tmp_path: Path, row: str) -> None:
    """Arrow's reader dies of it, and the process with it."""
    (tmp_path / "t.jsonl").write_text(f'{{"task": "a", "arm": "b", "score": 1}}\n{row}\n')
    assert "t.jsonl" in refused(warm, tmp_path, "analyze", "t.jsonl")


def test_facts_of_a_ledger_that_go_ever_deeper(warm: Warm, tmp_path: Path) -> None:
    ledger = begun(tmp_path / "run")
    with ledger.connection:
        ledger.connection.execute("INSERT INTO facts VALUES ('lock', ?)", ("[" * 100_000,))
    ledger.close()
    assert "lock" in refused(warm, tmp_path, "status", "run")
