"""The address of a database: whether it is one, and as it may be shown and kept."""

import re
from urllib.parse import unquote

from memtrial.faults import SpecFault

_NAME, _PORT = r"[^@/?#:,\[\]\s]", r"(?::[0-9]*)?"
_HOST = rf"(?:\[[^\[\]\s]*\]|{_NAME}*){_PORT}"
_ADDRESS = re.compile(
    r"(?P<scheme>postgres(?:ql)?://)"
    rf"(?:(?P<user>{_NAME}*)(?::(?P<password>[^@/?#\[\]\s]*))?@)?"
    rf"(?P<place>{_HOST}(?:,{_HOST})*(?:/[^@/?#\s]*)?)"
    r"(?:\?(?P<query>[^?#\s]*))?"
)
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def refuse_address(address: str) -> None:
    """An address is one of PostgreSQL, and its library is installed; else SpecFault.

    One that cannot be taken apart is not shown: nobody knows where its password ends.
    """
    if not address.startswith(("postgresql://", "postgres://")):
        scheme = address.partition(":")[0] if "://" in address else "no scheme"
        raise SpecFault(f"--ledger needs an address postgresql://USER@HOST/DATABASE; got {scheme}")
    if not _ADDRESS.fullmatch(address) or _BROKEN_PERCENT.search(address):
        raise SpecFault(
            "--ledger needs an address postgresql://USER@HOST:PORT/DATABASE; this one cannot be read: in its"
            " parts @ / ? # : % and blanks are written as %40 %2F %3F %23 %3A %25 %20, and a password belongs"
            " into ~/.pgpass or PGPASSWORD"
        )
    try:
        import psycopg  # noqa: F401  (asked for whether it is there)
    except ImportError as fault:
        raise SpecFault(
            "a ledger in PostgreSQL needs psycopg; pip install 'memtrial[postgres]' installs it"
        ) from fault


def hide_password(address: str) -> str:
    """An address that may be shown and kept in a file: it leads to the same database, with no password."""
    parts = _ADDRESS.fullmatch(address)
    if parts is None:
        return "an address that cannot be read"
    user, query = parts["user"], parts["query"] or ""
    words = [word for word in query.split("&") if "password" not in unquote(word.partition("=")[0]).lower()]
    kept = "&".join(words)
    return "".join(
        (
            parts["scheme"],
            "" if user is None else f"{user}@",
            parts["place"],
            f"?{kept}" if kept else "",
        )
    )
