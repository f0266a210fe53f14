"""Which files are tests, documents, made by tools, or sources: by the conventions of the languages."""

import re
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

FileKind = Literal["test", "document", "generated", "source"]

TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testdata", "__snapshots__", "e2e"})
TEST_FILE = re.compile(
    r"""
    (?:test_[^/]*|[^/]*_test|tests)\.py     # Python
    | [^/]*[._](?:test|spec)\.[cm]?[jt]sx?  # JavaScript and TypeScript
    | [^/]*_test\.go                        # Go
    | [^/]*_(?:spec|test)\.rb|test_[^/]*\.rb
    | [^/]*(?:Test|Tests|TestCase|IT)\.(?:java|kt)|Test[A-Z][^/]*\.(?:java|kt)
    """,
    re.VERBOSE,
)
"""Names of files that a test command takes."""
_TEST_SETTINGS = (
    "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini setup.cfg pyproject.toml noxfile.py "
    "manage.py package.json .npmrc .yarnrc .yarnrc.yml .rspec .rspec-local Rakefile Gemfile pom.xml mvnw "
    "gradlew build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties "
    "gradle-wrapper.properties Cargo.toml go.work Makefile makefile GNUmakefile justfile bunfig.toml "
    "deno.json"
)
TEST_TOOL = re.compile(
    r"""
    (?:jest|vitest|vite|karma|babel|ava|playwright|cypress|mocha)\.(?:config|conf|setup)\.[a-z]{2,5}
    | \.(?:mocharc|babelrc|swcrc|taprc|jestrc)(?:\.[a-z]{2,5})? | setupTests\.[cm]?[jt]sx?
    | run[_-]?tests?(?:\.[a-z]{1,4})?
    """,
    re.VERBOSE,
)
"""Names of more of them."""
TEST_SETTING_FOLDERS = frozenset({".cargo", ".mvn", ".bundle"})
RUNNERS = frozenset(
    {"pytest", "_pytest", "pluggy", "iniconfig", "sitecustomize", "usercustomize", *sys.stdlib_module_names}
)
"""Modules of Python that run before a test does: one of the same name in the tree would run in its place."""
TEST_SETTINGS = frozenset(_TEST_SETTINGS.split())
"""Files that say how tests are run, or stand in the place of what runs them."""
DOCUMENT_FOLDERS = frozenset({"doc", "docs", ".github", ".gitlab", ".circleci", ".vscode", ".idea"})
DOCUMENT_ENDINGS = (".md", ".rst", ".adoc", ".mdx", ".org", ".tex")
_DOCUMENT_NAMES = (
    "license licence copying notice authors contributors changelog changes history news readme todo "
    "codeowners .gitignore .gitattributes .gitlab-ci.yml .travis.yml .editorconfig "
    ".pre-commit-config.yaml .mailmap .dockerignore appveyor.yml codecov.yml"
)
DOCUMENT_NAMES = frozenset(_DOCUMENT_NAMES.split())
_MADE_NAMES = (
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb poetry.lock uv.lock "
    "pdm.lock Pipfile.lock Cargo.lock go.sum Gemfile.lock composer.lock gradle.lockfile flake.lock"
)
MADE_NAMES = frozenset(_MADE_NAMES.split())
MADE_ENDINGS = (".min.js", ".min.css", ".map", "_pb2.py", "_pb2_grpc.py", ".pb.go", ".generated.ts")
MADE_FOLDERS = frozenset({"dist", "vendor", "node_modules", "third_party"})


def classify(path: str, globs: Sequence[str] = ()) -> FileKind:
    """What a file is. Where globs say which are tests, they alone do; `*` takes any characters, `/` too."""
    *folders, name = path.split("/")
    if any(fnmatchcase(path, glob) for glob in globs) if globs else _is_test(folders, name):
        return "test"
    if name in MADE_NAMES or name.endswith(MADE_ENDINGS) or MADE_FOLDERS.intersection(folders):
        return "generated"
    stem = name.lower().removesuffix(".txt")
    documents = DOCUMENT_FOLDERS.intersection(folders), stem in DOCUMENT_NAMES
    return "document" if any(documents) or stem.endswith(DOCUMENT_ENDINGS) else "source"


def _is_test(folders: Sequence[str], name: str) -> bool:
    return bool(TEST_FOLDERS.intersection(folders) or name == "conftest.py" or TEST_FILE.fullmatch(name))


def can_run(path: str, globs: Sequence[str] = ()) -> bool:
    """Whether a test command takes the file: no fixture and no helper of tests."""
    if globs:
        return classify(path, globs) == "test"
    *folders, name = path.split("/")
    rust = name.endswith(".rs") and "tests" in folders
    return rust or TEST_FILE.fullmatch(name) is not None


def decides_score(path: str, globs: Sequence[str] = ()) -> bool:
    """Whether the file is a test, or says how tests are run: put back before the score is taken."""
    *folders, name = path.split("/")
    named = name in TEST_SETTINGS or TEST_TOOL.fullmatch(name) is not None
    return named or bool(TEST_SETTING_FOLDERS.intersection(folders)) or classify(path, globs) == "test"


def shadows_runner(path: str) -> bool:
    """Whether Python would take the file for a module of its own, or of pytest's, as the tree comes first."""
    parts = path.split("/")
    below = parts[1:] if parts[0] == "src" else parts
    module = below[0].split(".")[0] if below else ""
    if module not in RUNNERS or not below[-1].endswith((".py", ".pyc", ".so", ".pyd")):
        return False
    return len(below) == 1 or (len(below) == 2 and below[1].split(".")[0] == "__init__")
