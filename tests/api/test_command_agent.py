"""Commands on trial, in a shell, in JavaScript, in Python: their requests prove what they were given."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import memtrial as mt
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.ledger.rows import TrialRow
from memtrial.reports.render.markdown_report import render_markdown
from memtrial.runs.setup.context import workers
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.views.rows.results import Results
from tests.support.plain_provider import KEY, plain_provider
from tests.support.small import write_spec

NOTES = 'When the lamp is red, press the "green" button\\first.'
ACT = 'press the \\"green\\" button'
SHELL = r"""
memory=$(sed -n 's/^ "memory": "\(.*\)",*$/\1/p' "$1")
query=$(sed -n 's/^ "query": "\(.*\)",*$/\1/p' "$1")
curl -sS "$ANTHROPIC_BASE_URL/v1/messages" -H "x-api-key: $ANTHROPIC_API_KEY" \
  -H 'content-type: application/json' -d @- <<END | grep -q 'press it'
{"model": "claude-haiku-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "$memory $query"}]}
END
"""
JAVASCRIPT = """
const fs = require("fs");
const task = JSON.parse(fs.readFileSync(process.argv[3]));
const content = [task.memory, task.query].filter(Boolean).map((text) => ({type: "text", text}));
fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
  method: "POST",
  headers: {"x-api-key": process.env.ANTHROPIC_API_KEY, "content-type": "application/json"},
  body: JSON.stringify({model: "claude-haiku-4-5", max_tokens: 9, messages: [{role: "user", content}]}),
}).then((reply) => reply.json()).then((reply) => {
  const success = reply.content[0].text.includes("press it");
  fs.writeFileSync("result.json", JSON.stringify({success}));
});
"""
PYTHON = """
import json, os, sys, urllib.error, urllib.request
from pathlib import Path

def ask(text):
    said = [{"role": "user", "content": text}]
    body = json.dumps({"model": "claude-haiku-4-5", "max_tokens": 9, "messages": said}).encode()
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "content-type": "application/json"}
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, headers)
    try:
        return json.loads(urllib.request.urlopen(request).read())["content"][0]["text"]
    except urllib.error.HTTPError as fault:
        sys.exit(f"status {fault.code}: {fault.read().decode()}")
"""
TWICE = """
for word in ("first", "second"):
    try:
        ask(word)
    except SystemExit:
        if word == "second":
            sys.exit(1)
"""
EVENTS = """
def post(path):
    headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "content-type": "application/json"}
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + path, b"{}", headers)
    try:
        urllib.request.urlopen(request)
    except urllib.error.HTTPError:
        pass
