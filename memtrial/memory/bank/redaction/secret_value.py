"""Whether what stands in a secret's place is one: a password, a template, a word of a sentence, or code."""

import re

from memtrial.memory.language.lexicon import words

_SPARED_WORDS = words("redaction.spared")
"""Words that stand behind "password:" in forms, schemas, error messages and sentences."""
_TEMPLATE = re.compile(
    r"(?i)[<{\[(]|(?-i:\$(?:[A-Z_{(\d]|[a-z_]+\Z))"
    r"|%(?:[sd]\b|\(|\w+%)|\*{2}|\.{2}|…|x{3,}\Z|#{2}|_{3}|(?:your|my|the|some|any|new|old)[_ -]"
    r"|os\.|process\.|env[.(\[]|getenv|config[.\[]|settings[.\[]"
    r"|self\.|args\.|request\.|data\[|[a-z_]\w*(?:\.\w+)*[(\[]|[a-z_]\w*\.[a-z_]\w*(?:\.[a-z_]\w*)*\Z|(?:true|false|null|none)\b"
)
"""What is filled in later, or read from somewhere."""
_TECHNICAL = re.compile(
    r"(?i)(?:base\d\d(?:-\w+)*|sha-?\d+|md5|utf-?\d+|utf8mb4|oauth-?2?(?:-\w+)*|oauth2\.\d|bcrypt|scrypt|argon2\w{0,2}|pbkdf2"
    r"|[hrep]s(?:256|384|512)|x\.?509|http/?\d?|tls(?:v?[\d.]++)?|aes-?\d{3}(?:-\w+)?|rfc-?\d+|iso-?\d+(?:-\d+)?"
    r"|v?\d+(?:\.\d+)+|\d{1,4}-[a-z]{1,12}|\d+[- ]?(?:ms|min|sec|[smhdx]|px|kb|k)"
    r"|(?:level|step|part|field|input)-?\d+|k8s|s3|ec2|web3|p\d\d|v\d+|2fa|mfa)\W*+\Z"
)
"""Names of methods and measures, which hold digits as passwords do."""
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\Z")
_MARKS = frozenset("!@#$%^&*?~+=")
_ENDS = ".,;:!?\"'`”’)]}>|"


def trim_value(value: str) -> str:
    """Without the marks that end a sentence, a bracket or a line of a table."""
    trimmed = value.rstrip(_ENDS)
    lost = value[len(trimmed) :]
    # "hunter2!" ends in a mark of its own; at a line's end nobody knows, and a mark says nothing alone
    return trimmed + "!" if lost == "!" and trimmed else trimmed


def is_spared(value: str) -> bool:
    """It is a template, code that reads the value, a word of a form or a sentence, or a measure."""
    plain = value.strip(" \t.,;:!?*_'\"`").lower()
    return (
        len(plain) < 2
        or plain in _SPARED_WORDS
        or _TEMPLATE.match(value) is not None
        or _TECHNICAL.match(plain) is not None
    )


def is_strong(value: str, least: int) -> bool:
    """So long, and of more than letters: a password or a key, and no word."""
    if len(value) < least or _TECHNICAL.match(value) or _TEMPLATE.match(value):
        return False
    letters = any(sign.isalpha() for sign in value)
    digits = any(sign.isdigit() for sign in value)
    marked = any(sign in _MARKS for sign in value.rstrip("!?"))
    return letters and (digits or marked)


def is_random(value: str) -> bool:
    """At least 20 characters of capitals, small letters and digits together: no name is."""
    kinds = (any(map(str.isupper, value)), any(map(str.islower, value)), any(map(str.isdigit, value)))
    return all(kinds) and is_strong(value, 20)


def is_secret_word(value: str, least: int) -> bool:
    """Letters alone, so long: a secret where nothing follows, for a sentence would go on."""
    return len(value) >= least and _LETTERS.match(value) is not None
