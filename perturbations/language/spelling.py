"""How a word is written beside others: the article before it, and its capital."""

import re

_SOUNDS_LIKE_YOU = re.compile(
    r"eu|ewe|u(?:ni(?!n|m)|s(?:e|u|a[bg])|til|biq|r(?:in|an[iu])|kr|fo|rug|topi)|one(?:s|$|-)|once|oui"
)
_SILENT_H = re.compile(r"(?:heir|hono|hour|honest)")
_EITHER = re.compile(r"h|sql|uni[nm]|url|ubu")  # spoken both ways, or by letters


def sure_article(word: str) -> str:
    """The article that is spoken before this word; empty where that is not sure."""
    if not (word.islower() or word.istitle()):
        return ""
    small = word.lower()
    if _SILENT_H.match(small):
        return "an"
    if _EITHER.match(small):
        return ""
    return "an" if small[0] in "aeiou" and not _SOUNDS_LIKE_YOU.match(small) else "a"


def article(text: str) -> str:
    """The article before a text, where one has to be chosen: by its first letter in doubt."""
    first = next(iter(text.split()), "")
    return sure_article(first) or ("an" if first[:1].lower() in tuple("aeiou") else "a")


def with_capital(like: str, text: str) -> str:
    """With a capital where the text that it stands for has one."""
    return text[:1].upper() + text[1:] if like[:1].isupper() else text
