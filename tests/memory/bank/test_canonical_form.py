"""The canonical form, its lint, exemplars and the forms of profiles."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import ItemDetails
from memtrial.memory.bank.canonical.canonical_form import canonicalise, canonicalise_item, shorten_name
from memtrial.memory.bank.canonical.canonical_lint import find_instance_words, lint_item
from memtrial.memory.bank.canonical.exemplar_limits import (
    ExemplarLimits,
    find_exemplar_faults,
    measure_exemplar,
)
from memtrial.memory.bank.canonical.form_profiles import (
    FORM_PROFILES,
    PAPER_FORM,
    SEED000_FORM,
    SEED003_FORM,
    UPSTREAM_FORM,
    count_sentences,
    count_steps,
    find_form_faults,
)
from memtrial.memory.bank.canonical.quantity_ranges import write_range
from memtrial.memory.item import NativeItem, TheoryItem

UUID = "550e8400-e29b-41d4-a716-446655440000"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"Open item {UUID} first.", "Open item <id> first."),
        ("See https://shop.example.org/a?b=1.", "See <url>."),
        ("Edit /home/ann/app/main.py, ~/.bashrc and C:\\Temp\\x.txt.", "Edit <path>, <path> and <path>."),
        ("Click at 412, 873 or click(412, 873).", "Click at <position> or click(<position>)."),
        ("The part is at (48.85, 2.35, 0.1).", "The part is at <position>."),
        ("It lies at x=12, y=34.5.", "It lies at <position>."),
        (
            "Order #000000187, ticket JIRA-12345, id 20261128.",
            "Order <number>, ticket <number>, id <number>.",
        ),
        ("Commit 3f786850e387550fdab836ed7e6dc881de23001b", "Commit <id>"),
        ("Tilt by 25° and retract 5 mm after 200 ms.", "Tilt by 20–30° and retract 4–6 mm after 160–240 ms."),
        ("Wait 1.5 s.", "Wait 1.2–1.8 s."),
        ("It costs $1,249.99.", "It costs $1000–1500."),
        ("Set threshold 0.75.", "Set threshold 0.6–0.9."),
        ("A confidence of 0.9 is 90% sure.", "A confidence of 0.72–1 is 72–100% sure."),
        ("Cool to -5 °C.", "Cool to -6 to -4 °C."),
    ],
)
def test_what_is_of_one_instance_goes(before: str, after: str) -> None:
    assert list(find_instance_words(before))
    assert canonicalise(before) == after
    assert canonicalise(after) == after
    assert not list(find_instance_words(after))


@pytest.mark.parametrize(
    "text",
    [
        "Retry once if 403, at most 3 times; page 12 of 20 holds the answer.",
        "Keep the force below 10 N, within 5 mm, for at least 2 s, or ≤ 4 s.",
        "Tilt by 20–30°, wait between 2 and 3 s or 5 to 10 s, 5 ± 1 mm.",
        "Use Python 3.11, HTTP 429, ISO-8601, sha256 and section 3.2.1 of 2025-10-10.",
        "Open /login, then read and/or write; 24/7, 2>/dev/null, steps (1, 2), f(2, 3), a[0, 1].",
        "Wait 0 s.",
    ],
)
def test_rules_bounds_and_ranges_stay(text: str) -> None:
    assert canonicalise(text) == text
    assert not list(find_instance_words(text))


@pytest.mark.parametrize(
    ("value", "integer", "share", "ends"),
    [
        (5, True, False, ("4", "6")),
        (1, True, False, ("1", "2")),
        (3, True, False, ("2", "4")),
        (100, True, True, ("80", "100")),
        (0.05, False, False, ("0.04", "0.06")),
        (0.95, False, True, ("0.76", "1")),
        (120.5, False, True, ("96", "140")),
    ],
)
def test_the_ends_of_a_range(value: float, integer: bool, share: bool, ends: tuple[str, str]) -> None:
    assert write_range(value, integer, share) == ends


@given(st.floats(min_value=1e-3, max_value=1e6).map(lambda value: round(value, 3)), st.booleans())
def test_a_range_holds_its_value(value: float, integer: bool) -> None:
    value = float(round(value) or 1) if integer else max(value, 0.001)
    low, high = map(float, write_range(value, integer))
    assert low <= value <= high


PIECES = st.sampled_from(
    (
        *(
            UUID,
            "https://a.b/c",
            "/home/a/b",
            "(1, 2)",
            "x=1, y=2",
            "123456",
            "#1234",
            "5 mm",
            "0.5",
            "25°",
            "-",
        ),
        *(
            "5",
            " ",
            "–",
            "threshold ",
            "$",
            "%",
            " to ",
            "at most ",
            "click",
            ".",
            ",",
            "/",
            "<path>",
            "ms",
            "<",
        ),
    )
)


@given(st.lists(PIECES, max_size=10).map("".join))
def test_a_canonical_text_is_canonical_and_the_lint_finds_nothing_in_it(text: str) -> None:
    after = canonicalise(text)
    assert canonicalise(after) == after
    assert not list(find_instance_words(after))


def test_names_are_short_and_stay_so() -> None:
    long = "Check the form's hidden token before each post, because the server rejects a stale token with 403"
    assert shorten_name("Check the token first. Then post.") == "Check the token first"
    assert shorten_name(long) == "Check the form's hidden token before each post"
    assert shorten_name("a " * 20) == " ".join(["a"] * 12)
    assert shorten_name(shorten_name(long)) == shorten_name(long)


def test_an_item_in_its_canonical_form_and_what_is_left_of_the_fields_that_a_program_matches() -> None:
    native = NativeItem(f"Open {UUID}. Now.", "Wait 5 s.", "1. See https://a.b/c.")
    assert canonicalise_item(native) == NativeItem("Open <id>", "Wait 4–6 s.", "1. See <url>.")
    assert not lint_item(canonicalise_item(native))
    theory = TheoryItem(f"Open {UUID}.", f'state: "{UUID}"', "m", "s", "heuristic")
    after = canonicalise_item(theory)
    assert after == replace(theory, claim="Open <id>.")
    assert [(fault.kind, fault.field, fault.quote) for fault in lint_item(after)] == [("id", "trigger", UUID)]
    named = lint_item(NativeItem("word " * 13, "", ""))
    assert [fault.kind for fault in named] == ["name"]


def test_an_exemplar_is_short_and_no_copy() -> None:
    trace = "open the page and read the table then click the second row and wait for the reply " * 3
    limits = ExemplarLimits(most_tokens=8, least_overlap=0.5, least_copied=0.5, size=2)
    own, other = {("a", "b"), ("b", "c")}, {("a", "b"), ("b", "x")}
    measured = measure_exemplar("a b c", "a b x", limits)
    assert measured.tokens == 3
    assert measured.jaccard == len(own & other) / len(own | other) == 1 / 3
    assert measured.copied == 1 / 2
    assert not find_exemplar_faults("locate row, select it, confirm", trace, limits)
    assert (
        "at most 8 words"
        in find_exemplar_faults("one two three four five six seven eight nine", "", limits)[0]
    )
    assert "raw trace: Jaccard" in find_exemplar_faults("a b c", "a b c", limits)[0]
    assert "copies" in find_exemplar_faults("click the second row", trace, limits)[0]
    assert not find_exemplar_faults("", trace)


@pytest.mark.parametrize(
    ("text", "sentences", "steps"),
    [
        ("", 0, 0),
        ("One. Two! Three?", 3, 0),
        ("One, e.g. this. Two", 2, 0),
        ("1) Load the page. 2) Attach it. 3) Retry once if 403.", 3, 3),
        ("1. Load.\n2. Attach.\n4. Out of turn.", 3, 2),
        ("先统一单位。再列方程。", 2, 0),
        ("Set 3.5 as the limit.", 1, 0),
    ],
)
def test_sentences_and_steps_are_counted(text: str, sentences: int, steps: int) -> None:
    assert count_sentences(text) == sentences
    assert count_steps(text) == steps


def _native(content: str, description: str = "What it is for.") -> NativeItem:
    return NativeItem("Read before you write", description, content)


def _sentences(number: int) -> str:
    return "Read it. " * number


def _steps(number: int) -> str:
    return " ".join(f"{place}) Read it." for place in range(1, number + 1))


@pytest.mark.parametrize(
    ("content", "upstream", "paper", "seed003"),
    [
        (_sentences(1), True, True, False),
        (_sentences(3), True, True, False),
        (_sentences(4), False, True, False),
        (_sentences(5), False, True, False),
        (_sentences(6), False, False, False),
        (_steps(2), True, True, False),
        (_steps(3), True, True, True),
        (_steps(8), False, False, True),
        (_steps(9), False, False, False),
        ("", False, False, False),
    ],
)
def test_each_profile_has_its_limits(content: str, upstream: bool, paper: bool, seed003: bool) -> None:
    item = _native(content)
    for profile, sound in ((UPSTREAM_FORM, upstream), (PAPER_FORM, paper), (SEED003_FORM, seed003)):
        assert (not find_form_faults(item, ItemDetails(), "success", profile)) is sound, profile.name


@pytest.mark.parametrize("profile", FORM_PROFILES, ids=lambda profile: profile.name)
def test_an_item_of_a_failure_says_what_to_do_instead(profile: object) -> None:
    details = ItemDetails("Read it twice.", ("a table",), ("a stale row",), "read, then write")
    item = _native(_steps(3))
    assert not find_form_faults(item, details, "failure", profile)  # type: ignore[arg-type]
    told = find_form_faults(item, replace(details, instead=" "), "failure", profile)  # type: ignore[arg-type]
    assert [line for line in told if "instead" in line] == list(told)
    assert len(told) == 1


def test_what_a_profile_lacks_is_named() -> None:
    described = find_form_faults(_native(_steps(3), "One. Two."), ItemDetails(), "success", SEED003_FORM)
    assert described == ("a description of one sentence is needed; it has 2",)
    literal = find_form_faults(
        _native(_steps(3) + f" {UUID} of a@b.org."), ItemDetails(), "success", SEED003_FORM
    )
    assert literal == (
        f"no id may stand in an item; content has {UUID!r}",
        "no secret may stand in an item; there is one in content",
    )
    bare = find_form_faults(_native("Read it."), ItemDetails(), "success", SEED000_FORM)
    assert bare == (
        "preconditions are needed; there are none",
        "pitfalls are needed; there are none",
        "an exemplar is needed; there is none",
    )
    empty = find_form_faults(NativeItem("", "", ""), ItemDetails(), "success", UPSTREAM_FORM)
    assert len(empty) == 3
