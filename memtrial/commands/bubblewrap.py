"""Bubblewrap around a command, where it is installed and works: outside of its folder it writes nothing."""

import shutil
import subprocess
from pathlib import Path

from memtrial.commands.trial_folder import TEMPORARY, TrialFolder

TRIED_S = 10
SECRETS = (".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config/gcloud", ".config/gh", ".claude", ".codex")
"""Folders in the user's home that a command sees empty."""
WITHOUT = (
    "the command may write outside of its folder and read what you can read, since {why}; what it starts is"
    " ended all the same"
)


def find_bubblewrap() -> tuple[str, str]:
    """Its path and an empty text, or an empty path and why it is not used, in a sentence for people."""
    program = shutil.which("bwrap")
    if program is None:
        return "", WITHOUT.format(why="bubblewrap (bwrap) is not installed")
    try:
        words = [program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "true"]
        tried = subprocess.run(words, capture_output=True, timeout=TRIED_S, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as fault:
        return "", WITHOUT.format(why=f"bubblewrap does not start: {fault!s:.200}")
    if tried.returncode:
        said = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        return "", WITHOUT.format(
            why=f"bubblewrap fails here: {said[-1][:200] if said else 'without a word'}"
        )
    return program, ""


def wrap(program: str, words: tuple[str, ...], folder: TrialFolder) -> tuple[str, ...]:
    """The words that run a command in bubblewrap: all read-only but its folder, its own processes in sight.

    The network is left on, for the proxy on loopback.
    """
    home = Path.home()
    hidden = [home / name for name in SECRETS if (home / name).is_dir()]
    base = str(folder.base)
    in_temporary = folder.base.is_relative_to("/tmp") and folder.base != Path("/tmp")
    return (
        *(program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        # programs that know no TMPDIR write here
        *("--bind", str(folder.root / TEMPORARY), "/tmp"),
        *(("--ro-bind", base, base) if in_temporary else ()),
        *(part for place in hidden for part in ("--tmpfs", str(place))),
        *("--bind", str(folder.root), str(folder.root)),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent"),
        *("--chdir", str(folder.work), "--", *words),
    )
