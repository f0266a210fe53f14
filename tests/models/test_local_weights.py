"""Weights on this machine: which files are taken, and the life of the server that answers with them."""

import asyncio
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from memtrial.models.client.keys import Keys
from memtrial.models.client.types import Message, ModelFault, ProviderFault, Request
from memtrial.models.providers.local import weights_process
from memtrial.models.providers.local.gguf_file import check_gguf, digest_gguf
from memtrial.models.providers.local.local_backend import LocalBackend, seed_draw
from memtrial.models.providers.local.weights_file import Weights, find_weights, refuse_too_large
from memtrial.models.providers.local.weights_process import free_port, leave_keys_out, start_server, threads
from memtrial.models.providers.open import is_simulated

STAND_IN = Path(__file__).parents[1] / "support" / "weights_stand_in.py"
MODEL = "local/small.gguf"


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(n_numbers: int = 64, kind: int = 2, version: int = 3) -> bytes:
    """A file with settings of several kinds and one tensor of blocks of 32 numbers in 18 bytes."""
    settings = [
        text("general.name") + struct.pack("<I", 8) + text("small"),
        text("general.alignment") + struct.pack("<II", 4, 64),
        text("rope.base") + struct.pack("<If", 6, 1e4),
        text("words") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc"),
        text("types") + struct.pack("<IIQ", 9, 5, 3) + struct.pack("<iii", 1, 2, 3),
    ]
    tensor = text("weight") + struct.pack("<IQQIQ", 2, 32, n_numbers // 32, kind, 0)
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(settings)) + b"".join(settings) + tensor
    return head.ljust(-(-len(head) // 64) * 64, b"\0") + bytes(n_numbers // 32 * 18)


def test_a_whole_file_is_taken_and_named_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    path.write_bytes(gguf())
    assert check_gguf(path) == len(gguf())
    assert digest_gguf(path) == sha256(gguf()).hexdigest()
    weights = Weights(path, len(gguf()))
    assert weights.served_name == f"small@sha256:{sha256(gguf()).hexdigest()[:16]}"
    path.write_bytes(gguf(128))
    assert digest_gguf(path) == sha256(gguf(128)).hexdigest(), "a changed file has another digest"
    # of a kind that is not known yet the last bytes are not counted
    path.write_bytes(gguf(64, kind=99))
    assert check_gguf(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (gguf()[:-1], "bytes of .*: it is cut off"),
        (gguf()[:100], "ends within its header"),
        (b"", "begins with b''"),
        (b"PK\3\4" + gguf()[4:], r"begins with b'PK\\x03\\x04'"),
        (gguf(version=1), "its version is 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), "claims 1,152,921,504,606,846,976 entries"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<IIQ", 9, 8, 2**50), "claims"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<IQ", 8, 2**50), "bytes long"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<II", 77, 0), "unknown kind 77"),
        (None, "there is no"),
        ("folder", "is a folder"),
    ],
)
def test_what_is_no_whole_file_of_weights_is_refused_in_one_line(
    tmp_path: Path, content: bytes | str | None, why: str
) -> None:
    path = tmp_path / "small.gguf"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.mkdir()
    with pytest.raises(match=why) as raised:
        check_gguf(path)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)


def test_weights_that_do_not_fit_into_memory_are_refused() -> None:
    path, gib = Path("big.gguf"), 1 << 30
    refuse_too_large(path, gib, 2 * gib)
    refuse_too_large(path, gib, None)
    with pytest.raises(ModelFault, match=r"big.gguf needs about 4.5 GiB of memory, and 2.0 GiB are free"):
        refuse_too_large(path, 4 * gib, 2 * gib)


def test_a_name_that_nobody_knows_is_refused_and_weights_are_no_simulation() -> None:
    with pytest.raises(ModelFault, match=r"write local/smollm2, or local/path/to/file.gguf"):
        find_weights("local/gpt")
    assert not is_simulated(MODEL)


# -- the server --------------------------------------------------------------------------------------------


def weights_of(tmp_path: Path, conduct: str = "") -> Weights:
    path = tmp_path / "small.gguf"
    path.write_text(conduct, encoding="utf-8")
    return Weights(path, len(conduct))


def backend_of(tmp_path: Path, conduct: str = "") -> LocalBackend:
    log = tmp_path / "logs" / "server.log"  # nobody made its folder
    return LocalBackend(weights_of(tmp_path, conduct), Keys({}), 1 << 20, log, STAND_IN)


