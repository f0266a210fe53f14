"""The page of a desk, served by uvicorn in a thread until a block is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from memtrial.pages.desk import Desk
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.page_address import LocalPort, PageAddress, kept_address
from memtrial.pages.page_lock import page_held

if TYPE_CHECKING:
    from starlette.types import ASGIApp

SILENT_S = 30
"""A client that says nothing for so long after an answer is let go."""
CLOSING_S = 15
"""What has begun when the page is closed may take so long to end, so that a decision is committed.

Longer than a form may take to come.
"""


@contextmanager
def serve_page(desk: Desk, address: PageAddress | None = None) -> Iterator[str]:
    """Serve the desk at an address, or on a free port, in a thread, until the block is left; its address.

    Raises:
        OSError: the port is taken.
    """
    # most runs serve no page, and this takes a thirtieth of a second to load
    from memtrial.pages.page_app import build_page_app

    with serve_app(lambda served: build_page_app(desk, served), address, "review page") as shown:
        yield shown


@contextmanager
def serve_app(
    build: Callable[[PageAddress], ASGIApp], address: PageAddress | None = None, name: str = "page"
) -> Iterator[str]:
    """Serve an application that is built for its address as `serve_page` does, in a thread of this name."""
    from uvicorn import Config, Server

    wanted = address or PageAddress()
    with LocalPort(wanted.port) as port:
        served = replace(wanted, port=port.number)
        config = Config(
            build(served),
            loop="asyncio",
            http="h11",
            interface="asgi3",
            lifespan="off",
            ws="none",
            workers=1,
            # the address holds the token; what a stranger sends wrongly is not worth a line
            access_log=False,
            log_config=None,
            log_level="error",
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=SILENT_S,
            timeout_graceful_shutdown=CLOSING_S,
        )
        server = Server(config)
        thread = Thread(target=server.run, args=([port.socket],), name=name, daemon=True)
        thread.start()
        try:
            yield str(served)
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def served_run(desk: DraftDesk) -> Iterator[str]:
    """Serve a run's desk at the address kept in its folder; meanwhile others may decide beside it."""
    address = kept_address(desk.folder)
    with page_held(desk.folder), serve_page(desk, address) as shown:
        yield shown


@dataclass(frozen=True, slots=True)
class ServedPage:
    """The page of a run that is served now; see `runs.setup.reviews.OpenPage`."""

    address: str
    finished: Event


@contextmanager
def serve_run_page(folder: Path, blind: bool) -> Iterator[ServedPage]:
    """Serve the drafts of a run folder while its session waits for the decisions."""
    desk = DraftDesk(folder, blind)
    with served_run(desk) as address:
        yield ServedPage(address, desk.finished)
