"""`local/<name or path.gguf>`: weights on this machine, through a server that a run starts and ends."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import ClassVar
from zlib import crc32

from memtrial.models.client.content_blocks import encode
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import ModelFault, ProviderFault, Reply, Request
from memtrial.models.providers.dspy import DspyBackend
from memtrial.models.providers.local.weights_file import Weights, find_weights
from memtrial.models.providers.local.weights_process import SCRIPT, WeightsProcess, start_server
from memtrial.models.providers.provider_table import Provider, Reached
from memtrial.models.wire.json_fields import unpack

GOING_S = 1.0
OWN_SERVER = Provider("local", "", key_needed=False, embeddings=None, closing="grammar")
"""What is asked: a llama.cpp server, wherever it was started."""


@dataclass
class LocalBackend:
    """Weights that are asked as any provider's model; their server is this process's, and ends with it.

    A server that died is started again, and what was in flight is asked again. Where it dies again before it
    answered anything, the request in hand is given up, and the next one gets a new server.

    Args:
        log: the file for what the server says; None: nothing is kept.
        script: what is run in the server's process.
        server: the one that answers now; None before the first request.
    """

    weights: Weights
    keys: Keys
    max_reply_bytes: int
    log: Path | None = None
    script: Path = SCRIPT
    server: WeightsProcess | None = None
    _inner: DspyBackend | None = None
    _answered: bool = True
    _starting: Lock = field(default_factory=Lock)
    free: ClassVar[bool] = False

    def load(self) -> None:
        """As `Loads.load`: the server answers when this returns. ModelFault where it cannot be started."""
        with self._starting:
            if self.server is None or self.server.ended:
                self.server = start_server(self.weights, self.log, self.script)
                reached = Reached(OWN_SERVER, self.server.address, self.server.key, "", "")
                name = self.weights.served_name
                self._inner = DspyBackend(reached, name, self.keys, self.max_reply_bytes)
                self._inner.load()

    async def answer(self, request: Request, repeat: int) -> Reply:
        """As `Backend.answer`. That the server died is a fault that heals, once."""
        try:
            await self._restart()
        except ModelFault as fault:
            raise ProviderFault(f"{request.model}: {fault}", "connection", heals=False) from None
        assert self._inner is not None
        try:
            reply = await self._inner.answer(seed_draw(request, repeat), repeat)
        except ProviderFault as fault:
            if fault.kind != "connection" or not await self._died():
                raise
            heals, self._answered = self._answered, not self._answered
            where = "" if self.log is None else f"; its log: {self.log}"
            again = "it is started again" if heals else "it died at this request before"
            raise ProviderFault(
                f"{request.model}: its server died; {again}{where}", "connection", heals
            ) from None
        self._answered = True
        return reply

    async def _restart(self) -> None:
        """Start the server where there is none, or none any more."""
        if self.server is None or self.server.ended:
            if self._inner is not None:
                await self._inner.close()
            await asyncio.to_thread(self.load)

    async def _died(self) -> bool:
        """Whether the server is gone; its connections end a moment before it does."""
        return self.server is None or await asyncio.to_thread(self.server.ends_within, GOING_S)

    async def close(self) -> None:
        """End the server."""
        if self._inner is not None:
            await self._inner.close()
        if self.server is not None:
            await asyncio.to_thread(self.server.stop)
        self.server = self._inner = None


def seed_draw(request: Request, repeat: int) -> Request:
    """The request with a seed for its draw of tokens, its own in each repeat: asked again, it is answered
    alike, but for the rounding that depends on what the server computed before."""
    seed = crc32(request.digest + repeat.to_bytes(8, "big", signed=True) + request.draw.encode())
    return replace(request, settings=encode({"seed": seed} | dict(unpack(request.settings))))


def open_local(model: str, keys: Keys, max_reply_bytes: int, logs: Path | None = None) -> LocalBackend:
    """The backend of `local/…`, ModelFault where it cannot be had; no server is started.

    Args:
        logs: the folder of a run's logs, where the server's own is kept.
    """
    weights = find_weights(model)
    log = None if logs is None else logs / f"{weights.path.stem}.server.log"
    return LocalBackend(weights, keys, max_reply_bytes, log)
