"""The control's prompt and its cue: upstream's text from the user's checkout, or our wording of the contract.

ReasoningBank's file is read, never executed; the paper's harness holds two text files. Digests, temperatures
and what each condenser saw: UPSTREAM.md, 3.3, 3.4 and "Digests of the native prompts".
"""

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

from memtrial.prompts.templates import Prompt, cue_line

T = TypeVar("T")
ReplyLayout = Literal["webarena", "swe", "harness"]
"""WebArena's agent strips the file of its memory; that of SWE shows it as it is, right below the cue, that of
the paper's harness below a blank line. The harness asks its condenser in one message of the user."""
ControlView = Literal["full", "actions", "messages"]
"""Views of a trajectory, as `episodes.views` renders them."""
HARNESS_FILES = ("succeed_prompt.txt", "failed_prompt.txt")
CONSTANTS = ("SUCCESSFUL_SI", "FAILED_SI")
MOST_BYTES = 512 * 1024
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `ast.parse` raises for a file that is no Python."""

KNOWN: Mapping[tuple[str, str], str] = {
    (
        "f5970ef4e2f0322b18df3ad0d9a032ca99d5c506f02208b26ea935b369950b75",
        "5a94bae712003887cd5afe0b18afb48a225ea8c598555394a6fcd21d7b014f19",
    ): "upstream webarena v0",
    (
        "e5c092cf3b67fb94075bb834f8d1802266493bc265d622c77b3a491b37160c2e",
        "51892efb46c9327955f253c45f56ec622964fd88baea3b033f09d325dbb8bfd9",
    ): "upstream webarena v1",
    (
        "164bac8dc9fb662db23a03b063f27307b50b657e95265b7d517af5a2846b8837",
        "3803e1d84f53684e41a5fedffe85fd2bdb2fb2348f9537474758bc0912b4c0ff",
    ): "upstream swe v0/v1",
    (
        "5ce0b95fa747312ac298845a3bee913dcc3974011ba55cd20a9685db071b5a6f",
        "9c18003d62213545f676ec97d8ea7ca0a10624f5061bc8952d1f6a2a6091139b",
    ): "harness of the paper",
}
UNVERIFIED_TOKENS = 2048
"""At most in a reply to prompts that are of no known version: nobody's own setting is there to be kept."""


class CondenserOptions(NamedTuple):
    """How the code of a version asked its condenser, in the order of the fields of `ControlPrompts`."""

    layout: ReplyLayout
    temperature: float | None
    view: ControlView
    max_tokens: int | None = UNVERIFIED_TOKENS
    reason: bool = True
    blank_actions: bool = True


MANNERS: Mapping[str, CondenserOptions] = {
    "upstream webarena v0": CondenserOptions("webarena", 0.7, "actions", None, reason=False),
    "upstream webarena v1": CondenserOptions("webarena", 1.0, "actions", None, blank_actions=False),
    "upstream swe v0/v1": CondenserOptions("swe", 1.0, "messages", 65_536, reason=False),
    "harness of the paper": CondenserOptions(
        "harness", 1.0, "actions", 2048, reason=False, blank_actions=False
    ),
}
"""By version, held against its own statements."""


class ControlFault(ValueError):
    """The named file does not hold the control's prompts, or upstream's cue."""


@dataclass(frozen=True, slots=True)
class ControlPrompts:
    """The two instructions of the native condenser, and how they are used.

    Args:
        layout: how the condenser is asked, and how an agent reads what it replies.
        temperature: of the condenser; None is the provider's own.
        max_tokens: of its reply; None is the provider's own.
        reason: the judge's reason stands below the trajectory, where a trace has one.
        blank_actions: steps without an action are shown to it.
    """

    success: str
    failure: str
    label: str
    layout: ReplyLayout = "webarena"
    temperature: float | None = None
    view: ControlView = "full"
    max_tokens: int | None = UNVERIFIED_TOKENS
    reason: bool = True
    blank_actions: bool = True

    @property
    def digest(self) -> str:
        """Sha256 over both texts."""
        return sha256(f"{self.success}\x00{self.failure}".encode()).hexdigest()


