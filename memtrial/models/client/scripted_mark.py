"""The mark by which a scripted server is known: what it answers is no evidence about a language model."""

from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from memtrial.models.client.keys import is_here

MARK = "x-memtrial-scripted"
"""A header of every reply of such a server."""
PATIENCE_S = 2.0


def is_scripted(address: str) -> bool:
    """Whether a scripted server answers at this address; one that is not on this machine is not asked.

    It asks for `/`, which costs nothing. Whoever does not answer in time is taken for none.
    """
    try:
        place = urlsplit(address)
        host, port = place.hostname, place.port
    except ValueError:
        return False
    if place.scheme != "http" or host is None or not is_here(address):
        return False
    connection = HTTPConnection(host, port, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/")
        return connection.getresponse().getheader(MARK) is not None
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
