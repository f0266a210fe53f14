"""The address of a run's review page: kept in its folder, so that what a stopped run names is what opens."""

from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from secrets import token_urlsafe

from loadbearing.ledger.private_file import refuse_foreign, write_private
from loadbearing.runs.folder.run_folder import REVIEW_ADDRESS

HOST = "127.0.0.1"
MOST_BYTES = 200


@dataclass(frozen=True, slots=True)
class PageAddress:
    """On this machine alone; port 0 is any that is free."""

    port: int = 0
    token: str = field(default_factory=lambda: token_urlsafe(24))

    def __str__(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"


def kept_address(folder: Path) -> PageAddress:
    """The address of the folder's page; made anew where there is none, or its port is taken.

    Raises:
        OSError: the folder cannot be written, or something foreign stands in the place of the file.
    """
    path = folder / REVIEW_ADDRESS
    refuse_foreign(path)
    if path.exists():
        with suppress(ValueError, OSError), path.open(encoding="ascii") as file:
            port, token = file.read(MOST_BYTES).split()
            with HTTPServer((HOST, int(port)), BaseHTTPRequestHandler):
                return PageAddress(int(port), token)
    with HTTPServer((HOST, 0), BaseHTTPRequestHandler) as free:
        made = PageAddress(free.server_port)
    write_private(path, f"{made.port} {made.token}\n")
    return made
