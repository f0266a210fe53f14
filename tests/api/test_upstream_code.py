"""A bank of ours, read by ReasoningBank's own code: the same records, and the same bytes below the prompt.

Runs where REASONING_BANK names a checkout with its history, `git clone google-research/reasoning-bank`.
"""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from memtrial.agents.react import SYSTEM
from memtrial.api.interchange.bank_export import BankChoice, export_bank
from memtrial.api.interchange.bank_import import import_bank
from memtrial.memory.interchange.upstream_record import BETWEEN, UpstreamRecord
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.plugins.bank_memory import open_bank_memory
from memtrial.prompts.control_prompts import load_cue
from memtrial.worlds.world import State, Task
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


def ask_upstream(place: Path, form: Form, site: str, queries: list[str]) -> dict[str, Any]:
    """What upstream's code makes of the bank below a working directory."""
    sources = place / "sources"
    for name in SOURCES[form]:
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        show = ["git", "-C", str(CHECKOUT), "show", f"{VERSION}:{name}"]
        (sources / name).write_bytes(subprocess.check_output(show))
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
