"""The words of the product: a name stands for one thing, and says which."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house.test_house import PACKAGE, ROOT, SOURCES

MIRRORED = {"world", "rows"}
"""Base names that stand once in each place of a kind: every world's, every room's row types."""
VERBS = {path.stem for path in (PACKAGE / "cli").rglob("*.py")}
"""A verb of the command line is a function of the library under the same name."""


def _classes(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            yield node.name


def _places(names: Iterator[tuple[str, Path]]) -> dict[str, list[str]]:
    places: dict[str, list[str]] = defaultdict(list)
    for name, path in names:
        places[name].append(str(path.relative_to(ROOT)))
    return {name: paths for name, paths in places.items() if len(paths) > 1}


def test_every_class_has_a_name_of_its_own() -> None:
    assert not _places((name, path) for path in SOURCES for name in _classes(path))


def test_every_file_has_a_name_of_its_own_but_for_mirrors() -> None:
    files = ((path.stem, path) for path in SOURCES if not path.stem.startswith("__"))
    twice = {name: paths for name, paths in _places(files).items() if name not in MIRRORED}
    for name, paths in list(twice.items()):
        if name in VERBS and sorted(Path(path).parts[1] for path in paths) == ["api", "cli"]:
            del twice[name]
    assert not twice
