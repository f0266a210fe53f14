"""A bank of ours, read by ReasoningBank's own code: the same records, and the same bytes below the prompt.

Runs where REASONING_BANK names a checkout with its history, `git clone google-research/reasoning-bank`.
"""

import asyncio
import gzip
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from memtrial.agents.react import SYSTEM
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.api.condense import CondenseOptions, condense
from memtrial.api.interchange.bank_export import BankChoice, export_bank
from memtrial.api.interchange.bank_import import import_bank
from memtrial.memory.interchange.upstream_record import BETWEEN, UpstreamRecord
from memtrial.memory.record_text import show_items
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.bank_memory import open_bank_memory
from memtrial.prompts.control_prompts import load_cue
from memtrial.worlds.world import State, Task
from tests.house.test_readme import part
from tests.support.upstream_code import SOURCES
from tests.support.upstream_slots import REPLIES
from tests.support.warm import ROOT

CHECKOUT, VERSION = os.environ.get("REASONING_BANK"), "ed80611"
WORDS = ("soap", "tea", "paint", "water", "kettle", "fence", "book", "lamp")
Form = Literal["webarena", "swe"]
FOLDER = {"webarena": "memories", "swe": "memory"}
needs_checkout = pytest.mark.skipif(not CHECKOUT, reason="REASONING_BANK names no checkout of upstream")


def write_bank(path: Path, form: Form) -> list[UpstreamRecord]:
    """Upstream's own bank, with a record for each odd reply that is not blank."""
    replies = [reply for reply in REPLIES if reply.strip()]
    records = [
        UpstreamRecord(
            f"{n}", f"{WORDS[n % 8]} {WORDS[n // 8]} number{n}", reply, "success", ["I look."], ["look()"], n
        )
        for n, reply in enumerate(replies)
    ]
    path.write_text("".join(record.line(form) for record in records), "utf-8")
    return records


def fetch_sources(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        show = ["git", "-C", str(CHECKOUT), "show", f"{VERSION}:{name}"]
        (folder / name).write_bytes(subprocess.check_output(show))


def run_lines(folder: Path, name: str, *flags: str) -> None:
    """Lines of the page, run in a folder of upstream's."""
    lines = dedent(part(name))
    command = [sys.executable, "-m", "tests.support.upstream_snippet", *flags]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environment, input=lines, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def ask_upstream(place: Path, form: Form, site: str, queries: list[str]) -> dict[str, Any]:
    """What upstream's code makes of the bank below a working directory."""
    sources = place / "sources"
    fetch_sources(sources, SOURCES[form])
    command = [sys.executable, "-m", "tests.support.upstream_code", str(sources), form, site]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    asked = json.dumps(queries)
    done = subprocess.run(
        command, cwd=place, env=environment, input=asked, capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


@needs_checkout
@pytest.mark.parametrize("form", ["webarena", "swe"])
def test_upstreams_code_shows_what_we_show(form: Form, tmp_path: Path) -> None:
    records = write_bank(tmp_path / "theirs.jsonl", form)
    taken = import_bank(tmp_path / "theirs.jsonl", tmp_path / "ours")
    export_bank(taken.bank, tmp_path / FOLDER[form], BankChoice(form, site="shopping"))
    written = tmp_path / FOLDER[form] / "shopping.jsonl"
    assert written.read_bytes() == (tmp_path / "theirs.jsonl").read_bytes()

    theirs = ask_upstream(tmp_path, form, "shopping", [record.query for record in records])
    assert [ids[:1] for ids in theirs["records"]] == [[record.task_id] for record in records]

    agent = tmp_path / "sources" / SOURCES[form][2]
    cue = load_cue("upstream", None, agent, form)
    assert cue.label == "cue: upstream (verified)"
    memory = open_bank_memory(taken.bank, HashingEmbedder(), 1, "task")
    bare = SYSTEM.render({"rules": "Rules.", "memory": ""})
    for n, (record, suffix) in enumerate(zip(records, theirs["shown"], strict=True)):
        task = Task(f"new{n}", record.query, "", "", "test")
        slot = asyncio.run(memory.recall(task, State("")))
        prompt = SYSTEM.render({"rules": "Rules.", "memory": replace(slot, cue=cue.text).text})
        assert prompt == bare + suffix, record.reply
        assert BETWEEN.join(record.reply.split(BETWEEN)) == record.reply


@needs_checkout
def test_upstreams_own_function_fills_the_cache(tmp_path: Path) -> None:
    write_bank(tmp_path / "theirs.jsonl", "webarena")
    taken = import_bank(tmp_path / "theirs.jsonl", tmp_path / "ours")
    fetch_sources(tmp_path, ["WebArena/memory_management.py"])
    place = tmp_path / "WebArena" / "memories"
    cache = export_bank(taken.bank, place, BankChoice("webarena", site="shopping")).cache
    before = cache.read_bytes()
    cache.unlink()
    run_lines(tmp_path / "WebArena", "fill")
    assert cache.read_bytes() == before


@needs_checkout
@pytest.mark.parametrize(("reward", "status", "outcome"), [(1, "success", "success"), (0, "fail", "failure")])
def test_upstreams_own_script_writes_what_our_condenser_made(
    tmp_path: Path, reward: int, status: str, outcome: Literal["success", "failure"]
) -> None:
    names = ("induce_memory.py", "prompts/memory_instruction.py", "utils/clients.py")
    fetch_sources(tmp_path, [f"WebArena/{name}" for name in names])
    place, steps = tmp_path / "WebArena", [("The lamp is red.", "press('a1')"), ("It runs.", "stop()")]
    task = place / "results" / "webarena.47"
    task.mkdir(parents=True)
    (task / "summary_info.json").write_text(json.dumps({"cum_reward": reward}))
    for n, (think, action) in enumerate(steps):
        with gzip.open(task / f"step_{n}.pkl.gz", "wb") as file:
            pickle.dump(SimpleNamespace(agent_info={"think": think, "action": action}), file)
    (place / "config_files").mkdir()
    query = {"intent": "Start the mill.", "intent_template_id": 12}
    (place / "config_files" / "47.json").write_text(json.dumps(query))
    (place / "memories").mkdir()
    flags = ("--result_dir", "results", "--output_path", "memories/shopping.jsonl", "--criteria", "gt")
    run_lines(place, "client", *flags, "--task", "webarena.47")

    trajectory = Trajectory(
        "47", "47", "Start the mill.", outcome, tuple(Step(think, action) for think, action in steps)
    )
    made = condense([trajectory], CondenseOptions(model="simulated/scribe", view="actions"))
    reply = BETWEEN.join(show_items(made.made[0].items))
    record = UpstreamRecord(
        "47", "Start the mill.", reply, outcome, [one for one, _ in steps], [one for _, one in steps], 12
    )
    assert (place / "memories" / "shopping.jsonl").read_text() == record.line("webarena")
    assert json.loads(record.line("webarena"))["status"] == status
    assert reply.startswith("# Memory Item 1")
