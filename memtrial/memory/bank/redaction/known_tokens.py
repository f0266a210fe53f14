"""Secrets that show by their own form what they are: the keys and tokens of providers, JWT, private keys.

The forms of sixteen providers are those of detect-secrets 1.5 (its plugins, without its scan of files, its
settings and its questions to the providers). What it does not know, or only in whole files, is here:
Anthropic, Google, Hugging Face, today's OpenAI, GitHub and npm, and others; a JWT whose signature is cut
off; the body of a private key; a long random word.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from memtrial.memory.bank.redaction.secret_span import SecretKind, SecretSpan

_OWN: tuple[tuple[SecretKind, re.Pattern[str]], ...] = (
    (
        "API_KEY",
        re.compile(
            r"(?<![A-Za-z0-9])(?:sk-(?:ant|proj|svcacct|admin|or)-[\w-]{16,256}|sk-[A-Za-z0-9]{32,64}|AIza[\w-]{35}"
            r"|gsk_[A-Za-z0-9]{32,64}|xai-[A-Za-z0-9]{32,128}|pplx-[A-Za-z0-9]{32,64}|r8_[A-Za-z0-9]{30,40}"
            r"|[sr]k_(?:test|live)_[A-Za-z0-9]{10,128}|whsec_[A-Za-z0-9+/=]{16,64}|key-[0-9a-f]{32}|lin_api_[A-Za-z0-9]{32,48}"
            r"|ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}|dp\.(?:pt|st)\.[\w.]{30,64}|A3T[A-Z0-9]{17}|nvapi-[\w-]{40,80}"
            r"|(?:ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{16}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|AC[0-9a-f]{32}|SK[0-9a-f]{32})(?![A-Za-z0-9])"
        ),
    ),
    (
        "TOKEN",
        re.compile(
            r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}|gl(?:pat|dt|rt|ptt|ft)-[\w-]{20,64}"
            r"|hf_[A-Za-z0-9]{30,40}|npm_[A-Za-z0-9]{36}|ya29\.[\w-]{20,512}|GOCSPX-[\w-]{28}|1//0[\w-]{40,128}"
            r"|xox[abeoprs]-[A-Za-z0-9-]{10,256}|xapp-[A-Za-z0-9-]{20,256}|do[por]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}(?:-\d)?"
            r"|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|hv[sb]\.[\w-]{24,256}|pypi-[\w-]{50,512}|EAA[A-Za-z0-9]{60,256}"
            r"|[a-z]{2,12}_(?:pat|key|token|api|secret|live|test)_(?=[A-Za-z_-]{0,64}\d)[\w-]{20,256}|AGE-SECRET-KEY-1[A-Z0-9]{58}|sq0(?:atp|csp)-[\w-]{22,43}|(?i:https://hooks\.slack\.com/(?:services|workflows)/[\w/]{20,200})"
            r"|(?i:https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{10,24}/[\w-]{20,100}))(?![A-Za-z0-9])"
        ),
    ),
    ("JWT", re.compile(r"(?<![\w.-])eyJ[\w-]{8,}+\.(?:eyJ)?[\w-]{6,}+(?:\.[\w-]*+){0,3}")),
)
_KEY_MARK = re.compile(r"-----(?P<side>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=:,.\s-]|\\[nr])*+")
_WORD = re.compile(r"(?<![\w+/=.-])[\w+/-]{32,256}={0,2}(?![\w+/=-])")
_DIGITS = re.compile(r"\d+")
LEAST_TURNS = 0.45
"""Share of neighbours in a random word that differ in being capital, small or digit; names have fewer."""
_PIECE = 1_000
_OVERLAP = 300
"""The library's patterns are read in pieces, as some of them take the square of their text's length."""


def find_private_keys(text: str) -> Iterator[SecretSpan]:
    """From a key's first line to its last; where that is cut off, to the end of what can be its body."""
    marks = list(_KEY_MARK.finditer(text))
    for mark, following in pairwise([*marks, None]):
        if mark is None or mark["side"] == "END":
            continue
        if following is not None and following["side"] == "END":
            yield SecretSpan(mark.start(), following.end(), "PRIVATE_KEY")
            continue
        body = _KEY_BODY.match(text, mark.end(), following.start() if following else len(text))
        yield SecretSpan(mark.start(), body.end() if body else mark.end(), "PRIVATE_KEY")


def find_known_tokens(text: str) -> Iterator[SecretSpan]:
    """Keys and tokens whose form names their maker."""
    for kind, pattern in _OWN:
        for match in pattern.finditer(text):
            yield SecretSpan(*match.span(), kind)
    for begin in range(0, len(text), _PIECE):
        piece = text[begin : begin + _PIECE + _OVERLAP]
        for pattern in _library_patterns():
            for match in pattern.finditer(piece):
                group = match.lastindex if match.lastindex == 1 and len(match[1]) >= _LONG_GROUP else 0
                low, high = match.span(group or 0)
                yield SecretSpan(begin + low, begin + high, "TOKEN")


_LONG_GROUP = 16
"""A pattern's group of so many characters is the secret; a shorter one is a part of its name."""


def find_random_words(text: str) -> Iterator[SecretSpan]:
    """Long words of capitals, small letters and digits in no order; a hash, a UUID or a path is none."""
    for match in _WORD.finditer(text):
        word = match[0]
        digits = _DIGITS.findall(word)
        if len(digits) < 3 or word.lower() == word or word.upper() == word or _is_hash(text, match.start()):
            continue
        kinds = [(sign.isdigit(), sign.isupper(), sign.isalpha()) for sign in word]
        turns = sum(first != second for first, second in pairwise(kinds))
        if turns >= LEAST_TURNS * len(word):
            yield SecretSpan(*match.span(), "TOKEN")


def _is_hash(text: str, start: int) -> bool:
    """The word is a checksum: of a lock file, or of the data of a picture."""
    before = text[max(0, start - 12) : start + 8].lower()
    return "sha256-" in before or "sha512-" in before or "sha384-" in before or "base64," in before


@cache
def _library_patterns() -> tuple[re.Pattern[str], ...]:
    from detect_secrets.plugins.aws import AWSKeyDetector
    from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
    from detect_secrets.plugins.cloudant import CloudantDetector
    from detect_secrets.plugins.discord import DiscordBotTokenDetector
    from detect_secrets.plugins.github_token import GitHubTokenDetector
    from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
    from detect_secrets.plugins.mailchimp import MailchimpDetector
    from detect_secrets.plugins.npm import NpmDetector
    from detect_secrets.plugins.openai import OpenAIDetector
    from detect_secrets.plugins.pypi_token import PypiTokenDetector
    from detect_secrets.plugins.sendgrid import SendGridDetector
    from detect_secrets.plugins.slack import SlackDetector
    from detect_secrets.plugins.softlayer import SoftlayerDetector
    from detect_secrets.plugins.square_oauth import SquareOAuthDetector
    from detect_secrets.plugins.stripe import StripeDetector
    from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector

    kinds = (
        AWSKeyDetector,
        AzureStorageKeyDetector,
        CloudantDetector,
        DiscordBotTokenDetector,
        GitHubTokenDetector,
        GitLabTokenDetector,
        MailchimpDetector,
        NpmDetector,
        OpenAIDetector,
        PypiTokenDetector,
        SendGridDetector,
        SlackDetector,
        SoftlayerDetector,
        SquareOAuthDetector,
        StripeDetector,
        TelegramBotTokenDetector,
    )
    return tuple(pattern for kind in kinds for pattern in kind.denylist)
