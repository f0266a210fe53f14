"""`list` and `completion`: everything that a spec may name and a shell may complete, and what they load."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from rich.cells import cell_len

from memtrial.api.analyze import KNOWN, known_text
from memtrial.cli.app import VERBS
from memtrial.cli.results.schema import SHAPES, WHAT, shapes_text
from memtrial.cli.tools.completion import HOW, WORDS, read_words, words_text
from memtrial.cli.tools.member_list import CONDENSERS, TOPICS, Topic, entries_of, members_text
from memtrial.cli.tools.member_list import MEMBERS as MEMBER_LINES
from memtrial.gates.suite import NAMES
from memtrial.memory.systems.shipped_systems import SHIPPED_SYSTEMS
from memtrial.models.simulated.open_simulated import PARTS
from memtrial.runs.spec import condenser_factors
from memtrial.runs.spec.environment import TAGS
from memtrial.runs.spec.spec import AGENTS, KINDS
from tests.support.refusing import Warm, refused
from tests.support.verb_ledger import PLAN, begun, play

MEMBERS: dict[Topic, set[str]] = {
    "kinds": {*KINDS, "without"},
    "gates": {*NAMES},
    "worlds": {*TAGS} - {"plugin"},
    "condensers": {*condenser_factors.CONDENSERS},
    "agents": {*AGENTS, "claude", "codex"},
    "memories": {system.word for system in SHIPPED_SYSTEMS},
    "models": {"anthropic/MODEL", *(f"simulated/{name}" for name in PARTS)},
}


@pytest.mark.parametrize("topic", get_args(Topic))
def test_every_member_is_listed_once_with_a_sentence(topic: Topic) -> None:
    entries = list(entries_of(topic))
    names = [name for name, _ in entries]
    assert len(set(names)) == len(names)
    assert MEMBERS[topic] <= set(names)
    for name, about in entries:
        assert about.strip(), name
        assert "\n" not in about, name
        assert about != "Plays: .", name
    assert {*TOPICS} == {*MEMBERS}
    assert {*CONDENSERS} == MEMBERS["condensers"]


def test_a_line_each_for_people_and_json_for_programs(warm: Warm, tmp_path: Path) -> None:
    topics = warm.call("list", cwd=tmp_path)
    assert [line.split()[0] for line in topics.out.splitlines()] == [*TOPICS]
    shown = warm.call("list", "gates", cwd=tmp_path, variables={"COLUMNS": "200"})
    assert [line.split()[0] for line in shown.out.splitlines()] == [*NAMES]
    listed = json.loads(warm.call("list", "gates", "--json", cwd=tmp_path).out)
    assert [tuple(row.values()) for row in listed] == list(entries_of("gates"))
    assert "nosuch" in refused(warm, tmp_path, "list", "nosuch")


HEAVY = {"scipy", "statsmodels", "sklearn", "matplotlib", "faiss", "dspy", "langgraph", "litellm", "httpx2"}
TABLES = {"numpy", "polars", "aiohttp", "anthropic", "starlette", "jinja2"}
TYPES = {"pydantic", "pydantic_core"}
"""What checks values: it takes as long to load as all else that a help needs."""
LOADED_BY_EACH = """
import os, sys
from memtrial.cli.app import main

named = {*sys.argv[1:]}
for line in sys.stdin.read().splitlines():
    sys.argv, code = ["memtrial", *line.split()], 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    print("loaded", code, line, *sorted(named & {*sys.modules}), sep="|", flush=True)
