"""What a text must have before a secret of some kind can stand in it: seen in a fraction of the time that it
takes to look for the secret.

Each condition is necessary: where it does not hold, the finder beside it in `redactor` finds nothing. Whoever
changes a pattern reads the condition again; a test holds the two against each other.
"""

import re
from typing import NamedTuple

_FOLDED = {"İ": "i", "ı": "i", "ſ": "s"}
"""Letters that `(?i)` takes for others, and `lower` does not."""
_FOLDS = str.maketrans(_FOLDED)
_SECRET_NAME = re.compile(
    r"pass(?:w(?:or)?[dt]|[_-]?code|[_-]?phrase|(?=\W))|mot de passe|pwd|kennwort|contrase|senha|secret|token"
    r"|пар|密|パスワード|credential|sess(?:ion)?[_-]?id|sid(?<![a-z]sid)|pin(?<![a-z0-9]pin)|x-amz-"
    r"|(?:access|api|auth|private|signing|encryption|account|storage|licen[cs]e|shared|master)[_ -]?key"
)
"""A part of each name that a value is assigned to, in folded letters."""
_LETTERS_OF_NAMES = (
    "pass", "pwd", "kennwort", "contrase", "senha", "secret", "token", "пар", "密", "パスワード",
    "credential", "sess", "sid", "pin", "x-amz-", "key",
)  # fmt: skip
"""One of these is in each of them: seen ten times as fast."""
_OF_PROGRAMS = ("pass", "token", "secret", "key", "mysql", "login", "curl")
"""In a program's name, or in that of an option with a secret."""
_NUMBER = re.compile(r"\d\d(?:\d\d(?:[ -]\d{4}|\d{9})|(?<=[A-Za-z]\d\d))")
"""As a card begins, in groups or without; two digits behind a letter, as in an IBAN."""
_DOTTED = re.compile(r"\.\d(?<=\d\.\d)")
"""From the point on, which is found at once."""
_MAIL_SIGNS = ("@", "%40", "&#64;", "&#x40;", "&commat;")
_END_MARKS = ".,;:!?()\"'`*"
_SHORTEST_TOKEN, _SHORTEST_PLAIN, _SHORTEST_RANDOM, _SHORTEST_HEADER = 13, 20, 32, 12


class TextSigns(NamedTuple):
    """A text, and what is read from it once for all conditions.

    Args:
        folded: its letters as `(?i)` compares them.
        words: what blanks part.
        longest: characters of the longest of them.
        numbered: some of its digits may begin a card or an account.
    """

    text: str
    folded: str
    words: tuple[str, ...]
    longest: int
    numbered: bool


def read_signs(text: str) -> TextSigns:
    """The signs of a text."""
    folded = text.lower() if text.isascii() else text.translate(_FOLDS).lower()
    words = tuple(text.split())
    longest = max(map(len, words), default=0)
    return TextSigns(text, folded, words, longest, _NUMBER.search(text) is not None)


def may_hold_private_key(signs: TextSigns) -> bool:
    """The line that begins or ends one says so."""
    return "PRIVATE KEY" in signs.text


def may_hold_token(signs: TextSigns) -> bool:
    """A token is a word of 20 characters, or of 13 that are not letters alone; Slack's may be shorter."""
    if "xox" in signs.folded:
        return True
    if signs.longest < _SHORTEST_TOKEN:
        return False
    long = (word.strip(_END_MARKS) for word in signs.words if len(word) >= _SHORTEST_TOKEN)
    return any(len(word) >= _SHORTEST_PLAIN or not word.isalpha() for word in long)


def may_hold_credential(signs: TextSigns) -> bool:
    """An address with a password, an option of a program, an element, a header, or a name with its value."""
    text, folded = signs.text, signs.folded
    if "://" in text and "@" in text:
        return True
    if "=" in text and ("?" in text or "&" in text or ";" in text):
        return True
    if "-" in text and any(word in folded for word in _OF_PROGRAMS):
        return True
    if "<" in text and ">" in text:
        return True
    if signs.longest >= _SHORTEST_HEADER and ("bearer" in folded or "basic" in folded):
        return True
    if (":" in text or "=" in text) and ("authorization" in folded or "cookie" in folded):
        return True
    return ("/" in text or ":" in text) and (
        "log" in folded or "sign" in folded or "credential" in folded or "account" in folded
    )


def may_hold_assigned(signs: TextSigns) -> bool:
    """It has the name of something secret."""
    folded = signs.folded
    for letters in _LETTERS_OF_NAMES:
        if letters in folded:
            return _SECRET_NAME.search(folded) is not None
    return False


def may_hold_random_word(signs: TextSigns) -> bool:
    """A word is long enough."""
    return signs.longest >= _SHORTEST_RANDOM


def may_hold_mail_address(signs: TextSigns) -> bool:
    """It has the sign, as it is or as addresses and pages of the web write it."""
    return any(sign in signs.text for sign in _MAIL_SIGNS)


def may_hold_number(signs: TextSigns) -> bool:
    """Some of its digits may begin a card or an account."""
    return signs.numbered


def may_hold_ip_address(signs: TextSigns) -> bool:
    """Of version 4, or of version 6 with its colons."""
    return "::" in signs.text or signs.text.count(":") > 5 or _DOTTED.search(signs.text) is not None
