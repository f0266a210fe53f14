"""Mail addresses and IP addresses, versions 4 and 6."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from memtrial.memory.bank.redaction.secret_span import SecretSpan
from memtrial.memory.language.lexicon import word_set

_MAIL = re.compile(
    r"(?<![\w.+%-])(?P<local>\w[\w.+'-]{0,63}|\"[^\"\s@]{1,62}\")(?:@|%40|&#64;|&#x40;|&commat;)"
    r"(?P<host>(?:\w(?:[\w-]{0,61}\w)?\.){1,8}(?P<top>[^\W\d_]{2,24}|xn--[\w-]{2,40}))(?![\w-])"
)
_ENDINGS = word_set(
    "png jpg jpeg gif svg webp ico avif pdf js ts css html py service timer socket mount whl gz zip"
)
"""`icon@2x.png`, `getty@tty1.service`: names of files."""
_SHELL_ACCOUNT = "git"
"""`git@github.com:owner/name`: the account of everybody."""
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = re.compile(rf"(?<![\d.])(?<!\d-){_OCTET}(?:\.{_OCTET}){{3}}(?![\d]|\.\d)")
_IN_VERSION = re.compile(
    r"(?i)(?:\b(?:versions?|ver\.?|releases?|build|firmware|driver|sections?|chapters?|clauses?|figure|table|paragraph|step|item"
    r"|upgrade[sd]?\s+to|downgrade[sd]?\s+to)\s{0,2}:?\s{0,2}v?|\bv|(?<=[a-z])[=~>]=|§\s?"
    r"|\b(?:chrome|chromium|safari|firefox|edg|edge|opr|opera|headlesschrome|python|node|nginx)/|-)\Z"
)
"""What stands before a version, or the number of a section, of four parts."""
_OF_A_HOST = re.compile(r"(?i)(?:ip|host|addr(?:ess)?|server|ip-)[=~>]?=?-?\Z")
_BEFORE = 24
"""Characters before a number that say what it is."""
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[\da-fA-F:]{0,39}?::|(?:[\da-fA-F]{1,4}:){6,7})[\da-fA-F:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])"
)
_SLICED = re.compile(r"[\w)\]]\[[^\[\]\s]{0,20}\Z")
"""`rows[::2]` in Python."""


def find_mail_addresses(text: str) -> Iterator[SecretSpan]:
    """Mail addresses, also those whose sign is written `%40` or `&#64;`."""
    for match in _MAIL.finditer(text):
        if match["top"].lower() in _ENDINGS:
            continue
        if match["local"] != _SHELL_ACCOUNT:
            yield SecretSpan(*match.span(), "EMAIL")


def find_ip_addresses(text: str) -> Iterator[SecretSpan]:
    """Addresses of both versions, private ones and this machine's, too; a version of four parts is none."""
    for match in _IPV4.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if _IN_VERSION.search(before) is None or _OF_A_HOST.search(before):
            yield SecretSpan(*match.span(), "IP")
    for match in _IPV6.finditer(text):
        number = match[0]
        stop = match.end()
        if number.endswith(":") and not number.endswith("::"):
            number, stop = number[:-1], stop - 1
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if not any(sign.isdigit() for sign in number) or _SLICED.search(before):
            continue
        if _is_ipv6(number):
            yield SecretSpan(match.start(), stop, "IP")


def _is_ipv6(number: str) -> bool:
    try:
        IPv6Address(number)
    except AddressValueError:
        return False
    return True
