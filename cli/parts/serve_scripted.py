"""`serve-scripted`: a server on loopback that stands in for a provider, for dry runs and tests."""

from __future__ import annotations

import asyncio
from pathlib import Path

from loadbearing.models.scripted.answers import answers_from
from loadbearing.models.scripted.fault_file import read_faults
from loadbearing.models.scripted.protocol import ScriptFault
from loadbearing.models.scripted.server import Script, scripted_server
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.play.interrupt import ending_signals
from loadbearing.runs.progress.standard_output import put


def serve(
    answers: str,
    faults: Path | None,
    port: int,
    latency_s: float,
    log: Path | None,
    seed: int,
    models: tuple[str, ...] = (),
    echo: bool = False,
) -> None:
    """Serve until Ctrl-C, SIGTERM or a hang-up.

    Prints the address first, then the two variables that send the providers' clients there.

    Args:
        answers: `simulated/<name>`, several with commas, or a JSONL file of answers.
        faults: a YAML or JSON list of what goes wrong; None for nothing.
        port: 0 takes a free one.
        latency_s: how long a model takes to answer, in seconds.
        log: a JSON line for each request is added here; None for no log.
        seed: of the faults that strike by chance.
        models: the model ids there are; any id where it is empty.
        echo: answers carry the body of their request.

    Raises:
        SpecFault: answers or faults cannot be read, the port is taken, or the log cannot be written.
    """
    if not 0 <= latency_s < 3600:
        raise SpecFault(f"the latency is in seconds, from 0 to below 3600; got {latency_s}")
    if not 0 <= port <= 65535:
        raise SpecFault(f"a port is a number from 0 to 65535; got {port}")
    try:
        entries = read_faults(faults) if faults is not None else ()
        script = Script(answers_from(answers), entries, latency_s, echo, seed, models, log)
        asyncio.run(_serve(script, port))
    except ScriptFault as fault:
        raise SpecFault(str(fault)) from fault


async def _serve(script: Script, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ending_signals():
        loop.add_signal_handler(name, stop.set)
    async with scripted_server(script, port) as server:
        put(f"{server.url}\nANTHROPIC_BASE_URL={server.url}\nOPENAI_BASE_URL={server.openai_url}")
        await stop.wait()
