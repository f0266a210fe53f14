"""The memory files of an agent that lie in a folder of the user's; they are read and never written."""

import re
from dataclasses import dataclass
from pathlib import Path

from memtrial.coding_agents.agent_record import AgentRecord, MemoryPlace
from memtrial.coding_agents.skill_file import split_skill
from memtrial.faults import SpecFault

LARGEST = 1024 * 1024
IMPORT = re.compile(r"(?<!\S)@([^\s`]{1,300})")


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file that is put on trial.

    Args:
        path: relative to the work tree; of a memory folder the name alone.
        head: what stays in every condition: the front matter of a skill, else empty.
        text: what is damaged, or taken away.
    """

    path: str
    place: MemoryPlace
    head: str
    text: str


def find_memory_files(record: AgentRecord, source: Path) -> tuple[MemoryFile, ...]:
    """The files of a folder from which the agent takes memory, in the order of its record.

    Raises:
        SpecFault: a file is no text, too large, a link out of the folder, or imports what is taken away.
    """
    kept: list[MemoryFile] = []
    for place in record.places:
        if place.kind != "memory folder":
            paths = sorted(path for path in source.glob(place.pattern) if path.is_file())
            kept += (_read_file(place, path, path.relative_to(source).as_posix(), source) for path in paths)
    _refuse_imports(tuple(kept))
    return tuple(kept)


def read_memory_folder(record: AgentRecord, folder: Path) -> tuple[MemoryFile, ...]:
    """The files of a folder of memory, as Claude Code keeps one for each project. SpecFault as above."""
    place = next((place for place in record.places if place.kind == "memory folder"), None)
    if place is None:
        raise SpecFault(f"{record.name} keeps no folder of memory; got {folder}; name an agent that does")
    paths = sorted(path for path in folder.glob("*.md") if path.is_file())
    if not paths:
        raise SpecFault(f"a folder of memory holds files that end in .md; {folder} has none")
    return tuple(_read_file(place, path, path.name, folder) for path in paths)


def _read_file(place: MemoryPlace, path: Path, name: str, source: Path) -> MemoryFile:
    if not path.resolve().is_relative_to(source.resolve()):
        raise SpecFault(f"memory is read from within {source}; {name} is a link out of it; put a copy there")
    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise SpecFault(f"a memory file has at most {LARGEST // 2**20} MiB; {name} is larger")
    try:
        # as bytes: line breaks stay what they are
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise SpecFault(f"a memory file is text in UTF-8; {name} is not; convert it") from None
    head, body = split_skill(text, name) if place.kind == "skill" else ("", text)
    return MemoryFile(name, place, head, body)


def _refuse_imports(files: tuple[MemoryFile, ...]) -> None:
    """SpecFault where a text imports a file that is taken away in every condition."""
    gone = {pattern for file in files for pattern in file.place.stand_ins} - {file.path for file in files}
    for file in files:
        for named in IMPORT.findall(file.text) if file.place.hides_comments else ():
            if named.removeprefix("./") in gone:
                raise SpecFault(
                    f"{file.path} imports {named}, which is taken away in every condition, as the agent reads"
                    f" it in place of {file.path}; put its text into {file.path}"
                )
