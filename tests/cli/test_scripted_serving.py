"""`serve-scripted` as a process: what it prints, what it serves, how it ends, what it refuses."""

import json
import signal
import time
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from memtrial.cli.tools.serve_scripted import serve_scripted
from memtrial.faults import SpecFault
from tests.support.process import LOOK_S, begin

BODY = json.dumps(
    {"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "Task: a\n\nObservation: b"}]}
).encode()


@contextmanager
def serving(folder, *options):
    """The command in a process of its own; the lines it printed first."""
    process = begin(folder, *options, verb=("serve-scripted", "--answers", "simulated/reader", "--port", "0"))
    try:
        while process.told().count("\n") < 3:
            assert process.poll() is None, process.err.read_text()
            time.sleep(LOOK_S)
        yield process, process.told().splitlines()
    finally:
        process.kill()


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_serves_and_ends_cleanly(name, tmp_path):
    faults, log = tmp_path / "faults.yaml", tmp_path / "log.jsonl"
    faults.write_text("- {fault: 503, at: [2], retry_after_s: 1}")
    with serving(tmp_path, "--faults", str(faults), "--log", str(log)) as (process, lines):
        url = lines[0]
        assert lines[1:] == [f"ANTHROPIC_BASE_URL={url}", f"OPENAI_BASE_URL={url}/v1"]
        said = json.loads(urlopen(Request(f"{url}/v1/messages", BODY)).read())
        assert said["content"][0]["text"].startswith("Thought: ")
        with pytest.raises(HTTPError) as refused:
            urlopen(Request(f"{url}/v1/messages", BODY))
        assert (refused.value.code, refused.value.headers["retry-after"]) == (503, "1")
        process.send(name)
        assert process.ended(10) == (0, "")
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
    with serving(tmp_path) as (_, lines):
        port = int(lines[0].rpartition(":")[2])
        with pytest.raises(SpecFault, match=f"port {port}"):
            serve_scripted("simulated/reader", None, port, tmp_path / "log")
    assert not (tmp_path / "log").exists()
