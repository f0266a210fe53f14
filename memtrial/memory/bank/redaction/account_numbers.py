"""Card numbers and international bank account numbers, by their check digits."""

import re
from collections.abc import Iterator

from memtrial.memory.bank.redaction.secret_span import SecretSpan

_CARD = re.compile(
    r"(?<![\w.])(?<!\d[-/])(?:\d{4}(?P<sign>[ -])\d{4}(?P=sign)\d{4}(?P=sign)\d{1,4}(?:(?P=sign)\d{3})?"
    r"|\d{4}(?P<other>[ -])\d{6}(?P=other)\d{4,5}|\d{13,19})(?![\w]|[-.]\d)"
)
"""Digits in the groups that cards are printed in, or in none."""
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d*"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|3(?:0[0-5]|[68]\d)\d{11,16}"  # Diners Club
    r"|(?:6011|64[4-9]|65|622|62|60|81|82)\d*"  # Discover, UnionPay, RuPay
    r"|35(?:2[89]|[3-8]\d)\d{12,15}"  # JCB
    r"|(?:50|5[6-9]|6\d)\d*"  # Maestro
)
_LENGTH_OF_CARD = range(13, 20)
_MASTERCARD = re.compile(r"5[1-5]|2[2-7]")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}")
_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27"
    " DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28"
    " IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22"
    " MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24"
    " SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
_LENGTH_OF_IBAN = {entry[:2]: int(entry[2:]) for entry in _LENGTHS.split()}
"""Characters of an account number by country (SWIFT, IBAN registry)."""


def find_cards(text: str) -> Iterator[SecretSpan]:
    """Numbers that an issuer gives, whose last digit agrees with the others."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) not in _LENGTH_OF_CARD or not _ISSUER.fullmatch(digits):
            continue
        if _MASTERCARD.match(digits) and len(digits) != 16:
            continue
        if has_luhn_digit(digits):
            yield SecretSpan(*match.span(), "CARD")


def has_luhn_digit(digits: str) -> bool:
    """Whether the last of the digits is that of Luhn's formula (ISO/IEC 7812-1)."""
    doubled = (2 * int(digit) if place % 2 else int(digit) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def find_ibans(text: str) -> Iterator[SecretSpan]:
    """Account numbers of a country's length whose remainder by 97 is 1 (ISO 13616)."""
    for match in _IBAN.finditer(text):
        length = _LENGTH_OF_IBAN.get(match[0][:2].upper())
        if length is None:
            continue
        places = [place for place, sign in enumerate(match[0]) if sign.isalnum()]
        if len(places) < length:
            continue
        stop = places[length - 1] + 1
        behind = text[match.start() + stop : match.start() + stop + 1]
        if behind.isalnum():
            continue
        number = "".join(match[0][place] for place in places[:length]).upper()
        turned = "".join(str(int(sign, 36)) for sign in number[4:] + number[:4])
        if int(turned) % 97 == 1:
            yield SecretSpan(match.start(), match.start() + stop, "IBAN")
