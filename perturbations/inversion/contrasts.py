"""Two things set against each other trade places: "use A instead of B" → "use B instead of A"."""

import re
from itertools import islice, takewhile

from loadbearing.memory.language import lexicon
from loadbearing.memory.language.lexicon import base_of
from loadbearing.memory.language.sentences import Edit, Sentence

_BREAK = re.compile(
    r"[,;:.!?]|\s[—–(]|\s(?:because|since|so|when|whenever|if|unless|while|whereas|until|before|after|once(?<!\bat\sonce)|to|then|which"
    r"|where|as|but|and\s+(?:then|never|always))\b",
    re.IGNORECASE,
)
# white space is read from where it begins: tried at each blank, a long run would be read over and over
_BETWEEN = re.compile(
    r"(?<!\s)\s++(?:instead\s++of|rather\s++than|and\s++not)\s++|,\s++(?:(?:and|but)\s++)?+not\s++",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?<!\s)\s++over\s++", re.IGNORECASE)
_NO_HALF = lexicon.word_set("just only yet when if while where after before because necessarily until to")
_LONGEST = 240


def swapped(s: Sentence, head: int, stop: int, whole: bool = True) -> list[Edit]:
    """The halves of the contrast behind the verb at index `head` trade places; none where there is none.

    Args:
        stop: index behind the last word of the clause.
        whole: whether halves that begin with verbs may take the verb at `head` with them.
    """
    limit = s.words[stop].start if stop < len(s.words) else s.tail
    start = s.words[head].start
    pattern = _OVER if s.word(head) in ("prefer", "choose", "favor", "favour", "pick") else None
    found = (pattern and pattern.search(s.covered, start, limit)) or _BETWEEN.search(s.covered, start, limit)
    if not found or found.re.search(s.covered, found.end(), limit):
        return []
    first = re.match(r"[\w'’-]+", s.covered[found.end() : limit])
    word = first[0].lower() if first else ""
    ends = _BREAK.finditer(s.covered, found.end(), min(limit, found.end() + _LONGEST))
    # "instead of adding it to the list"
    end = next((one.start() for one in ends if not (base_of(word) and one[0].strip() == "to")), limit)
    other = (found.end(), found.end() + len(s.raw[found.end() : end].rstrip()))
    if other[0] >= other[1] or word in _NO_HALF:
        return []
    bare = word in lexicon.VERBS and lexicon.forms_of(word)[1] not in lexicon.NOUNISH
    verbs = bool(found.re is not _OVER and (base_of(word) or (bare and "not" not in found[0])))
    if verbs and not whole:
        return []
    low = start if verbs else _begin(s, head, found.start(), word)
    one = (low, found.start())
    if low < 0 or not s.raw[slice(*one)].strip() or (not verbs and _BREAK.search(s.covered, *one)):
        return []
    return _traded(s, one, other, verbs)


def _begin(s: Sentence, head: int, high: int, like: str) -> int:
    """Where the half before the contrast begins: at a word like the first one of the other half."""
    low = s.words[head].end
    low += len(s.covered[low:high]) - len(s.covered[low:high].lstrip())
    behind = takewhile(lambda one: one.start < high, islice(s.words, head + 1, None))
    words = [(one.text, one.start) for one in behind]
    if like in lexicon.PREPOSITIONS:
        places = [start for text, start in words if text == like]
        places = places or [start for text, start in words if text in lexicon.PREPOSITIONS - {"of"}]
        return places[-1] if places else -1
    marks = [at for at, (text, _) in enumerate(words) if text in lexicon.PREPOSITIONS and text != "of"]
    if like in lexicon.DETERMINERS:
        fit = [at for at, (text, _) in enumerate(words) if text in lexicon.DETERMINERS]
        fit = [at for at in fit if at == 0 or words[at - 1][0] != "of"]
        if fit:
            return words[fit[-1]][1]
    if not marks:
        return low
    return words[marks[-1] + 1][1] if marks[-1] + 1 < len(words) else -1


def _traded(s: Sentence, one: tuple[int, int], other: tuple[int, int], verbs: bool) -> list[Edit]:
    """Each half in the place of the other; a verb that goes with it takes the form of its new place."""
    texts = [s.raw[slice(*one)], s.raw[slice(*other)]]
    firsts = [re.match(r"[\w'’-]*", text)[0] for text in texts]  # type: ignore[index]
    if verbs and bool(base_of(firsts[0])) != bool(base_of(firsts[1])):
        for number, first in enumerate(firsts):
            form = base_of(first) or lexicon.forms_of(first.lower())[3]
            texts[number] = form + texts[number][len(first) :]
    first = firsts[0]
    here = texts[1]
    if first[:1].isupper():
        here = here[:1].upper() + here[1:]
    return [Edit(*one, here), Edit(*other, texts[0])]
