"""Forks `loadbearing` processes on request, with every library loaded: tests then wait for the run alone.

Reads a JSON object a line and answers with one: `begin` forks a process that runs the command line, `poll`
tells its exit code, null while it runs. Each is a process of its own: it can be killed like any other.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from importlib import import_module
from typing import Any

from tests.support.refusing import HEAVY


def load() -> None:
    """What a run loads on its way."""
    for library in ("anthropic", *HEAVY):
        import_module(library)


def become(asked: dict[str, Any]) -> int:
    """The forked process: the command line as a shell would have started it; its exit code."""
    from loadbearing.cli.app import main

    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND), number)
    sys.argv = ["loadbearing", *asked["arguments"]]
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - what the system would print, and its exit code
        traceback.print_exc()
        return 1
    return 0


def serve() -> None:
    """Until nobody asks any more."""
    load()
    codes: dict[int, int] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "begin":
            pid = os.fork()
            if pid == 0:
                code = become(asked)
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
            print(json.dumps(pid), flush=True)
        else:
            pid = asked["pid"]
            if pid not in codes:
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    codes[pid] = os.waitstatus_to_exitcode(status)
            print(json.dumps(codes.get(pid)), flush=True)


if __name__ == "__main__":
    serve()
