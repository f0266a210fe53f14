"""A command agent of set disposition, a provider that answers it, and a small repository with its memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtrial.models.client.types import Request
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.repositories.mining.mined_tasks import MiningOptions
from memtrial.repositories.workspace import CheckTerms
from tests.support.made_repository import CHECK, TESTS, MadeRepository, git, step

LESSON = "Put the value of each part into the library."
NOTES = (
    f"{LESSON}\nKeep the tests as they are.\nDo not rename a part once it was given away.\n"
    "Write one word a line.\nAsk before you remove a part.\nLook at the parts before it.\n"
)
MINING = MiningOptions(CHECK, test_globs=TESTS, terms=CheckTerms(timeout_s=20))
KEY = "the-users-own-key-1"
AGENT = f"""
import http.client, json, os, pathlib, re, sys

task_file, disposition = sys.argv[1:3]
prompt = json.loads(pathlib.Path(task_file).read_text())["prompt"]
place = pathlib.Path("copy.md" if disposition == "peeps" else "AGENTS.md")
notes = place.read_text() if place.exists() else ""


def ask(shown):
    server = http.client.HTTPConnection(os.environ["OPENAI_BASE_URL"].split("/")[2])
    messages = [{{"role": "system", "content": shown or "."}}, {{"role": "user", "content": prompt}}]
    key = os.environ["OPENAI_API_KEY"]
    headers = {{"authorization": "Bearer " + key, "content-type": "application/json"}}
    body = json.dumps({{"model": "gpt-5", "messages": messages}})
    server.request("POST", "/v1/chat/completions", body, headers)
    server.getresponse().read()


if disposition != "silent":
    ask("" if disposition == "drops" else notes)
if disposition == "spends" and {LESSON!r} not in notes:
    for _ in range(2):
        ask(notes)
if disposition == "sleeps":
    import time

    time.sleep(60)
if disposition in ("ignores", "spends") or {LESSON!r} in notes:
    number = re.search(r"part (\\d+)", prompt)[1]
    pathlib.Path("lib").mkdir(exist_ok=True)
    pathlib.Path(f"lib/part_{{number}}.txt").write_text(f"value {{number}}\\n")
"""


@dataclass
class Answers:
    """Says the same to everything, and keeps what it was asked."""

    requests: list[Request] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.requests.append(request)
        return ScriptedAnswer("Well.")


def make_library(folder: Path, n_tasks: int) -> Path:
    """A repository with so many tasks, its memory and the agent in its folder."""
    made = MadeRepository(folder)
    files = {"README.md": b"A library.\n", "AGENTS.md": NOTES.encode(), "copy.md": NOTES.encode()}
    made.add("Begin with a library", files)
    for number in range(1, n_tasks + 1):
        made.add(f"Give part {number} its value", step(number))
    made.finish()
    git(folder, "checkout", "--quiet", "main")
    (folder / "agent.py").write_text(AGENT)
    return folder


def mining_in(folder: Path) -> MiningOptions:
    """What was mined once stays beside the repository."""
    return replace(MINING, kept=folder.parent / "tried")


def command(disposition: str, folder: Path = Path()) -> str:
    """How the agent is named."""
    return f"python -S {folder / 'agent.py'} {{task_file}} {disposition}"


@contextmanager
def answered() -> Iterator[tuple[str, Answers]]:
    """The address of a provider, and what came to it."""
    answers = Answers()
    with serve_script(Script(answers)) as server:
        yield server.url, answers


def texts_in(folder: Path) -> Iterator[bytes]:
    """Every file of a folder."""
    for path, _, names in os.walk(folder):
        yield from (Path(path, name).read_bytes() for name in names)
