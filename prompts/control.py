"""The control's prompt: upstream's own text from the user's checkout, or our wording of the same contract.

Upstream's file is read, never executed. Digests: UPSTREAM.md, "Digests of the native prompts".
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from prompts.templates import Prompt

CONSTANTS = ("SUCCESSFUL_SI", "FAILED_SI")

KNOWN: dict[tuple[str, str], str] = {
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
}


class ControlFault(ValueError):
    """The named file does not hold the control's prompts."""


@dataclass(frozen=True, slots=True)
class ControlPrompts:
    """The two instructions of the native condenser and how sure we are of them.

    Args:
        label: how plans, ledgers and reports name the control.
    """

    success: str
    failure: str
    label: str

    @property
    def digest(self) -> str:
        """Sha256 over both texts."""
        return sha256(f"{self.success}\x00{self.failure}".encode()).hexdigest()


def load_control(source: Path | None) -> ControlPrompts:
    """Upstream's prompts from `source`, or the embedded wording when there is none.

    Raises:
        ControlFault: the file cannot be read, or lacks a constant.
    """
    if source is None:
        texts = Prompt("native_success").render(), Prompt("native_failure").render()
        return ControlPrompts(*texts, label="control: embedded equivalent")
    constants = _constants(source)
    missing = [name for name in CONSTANTS if name not in constants]
    if missing:
        raise ControlFault(f"control.source needs the string constants {' and '.join(CONSTANTS)}; {source} lacks "
                           f"{', '.join(missing)}: point it to upstream's memory_instruction.py")  # fmt: skip
    success, failure = (constants[name] for name in CONSTANTS)
    digests = sha256(success.encode()).hexdigest(), sha256(failure.encode()).hexdigest()
    known = KNOWN.get(digests)
    label = f"control: {known} (verified)" if known else f"control: unverified {digests[0][:12]}+{digests[1][:12]}"
    return ControlPrompts(success, failure, label)


def _constants(source: Path) -> dict[str, str]:
    try:
        tree = ast.parse(source.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError) as fault:
        raise ControlFault(f"control.source needs a readable Python file; {source}: {fault}") from fault
    found: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign):
            continue
        try:
            value = ast.literal_eval(node.value)
        except (ValueError, TypeError):
            continue  # not a literal: none of ours
        if isinstance(value, str):
            found.update({target.id: value for target in node.targets if isinstance(target, ast.Name)})
    return found
