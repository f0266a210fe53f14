"""Passwords and other secrets that only their place shows: assigned to a name, said in a sentence, handed to
a program, or written into an address.

The value tells: `password: hunter2` goes, `password: enter it twice` stays.
"""

import re
from collections.abc import Iterator

from memtrial.memory.bank.redaction.secret_span import SecretKind, SecretSpan
from memtrial.memory.bank.redaction.secret_value import (
    is_random,
    is_secret_word,
    is_spared,
    is_strong,
    trim_value,
)

_PASSWORD = (
    r"passw(?:or)?[dt]|passphrase|pass[_-]?code|pass[_-]?phrase|pwd|pass(?=\W)"
    r"|kennwort|contrase[nñ]a|senha|mot de passe|пароль|密码|密碼|パスワード"
)
_SECRET = (
    r"client[_-]?secret|(?:secret[_ -]?)?access[_ -]?key(?:[_-]?id)?|(?:api|auth|private|secret|signing"
    r"|encryption|account|storage|license|licence|shared|master)[_ -]?key"
    r"|(?:\w{1,12}[_ -])?token|secret|credentials?"
    r"|sess(?:ion)?[_-]?id"
    r"|jsessionid|(?<![A-Za-z])sid|phpsessid|connect\.sid|x-amz-(?:signature|credential|security-token)|sharedaccesskey"
)
_QUOTE = r"(?P<quote>\\?[\"'`“‘])"
_CLOSED = r"(?:(?!\\?[\"'`”’\n]).){1,200}"
_ASSIGNED = re.compile(
    rf"(?i)(?:(?P<password>{_PASSWORD}|\bpin)|(?P<secret>{_SECRET}))(?P<shut>\\?[\"'`*_\])]{{0,3}})"
    r"[ \t]{0,3}(?P<sign>:=|=>|==?|:(?!//)|：)(?:[*_]|[\"'](?=[*_ \t])){0,2}[ \t]{0,3}"
    rf"(?:{_QUOTE}(?P<quoted>{_CLOSED})|(?P<bare>[^\s\"'`“”]{{1,256}}+))"
)
_SAID = re.compile(
    rf"(?i)(?<![A-Za-z0-9])(?:(?P<password>{_PASSWORD}|pin)|(?P<secret>{_SECRET}))\b[ \t]{{1,3}}"
    r"(?P<verb>(?:(?:of|for)[ \t](?:[\w'’-]{1,20}[ \t]){1,4}?)?"
    r"(?:is|was|are|will be|(?:is |was )?(?:set|reset|changed) to|of)[ \t]{1,3})?"
    rf"(?:{_QUOTE}(?P<quoted>{_CLOSED})|(?P<bare>[^\s\"'`“”]{{4,256}}+))"
)
_HEADER = re.compile(
    r"(?i)\b(?:bearer|basic)[ \t]{1,3}(?P<bare>[\w.+/=~-]{12,512})"
    r"|\bauthorization\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3}\\?[\"']?(?:token|apikey|bot|digest)"
    r"[ \t]{1,3}(?P<other>[\w.+/=~-]{8,512})"
)
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie\\?[\"']?[ \t]{0,3}[:=](?P<all>[^\n]{1,512})")
_CRUMB = re.compile(r"[\w.-]{1,40}=(?P<bare>[^\s;\"',]{8,256})")
_FLAG = re.compile(
    r"(?i)(?<![\w-])--?(?:\w{1,12}-)?(?P<name>password|passwd|passphrase|token|secret|api-?key"
    r"|access-key)[ \t]{1,3}(?P<quote>[\"'])?(?P<bare>[^\s\"'`]{3,256})"
)
_PROGRAM = re.compile(
    r"(?i)\bsshpass[ \t]{1,3}-p[ \t]{0,3}[\"']?(?P<ssh>[^\s\"']{1,128})"
    r"|\bmysql(?:dump|admin)?\b[^\n]{0,80}?[ \t]-p[\"']?(?P<mysql>[^\s\"']{3,128})"
    r"|\b(?:docker|podman|helm|az|oc)\b[^\n]{0,60}?\blogin\b[^\n]{0,80}?"
    r"[ \t]-p[ \t]{1,3}[\"']?(?P<login>[^\s\"']{3,128})"
    r"|\bcurl\b[^\n]{0,120}?[ \t](?:-u|--user)[ \t]{0,3}[\"']?[\w.@+-]{1,64}:(?P<curl>[^\s\"']{1,128})"
)
_IN_ADDRESS = re.compile(
    r"://[^\s/:@\"'<>`]{0,80}+:(?P<bare>[^\s/\"'<>`]{1,200}(?<!@))@"
    r"|[?&;](?:key|app_?id|app_?key|sig|signature|auth|pass|code|s)=(?P<query>[^\s&#\"'`<>]{12,512})"
)
_ELEMENT = re.compile(
    r"(?i)<(?:\w{1,20}[:_-])?(?P<name>password|passwd|pwd|secret|token|api-?key)>(?P<bare>[^<>\s]{3,256})<"
)
_PAIR = re.compile(
    r"(?i)\b(?:log(?:ged)?[ -]?in|sign(?:ed)?[ -]?in|logins?|credentials?|account)\b[^\n.;/]{0,32}?"
    r"(?<![\w./@-])(?P<name>[\w.@+-]{2,40})(?P<sign>[ \t]/[ \t]|:|/)(?P<bare>[^\s/:,;]{6,64})"
)
_NEXT_FIELD = re.compile(r"&[\w.-]{1,40}=")
_PROSE = re.compile(r"[ \t]{1,8}[a-z(]")
_COUNTED = re.compile(
    r"(?i)[ \t-]{1,8}(?:char|digit|letter|byte|bit|day|hour|minute|second|attempt|time|token|word|user|row)"
)


