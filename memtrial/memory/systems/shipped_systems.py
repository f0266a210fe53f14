"""The memory systems that a spec names by a word, what each needs, and how one is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_settings import LEARN_MODES, QUERY_FORMS, LearnMode, QueryForm, settings_of
from memtrial.memory.bank.distillation.distil_messages import PROMPTS as DISTILLER
from memtrial.memory.bank.ranking.shipped_profiles import PAPER, PROFILES
from memtrial.memory.systems.ace_store import AcePlaybook
from memtrial.memory.systems.bank_system import BankSystem
from memtrial.memory.systems.chat_door import CALLS
from memtrial.memory.systems.langmem_store import LangMem
from memtrial.memory.systems.mcp_store import McpMemory
from memtrial.memory.systems.mem0_store import Mem0
from memtrial.memory.systems.notes_store import WRITER, Notes
from memtrial.memory.systems.reasoning_bank_store import ReasoningBankPackage
from memtrial.memory.systems.searched_server import open_server
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.memory.systems.system_store import ItemSystem
from memtrial.prompts.templates import Prompt

MOST = 1_000


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """What a spec may set of a memory system.

    Args:
        k: the most items that a task is shown; None: the run's `retrieval.k`, and all of ACE's.
        rounds: how often ACE's Reflector goes over its insights.
        folder: of notes that somebody wrote; empty: a model writes them.
        file: that describes a memory server.
        profile: by which the ReasoningBank ranks.
        learn: what the ReasoningBank makes of runs.
        consolidate: after so many new items the ReasoningBank is consolidated; None: never.
        query: what the ReasoningBank is searched by.
    """

    k: int | None = None
    rounds: int = 1
    folder: str = ""
    file: str = ""
    profile: str = PAPER.name
    learn: LearnMode = "both"
    consolidate: int | None = None
    query: QueryForm = "task"

    @property
    def asks(self) -> bool:
        """Whether a model of ours writes; SpecFault where the file describes no server."""
        add = open_server(self.file).entry.add if self.file else None
        return (
            self.learn != "raw"
            and not self.folder
            and (not self.file or (add is not None and add.names("note")))
        )

    @property
    def takes_damage(self) -> bool:
        """Whether damage is done in the store: a server has a tool for it. SpecFault as `asks`."""
        return bool(self.file) and open_server(self.file).entry.update is not None


@dataclass(frozen=True, slots=True)
class ShippedSystem:
    """A memory system by its word.

    Args:
        package: as the registry names it; empty where it is this project's own.
        needed: what `pip install` takes.
        sets: the settings that it has, beside `k`.
        must: the setting that it cannot do without.
        whole: all its items are shown, where nothing else is set.
        prompts: those of this project's own that it is asked with.
    """

    word: str
    package: str
    needed: str
    open: Callable[[SystemDoor, SystemSettings], ItemSystem]
    sets: tuple[str, ...] = ()
    must: str = ""
    whole: bool = False
    prompts: tuple[Prompt, ...] = ()

    def find_version(self) -> str:
        """Package and version that are installed; SpecFault where none is."""
        if not self.package:
            return "memtrial"
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            raise SpecFault(
                f"memory: {self.word} needs the package {self.package}, which is not installed; "
                f"pip install {self.needed}"
            ) from None


SHIPPED_SYSTEMS = (
    ShippedSystem("mem0", "mem0ai", "'memtrial[mem0]'", lambda door, _: Mem0(door)),
    ShippedSystem(
        "langmem", "langmem", "'memtrial[langmem]'", lambda door, _: LangMem(door), prompts=(CALLS,)
    ),
    ShippedSystem(
        "reasoning-bank",
        "reasoning-bank",
        "--no-deps reasoning-bank==0.1.1",
        lambda door, _: ReasoningBankPackage(door),
    ),
    ShippedSystem(
        "ace",
        "ace-playbook",
        "'memtrial[ace]'",
        lambda door, chosen: AcePlaybook(door, chosen.rounds),
        ("rounds",),
        whole=True,
    ),
    ShippedSystem(
        "notes", "", "", lambda door, chosen: Notes(door, chosen.folder), ("folder",), prompts=(WRITER,)
    ),
    ShippedSystem(
        "mcp",
        "mcp",
        "'memtrial[mcp]'",
        lambda door, chosen: McpMemory(door, open_server(chosen.file)),
        ("file",),
        must="file",
        prompts=(WRITER,),
    ),
    ShippedSystem(
        "bank",
        "",
        "",
        lambda door, chosen: BankSystem(door, settings_of(chosen.profile, chosen.learn, chosen.consolidate)),
        ("profile", "learn", "consolidate", "query"),
        prompts=DISTILLER,
    ),
)
BY_WORD = {system.word: system for system in SHIPPED_SYSTEMS}


def check_settings(system: ShippedSystem, given: dict[str, object]) -> SystemSettings:
    """The settings of a spec; SpecFault where the system has none of that name, or it is of another kind."""
    allowed = ("k", *system.sets)
    if strange := sorted(given.keys() - set(allowed)):
        raise SpecFault(f"memory: {system.word} has no setting {strange[0]!r}; it has {', '.join(allowed)}")
    for name in ("k", "rounds", "consolidate"):
        number = given.get(name, 1)
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST:
            raise SpecFault(
                f"memory: {system.word}: {name} is a whole number from 1 to {MOST}; got {number!r}"
            )
    for name, what in (("folder", "a folder of notes"), ("file", "a file that describes a memory server")):
        if not isinstance(path := given.get(name, ""), str):
            raise SpecFault(f"memory: {system.word}: {name} is the path of {what}; got {path!r}")
    for name, known in (
        ("profile", [profile.name for profile in PROFILES]),
        ("learn", LEARN_MODES),
        ("query", QUERY_FORMS),
    ):
        if (value := given.get(name, known[0])) not in known:
            raise SpecFault(f"memory: {system.word}: {name} is one of {', '.join(known)}; got {value!r}")
    if system.must and not given.get(system.must):
        raise SpecFault(
            f"memory: {system.word} needs the setting {system.must!r}, as {system.word}?{system.must}=PATH"
        )
    return SystemSettings(**given)  # type: ignore[arg-type]
