"""The address of a page on this machine alone, with a random token; the folder of a run keeps one."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe
from socketserver import BaseRequestHandler, TCPServer

from memtrial.private_file import private, refuse_foreign, write_private
from memtrial.runs.run_folder.folder import REVIEW_ADDRESS

HOST = "127.0.0.1"
MOST_BYTES = 200


@dataclass(frozen=True, slots=True)
class PageAddress:
    """On this machine alone; port 0 is any that is free."""

    port: int = 0
    token: str = field(default_factory=lambda: token_urlsafe(24))

    @property
    def host(self) -> str:
        """What a browser that was given this very address sends as Host."""
        return f"{HOST}:{self.port}"

    @property
    def origin(self) -> str:
        """What a browser sends as Origin with a form of this page."""
        return f"http://{self.host}"

    def __str__(self) -> str:
        return f"{self.origin}/{self.token}/"


class LocalPort(TCPServer):
    """A port of this machine alone that is held, and listens, until the block is left.

    Args:
        port: 0 takes a free one. OSError where it is taken.
    """

    allow_reuse_address = True
    """A page that was closed leaves its port free at once."""

    def __init__(self, port: int = 0) -> None:
        super().__init__((HOST, port), BaseRequestHandler)

    @property
    def number(self) -> int:
        return self.server_address[1]


def address_of(folder: Path) -> PageAddress:
    """The address that is kept in a run's folder; ValueError or OSError where none is."""
    with open(folder / REVIEW_ADDRESS, encoding="ascii", opener=private) as file:
        port, token = file.read(MOST_BYTES).split()
    return PageAddress(int(port), token)


def kept_address(folder: Path) -> PageAddress:
    """The address kept in a run's folder, the same in each session; anew where its port is taken."""
    path = folder / REVIEW_ADDRESS
    refuse_foreign(path)
    with suppress(ValueError, OSError):
        kept = address_of(folder)
        with LocalPort(kept.port):
            return kept
    with LocalPort() as free:
        made = PageAddress(free.number)
    write_private(path, f"{made.port} {made.token}\n")
    return made
