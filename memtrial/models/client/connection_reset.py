"""A reset in place of an orderly end, so that the other side sees that what came is not whole."""

import socket
import struct
from asyncio import Transport


def reset_connection(transport: Transport) -> None:
    """End a connection at once, without lingering; what was not sent yet is lost."""
    raw = transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