def load_control(source: Path | None, known: Mapping[tuple[str, str], str] = KNOWN) -> ControlPrompts:
    """Upstream's prompts from `source`, or the embedded wording when there is none.

    Args:
        known: (digest of the success text, of the failure text) → the version they are.

    Raises:
        ControlFault: the file cannot be read, or lacks a constant.
    """
    if source is None:
        texts = Prompt("native_success").render(), Prompt("native_failure").render()
        return ControlPrompts(*texts, label="control: embedded equivalent")
    success, failure = _of_harness(source) if source.suffix == ".txt" else _of_reasoning_bank(source)
    layout: ReplyLayout = "harness" if source.suffix == ".txt" else "webarena"
    digests = sha256(success.encode()).hexdigest(), sha256(failure.encode()).hexdigest()
    version = known.get(digests)
    if version is None:
        label = f"control: unverified {digests[0][:12]}+{digests[1][:12]}"
        return ControlPrompts(success, failure, label, layout)
    manner = MANNERS.get(version, CondenserOptions(layout, None, "full"))
    if manner.layout == "swe":  # upstream strips these on their way to the model
        success, failure = success.strip(), failure.strip()
    return ControlPrompts(success, failure, f"control: {version} (verified)", *manner)


def _of_reasoning_bank(source: Path) -> tuple[str, str]:
    constants = _read_file(source, "control.source", _constants)
    if missing := [name for name in CONSTANTS if name not in constants]:
        raise ControlFault(
            f"control.source needs {' and '.join(CONSTANTS)} as plain string constants; {source} lacks"
            f" {', '.join(missing)}: point it to upstream's memory_instruction.py"
        )
    return constants[CONSTANTS[0]], constants[CONSTANTS[1]]


def _of_harness(source: Path) -> tuple[str, str]:
    """The two text files of the paper's harness, of which `source` is either."""
    if source.name not in HARNESS_FILES:
        raise ControlFault(
            f"control.source needs {' or '.join(HARNESS_FILES)}, or a Python file; got {source}"
        )
    texts = []
    for path in (source.with_name(name) for name in HARNESS_FILES):
        try:
            text = read_small(path).decode()
        except (OSError, ValueError) as fault:
            raise ControlFault(f"control.source needs both {' and '.join(HARNESS_FILES)}: {fault}") from fault
        if not is_text(text):
            raise ControlFault(f"control.source needs a text; {path} is blank")
        texts.append(text)
    return texts[0], texts[1]


def _read_file(path: Path, key: str, made: Callable[[bytes], T]) -> T:
    """What is made of a file that the user named under a key; raises ControlFault where that cannot be."""
    try:
        return made(read_small(path))
    except (OSError, *NO_PYTHON) as fault:
        raise ControlFault(f"{key} needs a readable Python or text file; {path}: {fault}") from fault


def read_small(path: Path) -> bytes:
    """The bytes of a plain file of bounded size: a pipe would be waited for, a device never ends.

    Raises OSError or ValueError: it cannot be read, is larger, or no plain file.
    """
    if path.exists() and not (path.is_file() and path.stat().st_size <= MOST_BYTES):
        raise ValueError(f"it is no plain file of {MOST_BYTES // 1024} kB at most")
    return path.read_bytes()


def is_text(value: str) -> bool:
    """Not blank, and without lone surrogates, which no request can carry."""
    return bool(value.strip()) and value == value.encode("utf-8", "replace").decode("utf-8")


def _constants(source: bytes) -> dict[str, str]:
    """The constants that the file binds to a string literal at its top level, and nowhere else."""
    # bytes: the file's own encoding line and byte-order mark count, as they would for Python
    tree = ast.parse(source)
    texts: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant):
            text = node.value.value
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and isinstance(text, str) and is_text(text):
                    texts[target.id] = text
    # a name that is bound a second time need not hold the literal when upstream runs
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    bound = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
    return {name: text for name, text in texts.items() if bound[name] == 1}


