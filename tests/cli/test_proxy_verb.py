"""`proxy` as a process: what it prints, how it ends, what it refuses, and that it leaves nothing then."""

import json
import signal
import socket
import time
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.proxy.exchange_folder import read_exchanges
from tests.support.process import LOOK_S, begin
from tests.support.refusing import Warm, files_in

QUESTION = json.dumps(
    {"model": "claude-haiku-4-5", "max_tokens": 50, "messages": [{"role": "user", "content": "Go."}]}
).encode()
KEY = "own-key-of-the-user"


@contextmanager
def proxying(folder, url, *options):
    """The command before a server, in a process of its own, once it has said its first line."""
    verb = ("proxy", "--base-url", f"anthropic={url}", *options)
    process = begin(folder, verb=verb, environment={"ANTHROPIC_API_KEY": KEY})
    try:
        while "\n" not in process.told():
            assert process.poll() is None, process.err.read_text()
            time.sleep(LOOK_S)
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_tells_each_request_and_sums_up(number, tmp_path):
    with serve_script(Script(answers_from("simulated/reader"))) as server:
        with proxying(tmp_path, server.url, "--max-calls", "2") as process:
            lines = process.told().splitlines()
            variables = dict(line.split("=", 1) for line in lines[1:5])
            assert lines[0] == variables["ANTHROPIC_BASE_URL"]
            assert f"{lines[0]}/v1" == variables["OPENAI_BASE_URL"]
            headers = {"x-api-key": variables["ANTHROPIC_API_KEY"]}
            for _ in range(2):
                urlopen(Request(f"{lines[0]}/v1/messages", QUESTION, headers))
            for wrong in (headers, {"x-api-key": "no"}):
                with pytest.raises(HTTPError):
                    urlopen(Request(f"{lines[0]}/v1/messages", QUESTION, wrong))
            process.send(number)
            code, err = process.ended(10)
            assert code == 0
            assert "goes to 127.0.0.1" in err
            assert "openai is not reached" in err
            assert KEY not in err + process.told()
        *told, last = process.told().splitlines()[5:]
    assert [line.split()[:4] for line in told] == [
        [str(n), "POST", "/v1/messages", status] for n, status in ((1, "200"), (2, "200"), (3, "400"))
    ]
    assert "max_calls 2 is reached" in told[2]
    assert last.startswith("2 calls, ")
    assert "1 refused; 1 without the token; kept in logs/proxy_" in last
    (folder,) = (tmp_path / "logs").iterdir()
    assert len(read_exchanges(folder)) == 3


def test_as_json_every_line_is_an_object(tmp_path):
    with serve_script(Script(answers_from("simulated/reader"))) as server:
        with proxying(tmp_path, server.url, "--json", "--out", "kept") as process:
            begun = json.loads(process.told())
            headers = {"x-api-key": begun["environment"]["ANTHROPIC_API_KEY"]}
            urlopen(Request(f"{begun['url']}/v1/messages", QUESTION, headers))
            process.send(signal.SIGTERM)
            assert process.ended(10)[0] == 0
        _, exchange, end = map(json.loads, process.told().splitlines())
    assert exchange["intent"]["path"] == "/v1/messages"
    assert end["summary"]["calls"] == 1
    assert end["summary"]["input_tokens"] == exchange["end"]["usage"]["input_tokens"]
    assert end["summary"]["usd"] == exchange["end"]["usd"] > 0


def test_what_cannot_be_begun_is_refused_in_one_line_and_nothing_is_written(warm: Warm, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "exchanges.jsonl").write_text("")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        cases = [
            ((), {}, "needs a key"),
            (("--base-url", "http://127.0.0.1:1"), {"ANTHROPIC_API_KEY": KEY}, "got one for no provider"),
            (("--base-url", "groq=http://127.0.0.1:1"), {"ANTHROPIC_API_KEY": KEY}, "got one for groq"),
            (("--max-cost", "nan"), {"ANTHROPIC_API_KEY": KEY}, "max-cost"),
            (("--max-calls", "-1"), {"ANTHROPIC_API_KEY": KEY}, "max-calls"),
            (("--port", port), {"ANTHROPIC_API_KEY": KEY}, f"port {port}"),
            (("--out", "kept"), {"ANTHROPIC_API_KEY": KEY}, "there already"),
            (("--out", "kept/exchanges.jsonl"), {"ANTHROPIC_API_KEY": KEY}, "cannot keep|there already"),
        ]
        before = files_in(tmp_path)
        for options, variables, word in cases:
            done = warm.call("proxy", *options, cwd=tmp_path, variables=variables)
            assert done.code == 2, (options, done.err)
            assert done.err.count("\n") == 1
            assert any(part in done.err for part in word.split("|")), done.err
            assert files_in(tmp_path) == before