"""
READS = (
    "sys.exit('press it' not in ask(Path('CLAUDE.md').read_text() if os.path.exists('CLAUDE.md') else '-'))"
)


def answers(said: str) -> tuple[int, str]:
    return 200, "press it" if ACT.replace("\\", "\\\\\\") in said or ACT in said else "no idea"


def play(
    folder: Path, agent: Mapping[str, Any], url: str = "", tasks: int = 2, **more: Any
) -> tuple[list[TrialRow], Results]:
    """The trials of a short run and its results."""
    (folder / "notes.md").write_text(NOTES)
    lines = [
        json.dumps({"id": f"t{n}", "query": f"The lamp is red, {n}.", "odd": "é\n"}) for n in range(tasks)
    ]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    spec = {
        "name": "command",
        "environment": {"world": "given", "tasks": str(folder / "tasks.jsonl")},
        "agent": {**agent, "base": str(folder)},
        "backbone": "own/command",
        "arms": ["none", {"name": "notes", "memory": str(folder / "notes.md")}],
        "conditions": ["filler"],
        "repeats": 1,
        "analysis": {"outcome": "score", "cluster": "task", "flips": 199},
        **more,
    }
    environment = {"ANTHROPIC_API_KEY": KEY} if url else {}
    urls = (f"anthropic={url}",) if url else ()
    # figures would take most of the time
    options = mt.RunOptions(out=folder / "run", base_urls=urls, environment=environment, report=False)
    end = mt.run(spec, options)
    ledger = open_ledger_to_read(folder / "run" / "ledger.sqlite")
    try:
        assert end.results is not None
        return list(ledger.trials()), end.results
    finally:
        ledger.close()


def place(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("program", "name", "code", "agent"),
    [
        ("curl", "agent.sh", SHELL, {"command": "sh agent.sh {task_file}", "outcome": "exit"}),
        ("node", "agent.js", JAVASCRIPT, {"command": "node agent.js --task {task_file}"}),
        (
            "python3",
            "agent.py",
            f"{PYTHON}\n{READS}",
            {"command": "python3 -S agent.py", "outcome": "exit", "carrier": {"file": "CLAUDE.md"}},
        ),
    ],
)
def test_memory_is_proven_metered_and_kept(
    program: str, name: str, code: str, agent: dict[str, Any], tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    place(tmp_path, name, code)
    with plain_provider(answers) as provider:
        rows, results = play(tmp_path, agent, provider.url)
    assert set(provider.keys) == {KEY}, "the command has a token of its own, and the provider the user's key"
    assert {row.status for row in rows} == {"success", "failure"}, [row.cause for row in rows]
    for row in rows:
        given = row.condition != "without"
        assert (row.status == "success") == (row.condition == "intact")
        assert (row.carrying, row.undelivered, row.handed) == (int(given), 0, 0)
        assert (row.calls, row.input_tokens, row.output_tokens) == (1, 100, 10)
        assert row.usd == row.reported_usd == pytest.approx((100 * 1 + 10 * 5) / 1e6)
    assert results.delivery is not None
    assert results.delivery.handed == 0
    kept = tmp_path / "run" / "exchanges" / "session_1"
    text = (kept / "exchanges.jsonl").read_text()
    assert text.count('"how":"answered"') == len(rows)
    assert KEY not in text
    digests = {json.loads(line)["digest"] for line in text.splitlines()}
    assert digests == {path.name for path in (kept / "bodies").iterdir()}


def test_a_command_that_sends_nothing_was_not_seen_to_get_its_memory(tmp_path: Path) -> None:
    command = "grep -q 'the .green. button' {memory_file}"
    rows, _ = play(tmp_path, {"command": command, "outcome": "exit"})
    assert [row.status == "success" for row in rows] == [row.condition == "intact" for row in rows]
    assert {(row.carrying, row.undelivered, row.handed) for row in rows} == {(0, 0, 0), (1, 0, 1)}
    report = render_markdown(mt.load(tmp_path / "run"))
    assert "not seen in a request" in " ".join(report.split())
    assert not (tmp_path / "run" / "exchanges").exists()


def test_memory_that_stands_in_no_request_did_not_reach_the_prompt(tmp_path: Path) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\nask('Are you there?'); ask('Go.')")
    with plain_provider(answers) as provider:
        rows, _ = play(tmp_path, {"command": "python3 -S agent.py", "outcome": "exit"}, provider.url)
    assert {(row.calls, row.undelivered) for row in rows} == {(2, 0), (2, 1)}
    assert "MEMORY TEXT DID NOT REACH THE PROMPT" in render_markdown(mt.load(tmp_path / "run"))


@pytest.mark.parametrize(
    ("statuses", "boundary", "says"),
    [
        ((200, 529), "provider", "the provider failed in the last request of the command: status 529"),
        ((200, 401), "provider", "status 401"),
        ((200, 400), None, "exit code 1"),
        ((200, 404), None, "exit code 1"),
        ((400, 404), "provider", "no request of the command was answered (2 sent); the last: status 404"),
        ((404, 200), None, "exit code 7"),
    ],
)
def test_the_providers_failure_is_not_the_agents(
    statuses: tuple[int, int], boundary: str | None, says: str, tmp_path: Path
) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\n{TWICE}\nsys.exit(7)")
    with plain_provider(lambda said: (statuses["second" in said], "no")) as provider:
        rows, _ = play(tmp_path, {"command": "python3 -S agent.py", "outcome": "exit"}, provider.url, 1)
    assert {(row.status, row.boundary) for row in rows} == {("error" if boundary else "failure", boundary)}
    assert all(says in row.cause for row in rows)


@pytest.mark.parametrize("outcome", ["exit", "result.json"])
def test_without_a_key_it_is_told_why_no_model_answers(outcome: str, tmp_path: Path) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\nask('Go.')")
    rows, results = play(tmp_path, {"command": "python3 -S agent.py", "outcome": outcome}, tasks=1)
    assert {(row.status, row.boundary) for row in rows} == {("error", "provider")}
    assert all("the proxy refused the last request" in row.cause for row in rows)
    assert all("ANTHROPIC_API_KEY" in row.cause for row in rows)
    assert {cell.score for cell in results.cells} == {None}, "what nobody answered is in no mean"


def test_a_path_that_a_command_can_do_without_is_no_error(tmp_path: Path) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\n{EVENTS}\nask('Go.'); post('/v1/events'); sys.exit(7)")
    with plain_provider(answers) as provider:
        rows, _ = play(tmp_path, {"command": "python3 -S agent.py", "outcome": "exit"}, provider.url, 1)
        (tmp_path / "lost").mkdir()
        place(tmp_path / "lost", "agent.py", f"{PYTHON}\n{EVENTS}\npost('/messages'); sys.exit(7)")
        lost, _ = play(
            tmp_path / "lost", {"command": "python3 -S agent.py", "outcome": "exit"}, provider.url, 1
        )
    assert {(row.status, row.cause) for row in rows} == {("failure", "exit code 7")}
    assert {row.status for row in lost} == {"error"}
    assert all(
        "POST /messages is no path that passes; these do: POST /v1/messages" in row.cause for row in lost
    )


@pytest.mark.parametrize(
    ("budget", "sent", "played"),
    [
        ({"max_calls": 7}, 6, 3),  # does not reach to the end of another block
        ({"max_calls": 4}, 4, 0),  # ends in the middle of the first
        ({"max_cost_usd": 0.0007}, 5, 0),
    ],
)
def test_a_budget_ends_the_run_and_nothing_becomes_a_failure(
    budget: dict[str, float], sent: int, played: int, tmp_path: Path
) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\nask(Path(sys.argv[1]).read_text()); ask('Go.')")
    agent = {"command": "python3 -S agent.py {task_file}", "outcome": "exit"}
    with plain_provider(answers) as provider:
        rows, _ = play(tmp_path, agent, provider.url, 3, budget=budget)
    assert len(provider.bodies) == sent
    assert [row.status for row in rows] == ["success"] * played
    assert "budget: " in "".join(path.read_text() for path in (tmp_path / "run" / "logs").iterdir())


def test_what_a_broken_command_cost_is_counted(tmp_path: Path) -> None:
    place(tmp_path, "agent.py", f"{PYTHON}\nask('Go.'); os.kill(os.getpid(), 11)")
    with plain_provider(answers) as provider:
        rows, _ = play(tmp_path, {"command": "python3 -S agent.py"}, provider.url, 1)
    assert {(row.status, row.boundary, row.calls) for row in rows} == {("error", "agent", 1)}
    assert all(row.reported_usd > 0 and "SIGSEGV" in row.cause for row in rows)


def test_a_command_from_python(tmp_path: Path) -> None:
    place(tmp_path, "agent.sh", "grep -q 'press' $1")
    tasks = [{"id": f"t{n}", "query": "The lamp is red."} for n in range(2)]
    words = ["sh", str(tmp_path / "agent.sh"), "{memory_file}"]
    agent = mt.command_agent(words, outcome="exit")
    options = mt.TrialOptions(out=tmp_path / "run", conditions=("filler",), name="sheller", report=False)
    results = mt.trial(agent, tasks, "When the lamp is red, press it.", options=options)
    assert results.backbones == ("own/sheller",)
    scores = {(cell.arm, cell.condition): cell.score for cell in results.cells}
    assert scores == {("none", "without"): 0.0, ("memory", "intact"): 1.0, ("memory", "filler"): 0.0}
    changed = mt.command_agent(
        ["sh", str(tmp_path / "agent.sh"), "{memory_file}"], outcome="exit", timeout_s=9
    )
    with pytest.raises(SpecFault, match=r"changed: agent.timeout_s \(600.0 -> 9.0\)"):
        mt.trial(changed, tasks, "When the lamp is red, press it.", options=options)


SPEC = """
name: mine
environment: {world: given, tasks: tasks.jsonl}
agent: {command: "sh agent.sh {memory_file}", outcome: exit, timeout_s: 20}
backbone: own/mine
arms: [none, {name: notes, memory: notes.md}]
conditions: [filler]
repeats: 1
"""


def test_a_spec_finds_its_files_beside_it_and_another_file_is_another_agent(tmp_path: Path) -> None:
    place(tmp_path, "agent.sh", "true")
    place(tmp_path, "notes.md", NOTES)
    place(tmp_path, "tasks.jsonl", '{"query": "a"}')
    spec = load_spec(write_spec(tmp_path, SPEC))
    assert "base" not in spec.model_dump_json(), "another folder is no other agent"
    assert workers(check_spec(spec), False) == 2, "each is a process, and others may be large"
    options = mt.RunOptions(out=tmp_path / "run", report=False)
    end = mt.run(spec, options)
    assert end.results is not None
    assert {cell.score for cell in end.results.cells} == {1.0}
    place(tmp_path, "agent.sh", "false")
    with pytest.raises(SpecFault, match=r"holds another experiment; changed: .*file of agent.sh"):
        mt.run(spec, options)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("outcome: exit", "outcome: stdout", "agent: outcome: .* got 'stdout'"),
        ("timeout_s: 20", "timeout_s: yes", "agent: timeout_s: .*got True"),
        ("timeout_s: 20", "shell: 20", "agent: shell: no such key"),
        ("world: given, tasks: tasks.jsonl", "world: workshop", "agent.command does tasks of yours"),
        ("memory: notes.md", "memory: notes.md, injection: trigger", "gets its memory once"),
        (
            "timeout_s: 20",
            "env: [NO_SUCH_THING]",
            "agent.env passes variables on that are set; NO_SUCH_THING",
        ),
    ],
)
def test_what_does_not_fit_a_command_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    place(tmp_path, "notes.md", NOTES)
    place(tmp_path, "tasks.jsonl", '{"query": "a"}')
    with pytest.raises(SpecFault, match=says):
        mt.plan(load_spec(write_spec(tmp_path, SPEC.replace(old, new))))
