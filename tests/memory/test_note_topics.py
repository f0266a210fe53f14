"""Headings of memory files: which only name a topic. Both lists were written before the rule was."""

import pytest

from memtrial.memory.notes.note_topics import leads_in, names_topic

TELLING = """
Never push to main
Always run the tests before committing
Use pnpm, not npm
Do not edit generated files
Keep functions small
Prefer composition over inheritance
No default exports
Tests must pass before you open a pull request
Run `make lint` after every change
IMPORTANT: ask before adding dependencies
Don't mock the database
Write tests first
Avoid `any`
Commit messages in the imperative mood
TypeScript only
2. Read the docs before you change the parser
Secrets never go into the repository
Comments explain why, not what
Zero warnings
One component per file
"""
TOPICS = """
Project overview
Architecture
Commands
Tech stack
Repository structure
CLAUDE.md
AGENTS.md
Code style
Testing
Environment variables
Overview
Database schema
Getting started
Directory layout
API endpoints
Development workflow
Key files
Deployment
Known issues
Project structure
"""
# a verb of the lists before its object, a choice among ways, a sign that forbids, a figure, a word of no list
DOUBTFUL = """
Test components
Commit files
Release packages
Build, test and release
Design APIs
Code
Build
Conventional commits
Semantic versioning
Hexagonal architecture
Test-driven development
Strict TypeScript
Testing (mandatory)
🚫 Patterns
100% coverage
Naming 3 patterns
Rules: tabs
Naming; tabs
Zusammenfassung
"""


def lines_of(text: str) -> list[str]:
    return text.strip().split("\n")


@pytest.mark.parametrize("heading", [*lines_of(TELLING), *lines_of(DOUBTFUL), "", "##", "---"])
@pytest.mark.parametrize("written", ["{}", "## {}", "**{}**", "{}:", "3. {}"])
def test_a_heading_that_may_tell_something_is_no_topic(heading: str, written: str) -> None:
    assert not names_topic(written.format(heading))


@pytest.mark.parametrize("heading", lines_of(TOPICS))
@pytest.mark.parametrize("written", ["{}", "## {}", "# {} #", "**{}:**", "1.2 {}", "📦 {}"])
def test_a_heading_that_names_a_topic_is_one(heading: str, written: str) -> None:
    assert names_topic(written.format(heading))
    assert names_topic(written.format(heading.upper() if "." not in heading else heading))


@pytest.mark.parametrize(
    "heading",
    [
        "Build, Test, and Development Commands",
        "Commit & Pull Request Guidelines",
        "Style",
        "Note",
        "Test setup",
    ],
)
def test_verbs_before_what_they_do_not_act_on_are_topics(heading: str) -> None:
    assert names_topic(heading)


@pytest.mark.parametrize(
    ("line", "leads"),
    [
        ("Follow these rules:", True),
        ("**Always follow the following guidelines:**", True),
        ("Never follow these rules:", False),
        ("Follow these rules", False),
        ("Follow these rules: use tabs", False),
        ("Avoid the following:", False),
        ("Read these docs before planning broad changes:", False),
        (
            "This file provides guidance to Claude Code (claude.ai/code) when working on this project.",
            True,
        ),
        ("This file gives instructions for coding agents.", True),
        ("This file provides guidance to strict reviewers.", False),
        ("This file provides guidance to Claude Code when working with tabs.", False),
        ("This file must be read first.", False),
    ],
)
def test_lines_that_only_lead_in(line: str, leads: bool) -> None:
    assert leads_in(line) is leads
