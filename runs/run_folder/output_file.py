"""A file that a user names to be written: nothing that is read, or that people filled in, is lost by it."""

from pathlib import Path
from tempfile import TemporaryFile

from memtrial.faults import SpecFault
from memtrial.private_file import refuse_foreign


def refuse_unwritable(path: Path, *kept: Path, option: str = "--out") -> None:
    """A file can be written here, and it is none of those that are read; else SpecFault, of this option."""
    if path.is_dir() or not path.parent.is_dir():
        raise SpecFault(f"{option} needs a file in a folder that is there and can be written; got {path}")
    if path.exists() and any(read.exists() and path.samefile(read) for read in kept):
        raise SpecFault(f"{option} would overwrite what is read: {path}; name another file")
    try:
        refuse_foreign(path)
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as fault:
        raise SpecFault(f"{option} needs a file that can be written; {path}: {fault.strerror}") from fault


def refuse_below(path: Path, folder: Path, option: str = "--out") -> None:
    """No file stands here that is in a folder that is read; else SpecFault, of this option."""
    if path.exists() and folder.is_dir() and folder.resolve() in path.resolve().parents:
        raise SpecFault(
            f"{option} would overwrite what is read: {path}, a file in {folder}; name another file"
        )


def refuse_filled(path: Path, option: str = "--out") -> None:
    """Nothing stands here, or an empty file: what people fill in is never written over; else SpecFault."""
    if path.is_file() and path.stat().st_size:
        raise SpecFault(
            f"{option} needs a new file, as people fill it in; {path} is there: name another, or take it away"
        )


def refuse_other(path: Path, content: str, option: str = "--out") -> None:
    """Nothing stands here, or a file of just this content; else SpecFault, of this option, for a folder in
    which a verb chooses the names."""
    if path.is_file() and path.read_bytes() != content.encode():
        raise SpecFault(
            f"{option} overwrites nothing; {path} is there and holds something else: name another folder"
        )
