"""Taking out of a text what must not be written to a bank (REQUIREMENTS F-28, R-03; the issue's reading 11).

Promised are mail addresses, keys, tokens, JWT, private keys, cards, IBAN and all IP addresses; also passwords
in addresses and assignments. Not promised are postal addresses, names, telephone numbers, and a secret that
looks like a word and is given to no name. What a text needs to be understood stays: versions, hashes, UUIDs,
dates, prices, names of tasks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtrial.memory.bank.redaction.account_numbers import find_cards, find_ibans
from memtrial.memory.bank.redaction.credentials import find_assigned, find_credentials
from memtrial.memory.bank.redaction.known_tokens import (
    find_known_tokens,
    find_private_keys,
    find_random_words,
)
from memtrial.memory.bank.redaction.network_addresses import find_ip_addresses, find_mail_addresses
from memtrial.memory.bank.redaction.secret_span import PLACEHOLDER, SecretKind, SecretSpan, take_out
from memtrial.memory.bank.redaction.text_signs import (
    TextSigns,
    may_hold_assigned,
    may_hold_credential,
    may_hold_ip_address,
    may_hold_mail_address,
    may_hold_number,
    may_hold_private_key,
    may_hold_random_word,
    may_hold_token,
    read_signs,
)


@dataclass(frozen=True, slots=True)
class SecretReading:
    """One kind of secret: how it is found, and without what it cannot be there."""

    find: Callable[[str], Iterator[SecretSpan]]
    may_find: Callable[[TextSigns], bool]


STEPS: tuple[tuple[SecretReading, ...], ...] = (
    (SecretReading(find_private_keys, may_hold_private_key),),
    (SecretReading(find_known_tokens, may_hold_token),),
    (SecretReading(find_credentials, may_hold_credential),),
    (SecretReading(find_assigned, may_hold_assigned),),
    (
        SecretReading(find_random_words, may_hold_random_word),
        SecretReading(find_mail_addresses, may_hold_mail_address),
        SecretReading(find_cards, may_hold_number),
        SecretReading(find_ibans, may_hold_number),
    ),
    (SecretReading(find_ip_addresses, may_hold_ip_address),),
)
"""In this order: each step reads what the ones before have left."""
_CONDITIONS = tuple(dict.fromkeys(reading.may_find for step in STEPS for reading in step))
_WORD = re.compile(r"[^\s\"'`<>()\[\]{},;=]{8,256}")
"""Shorter words, as "admin", may well mean something else elsewhere."""
MOST_ROUNDS = 4
"""Times a text is read: what one round has put in a secret's place may show another beside it."""


def redact(text: str) -> str:
    """The text with a placeholder such as `[EMAIL]` for each secret; the same again for its own result."""
    signs = read_signs(text)
    for may_find in _CONDITIONS:
        if may_find(signs):
            return _take_out_all(signs)
    return text


def _take_out_all(signs: TextSigns) -> str:
    for _ in range(MOST_ROUNDS):
        before = signs.text
        for step in STEPS:
            text = signs.text
            spans = [span for reading in step if reading.may_find(signs) for span in reading.find(text)]
            if spans and (left := take_out(text, [*spans, *find_repeats(text, spans)])) != text:
                signs = read_signs(left)
        if signs.text == before:
            break
    return signs.text


def find_repeats(text: str, spans: Sequence[SecretSpan]) -> Iterator[SecretSpan]:
    """The words of the text that a span holds elsewhere: a secret that is named once is one everywhere."""
    kinds = {text[span.start : span.stop]: span.kind for span in spans}
    if kinds:
        for match in _WORD.finditer(text):
            word = match[0].rstrip(".:!?")
            if word in kinds:
                yield SecretSpan(match.start(), match.start() + len(word), kinds[word])


def count_redacted(text: str) -> dict[SecretKind, int]:
    """How many placeholders of each kind stand in a text."""
    counts: dict[SecretKind, int] = {}
    for match in PLACEHOLDER.finditer(text):
        kind: SecretKind = match[0][1:-1]  # type: ignore[assignment]
        counts[kind] = counts.get(kind, 0) + 1
    return counts
