"""A memory system that a spec names by a word, `mem0` or `ace?rounds=3`, opened as a store."""

from hashlib import sha256

from memtrial.faults import refused
from memtrial.memory.systems.notes_store import read_folder
from memtrial.memory.systems.searched_server import digest_server, open_server
from memtrial.memory.systems.shipped_systems import BY_WORD, SHIPPED_SYSTEMS, SystemSettings, check_settings
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.system_store import SystemStore
from memtrial.models.client.client import Caller
from memtrial.plugins.plugin_names import bare, settings_of
from memtrial.protocols import Embedder

WORDS = tuple(system.word for system in SHIPPED_SYSTEMS)


def is_shipped(name: str) -> bool:
    """Whether a memory is named by a word, with or without settings."""
    return bare(name) in BY_WORD


def open_shipped(name: str, caller: Caller, embedder: Embedder) -> SystemStore:
    """A fresh store of the system, which is not imported yet.

    Raises:
        SpecFault: its package is not installed, it has no such setting, its folder no notes, or its file
            describes no server.
    """
    system, chosen = BY_WORD[bare(name)], settings_in_name(name)
    system.find_version()
    if chosen.folder:
        read_folder(chosen.folder)
    door = SystemDoor(caller.ask, embedder)
    by_start = chosen.query == "task-and-start"
    return SystemStore(door, lambda opened: system.open(opened, chosen), chosen.takes_damage, by_start)


def settings_in_name(name: str) -> SystemSettings:
    """The settings of a system; SpecFault where it has no such ones."""
    with refused(ValueError, prefix=f"{name}: "):
        given = settings_of(name)
    return check_settings(BY_WORD[bare(name)], given)


def most_shown(name: str, k: int, all_items: int) -> int:
    """How many items a task is shown at most: by its own setting, else the run's `k`, else all."""
    chosen = settings_in_name(name).k
    return chosen if chosen is not None else all_items if BY_WORD[bare(name)].whole else k


def asks_model(name: str) -> bool:
    """Whether the system asks a model: all do, but for notes that somebody wrote, and servers that are given
    the runs as they are."""
    return is_shipped(name) and settings_in_name(name).asks


def shipped_digests(name: str) -> dict[str, str]:
    """Sha256 of package, version, settings and what it begins with, and of prompts that are ours.

    The version stands in the name of the first, so that a run's plan says it.
    """
    system = BY_WORD[bare(name)]
    known, chosen = system.find_version(), settings_in_name(name)
    notes = sorted(read_folder(chosen.folder).items()) if chosen.folder else []
    if chosen.file:
        server, described = digest_server(open_server(chosen.file))
        known, notes = f"{known}, {server}", [(chosen.file, described)]
    whole = repr((known, sorted(settings_of(name).items()), notes))
    digests = {f"memory system {name}, {known}": sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()}
    return digests | {f"prompt {prompt.name}": prompt.digest for prompt in system.prompts}
