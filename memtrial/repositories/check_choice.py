"""The command that checks a task: as it was given, or by the language of the tests."""

import shlex
from collections.abc import Callable, Iterator, Sequence

from memtrial.repositories.git_process import RepositoryFault

PLACES = ("{tests}", "{packages}", "{modules}")
ALIKE = {".kt": ".java"} | dict.fromkeys((".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx"), ".js")
"""Endings of files that the same command takes."""
GIVEN = "--check needs a command such as 'python -m pytest -q {tests}'"


def fill_check(template: str, tests: Sequence[str]) -> str:
    """A given command with the tests in it.

    `{tests}` stands for the files, `{packages}` for their folders as Go names them, `{modules}` for the
    modules as Python names them; each is quoted for a shell.
    """
    words = {
        "{tests}": tests,
        "{packages}": sorted({f"./{path.rpartition('/')[0]}" for path in tests}),
        "{modules}": [path.removesuffix(".py").replace("/", ".") for path in tests],
    }
    for place, values in words.items():
        template = template.replace(place, " ".join(_quote(value) for value in values))
    return template


def refuse_check(template: str) -> None:
    """RepositoryFault where a command is blank, or names a place that there is not."""
    if not template.strip() or "\0" in template:
        raise RepositoryFault(f"{GIVEN}; it is blank or holds a zero byte")
    for place in ("{test}", "{file}", "{files}", "{module}", "{package}"):
        if place in template:
            raise RepositoryFault(f"{GIVEN}; {place} stands for nothing: use one of {', '.join(PLACES)}")


def _quote(path: str) -> str:
    """A path as a word of a shell, which no command takes for an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def choose_check(tests: Sequence[str], at_top: frozenset[str]) -> str:
    """The usual command for tests of these languages, joined where they are several; empty where unknown.

    Args:
        at_top: the names of the files at the top of the tree.
    """
    commands = list(_commands(tests, at_top))
    return " && ".join(commands) if all(commands) else ""


def _commands(tests: Sequence[str], at_top: frozenset[str]) -> Iterator[str]:
    known: dict[str, Callable[[Sequence[str]], str]] = {
        ".py": lambda paths: fill_check("python -m pytest -q {tests}", paths),
        ".go": lambda paths: fill_check("go test {packages}", paths),
        ".rs": lambda _: "cargo test --quiet" if "Cargo.toml" in at_top else "",
        ".rb": _check_ruby,
        ".java": lambda _: _check_java(at_top),
    }
    endings = {path: _ending(path) for path in tests}
    for ending in sorted(set(endings.values())):
        paths = [path for path in tests if endings[path] == ending]
        if ending == ".js":
            yield "npm test --silent" if "package.json" in at_top else ""
        else:
            yield known[ending](paths) if ending in known else ""


def _ending(path: str) -> str:
    ending = f".{path.rpartition('/')[2].rpartition('.')[2]}"
    return ALIKE.get(ending, ending)


def _check_ruby(paths: Sequence[str]) -> str:
    specs = [path for path in paths if path.endswith("_spec.rb")]
    others = [f"ruby -Ilib -Itest {_quote(path)}" for path in paths if path not in specs]
    return " && ".join([*(["bundle exec rspec " + " ".join(map(_quote, specs))] if specs else []), *others])


def _check_java(at_top: frozenset[str]) -> str:
    if "gradlew" in at_top:
        return "./gradlew --quiet test"
    return "mvn --quiet --batch-mode test" if "pom.xml" in at_top else ""