def is_alive(process: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(process: int) -> bool:
    until = time.monotonic() + 20
    while is_alive(process) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_alive(process)


def request(text: str) -> Request:
    return Request(MODEL, (Message("user", text),))


def test_it_starts_at_the_first_request_and_ends_with_the_backend(tmp_path: Path) -> None:
    async def talk() -> tuple[str, str, int]:
        backend = backend_of(tmp_path)
        backend.load()
        assert backend.server is not None
        process = backend.server.process.pid
        replies = [await backend.answer(request(words), 0) for words in ("one", "two")]
        assert backend.server.process.pid == process, "one server for all requests"
        await backend.close()
        await backend.close()
        return replies[1].text, replies[0].model, process

    said, name, process = asyncio.run(talk())
    seed = json.loads(seed_draw(request("two"), 0).settings)["seed"]
    assert said == f"heard two, seed {seed}"
    assert name == weights_of(tmp_path).served_name
    assert not is_alive(process)
    log = tmp_path / "logs" / "server.log"
    assert "a request" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_equal_request_is_drawn_alike_and_another_repeat_anew() -> None:
    seeds = [
        json.loads(seed_draw(request(words), repeat).settings)["seed"]
        for words, repeat in (("one", 0), ("one", 0), ("one", 1), ("two", 0), ("one", -1))
    ]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 4


def test_a_server_that_died_is_started_again_and_one_that_dies_of_a_request_gives_it_up(
    tmp_path: Path,
) -> None:
    async def talk() -> None:
        backend = backend_of(tmp_path)
        assert (await backend.answer(request("one"), 0)).text.startswith("heard one, seed ")
        assert backend.server is not None
        os.kill(backend.server.process.pid, signal.SIGKILL)
        # whoever asks next finds a new server, or hears that what was in flight is to be asked again
        with pytest.raises(ProviderFault, match="its server died; it is started again") as raised:
            await backend.answer(request("poison"), 0)
        assert raised.value.heals
        with pytest.raises(ProviderFault, match="died at this request before") as raised:
            await backend.answer(request("poison"), 0)
        assert not raised.value.heals
        assert str(tmp_path / "logs" / "server.log") in str(raised.value)
        assert (await backend.answer(request("two"), 0)).text.startswith("heard two, seed ")
        await backend.close()

    asyncio.run(talk())


def test_a_port_that_is_taken_is_left_for_another(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = [taken.getsockname()[1], free_port()]
        wanted = iter(ports)
        server = start_server(weights_of(tmp_path), None, STAND_IN, lambda: next(wanted))
        assert server.address == f"http://127.0.0.1:{ports[1]}/v1"
        server.stop()
        with pytest.raises(ModelFault, match="no server could be started") as raised:
            start_server(weights_of(tmp_path), None, STAND_IN, lambda: ports[0])
    assert "\n" not in str(raised.value)
    assert server.ended


def test_a_server_that_cannot_start_says_why_once(tmp_path: Path) -> None:
    log, tries = tmp_path / "server.log", []

    def count() -> int:
        tries.append(free_port())
        return tries[-1]

    with pytest.raises(ModelFault, match=r"small.gguf: load: unknown architecture; its log: .*server.log$"):
        start_server(weights_of(tmp_path, "unable"), log, STAND_IN, count)
    assert len(tries) == 1, "another port changes nothing"
    with pytest.raises(ModelFault, match=r"small.gguf: cannot serve that$"):
        start_server(weights_of(tmp_path, "unable"), None, STAND_IN)


STARTER = """
import sys, time
from pathlib import Path
from memtrial.models.providers.local.weights_process import start_server
from memtrial.models.providers.local.weights_file import Weights
server = start_server(Weights(Path(sys.argv[1]), 0), None, Path(sys.argv[2]))
print(server.process.pid, flush=True)
time.sleep(600)
"""


def test_it_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    path = weights_of(tmp_path).path
    run = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(path), str(STAND_IN)], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    server = int(run.stdout.readline())
    assert is_alive(server)
    run.kill()
    run.wait()
    run.stdout.close()
    assert wait_until_gone(server)


def test_two_servers_live_beside_each_other(tmp_path: Path) -> None:
    first, second = (start_server(weights_of(tmp_path), None, STAND_IN) for _ in range(2))
    assert first.address != second.address
    assert first.key != second.key
    first.stop()
    assert not second.ended
    second.stop()
    assert threads() >= 1
    assert weights_process.SCRIPT.is_file()


def test_a_server_gets_no_key_of_a_provider() -> None:
    kept = leave_keys_out({"OPENAI_API_KEY": "sk-0", "x_auth_token": "t", "HOME": "/home/me"})
    assert kept.keys() == {"HOME", "PYTHONPATH"}
