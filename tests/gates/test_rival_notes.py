"""What programs see in other words: rules that exclude each other, two numbers for one measure, rules again.

The cases are of files that were written before the rules were, with the names taken out, and near misses.
"""

import pytest

from memtrial.gates.notes.notes_check import check_files
from tests.support.room_readers import note_of


def gates_in(text: str) -> list[tuple[str, int]]:
    return [(each.gate, each.line) for each in check_files([note_of(text, "CLAUDE.md")]).findings]


def listed(*texts: str, above: str = "# Rules") -> str:
    return "\n".join([above, "", *(f"- {text}" for text in texts)]) + "\n"


RIVALS = [
    ("Do not report ROC-AUC, the base rate is 2%.", "Report ROC-AUC in the summary table."),
    ("Never use `drop_all`: users lose what they recorded.", "Use `drop_all` for schema changes."),
    ("No RSpec, no FactoryBot.", "Use FactoryBot to build records in tests."),
    ("Fakes instead of mocks. No Mockito.", "Mock collaborators with Mockito."),
    ("Do not mock the database: tests run on a container.", "Use mocks for the database in unit tests."),
    ("Prefer `type` over `interface`.", "Use `interface` instead of `type` for props."),
    ("Use `for_each`, not `count`, except for switches.", "Use `count` instead of `for_each` for lists."),
    ("Never use `time.Sleep` in tests; use a fake clock.", "In tests of timing, use `time.Sleep` to wait."),
    ("2 spaces, no semicolons.", "Use semicolons in all files."),
    ("Line length is 88.", "Max line length is 100 characters."),
    ("At most 12 words a line.", "Keep each line below 20 words."),
    ("Batches of 4096 rows.", "Use batches of 1024 rows."),
    ("Test coverage must stay above 85%.", "Test coverage is at least 70 %."),
]
PEACEFUL = [
    ("Use `for_each`, not `count`, except for switches.", "Use `count` instead of `for_each` for switches."),
    ("Do not use Redux in packages.", "Use Redux in apps."),
    ("No `unwrap()` outside of tests.", "Use `unwrap()` in examples."),
    ("Never edit files by hand.", "Edit files in the inspector."),
    ("Never use `any`.", "Use `any` only for modules without types."),
    ("Never run all tests.", "Run all tests of the module."),
    ("Prefer `type` over `interface`.", "Prefer `type` over `interface` for props."),
    ("Line length is 88 for Python.", "Line length is 100 for the rest."),
    ("Timeout (max 10 s)", "Retries (max 30 s)"),
    ("Title: at most 20 words.", "Summary: at most 40 words."),
    (
        "Workers: minimum 20 years old, maximum 55 years old",
        "Staff: minimum 20 years old, maximum 60 years old",
    ),
    ("Line length is 88.", "Max line length is 88 characters."),
    ("Layer 2 assigns the page.", "Layer 3 assigns the page."),
    ("Frontend: React 18", "Frontend: React 19"),
    ("At least 2 reviewers.", "At most 4 reviewers."),
    ("The default is 3 rows", "The default is 6 rows"),
]


@pytest.mark.parametrize("pair", RIVALS)
def test_rules_that_exclude_each_other_in_other_words(pair: tuple[str, str]) -> None:
    assert gates_in(listed(*pair)) == [("internal-consistency", 4)]
    assert gates_in(listed(*pair[::-1])) == [("internal-consistency", 4)]


@pytest.mark.parametrize("pair", PEACEFUL)
def test_rules_that_can_both_be_followed_are_left_alone(pair: tuple[str, str]) -> None:
    assert gates_in(listed(*pair)) == []


def test_headings_that_name_parts_keep_rules_apart() -> None:
    first, second = "Line length is 88.", "Line length is 100."
    assert gates_in(listed(first, above="## Python") + listed(second, above="## TypeScript")) == []
    together = listed(first, above="## Code style") + listed(second, above="## Git")
    assert gates_in(together) == [("internal-consistency", 6)]
    assert (
        gates_in("# Rules\n\n- Reader\n  - Batches of 4096 rows.\n- Writer\n  - Batches of 1024 rows.\n")
        == []
    )
    assert gates_in(listed("Never use `any`.") + listed("Use `any` for props.", above="## Wrong")) == []


AGAIN = [
    ("Run `make test` before you commit.", "Before committing, run `make test`."),
    ("Never log payloads or secrets.", "Don't log secrets or payloads."),
    ("Never use `drop_all` in tests.", "Don't use `drop_all` in tests."),
    ("Strings go in the table; never hard-code user-visible text.", "Don't hard-code user-visible text."),
    ("Use `Time.current`, never `Time.now`.", "Don't use `Time.now`."),
]
NEW = [
    ("Run `make a` before `make b`.", "Run `make b` before `make a`."),
    ("Before a release, merge main into stable.", "Before a release, merge stable into main."),
    ("Run `make test` before you commit.", "Run `make test` before you push."),
    ("Call `list_names` for the schema", "Call `list_names` for the schema"),
    ("Call `list_names` if the schema is needed", "Call `list_names` if the schema is needed"),
]


@pytest.mark.parametrize("pair", AGAIN)
def test_short_rules_that_are_said_again(pair: tuple[str, str]) -> None:
    assert gates_in(listed(*pair)) == [("duplicate", 4)]


@pytest.mark.parametrize("pair", NEW)
def test_short_rules_and_steps_that_only_look_alike(pair: tuple[str, str]) -> None:
    assert "duplicate" not in [gate for gate, _ in gates_in(listed(*pair))]


DEGREES = [
    "Write clean, readable code.",
    "Handle errors properly.",
    "Be careful when changing the schema.",
    "Keep notebooks tidy.",
    "Functions should be reasonably short",
    "Performance matters. Make sure the code is efficient.",
    "Provide helpful error messages.",
    "Exercise caution with production.",
    "Documentation should be kept up to date.",
    "Don't over-engineer.",
    "Avoid unnecessary allocations.",
    "Deploy responsibly.",
    "Choose a font size that looks good.",
    "**Keep it simple.**",
]
MEASURED = [
    "Keep functions under 40 lines.",
    "Be careful with `migrate --fake`: it marks a migration that has not run.",
    "Be careful to close the file.",
    "Be careful not to log the token.",
    "Keep components small. Extract a hook when a second effect is added.",
    "Keep each group small and focused. One theme a group.",
    "Keep it concise but descriptive enough to tell the feature at a glance.",
    "Add helpful error messages with valid ranges.",
    "Use fast mode.",
    "Use short flags.",
    "Keep the working tree clean with `git stash`.",
    "Make sure the migration is in the same commit.",
    "Read the log carefully.",
    "Every component must be reachable by the keyboard.",
    "Use sensible defaults (see `defaults.toml`).",
]


@pytest.mark.parametrize("text", DEGREES)
def test_sentences_that_a_degree_alone_would_meet(text: str) -> None:
    assert gates_in(listed(text)) == [("no-measure", 3)]


@pytest.mark.parametrize("text", MEASURED)
def test_sentences_that_say_what_is_meant_are_left_alone(text: str) -> None:
    assert gates_in(listed(text)) == []
