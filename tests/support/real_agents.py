"""Real coding agents, played against the scripted server: how a trial of one is made, and what its model saw.

`python -m tests.support.real_agents` records the traces anew that stand in `tests/coding_agents/traces/`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtrial.coding_agents.agent_record import AgentRecord, AgentStart, Connection
from memtrial.coding_agents.memory_files import MemoryFile
from memtrial.coding_agents.memory_tree import MemoryRoots, write_memory
from memtrial.coding_agents.shipped_agents import SHIPPED_AGENTS
from memtrial.models.client.types import Request
from memtrial.models.scripted.coding.coding_answers import CodingAnswers
from memtrial.models.scripted.coding.dispositions import Disposition, FileEdit, ScriptedTask, read_all
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.models.wire import anthropic_messages, openai_chat, openai_responses
from memtrial.models.wire.json_fields import Json

TRACES = Path(__file__).resolve().parents[1] / "coding_agents" / "traces"
WRITERS = {
    module.WIRE: module.write_request for module in (anthropic_messages, openai_chat, openai_responses)
}
LESSON = "Pour the water before you light the fire."
TASK = ScriptedTask(
    prompt="Write answer.txt",
    solution=(FileEdit("answer.txt", "right"),),
    wrong=(FileEdit("answer.txt", "wrong"),),
    lesson=LESSON,
    topic="fire",
    skill="",
)
MEMORY = f'# Notes\n\n- Keep files small.\n- {LESSON}\n\n    indented, with a tab\tand "quotes" and é\n'
LONGEST_KEPT = 400
"""Characters of a text without memory that are kept in a trace: the agents' own prompts are theirs."""


@dataclass
class Kept:
    """Answers by another one, and keeps every request."""

    answers: CodingAnswers
    requests: list[Request] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        self.requests.append(request)
        return await self.answers.say(request, repeat)

    def bodies(self) -> tuple[bytes, ...]:
        """As they came: a request that would be written otherwise is refused by the server."""
        return tuple(json.dumps(WRITERS[request.wire](request)).encode() for request in self.requests)


@dataclass(frozen=True)
class Played:
    """One trial: what was printed, the bodies of its requests, the files of the work tree, the transcript."""

    code: int
    output: str
    bodies: tuple[bytes, ...]
    files: Mapping[str, str]
    kept: str


def play_agent(
    record: AgentRecord,
    place: Path,
    files: tuple[MemoryFile, ...] = (),
    shown: Mapping[str, str] | None = None,
    task: ScriptedTask = TASK,
    others: Mapping[str, str] | None = None,
    disposition: Disposition = read_all,
    say: str = "Write answer.txt as it should be.",
) -> Played:
    """Play one trial in a fresh work tree and home below `place`; `others` are more files of the tree."""
    roots = MemoryRoots(place / "tree", place / "home")
    roots.tree.mkdir()
    roots.home.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=roots.tree, check=True)
    for path, text in (others or {}).items():
        (roots.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (roots.tree / path).write_text(text)
    write_memory(roots, files, shown or {})
    answers = Kept(CodingAnswers((task,), disposition))
    memory = any(file.place.kind == "memory folder" for file in files)
    with serve_script(Script(answers)) as server:
        start = AgentStart(say, roots.home, "gpt-scripted", Connection(server.url, "a-token"), memory)
        launch = record.launch(start)
        for path, text in launch.files.items():
            (roots.home / path).parent.mkdir(parents=True, exist_ok=True)
            (roots.home / path).write_text(text)
        variables = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(roots.home),
            "TMPDIR": str(place),
        }
        done = subprocess.run(
            launch.arguments, cwd=roots.tree, env={**variables, **launch.variables}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
    there = {
        path.relative_to(roots.tree).as_posix(): path.read_text()
        for path in roots.tree.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }
    transcripts = sorted(roots.home.glob(record.transcript)) if record.transcript else []
    kept = transcripts[0].read_text() if transcripts else ""
    return Played(done.returncode, done.stdout.decode(), answers.bodies(), there, kept)


def scrub(value: object, place: str) -> object:
    """A recorded value without paths of a machine, and without the agent's own long prompts."""
    if isinstance(value, dict):
        return {name: scrub(part, place) for name, part in value.items() if name not in ("tools", "metadata")}
    if isinstance(value, list):
        return [scrub(part, place) for part in value]
    if isinstance(value, str):
        text = value.replace(place, "/trial").replace(place.replace("/", "-"), "-trial")
        text = re.sub(r"Linux \d\S+ .*", "Linux", text)
        text = re.sub(
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}", "0", text
        )
        kept = LESSON in text or len(text) <= LONGEST_KEPT
        return text if kept and len(text) < 4_000 else _keep_memory(text)
    return value


def _keep_memory(text: str) -> str:
    """The neighbourhood of the memory in a long prompt; its first words where it holds none."""
    middle = text.find(LESSON)
    if middle < 0:
        return f"{text[:80]} …"
    return f"… {text[max(0, middle - 300) : middle + len(LESSON) + 200]} …"


def record_trace(record: AgentRecord, place: Path) -> None:
    """Play the agent with the memory it can read, and keep a scrubbed trace."""
    file = next((MemoryFile(p.pattern, p, "", MEMORY) for p in record.places if "*" not in p.pattern), None)
    say = "Write answer.txt as it should be."
    if file is None:
        say = f"<memory>\n{MEMORY}\n</memory>\n\n{say}"
    files = () if file is None else (file,)
    played = play_agent(record, place, files, {file.path: file.text} if file else {}, say=say)
    requests = [scrub(json.loads(body), str(place)) for body in played.bodies]
    printed = scrub(list_lines(played.output or "{}"), str(place))
    usage_of = json.loads(played.kept) if record.name == "mini-swe-agent" else None
    stats = usage_of and {
        "info": {"model_stats": usage_of["info"]["model_stats"]},
        "messages": _usages(usage_of),
    }
    trace = {"agent": record.name, "version": record.pinned, "recorded": record.seen, "code": played.code}
    trace |= {"requests": requests, "printed": [] if stats else printed, "trajectory": stats}
    text = json.dumps(trace, indent=1, ensure_ascii=False)
    (TRACES / f"{record.name}.json").write_text(f"{text}\n", encoding="utf-8")


def _usages(trajectory: Json) -> list[Json]:
    extras = [message.get("extra", {}) for message in trajectory["messages"]]
    replies = [extra["response"] for extra in extras if "response" in extra]
    return [{"extra": {"response": {"usage": reply["usage"]}}} for reply in replies]


def list_lines(output: str) -> list[object]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


if __name__ == "__main__":
    TRACES.mkdir(exist_ok=True)
    for record in SHIPPED_AGENTS:
        if shutil.which(record.program) and (not sys.argv[1:] or record.name in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as folder:
                record_trace(record, Path(folder))
