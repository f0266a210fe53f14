"""Which file is what, and the command that its language is tested with."""

import pytest

from memtrial.repositories.check_choice import choose_check, fill_check
from memtrial.repositories.file_kinds import can_run, classify, decides_score, shadows_runner


@pytest.mark.parametrize(
    ("path", "kind", "runs"),
    [
        ("tests/test_a.py", "test", True), ("pkg/a_test.py", "test", True),
        ("tests/data/a.json", "test", False),
        ("conftest.py", "test", False), ("src/a.test.tsx", "test", True), ("web/a.spec.js", "test", True),
        ("pkg/a_test.go", "test", True), ("tests/it.rs", "test", True),
        ("src/test/java/ATest.java", "test", True),
        ("spec/a_spec.rb", "test", True), ("src/latest.py", "source", False), ("contest.py", "source", False),
        ("README.md", "document", False), ("docs/conf.py", "document", False), ("LICENSE", "document", False),
        (".github/workflows/ci.yml", "document", False), ("requirements.txt", "source", False),
        ("package-lock.json", "generated", False), ("web/dist/a.js", "generated", False),
        ("src/a.py", "source", False), ("CMakeLists.txt", "source", False),
    ],
)  # fmt: skip
def test_kinds(path: str, kind: str, runs: bool) -> None:
    assert (classify(path), can_run(path)) == (kind, runs)


def test_globs_alone_say_what_a_test_is() -> None:
    assert classify("t/a/basic.sh", ("t/*.sh",)) == "test"
    assert classify("tests/test_a.py", ("t/*.sh",)) == "source"


@pytest.mark.parametrize(
    "path",
    ["conftest.py", "a/conftest.py", "pytest.ini", "package.json", "tests/helpers.py", ".cargo/config.toml",
     "vitest.config.mts", "web/.npmrc", "run_tests.sh", "gradlew"],
)  # fmt: skip
def test_what_says_how_tests_are_run_decides_the_score(path: str) -> None:
    assert decides_score(path)
    assert not decides_score("src/a.py")


@pytest.mark.parametrize(
    ("tests", "at_top", "check"),
    [
        (
            ["tests/test_a.py", "tests/b c_test.py"],
            "",
            "python -m pytest -q tests/test_a.py 'tests/b c_test.py'",
        ),
        (["-rf_test.py"], "", "python -m pytest -q ./-rf_test.py"),
        (["a/b_test.go", "a/c_test.go", "d_test.go"], "go.mod", "go test ./ ./a"),
        (["tests/it.rs"], "Cargo.toml", "cargo test --quiet"),
        (["a.test.ts", "b.spec.mjs"], "package.json", "npm test --silent"),
        (["a.test.ts"], "deno.json", ""),
        (["spec/a_spec.rb"], "", "bundle exec rspec spec/a_spec.rb"),
        (["src/test/java/ATest.java"], "pom.xml", "mvn --quiet --batch-mode test"),
        (["test_a.py", "b_test.go"], "", "go test ./ && python -m pytest -q test_a.py"),
        (["test_a.py", "a.test.js"], "", ""),
    ],
)
def test_the_usual_command(tests: list[str], at_top: str, check: str) -> None:
    assert choose_check(tests, frozenset({at_top})) == check


def test_places_of_a_given_command() -> None:
    assert fill_check("run {modules} in {packages}", ["a/test_b.py"]) == "run a.test_b in ./a"


@pytest.mark.parametrize(
    ("path", "taken"),
    [("unittest.py", True), ("src/pytest/__init__.py", True), ("enum.cpython-311-x86_64-linux-gnu.so", True),
     ("json.pyc", True), ("lib/json.py", False), ("html/index.html", False), ("json/data.py", False),
     ("src/lib/json.py", False), ("sums.py", False), ("src", False)],
)  # fmt: skip
def test_what_python_would_take_for_its_own_shadows_the_runner(path: str, taken: bool) -> None:
    assert shadows_runner(path) == taken
