"""The scripted server in a process of its own, so that client and server do not share one interpreter."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from memtrial.models.scripted.scripted_server import Running, Script, serve_script

LONGEST_START_S = 60.0


@contextmanager
def served(script: Script) -> Iterator[str]:
    """The address of a server that runs until the block is left."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(script, there), daemon=True)
    process.start()
    try:
        if not here.poll(LONGEST_START_S):
            raise TimeoutError("the scripted server did not start")
        yield str(here.recv())
    finally:
        here.close()
        process.join(5)
        if process.is_alive():
            process.terminate()


def _serve(script: Script, there: Connection) -> None:
    server: Running
    with serve_script(script) as server:
        there.send(server.url)
        # until the other end is closed
        there.poll(None)
