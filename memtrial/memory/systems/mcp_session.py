"""A memory server that runs on a copy of its state, asked by the client of the protocol's Python SDK."""

import json
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any

from memtrial.faults import RunFault
from memtrial.memory.systems.mcp_calls import Filling, fill_arguments
from memtrial.memory_relay.server_description import MemoryServer, ToolCall
from memtrial.memory_relay.server_state import copy_state, digest_state

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

MOST_PAGES = 50
LARGEST = 64 * 1024 * 1024
"""Characters of one answer."""


class McpSession:
    """A server that is started with the object and ends with it; calls are waited for.

    Its state is a copy, and so is its home: nothing of its user's is written to, where the description names
    what it works on.
    """

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._kept: TemporaryDirectory[str] | None = None
        self._digest = ""
        self._start(server.state)

    @property
    def identity(self) -> str:
        """What the server calls itself, with its version."""
        about = self._client.server_info
        return "server without a name" if about is None else f"server {about.name} {about.version}".strip()

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of its tools."""
        names, cursor = list[str](), None
        for _ in range(MOST_PAGES):
            page = self._wait_for(partial(self._client.list_tools, cursor=cursor))
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        return tuple(names)

    def write(self, asked: ToolCall, filling: Filling) -> None:
        """Call a tool that changes what the server holds. RunFault as `read`."""
        self._kept = None
        self.read(asked, filling)

    def read(self, asked: ToolCall, filling: Filling) -> Sequence[str]:
        """The texts that a tool gave. RunFault where it failed, ended, or did not answer in time."""
        arguments = fill_arguments(asked.arguments, filling)
        result = self._wait_for(partial(self._client.call_tool, asked.tool, arguments))
        texts = [block.text for block in result.content if block.type == "text"]
        if not texts and result.structured_content is not None:
            texts = [json.dumps(result.structured_content, ensure_ascii=False)]
        if result.is_error:
            raise RunFault(f"{self._name}: {asked.tool} failed: {' '.join(' '.join(texts).split())[:200]}")
        if sum(map(len, texts)) > LARGEST:
            raise RunFault(f"{self._name}: {asked.tool} gave more than {LARGEST // 2**20} MiB")
        return texts

    def keep(self) -> None:
        """Take down the state as it is now, once: what is written by reading can be dropped."""
        if self._state is not None and self._kept is None:
            self._kept = TemporaryDirectory(prefix="mcp-kept-")
            self._digest = digest_state(self._state)
            if self._state.exists():
                copy_state(self._state, Path(self._kept.name, "state"))

    @property
    def has_written(self) -> bool:
        """Whether its state is another than was kept."""
        return self._state is not None and digest_state(self._state) != self._digest

    def drop_written(self) -> bool:
        """Start it anew on the state that was kept; False where no state is named."""
        if self._kept is None:
            return False
        self._end()
        self._start(Path(self._kept.name, "state"))
        return True

    @property
    def _name(self) -> str:
        return f"mcp: memory server {self._server.name}"

    def _start(self, source: Path | None) -> None:
        stack = ExitStack()
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mcp-", ignore_cleanup_errors=True)))
        work, home = folder / "work", folder / "home"
        work.mkdir()
        home.mkdir()
        self._state = None if source is None else folder / "state"
        # a memory that is not there yet is begun by the server
        if source is not None and self._state is not None and source.exists():
            copy_state(source, self._state)
        self._connect(stack, work, home)
        thread = self._wait_for(_thread)
        self._end = weakref.finalize(self, _close, stack, thread)

    def _connect(self, stack: ExitStack, work: Path, home: Path) -> None:
        from anyio.from_thread import start_blocking_portal
        from mcp import Client, MCPError, StdioServerParameters
        from mcp.client.stdio import stdio_client

        start = self._server.start(work, home, self._state)
        command, *words = start.words
        parameters = StdioServerParameters(
            command=command, args=words, env=dict(start.variables), cwd=start.folder
        )
        errors = stack.enter_context(TemporaryFile("w+", encoding="utf-8", errors="replace"))  # noqa: SIM115
        self._portal: BlockingPortal = stack.enter_context(start_blocking_portal())
        asking = Client(
            stdio_client(parameters, errlog=errors), read_timeout_seconds=self._server.entry.timeout_s
        )
        try:
            self._client: Client = stack.enter_context(self._portal.wrap_async_context_manager(asking))
        except (OSError, MCPError, ExceptionGroup) as fault:
            errors.seek(0)
            lines = [line.strip() for line in errors if line.strip()]
            stack.close()
            raise RunFault(
                f"{self._name} cannot be started: {start.words[0]}: {lines[-1] if lines else _first(fault)}"[
                    :400
                ]
            ) from fault

    def _wait_for(self, job: Callable[[], Any]) -> Any:
        from anyio import ClosedResourceError
        from mcp import MCPError

        try:
            return self._portal.call(job)
        except (MCPError, ClosedResourceError, OSError) as fault:
            raise RunFault(f"{self._name} did not answer: {_first(fault)}") from fault


async def _thread() -> int:
    return get_ident()


def _close(stack: ExitStack, thread: int) -> None:
    """End a server. What is left over by cycles may be collected in the thread that would be waited for."""
    if get_ident() == thread:
        Thread(target=stack.close, daemon=True).start()
    else:
        stack.close()


def _first(fault: BaseException) -> str:
    """The first fault of a group, in one line."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return " ".join(str(fault).split())[:200] or type(fault).__name__
