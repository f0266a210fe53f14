"""What must be there before a secret is looked for is there wherever one is found: nothing goes unread."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from memtrial.memory.bank.redaction.redactor import STEPS, redact
from memtrial.memory.bank.redaction.text_signs import may_hold_assigned, read_signs
from tests.memory.bank.test_redaction import PLAIN, SECRETS

READINGS = [reading for step in STEPS for reading in step]
WORDS = [word for row in (*SECRETS, *PLAIN) for word in re.findall(r"\S+\s?|\s+", row.split(" ||| ")[0])]
FOLDED = str.maketrans({"i": "ı", "s": "ſ", "k": "\N{KELVIN SIGN}", "I": "İ"})
SHORTEST = (
    "xoxb-1-a",
    "AKIAABCDEFGHIJKLMNOP",
    "(AKIAABCDEFGHIJKLMNOP).",
    "// /:_authToken= npm_a",
    'aws key "' + "a" * 40 + '"',
    "cl_key " + "a" * 24,
    "sk_test_" + "a" * 10,
    "eyJ" + "a" * 8 + "." + "a" * 6,
    "hvs." + "-" * 24,
    "dp.pt." + "." * 30,
    "xapp-" + "-" * 20,
    "1//0" + "-" * 40,
    "Basic " + "a1" * 6,
    "a://:hunter2@",
    "?s=abcdefgh1234",
    "-token abc1",
    "sshpass -pabc",
    "mysql -pabc",
    "az login -p abc",
    "curl -u a:hunter2",
    "<pwd>abc1<",
    "<x:pwd>hunter2</x:pwd>",
    "authorization=bot abcdefg1",
    "cookie:a=abcdefg1",
    "account: ab/cdef12",
    "pin: 1234",
    "PIN=1234",
    "sid=abcdefg1",
    "connect.sid: abcdefg1",
    "mot de passe: hunter2",
    "pass: abc1",
    "passcode: abc1",
    "pass-phrase: abc1",
    "passwt abc123",
    "пароль: hunter2",
    "ПАРОЛЬ = hunter2",
    "密码：hunter2",
    "パスワード hunter2",
    "session-id=abcdefg1",
    "licence key: abcdefg1",
    "sharedaccesskey=abcdefg1",
    "x-amz-signature=abcdefg1",
    "contraseña hunter2",
    "a%40b.org",
    '"a"@b.org',
    "DE89 3704 0044 0532 0130 00",
    "mt84malt011000012345mtlcast001s",
    "3782 822463 10005",
    "4222222222222",
    "1.2.3.4",
    "::1",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::ffff:1.2.3.4",
    "aB1" * 11,
    "-----BEGIN PRIVATE KEY-----",
)
"""Each with no more than what one pattern asks for."""


def unread(text: str) -> list[str]:
    """The kinds of secrets in a text that are not looked for, and are there."""
    signs = read_signs(text)
    passed = [reading.find for reading in READINGS if not reading.may_find(signs)]
    return [span.kind for find in passed for span in find(text)]


def test_the_shortest_secrets_are_looked_for() -> None:
    for text in SHORTEST:
        assert any(list(reading.find(text)) for reading in READINGS), text
        for around in (text, f"({text})", f"é{text}é", text.upper(), text.translate(FOLDED)):
            assert unread(around) == [], around


def test_secrets_are_looked_for_wherever_their_text_is_cut() -> None:
    for row in SECRETS:
        words = re.findall(r"\S+\s?|\s+", row.split(" ||| ")[0])
        for place in range(len(words)):
            for text in ("".join(words[:place]), "".join(words[place:])):
                assert unread(text) == unread(text.translate(FOLDED)) == []


@given(st.lists(st.sampled_from([*WORDS, *SHORTEST, " ", "\n", "é", "ı", "ſ"]), max_size=8).map("".join))
@example("paſſword: hunter2")
@example("PİN: 1234")
@example("to\N{KELVIN SIGN}en: abcdefg1")
def test_whatever_is_read_no_secret_is_passed_over(text: str) -> None:
    assert unread(text) == []


def test_letters_are_folded_as_patterns_compare_them() -> None:
    # no letter beyond these has one of the names' letters as its small one
    letters = "".join(map(chr, range(0x10000)))
    for letter in sorted(set("passwordtcodephrasemotkennwcontrasenhaviludgyx-amzпарパスワード密")):
        for like in re.findall(f"(?i){re.escape(letter)}", letters):
            assert letter in read_signs(f"é{like}").folded[1:]
    # "pass" stands alone before what is no letter, and stays so
    assert not any(read_signs(f"é{sign}").folded[1:][0].isalnum() for sign in re.findall(r"[^\w\s]", letters))


def test_a_plain_text_is_not_looked_through() -> None:
    plain = "1. Open page 3 of the orders, and compare its total. 2. Understanding comes before shopping."
    signs = read_signs(plain)
    assert not any(reading.may_find(signs) for reading in READINGS)
    assert redact(plain) == plain
    assert not may_hold_assigned(read_signs("the assessment of an opinion inside a keyboard"))
