"""`serve-scripted`: a server on loopback that stands in for a provider, for dry runs and tests."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.console.standard_output import put
from memtrial.faults import refused

if TYPE_CHECKING:
    from memtrial.models.scripted.scripted_server import Script


def serve_scripted(
    answers: Annotated[
        str, typer.Option(help="simulated/<name>, or several with commas.")
    ] = "simulated/reader",
    faults: Annotated[Path | None, typer.Option(help="What goes wrong, a YAML or JSON list.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    log: Annotated[Path | None, typer.Option(help="A JSON line for each request goes here.")] = None,
) -> None:
    """A provider on this machine that answers by script: Anthropic's and OpenAI's API, for dry runs."""
    from memtrial.models.scripted.fault_script import read_faults
    from memtrial.models.scripted.protocol import ScriptFault
    from memtrial.models.scripted.scripted_answers import answers_from
    from memtrial.models.scripted.scripted_server import Script

    # prints the address first, then the two variables that send the providers' clients there
    with refused(ScriptFault):
        entries = read_faults(faults) if faults is not None else ()
        script = Script(answers_from(answers), entries, log=log)
        asyncio.run(_serve(script, port))


async def _serve(script: Script, port: int) -> None:
    from memtrial.models.scripted.scripted_server import scripted_server
    from memtrial.runs.engine.interrupt import ending_signals

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in ending_signals():
        loop.add_signal_handler(name, stop.set)
    async with scripted_server(script, port) as server:
        put(f"{server.url}\nANTHROPIC_BASE_URL={server.url}\nOPENAI_BASE_URL={server.openai_url}")
        await stop.wait()