def find_credentials(text: str) -> Iterator[SecretSpan]:
    """Each value that is a secret by its place, without the quotes around it."""
    for match in _IN_ADDRESS.finditer(text):
        name = "bare" if match["bare"] else "query"
        if not is_spared(match[name]) and (name == "bare" or is_strong(match[name], 12)):
            yield SecretSpan(*match.span(name), "PASSWORD" if name == "bare" else "TOKEN")
    for match in _PROGRAM.finditer(text):
        name = match.lastgroup or ""
        if not is_spared(match[name]):
            yield SecretSpan(*match.span(name), "PASSWORD")
    for match in _FLAG.finditer(text):
        value = trim_value(match["bare"])
        if value and not is_spared(value) and not value.startswith("-"):
            yield _span(match, "bare", value, _kind(match["name"]))
    for match in _ELEMENT.finditer(text):
        if not is_spared(match["bare"]):
            yield _span(match, "bare", match["bare"], _kind(match["name"]))
    for match in _HEADER.finditer(text):
        name = "bare" if match["bare"] else "other"
        value = trim_value(match[name])
        if is_strong(value, 8):
            yield _span(match, name, value, "TOKEN")
    for cookie in _COOKIE.finditer(text):
        for match in _CRUMB.finditer(text, *cookie.span("all")):
            if is_strong(match["bare"], 8):
                yield SecretSpan(*match.span("bare"), "TOKEN")
    for match in _PAIR.finditer(text):
        value = trim_value(match["bare"])
        if is_strong(value, 6) and not is_spared(value):
            yield _span(match, "bare", value, "PASSWORD")


def find_assigned(text: str) -> Iterator[SecretSpan]:
    """Each value that is given to a name of a secret, or that a sentence says it is."""
    for match in _ASSIGNED.finditer(text):
        kind: SecretKind = "PASSWORD" if match["password"] else "SECRET"
        if match["quoted"]:
            if not is_spared(match["quoted"]) and (kind == "PASSWORD" or len(match["quoted"]) >= 6):
                yield SecretSpan(*match.span("quoted"), kind)
            continue
        value = _cut_field(trim_value(match["bare"]))
        stop = match.start("bare") + len(value)
        if _is_assigned(match, value, text[stop : stop + 12]):
            yield _span(match, "bare", value, kind)
    for match in _SAID.finditer(text):
        kind = "PASSWORD" if match["password"] else "SECRET"
        value = match["quoted"] or trim_value(match["bare"])
        if _is_said(match, value):
            yield _span(match, "quoted" if match["quoted"] else "bare", value, kind)


def _is_assigned(match: re.Match[str], value: str, behind: str) -> bool:
    if not value or is_spared(value):
        return False
    name = (match["password"] or match["secret"]).lower()
    if value.isdigit():
        if match["password"]:
            return len(value) >= 4 and not _COUNTED.match(behind)
        return len(value) >= 9
    if is_strong(value, 4 if match["password"] else 8):
        return True
    if _PROSE.match(behind) or not is_secret_word(value, 4 if match["password"] else 16):
        return False
    in_code = match["sign"] in ("=", "==") and behind[:1] in (")", ",") and not match["shut"]
    return not in_code and name != "pin"


def _is_said(match: re.Match[str], value: str) -> bool:
    name = (match["password"] or match["secret"]).lower()
    if is_spared(value) or (" " in value and not (match["verb"] and is_strong(value, 8))):
        return False
    if match["quoted"]:
        return is_strong(value, 4) or (bool(match["verb"] or match["password"]) and is_secret_word(value, 4))
    if name == "pin":
        return bool(match["verb"]) and value.isdigit() and len(value) >= 4
    if name == "pass" or (match["verb"] or "").strip().lower() == "of":
        return False
    if match["verb"]:
        return is_strong(value, 5 if match["password"] else 8)
    return is_strong(value, 6) if match["password"] else is_random(value)


def _cut_field(value: str) -> str:
    """Without the next field of an address's query."""
    following = _NEXT_FIELD.search(value)
    return value[: following.start()] if following else value


def _kind(name: str) -> SecretKind:
    return "PASSWORD" if name.lower().startswith("pass") or name.lower() == "pwd" else "SECRET"


def _span(match: re.Match[str], group: str, value: str, kind: SecretKind) -> SecretSpan:
    start = match.start(group)
    return SecretSpan(start, start + len(value), kind)