KNOWN_CUE = "f2023497f7f8ce1abbd4216c3838a42c5fc1d75b237133b6fd00582244ed6ccf"
"""Sha256 of upstream's cue, stripped; the same for WebArena and SWE, at 1f334c1 and ed80611."""
HARNESS_CUE = "3faf84f350407f22a755c6335fb2fbfa868d2bf3eabef1733e84d8a9c6043577"
"""That of the paper's harness at c9e2d02, which has another apostrophe."""
CUE_OF_HARNESS = "run.py"
"""Where it stands, in the folder above the prompts; the checkout's top need not be marked."""
TOP = (".git", "LICENSE", "pyproject.toml")
"""One of these marks the top of a checkout; a ZIP file has no `.git`."""
MOST_LEVELS = 4
MOST_FILES = 500
LONGEST = 2_000
"""Characters of a cue."""
PASSED_BY = {"node_modules", "site-packages", "venv", "__pycache__"}


@dataclass(frozen=True, slots=True)
class CueLine:
    """The text above the items, and how plans, ledgers and reports name it."""

    text: str
    label: str

    @property
    def digest(self) -> str:
        return sha256(self.text.encode()).hexdigest()


def load_cue(
    asked: Literal["ours", "upstream"],
    control_source: Path | None,
    cue_source: Path | None,
    layout: ReplyLayout = "webarena",
    known: str = "",
) -> CueLine:
    """The line above the items that the spec asks for; upstream's asks to discuss each item (UPSTREAM 3.3).

    Args:
        control_source: upstream's prompts; the known cue is looked for in the checkout around them.
        cue_source: a Python file with the known cue, or a text file that is taken whole.
        layout: upstream's SWE agent shows its items one line below its cue, and not after a blank line; the
            paper's harness has a cue of its own.
        known: sha256 of the cue; that of the layout unless given.

    Raises:
        ControlFault: a file cannot be read, or does not hold the cue.
    """
    if asked == "ours":
        return CueLine(cue_line(), "cue: ours")
    known = known or (HARNESS_CUE if layout == "harness" else KNOWN_CUE)
    if cue_source is not None:
        text = _find_known(cue_source, known)
    elif control_source is not None and control_source.is_file():
        text = _find_near(control_source, known)
    else:
        raise ControlFault(
            "cue: upstream is read from your checkout; name control.source or control.cue_source"
        )
    if not text or len(text) > LONGEST:
        where = cue_source or f"the checkout around {control_source}"
        raise ControlFault(
            f"cue: upstream needs a file that holds it; {where}"
            f" does not: put it into a text file of 1 to {LONGEST} characters named by control.cue_source"
        )
    digest = sha256(text.encode()).hexdigest()
    label = "cue: upstream (verified)" if digest == known else f"cue: upstream, unverified {digest[:12]}"
    return CueLine(f"{text}\n" if layout == "swe" else text, label)


def _find_known(source: Path, known: str) -> str:
    if source.suffix.lower() == ".py":
        return _read_file(source, "control.cue_source", lambda raw: _find_written(raw, known))
    text = _read_file(source, "control.cue_source", lambda raw: raw.decode("utf-8-sig"))
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _find_near(source: Path, known: str) -> str:
    """The cue in the checkout; without one, in the folder of the control's source. Empty: it is not there."""
    folders = source.resolve().parents[: MOST_LEVELS + 1]
    top = next((folder for folder in folders if any((folder / name).exists() for name in TOP)), folders[0])
    names = (path.relative_to(top) for path in top.rglob("*.py"))
    there = (name for name in names if not any(p.startswith(".") or p in PASSED_BY for p in name.parts))
    beside = [folders[1] / CUE_OF_HARNESS] if source.name in HARNESS_FILES and len(folders) > 1 else []
    for path in (*beside, *(top / name for name in islice(there, MOST_FILES))):
        # a file that Python cannot read holds no cue that an agent uses
        with suppress(OSError, *NO_PYTHON):
            if text := _find_written(read_small(path), known):
                return text
    return ""


def _find_written(source: bytes, known: str) -> str:
    """The known cue where it stands as a string in a Python file, stripped; empty where it does not."""
    nodes = ast.walk(ast.parse(source))
    texts = (
        node.value.strip() for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str
    )
    digests = ((text, sha256(text.encode("utf-8", "replace")).hexdigest()) for text in texts)
    return next((text for text, digest in digests if digest == known), "")
