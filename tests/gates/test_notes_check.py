"""What programs find in files that people write by hand, each gate on its faults and on near misses."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memtrial.gates.notes.note_report import NoteFinding
from memtrial.gates.notes.notes_check import NOTE_GATES, check_files
from memtrial.memory.notes.note_files import read_note_files
from tests.support.room_readers import note_of


def found_in(*texts: str, name: str = "CLAUDE.md") -> tuple[NoteFinding, ...]:
    names = [name, *(f"{number}.md" for number in range(1, len(texts)))]
    return check_files([note_of(text, name) for text, name in zip(texts, names, strict=True)]).findings


def gates_of(findings: Sequence[NoteFinding]) -> list[str]:
    return [finding.gate for finding in findings]


WORDED = {
    "left-open": (
        ["Use the appropriate tool.", "If the build fails, act accordingly."],
        [
            "Use the appropriate tool from the table:",
            "Choose the right tool based on the size.",
            "Use the tool `rg`.",
        ],
    ),
    "refuter": (
        ["Push back when warranted.", "Add notes where helpful.", "Update the docs if needed."],
        [
            "Create a migration if needed to convert the rows.",
            "Use `.cls` or `.trigger` as appropriate.",
            "Push back when the change breaks a test.",
            "The list is empty when appropriate rows are missing.",
            "Type suffix where applicable.",
        ],
    ),
    "no-measure": (
        [
            "Write clean code.",
            "Follow best practices.",
            "Prefer making reasonable decisions.",
            "Handle errors appropriately.",
        ],
        [
            "Follow best practices (see `docs/style.md`).",
            "Keep functions short: at most 40 lines, properly named.",
            "The compiler selects reasonable defaults.",
            "You are an expert who writes clean code.",
        ],
    ),
    "meta-prose": (
        ["This file provides guidance to agents in this repository.", "This skill helps you write."],
        ["Name this file after its class.", "Open the guide before you start."],
    ),
}


@pytest.mark.parametrize("gate", WORDED)
def test_words_that_show_a_fault_are_told_from_their_near_misses(gate: str) -> None:
    faulty, sound = WORDED[gate]
    for text in faulty:
        findings = [finding for finding in found_in(f"# A\n\n- {text}\n") if finding.gate == gate]
        assert [finding.line for finding in findings] == [3], text
        assert findings[0].quote in text
    for text in sound:
        assert gate not in gates_of(found_in(f"# A\n\n- {text}\n")), text


OPPOSED = [
    ("Use tabs for indentation.", "Always use spaces for indentation."),
    ("Commit directly to main.", "Never commit directly to main."),
    ("Write comments for public functions.", "Avoid comments for public functions."),
    ("Use npm to install packages.", "Use pnpm to install packages."),
    ("If CI is red, merge the branch.", "If CI is red, do not merge the branch."),
]
AGREEING = [
    ("Run the tests before each commit.", "Do not run the tests."),
    ("Push to the remote repository.", "Never push to the remote repository unless the user asks."),
    ("Don't edit generated files.", "Edit generated files when the generator is broken."),
    ("Open the PR.", "Do not open a PR for it."),
    ("Use pnpm to install packages, not npm.", "Never use npm to install packages."),
    ("Run tests locally.", "Never run all tests locally."),
    ("Rebase the branch rather than merge the main branch.", "Do not merge the main branch."),
    ("When CI is green, merge the branch.", "When CI is red, do not merge the branch."),
]


@pytest.mark.parametrize("pair", OPPOSED)
def test_orders_that_cannot_both_be_followed_are_seen_in_one_file_and_in_two(pair: tuple[str, str]) -> None:
    one = "\n".join(f"- {text}" for text in pair)
    (finding,) = found_in(f"# A\n\n{one}\n")
    assert (finding.gate, finding.line) == ("internal-consistency", 4)
    assert "line 3" in finding.reason
    (finding,) = found_in(*pair)
    assert (finding.file, "CLAUDE.md:1" in finding.reason) == ("1.md", True)


@pytest.mark.parametrize("pair", AGREEING)
def test_orders_under_other_conditions_are_no_contradiction(pair: tuple[str, str]) -> None:
    assert "internal-consistency" not in gates_of(found_in("\n\n".join(pair)))


def test_what_a_heading_or_a_lead_turns_round_is_no_order() -> None:
    for head in ("## Never do this", "## ❌ Wrong", "What you don't have to do:"):
        text = f"Follow the script for releases.\n\n{head}\n\n- Do not follow the script for releases.\n"
        assert "internal-consistency" not in gates_of(found_in(text)), head
    drafts = "# When it is a draft\n\n- Push the branch to origin.\n\n"
    other = f"{drafts}# When it is final\n\n- Never push the branch to origin.\n"
    assert "internal-consistency" not in gates_of(found_in(other))


SAID = "Run the unit tests of the module you touched before every commit to main."


def test_what_is_said_twice_is_found_once_with_its_first_place() -> None:
    (finding,) = found_in(f"- {SAID}\n- Open it.\n- {SAID}\n")
    assert (finding.gate, finding.finding, finding.line) == ("duplicate", "FAIL", 3)
    near = "Before every commit to main, run unit tests locally, of the module that you touched."
    (finding,) = found_in(SAID, near)
    assert (finding.finding, finding.reason) == ("WARN", "says nearly the same as CLAUDE.md:1")
    block = "\n".join(f"- {SAID} {word}" for word in ("alpha", "beta", "gamma"))
    (finding,) = found_in(block + "\n\nOwn words of the first.", "Own words of another.\n\n" + block)
    assert finding.reason == "says the same as CLAUDE.md:1, and so on: 3 items, down to line 5"
    assert finding.finding == "WARN"
    (finding,) = found_in(SAID, SAID)
    assert finding.reason == "the whole file stands in CLAUDE.md, too"


@pytest.mark.parametrize(
    "other",
    [
        "Never run the unit tests of the module you touched before every commit to main.",
        "Run the unit tests of the module you touched before every commit to `release`.",
        "Run the 3 unit tests of the module you touched before every commit to main.",
        "Run the linter on the files you touched after every merge of main.",
    ],
)
def test_what_differs_in_its_sign_its_code_or_a_number_is_no_repetition(other: str) -> None:
    assert "duplicate" not in gates_of(found_in(SAID, other))


def tree_of(folder: Path, text: str, *names: str, read: str = "docs/CLAUDE.md") -> tuple[NoteFinding, ...]:
    (folder / ".git").mkdir()
    for name in (read, *names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    (folder / read).write_text(text)
    return check_files(read_note_files([folder / read])).findings


def test_a_skill_works_in_the_trees_of_others(tmp_path: Path) -> None:
    head = "---\nname: a\ndescription: Use when a page is read.\n---\n"
    text = head + "Run `scripts/gone.py` on `src/old.ts`.\n"
    (finding,) = tree_of(tmp_path, text, "src/a.ts", "skills/scripts/a.py", read="skills/SKILL.md")
    assert finding.quote == "scripts/gone.py"


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Navigate through `core/navigation`.", "core/navigation"),
        ("Zustand holds it (`core/state`).", "core/state"),
        ("Check it with `python core/check.py out.pdf`.", "core/check.py"),
    ],
)
def test_folders_beside_others_and_files_that_are_run_are_missed(
    tmp_path: Path, text: str, quote: str
) -> None:
    (finding,) = tree_of(tmp_path, text, "core/data/a.kt", "core/net/a.kt")
    assert (finding.quote, finding.finding) == (quote, "WARN")


@pytest.mark.parametrize(
    "text", ["Kinds are in `core/kinds`.", "The endpoint is `core/people`.", "Rows are in `core/rows.db`."]
)
def test_words_with_a_slash_that_are_no_folder_are_not_missed(tmp_path: Path, text: str) -> None:
    assert not tree_of(tmp_path, text, "core/data/a.kt", "core/kinds.kt")


def test_paths_that_are_not_in_the_tree_are_dead(tmp_path: Path) -> None:
    links = "Read [the guide](guide.md) and [this](../src/app.ts#L3)."
    text = f"Routes are in `src/old/api.ts`.\n\n{links}\n\n@gone.md\n"
    findings = tree_of(tmp_path, text, "src/app.ts")
    assert [(each.line, each.quote, each.finding) for each in findings] == [
        (1, "src/old/api.ts", "WARN"),
        (3, "guide.md", "FAIL"),
        (5, "@gone.md", "FAIL"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Routes are in `src/app.ts`, `app.ts`, `web/src/app.ts` or `./src/`.",
        "Create `src/new/api.ts` for each route.",
        "Import `lodash/fp.js`, see `docs/task_NNN.md`.",
        "Check if `src/extensions.yml` exists.",
        "Pull `origin/main` and read `https://a.b/c.md`, `@scope/name` or `src/<name>.ts`.",
        "Write to `[a](b.md)`, read [a](https://a.b/c.md), [b](#below), `dist/app.js` or `src/.env.local`.",
        "## Removed\n\n`src/old.ts` was here.",
        "Read `src/../../other/side`.",
    ],
)
def test_paths_that_need_not_be_there_are_not_dead(tmp_path: Path, line: str) -> None:
    assert not tree_of(tmp_path, line, "src/app.ts")


def test_a_skill_that_does_not_say_when_it_is_for() -> None:
    head = "---\nname: a\ndescription: {}\n---\n\nOpen it.\n"
    for text, weight in (
        ("# A\n\nOpen it.\n", "FAIL"),
        (head.format("Drives the browser."), "WARN"),
        (head.format(">\n  Drives\n  the browser."), "WARN"),
        (head.format('"Drives: [the'), "WARN"),
    ):
        (finding,) = found_in(text, name="SKILL.md")
        assert (finding.gate, finding.finding) == ("trigger-presence", weight)
    assert not found_in(head.format("Use when a page is to be read."), name="SKILL.md")
    assert not found_in(head.format("Drives the browser."), name="CLAUDE.md")


def test_a_section_that_tells_nothing_is_named_for_information() -> None:
    facts = "\n".join(f"- **Part {n}** — a layer of the application with many long names" for n in range(6))
    (finding,) = found_in(f"# A\n\n## Stack\n\n{facts}\n")
    assert (finding.gate, finding.finding, finding.line, finding.quote) == (
        "no-action",
        "INFO",
        3,
        "## Stack",
    )
    for text in (
        f"## Stack\n\n{facts}\n- Never change it.\n",
        f"## Rules\n\n{facts}\n",
        f"## Stack\n\n{facts}\n```\nmake\n```\n",
        f"## Stack\n\n{facts}\n- [ ] all ready\n",
        f"## Stack\n\n{facts}\n- `make check`: everything\n",
    ):
        assert "no-action" not in gates_of(found_in(text))


def test_tokens_are_counted_by_section_and_a_skill_costs_its_front_matter_a_turn() -> None:
    text = (
        "---\nname: a\ndescription: Use when b.\n---\n" + "# A\n\nOpen it now.\n" + "# B\n\n" + "word " * 100
    )
    (skill,) = check_files([note_of(text)]).files
    (plain,) = check_files([note_of(text, "CLAUDE.md")]).files
    assert skill.tokens_a_turn == 11
    assert plain.tokens_a_turn == -(-len(text) // 4)
    assert sum(section.share for section in plain.sections) == pytest.approx(1)
    assert max(plain.sections, key=lambda section: section.tokens).title == "B"


def test_words_of_another_language_are_not_read() -> None:
    text = (
        "## Règles\n\n"
        + "- Les noms de fichiers sont toujours écrits avec des tirets et des minuscules ici.\n" * 2
    )
    report = check_files(
        [note_of(text + "- Les dates utilisent le format AAAA-MM-JJ dans chaque tableau du projet.\n")]
    )
    assert not report.files[0].english
    assert set(gates_of(report.findings)) == {"duplicate"}


def test_every_gate_that_is_listed_has_been_met() -> None:
    """The names of the findings are those that `--fail-on` takes."""
    assert set(WORDED) | {
        "trigger-presence",
        "no-action",
        "duplicate",
        "internal-consistency",
        "dead-reference",
    } == set(NOTE_GATES)


def test_sound_advice_of_other_hands_is_left_alone() -> None:
    text = (
        "# Testing\n\n- Run `pytest -x tests/unit` before `make integration`; it takes 40 seconds.\n"
        "- If a test fails only under `-n auto`, rerun it alone before changing any code.\n"
        "- Never use `any`; take `unknown` and narrow it with a guard.\n\n"
        "## Git\n\n- Commit renames before the change of behaviour, as two commits.\n"
        "- Do not force-push to a shared branch unless the owner said so.\n"
    )
    assert found_in(text) == ()
