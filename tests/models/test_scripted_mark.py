"""A scripted server is known by its mark, and nothing else is taken for one."""

import socket
import threading

import pytest

from memtrial.models.client.scripted_mark import is_scripted
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.support.plain_provider import plain_provider
from tests.support.said_lines import Lines


def test_a_scripted_server_is_known_at_each_of_its_addresses():
    with serve_script(Script(Lines(()))) as server:
        assert is_scripted(server.url)
        assert is_scripted(server.openai_url)
    assert not is_scripted(server.url), "it has ended"


def test_a_provider_on_this_machine_is_none():
    with plain_provider(lambda _: (200, "Well.")) as provider:
        assert not is_scripted(provider.url)


@pytest.mark.parametrize("reply", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nx-memtrial-scripted"])
def test_what_does_not_speak_http_is_none(reply):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)
        place = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def answer():
            peer, _ = listener.accept()
            with peer:
                peer.recv(4096)
                peer.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        assert not is_scripted(place)
        thread.join()


@pytest.mark.parametrize(
    "address",
    ["https://127.0.0.1:1", "http://192.0.2.1:80/v1", "http://127.0.0.1:99999", "http://[::1", "nothing", ""],
)
def test_what_is_not_on_this_machine_or_no_address_is_not_asked(address):
    assert not is_scripted(address)
