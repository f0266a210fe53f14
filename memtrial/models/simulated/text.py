"""How a simulated participant takes text apart, and its chance: drawn from text and the repeat alone."""

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^“”\n]+)”")
ARTICLES = frozenset({"a", "an", "the"})
_GLUE = """
    a an the is are was were be been being am and or but of to in on at by for from with as it its this that
    these those there here you your i we they he she them his her our their has have had do does did will
    would can could should may might must shall any some all each every other than so very just then now when
    while if where what which who whose how why not no into onto over under about up down out off again still
    also
"""
GLUE = frozenset(_GLUE.split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its commonest endings, lower-cased."""
    word = word.lower()
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@lru_cache(maxsize=16384)
def stems(text: str) -> tuple[str, ...]:
    """Every word of a text, stemmed, in order, without articles."""
    return tuple(stem(word) for word in WORD.findall(text) if word.lower() not in ARTICLES)


@lru_cache(maxsize=16384)
def content(text: str) -> frozenset[str]:
    """The words of a text that carry meaning, stemmed."""
    return frozenset(stem(word) for word in WORD.findall(text) if word.lower() not in GLUE)


def list_quotes(text: str) -> tuple[str, ...]:
    """What stands between quotation marks or backticks."""
    return tuple(next(filter(None, match.groups())) for match in QUOTED.finditer(text))


@lru_cache(maxsize=16384)  # each turn holds the same few actions against the same advice
def in_order(needle: tuple[str, ...], hay: tuple[str, ...]) -> bool:
    """All of `needle` stands in `hay`, in that order, gaps allowed."""
    rest = iter(hay)
    return bool(needle) and all(any(word == other for other in rest) for word in needle)


def uniform(*parts: str | int) -> float:
    """A number in [0, 1) that depends on all parts and on nothing else."""
    return _to_share(blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest())


def _to_share(digest: bytes) -> float:
    return int.from_bytes(digest, "big") / 2**64


def begin_draws(*parts: str | int) -> Callable[..., float]:
    """`uniform` with these parts first; a long one is read once, however many numbers are drawn."""
    begun = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8)

    def draw(*more: str | int) -> float:
        whole = begun.copy()
        whole.update("".join(f"\x1f{part}" for part in more).encode())
        return _to_share(whole.digest())

    return draw


def choice(options: tuple[str, ...], *parts: str | int) -> str:
    """One of the options, each as likely as any other."""
    return options[int(uniform(*parts) * len(options))]
