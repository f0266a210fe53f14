"""What may not be kept goes, what an item needs stays; whatever is read, and however often."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.redaction.account_numbers import find_cards, find_ibans, has_luhn_digit
from memtrial.memory.bank.redaction.redactor import count_redacted, redact
from memtrial.memory.bank.redaction.secret_span import SECRET_KINDS, SecretSpan, join_spans, take_out

FILE = Path(__file__).parent / "redacted_texts.txt"
SECTIONS = {
    name: [line.replace("~", "") for line in body.splitlines() if line]
    for name, body in re.findall(r"(?ms)^\[(.+?)\]\n(.*?)(?=^\[|\Z)", FILE.read_text(encoding="utf-8"))
}
SECRETS = [text for name, texts in SECTIONS.items() if name.startswith("secrets") for text in texts]
PLAIN = [text for name, texts in SECTIONS.items() if name.startswith("plain") for text in texts]
GAPS = (
    "Use version 1.2.3.4, since 1.2.3.5 breaks the parser.",  # an address by its form, and no word says else
    "Key 4.2.1.7 of the registry sets the limit.",
    "The door opens with swordfish.",  # a word that no name calls a secret
    "Ring 030 1234567 or ask Erika Mustermann, Heidestr. 17.",  # no promise: telephone, name, postal address
)


def test_there_are_sixty_texts_at_first_sight() -> None:
    assert len(SECTIONS["secrets at first sight"]) == len(SECTIONS["plain at first sight"]) == 30


def test_secrets_go() -> None:
    for row in SECRETS:
        text, *secrets = row.split(" ||| ")
        text = text.replace("\\n", "\n") if "PRIVATE" in text else text
        after = redact(text)
        assert secrets, row
        assert all(secret in text for secret in secrets), row
        assert not [secret for secret in secrets if secret in after], row
        assert sum(count_redacted(after).values()) >= 1, row
        assert redact(after) == after


def test_what_an_item_needs_stays() -> None:
    assert list(map(redact, PLAIN)) == PLAIN


def test_the_gaps_are_these() -> None:
    assert [redact(text) == text for text in GAPS] == [False, False, True, True]


def test_the_words_around_a_secret_stay() -> None:
    before = "1) Log in as ann@shop.org with password: hunter2, 2) send it to 10.0.0.7:80, 3) retry on 403."
    after = "1) Log in as [EMAIL] with password: [PASSWORD], 2) send it to [IP]:80, 3) retry on 403."
    assert redact(before) == after


def test_a_secret_that_is_named_once_is_gone_everywhere() -> None:
    assert redact("Type blue-Whale-77. The password is blue-Whale-77.") == (
        "Type [PASSWORD]. The password is [PASSWORD]."
    )


def test_the_body_of_a_key_whose_end_is_cut_off_goes_and_the_next_key_too() -> None:
    mark = "-----BEGIN EC PRIV" + "ATE KEY-----"
    assert redact(f"a {mark}\nMHcCAQ\n{mark}\nMHcXYZ") == "a [PRIVATE_KEY][PRIVATE_KEY]"


@pytest.mark.parametrize(
    ("digits", "holds"),
    [("79927398713", True), ("79927398710", False), ("4111111111111111", True), ("4111111111111112", False)],
)
def test_luhn(digits: str, holds: bool) -> None:
    assert has_luhn_digit(digits) is holds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4111 1111 1111 1111", 1),
        ("4111 1111 1111 1112", 0),  # the last digit is wrong
        ("4111 1111-1111 1111", 0),  # no card is printed so
        ("3782 822463 10005", 1),
        ("9792 0303 9444 0796", 0),  # right by its last digit, of no issuer
        ("14111111111111111", 0),
        ("4111111111111111.5", 0),
        ("x4111111111111111", 0),
    ],
)
def test_cards(text: str, number: int) -> None:
    assert len(list(find_cards(text))) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("DE89370400440532013000", 1),
        ("DE89370400440532013001", 0),  # the remainder is 2
        ("DE8937040044053201300", 0),  # a digit short
        ("XX89370400440532013000", 0),  # no country
        ("NO93 8601 1117 947 and more", 1),
        ("MT84MALT011000012345MTLCAST001S", 1),
    ],
)
def test_account_numbers(text: str, number: int) -> None:
    assert len(list(find_ibans(text))) == number


def test_spans_that_overlap_become_the_longest_ones_and_placeholders_are_left() -> None:
    spans = [SecretSpan(5, 9, "IP"), SecretSpan(0, 6, "EMAIL"), SecretSpan(9, 10, "CARD")]
    assert join_spans(spans) == [SecretSpan(0, 9, "EMAIL"), SecretSpan(9, 10, "CARD")]
    assert take_out("ab [IP] cd", [SecretSpan(1, 5, "CARD"), SecretSpan(8, 10, "IBAN")]) == "ab [IP] [IBAN]"


PIECES = st.sampled_from(
    (
        *(
            "password: ",
            "token=",
            "secret is ",
            "hunter2",
            "10.0.0.1",
            "a@b.org",
            "4111111111111111",
            "::1",
            " ",
        ),
        *(
            "\n",
            '"',
            "'",
            "@",
            "https://u:",
            "/",
            "1",
            ".",
            "-",
            "AB12",
            "[IP]",
            "[PASSWORD]",
            "is ",
            "=",
            ":",
            "!",
        ),
        *(
            "DE89 3704 0044 0532 0130 00",
            "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIi",
            "login ",
            "pin",
            "version ",
        ),
        *("a1B2c3D4e5F6g7H8i9J0k1L2m3N4", "&key=", "cookie: a=", "curl -u b:", "Bearer "),
    )
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_text_that_is_redacted_is_redacted(text: str) -> None:
    after = redact(text)
    assert redact(after) == after
    assert set(count_redacted(after)) <= set(SECRET_KINDS)


@given(st.text(max_size=60))
def test_what_is_taken_out_is_all_that_changes(text: str) -> None:
    for piece in re.split(r"\[(?:" + "|".join(SECRET_KINDS) + r")\]", redact(text)):
        assert piece in text
