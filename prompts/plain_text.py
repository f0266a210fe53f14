"""Files that people or other programs wrote, read whole as plain text, or line by line."""

from collections.abc import Callable, Iterator
from pathlib import Path

MOST_BYTES = 256 * 1024 * 1024


def text_of(path: Path, needed: str, fault: Callable[[str], Exception], most_bytes: int = MOST_BYTES) -> str:
    """A file's text, UTF-8 with or without a byte order mark, else `fault`; `needed` begins its message."""
    if not path.is_file():
        # a pipe can block, and a device never ends
        why = "is no plain file" if path.exists() else "cannot be read: it is not there"
        raise fault(f"{needed}; {path} {why}")
    try:
        if path.stat().st_size > most_bytes:
            raise fault(f"{needed}; {path} is larger than {most_bytes // 1024**2} MiB")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as unread:
        raise fault(f"{needed}; {path} cannot be read: {unread}") from unread


def lines_of(
    path: Path, needed: str, fault: Callable[[str], Exception], most_bytes: int = MOST_BYTES
) -> Iterator[tuple[str, str]]:
    """Each line of a text that is not blank, after its place in words; faults as `text_of`."""
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    for number, line in enumerate(text_of(path, needed, fault, most_bytes).split("\n"), 1):
        if line.strip():
            yield f"{path}, line {number}", line