"""
"""One after the other: where none of them is loaded at the end, none of the calls loads one."""
TOPICS_TOO = [f"list {topic}" for topic in TOPICS] + [f"schema {shape}" for shape in WHAT]
QUICK = ["--help", "list", "schema", "completion bash", *TOPICS_TOO, *(f"{verb} --help" for verb in VERBS)]
# a gate's question is a template
SOME = {"gates list": ["jinja2"]}


def test_what_computes_nothing_loads_no_library_that_computes(tmp_path: Path) -> None:
    ledger = begun(tmp_path)
    compared = {"arms": ["none", "control", "artifact"], "pairs": [["artifact", "control"]]}
    ledger.state("plan", PLAN | compared | {"task_order": ["t0", "t1", "t2"]})
    play(ledger)
    # an e-process is a sum of logarithms; no table is made of the trials
    some = {f"show {tmp_path}": []} | SOME | {f"status {tmp_path}": ["jinja2", "numpy"]}
    loaded = _loaded_by([*QUICK, *some], HEAVY | TABLES)
    assert loaded == [["0", words, *some.get(words, [])] for words in (*QUICK, *some)]


def test_to_say_what_there_is_to_ask_for_no_values_are_checked() -> None:
    helps = [words for words in QUICK if words.endswith("--help")]
    # typer checks the words behind `list`, which shows that it would be seen
    assert _loaded_by([*helps, "list kinds"], TYPES) == [
        *(["0", words] for words in helps),
        ["0", "list kinds", *sorted(TYPES)],
    ]


def _loaded_by(calls: list[str], names: set[str]) -> list[list[str]]:
    """Exit code and words of each call, and which of these modules were loaded by then."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY_EACH, *names], input="\n".join(calls),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split("|")[1:] for line in done.stdout.splitlines() if line.startswith("loaded|")]


def test_what_list_and_schema_print_is_what_there_is() -> None:
    assert KNOWN.read_text(encoding="utf-8") == known_text(), "run python -m tests.house.made_pages"
    assert MEMBER_LINES.read_text(encoding="utf-8") == members_text(), "run python -m tests.house.made_pages"
    assert SHAPES.read_text(encoding="utf-8") == shapes_text(), "run python -m tests.house.made_pages"


def test_the_words_of_the_shells_are_those_of_the_verbs() -> None:
    assert WORDS.read_text(encoding="utf-8") == words_text(), "run python -m tests.house.made_pages"


def _complete(script: str, words: list[str], folder: Path) -> set[str]:
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    ask = f'COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _memtrial_words; echo "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return set(done.stdout.split())


def test_a_shell_completes_verbs_options_and_choices(warm: Warm, tmp_path: Path) -> None:
    done = warm.call("completion", "bash", cwd=tmp_path, within_s=60)
    assert done.code == 0, done
    assert HOW["bash"] in done.out
    assert _complete(done.out, ["memtrial", "rep"], tmp_path) == {"report"}
    assert set(VERBS) <= _complete(done.out, ["memtrial", ""], tmp_path)
    assert _complete(done.out, ["memtrial", "report", "--fi"], tmp_path) == {"--figures"}
    assert _complete(done.out, ["memtrial", "list", "ga"], tmp_path) == {"gates"}
    assert {"--json", "--help"} <= set(read_words("compare").options)
    if shutil.which("zsh"):
        script = warm.call("completion", "zsh", cwd=tmp_path, within_s=60).out
        subprocess.run(["zsh", "-n", "-c", script], check=True)


def test_the_script_for_fish_has_a_line_a_verb_and_an_option(warm: Warm, tmp_path: Path) -> None:
    lines = warm.call("completion", "fish", cwd=tmp_path, within_s=60).out.splitlines()
    assert sum("__fish_use_subcommand" in line for line in lines) == len(VERBS)
    assert any("seen_subcommand_from report" in line and "-l figures" in line for line in lines)
    assert all(line.count("'") % 2 == 0 for line in lines if "\\'" not in line)


def test_no_line_of_compare_needs_more_than_a_hundred_columns(
    warm: Warm, finished: Path, tmp_path: Path
) -> None:
    shutil.copytree(finished, tmp_path, symlinks=True, dirs_exist_ok=True)
    done = warm.call("compare", "tiny_s0", "tiny_s0", cwd=tmp_path, variables={"COLUMNS": ""}, within_s=60)
    assert done.code == 0, done
    assert max(map(cell_len, done.out.splitlines())) <= 100
    # a table, not a block a row
    assert not [line for line in done.out.splitlines() if line.lstrip().startswith("change: ")]
