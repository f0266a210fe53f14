"""A sandbox around commands, by bubblewrap where it is installed and works.

Inside, all is read-only but the command's own folder; the user's home, temporary files and the sockets of
programs that would start something are hidden, but for what PATH and a few variables name. Of two paths that
are shown and hidden the deeper one counts. The network is left on, for the proxy on loopback.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import gettempdir
from typing import Literal

from memtrial.commands.process_order import CommandFault, ProcessOrder
from memtrial.commands.tool_places import find_tools
from memtrial.faults import SpecFault

SandboxMode = Literal["auto", "require", "none"]
TRIED_S = 10
TEMPORARY = "tmp"
"""The folder beside a work tree that is `/tmp` inside."""
SHARED_TEMPORARY = Path("/tmp")
HIDDEN = (
    SHARED_TEMPORARY,
    Path("/var/tmp"),
    # through these another program starts something outside
    *(Path("/run", name) for name in ("user", "dbus", "systemd", "docker.sock", "containerd", "podman")),
)
SECRETS = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gcloud", ".config/gh", ".claude"),
    *(".claude.json", ".codex", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".local/share/keyrings"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".local/share/opencode"),
)
"""Below the user's home; hidden also where the home is shown."""
HIDE, SHOW, HIDE_ANYWAY = range(3)
"""What is done to a path; of the same path the later one counts."""
UNHELD = "what runs may write and read wherever you can; what it starts is ended all the same"
HELD = (
    "bubblewrap; what runs writes into its own folder alone, and of your home it sees what PATH and you name"
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What holds commands.

    Args:
        program: bubblewrap's; empty where nothing holds them.
        why: why nothing does, in a few words; empty where something does.
        shown: files and folders that commands may read although they lie where all is hidden.
        home: the user's, of which nothing else is seen.
    """

    program: str = ""
    why: str = "none was asked for"
    shown: tuple[Path, ...] = ()
    home: Path = field(default_factory=lambda: Path(os.path.expanduser("~")))

    @property
    def says(self) -> str:
        """Whether commands are held, in a sentence for people."""
        return f"Sandbox: {HELD}." if self.program else f"Sandbox: none, since {self.why}: {UNHELD}."

    def show(self, paths: Iterable[Path]) -> "Sandbox":
        """The same, with more that may be read."""
        return replace(self, shown=(*self.shown, *paths))

    def hold(self, order: ProcessOrder, root: Path, hidden: Iterable[Path] = ()) -> ProcessOrder:
        """The order within the sandbox; as it is where there is none.

        Args:
            root: the folder that the command may write into, which has a folder `tmp`.
            hidden: more that it does not see.

        Raises:
            CommandFault: its program is not there, or something else is in the place of `tmp`.
        """
        if not self.program:
            return order
        temporary = root / TEMPORARY
        if not os.path.lexists(temporary):
            temporary.mkdir()
        if temporary.is_symlink() or not temporary.is_dir():
            # an earlier command left it: what a link leads to would be open to the next
            raise CommandFault("the folder for temporary files was replaced by a file or a link")
        name = order.words[0]
        if "/" not in name and shutil.which(name, path=order.variables.get("PATH", os.defpath)) is None:
            raise CommandFault(f"{name!r:.200} cannot be started: No such file or directory")
        words = (
            *(self.program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
            *self._cover(hidden, temporary),
            *("--bind", str(root), str(root)),
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"),
            # without these root could make all of it writable again
            *("--cap-drop", "ALL", "--chdir", str(order.folder), "--"),
        )
        return replace(order, words=(*words, *order.words))

    def _cover(self, hidden: Iterable[Path], temporary: Path) -> Iterator[str]:
        """What hides and shows, each path after those that lie above it."""
        away = (self.home, Path(gettempdir()), *HIDDEN, *(self.home / name for name in SECRETS))
        steps = [(path.resolve(), HIDE, path) for path in away if path.resolve() != Path("/")]
        below = tuple(place for place, _, _ in steps)
        for path in self.shown:
            # under the name by which it is called, too: the link itself may be hidden
            for place in (path.absolute(), path.resolve()):
                if any(place.is_relative_to(above) for above in below):
                    steps.append((place, SHOW, path))
        steps += [(path.resolve(), HIDE_ANYWAY, path) for path in hidden]
        for place, step, path in sorted(set(steps), key=lambda each: (len(each[0].parts), *each)):
            if place == SHARED_TEMPORARY:
                yield from () if step == SHOW else ("--bind", str(temporary), str(place))
            elif step == SHOW:
                yield from ("--ro-bind-try", str(path.resolve()), str(place))
            elif place.is_dir():
                yield from ("--tmpfs", str(place))
            elif os.path.lexists(place):
                yield from ("--ro-bind", os.devnull, str(place))


def find_sandbox(mode: SandboxMode, shown: Iterable[Path] = (), variables: Iterable[str] = ()) -> Sandbox:
    """The sandbox of this machine, tried once.

    Args:
        mode: `auto` takes none where none works, `require` does not.
        shown: files and folders that commands need to read.
        variables: names of variables of the user's that commands get: the folders that they name are shown.

    Raises:
        SpecFault: one is required and does not work, or nobody knows this mode.
    """
    if mode not in ("auto", "require", "none"):
        raise SpecFault(f"sandbox is auto, require or none; got {mode!r}")
    if mode == "none":
        return Sandbox()
    program, why = _try_bubblewrap()
    if not program and mode == "require":
        raise SpecFault(f"a sandbox is required, and there is none: {why}; install bubblewrap, or allow none")
    if not program:
        return Sandbox("", why)
    bare = Sandbox(program, "")
    return bare.show((*find_tools(bare.home, variables), *shown))


def _try_bubblewrap() -> tuple[str, str]:
    """Its path and an empty text, or an empty path and why it is not used."""
    program = shutil.which("bwrap")
    if program is None:
        return "", "bubblewrap (bwrap) is not installed"
    try:
        words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        words += ["--tmpfs", "/tmp", "--unshare-pid", "--cap-drop", "ALL", "true"]
        tried = subprocess.run(words, capture_output=True, timeout=TRIED_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return "", f"bubblewrap does not start: {fault!s:.200}"
    if tried.returncode:
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        return "", f"bubblewrap fails here: {lines[-1][:200] if lines else 'without a word'}"
    return program, ""
