"""The pages and words that are made from the code: `python -m tests.house.made_pages` writes them anew."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from textwrap import shorten

from memtrial.api.analyze import KNOWN, known_text
from memtrial.cli.results.schema import SHAPES, shapes_text
from memtrial.cli.tools.completion import WORDS, words_text
from memtrial.cli.tools.member_list import MEMBERS, members_text

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("analysis", "arms", "condensers", "gates", "memtrial", "perturbations", "prompts", "runs")
PORTS = ("memtrial/protocols.py", "memtrial/ledger/ledger_store.py")
ENDING = re.compile(r"(?:Fault|Ended|Waits)$")
OF_PYTHON = ("OSError", "ValueError", "RuntimeError", "Exception")


def protocol_page() -> str:
    """Every protocol with its docstring and the signatures of its members."""
    lines = [
        "# Protocols",
        "",
        "What somebody may implement. This page is made from `memtrial/protocols.py` and",
        "`memtrial/ledger/ledger_store.py` by `python -m tests.house.made_pages`.",
    ]
    for port in PORTS:
        source = (ROOT / port).read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                lines += ["", f"## {node.name}", "", _docstring_as_written(node, source), "", *_members(node)]
    return "\n".join(lines) + "\n"


def _docstring_as_written(protocol: ast.ClassDef, source: str) -> str:
    """The docstring with its escapes as they stand in the file: an example shows `\\n`, no line break."""
    written = ast.get_source_segment(source, protocol.body[0]) or ""
    return cleandoc(written.lstrip("r")[3:-3])


def _members(protocol: ast.ClassDef) -> Iterator[str]:
    for node in protocol.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
            given = ast.unparse(node.args).replace("self, ", "").replace("self", "")
            answer = f" → {ast.unparse(node.returns)}" if node.returns else ""
            is_property = any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)
            name = node.name if is_property else f"{node.name}({given})"
            about = " ".join((ast.get_docstring(node) or "").split())
            yield f"- `{kind}{name}{answer}`" + (f": {about}" if about else "")
        elif isinstance(node, ast.AnnAssign):
            yield f"- `{ast.unparse(node)}`"


def exception_tree() -> str:
    """Every exception of the product below what it is of Python: its room, and its first sentence."""
    children: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if not any(parent.is_symlink() for parent in path.parents):
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                    if isinstance(node, ast.ClassDef) and ENDING.search(node.name) and node.bases:
                        parts = path.relative_to(ROOT).parts
                        place = "/".join(parts[:2] if parts[0] == "memtrial" else parts[:1])
                        sentence = (ast.get_docstring(node) or "").split("\n")[0].split(": ")[0]
                        children[ast.unparse(node.bases[0])].append((node.name, place, sentence))

    def below(parent: str, depth: int) -> Iterator[str]:
        for name, place, sentence in sorted(children[parent]):
            line = shorten(f"{name} ({place}): {sentence}", 100, placeholder=" …")
            yield f"{'  ' * depth}{line.rstrip('.')}"
            yield from below(name, depth + 1)

    return "\n".join(line for parent in OF_PYTHON for line in (f"{parent}", *below(parent, 1)))


def write_pages() -> None:
    """Write them into their places."""
    KNOWN.write_text(known_text(), encoding="utf-8")
    WORDS.write_text(words_text(), encoding="utf-8")
    MEMBERS.write_text(members_text(), encoding="utf-8")
    SHAPES.write_text(shapes_text(), encoding="utf-8")
    (ROOT / "docs" / "protocols.md").write_text(protocol_page(), encoding="utf-8")
    faults = ROOT / "memtrial" / "faults.py"
    source = faults.read_text(encoding="utf-8")
    _, _, rest = source[3:].partition('"""')
    head = "What stops a run, and with which exit code; and the tree of all exceptions of the product."
    note = (
        "A SpecFault ends a command with exit code 2, a RunFault with 1; others are turned into one of them,"
        " or\ncounted as an error of a trial. Made by `python -m tests.house.made_pages`:"
    )
    faults.write_text(f'"""{head}\n\n{note}\n\n{exception_tree()}\n"""{rest}', encoding="utf-8")


if __name__ == "__main__":
    write_pages()
