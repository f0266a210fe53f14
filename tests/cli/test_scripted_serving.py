"""`serve-scripted` as a process: what it prints, what it serves, how it ends, what it refuses."""

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from loadbearing.cli.parts.serve_scripted import serve_scripted
from loadbearing.runs.errors import SpecFault

ROOT = Path(__file__).resolve().parents[2]
BODY = json.dumps(
    {"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "Task: a\n\nObservation: b"}]}
).encode()


@contextmanager
def serving(*arguments):
    """The command in a process of its own; the lines it printed first."""
    code = (
        "import json, sys; from pathlib import Path;"
        "from loadbearing.cli.parts.serve_scripted import serve_scripted;"
        "a = json.loads(sys.argv[1]);"
        "serve_scripted(a[0], a[1] and Path(a[1]), a[2], a[3] and Path(a[3]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process, [process.stdout.readline().strip() for _ in range(3)]
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_serves_and_ends_cleanly(name, tmp_path):
    faults, log = tmp_path / "faults.yaml", tmp_path / "log.jsonl"
    faults.write_text("- {fault: 503, at: [2], retry_after_s: 1}")
    with serving("simulated/reader", str(faults), 0, str(log)) as (process, lines):
        url = lines[0]
        assert lines[1:] == [f"ANTHROPIC_BASE_URL={url}", f"OPENAI_BASE_URL={url}/v1"]
        said = json.loads(urlopen(Request(f"{url}/v1/messages", BODY)).read())
        assert said["content"][0]["text"].startswith("Thought: ")
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{url}/v1/messages", BODY))
        assert (refused.value.code, refused.value.headers["retry-after"]) == (503, "1")
        process.send_signal(name)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["n"], row["fault"], row["status"]) for row in rows] == [(1, None, 200), (2, "503", 503)]
    assert rows[0]["digest"] == rows[1]["digest"]


def test_what_cannot_be_served_is_refused_in_one_line_and_nothing_is_written(tmp_path):
    log, missing, wrong = tmp_path / "log", tmp_path / "missing", tmp_path / "wrong.yaml"
    wrong.write_text("[{fault: 418}]")
    cases = [
        (("simulated/nobody", None, 0, log), "nobody"),
        ((str(missing), None, 0, log), "simulated participants"),
        (("simulated/reader", missing, 0, log), "No such file"),
        (("simulated/reader", wrong, 0, log), "418"),
        (("simulated/reader", None, 70_000, log), "port"),
        (("simulated/reader", None, 0, tmp_path / "no" / "log"), "cannot write the log"),
    ]
    for arguments, word in cases:
        with pytest.raises(SpecFault, match=word) as said:
            serve_scripted(*arguments)
        assert "\n" not in str(said.value)
        assert not log.exists()


def test_a_port_that_is_taken_is_refused_and_nothing_is_written(tmp_path):
    with serving("simulated/reader", None, 0, None) as (_, lines):
        port = int(lines[0].rpartition(":")[2])
        with pytest.raises(SpecFault, match=f"port {port}"):
            serve_scripted("simulated/reader", None, port, tmp_path / "log")
    assert not (tmp_path / "log").exists()
