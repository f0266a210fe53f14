"""A process that answers with a model's weights, and goes when the one that started it is gone.

It runs as a script of its own, of the standard library and `xllamacpp` alone. On its standard input it gets
the order, a line of JSON; when the input ends, or its parent is another process, it ends: nobody is left to
ask it, also where that one was killed. It reports in a line of JSON, on the descriptor that its argument
names, that it answers, or why it does not. What the server says goes to its standard error.
"""

import json
import os
import select
import sys
from typing import Any, NoReturn

CONTROL = 0
LOOK_S = 0.5


def open_server(order: dict[str, Any]) -> Any:
    """The server of an order, which answers from now on; RuntimeError where it cannot.

    Source: the fields of llama.cpp's own options, as xllamacpp names them.
    """
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = order["path"]
    params.model_alias = {order["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = order["port"]
    params.api_keys = [order["key"]]
    params.n_ctx = order["context"]
    # one request at a time: its processor time is what a server on a small machine lacks
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    # what a conversation shares with the request before it is computed once
    params.cache_prompt = True
    params.cache_ram_mib = order["cached_mib"]
    params.ui = False
    return Server(params)


def wait(parent: int) -> None:
    """Wait until nobody can ask any more."""
    while os.getppid() == parent:
        ready, _, _ = select.select([CONTROL], [], [], LOOK_S)
        if ready and not os.read(CONTROL, 4096):
            return


def serve(report: int, parent: int) -> NoReturn:
    """Carry one order out."""
    os.set_inheritable(report, False)
    with open(CONTROL, "rb", closefd=False, buffering=0) as control:
        order = json.loads(control.readline())
    try:
        server = open_server(order)
    except (RuntimeError, OSError, ValueError, TypeError, AttributeError, ImportError) as fault:
        os.write(report, json.dumps({"why": f"{type(fault).__name__}: {fault}"}).encode() + b"\n")
        os._exit(1)
    os.write(report, json.dumps({"address": str(server.listening_address)}).encode() + b"\n")
    os.close(report)
    wait(parent)
    # its threads may be at work, and nobody waits for what they make
    os._exit(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
