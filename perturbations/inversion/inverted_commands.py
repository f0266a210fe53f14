"""An imperative turned with all that is joined to it: "pull A, then press B" → "never pull A, or press B".

Two things set against each other trade places: "use A instead of B" → "use B instead of A".
"""

import re
from itertools import islice, takewhile

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.sentences import Edit, Sentence
from memtrial.perturbations.advice.imperatives import behind_openers, steps_on
from memtrial.perturbations.advice.imperatives import joints as joints_of
from memtrial.perturbations.advice.verbs import is_comma
from memtrial.perturbations.inversion.inverted_statements import (
    drop,
    insert,
    put_before,
    replace_word,
    turn_statement,
)
from memtrial.perturbations.language.grammar import with_capital

_BREAK = re.compile(
    r"(?i)[,;:.!?]|\s[—–(]|\s(?:because|since|so|when|whenever|if|unless|while|whereas|until|before|after|once(?<!\bat\sonce)|to|then|which"
    r"|where|as|but|and\s+(?:then|never|always))\b"
)
# white space is read from where it begins: tried at each blank, a long run would be read over and over
_BETWEEN = re.compile(
    r"(?i)(?<!\s)\s++(?:instead\s++of|rather\s++than|and\s++not)\s++|,\s++(?:(?:and|but)\s++)?+not\s++"
)
_OVER = re.compile(r"(?i)(?<!\s)\s++over\s++")
_NO_HALF = lexicon.word_set("just only yet when if while where after before because necessarily until to")
_LONGEST = 240


def swap_parts(s: Sentence, head: int, stop: int, whole: bool = True) -> list[Edit]:
    """The halves of the contrast behind the verb at index `head` trade places; none where there is none.

    Args:
        stop: index behind the last word of the clause.
        whole: whether halves that begin with verbs may take the verb at `head` with them.
    """
    if head >= len(s.words):  # what is advised stands in quotes, and the sentence ends with it
        return []
    limit = s.words[stop].start if stop < len(s.words) else s.tail
    start = s.words[head].start
    pattern = _OVER if s.word(head) in ("prefer", "choose", "favor", "favour", "pick") else None
    link = (pattern and pattern.search(s.covered, start, limit)) or _BETWEEN.search(s.covered, start, limit)
    if not link or link.re.search(s.covered, link.end(), limit):
        return []
    first = re.match(r"[\w'’-]+", s.covered[link.end() : limit])
    word = first[0].lower() if first else ""
    ends = _BREAK.finditer(s.covered, link.end(), min(limit, link.end() + _LONGEST))
    # "instead of adding it to the list"
    end = next(
        (match.start() for match in ends if not (base_of(word) and match[0].strip() == "to")),
        limit,
    )
    other = (link.end(), link.end() + len(s.raw[link.end() : end].rstrip()))
    if other[0] >= other[1] or word in _NO_HALF:
        return []
    bare = word in lexicon.VERBS and lexicon.forms_of(word)[1] not in lexicon.NOUNISH
    verbs = bool(link.re is not _OVER and (base_of(word) or (bare and "not" not in link[0])))
    if verbs and not whole:
        return []
    low = start if verbs else _begin(s, head, link.start(), word)
    near_part = (low, low + len(s.raw[low : link.start()].rstrip(" ,")))
    if (
        low < 0
        or not s.raw[slice(*near_part)].strip()
        or (not verbs and _BREAK.search(s.covered, *near_part))
    ):
        return []
    return _trade_places(s, near_part, other, verbs)


def _begin(s: Sentence, head: int, high: int, like: str) -> int:
    """Where the half before the contrast begins: at a word like the first one of the other half."""
    low = s.words[head].end
    low += len(s.covered[low:high]) - len(s.covered[low:high].lstrip())
    behind = list(takewhile(lambda word: word.start < high, islice(s.words, head + 1, None)))
    marks = [
        position
        for position, word in enumerate(behind)
        if word.text in lexicon.PREPOSITIONS and word.text != "of"
    ]
    if like in lexicon.PREPOSITIONS:
        places = [word.start for word in behind if word.text == like] or [
            behind[position].start for position in marks
        ]
        return places[-1] if places else -1
    if like in lexicon.DETERMINERS:
        fit = [position for position, word in enumerate(behind) if word.text in lexicon.DETERMINERS]
        if fit := [position for position in fit if position == 0 or behind[position - 1].text != "of"]:
            return behind[fit[-1]].start
    if not marks:
        return low
    return behind[marks[-1] + 1].start if marks[-1] + 1 < len(behind) else -1


def _trade_places(s: Sentence, near_part: tuple[int, int], other: tuple[int, int], verbs: bool) -> list[Edit]:
    """Each half in the place of the other; a verb that goes with it takes the form of its new place."""
    texts = [s.raw[slice(*near_part)], s.raw[slice(*other)]]
    firsts = [re.match(r"[\w'’-]*", text)[0] for text in texts]  # type: ignore[index]
    if verbs and bool(base_of(firsts[0])) != bool(base_of(firsts[1])):
        for number, first in enumerate(firsts):
            form = base_of(first) or lexicon.forms_of(first.lower())[3]
            texts[number] = form + texts[number][len(first) :]
    return [Edit(*near_part, with_capital(firsts[0], texts[1])), Edit(*other, texts[0])]


_SEQUENCE = words("commands.sequence")
_LIMITS = lexicon.word_set("when if after once where in on for")
_MORE = lexicon.word_set("to and before until without with as on first")  # "avoid A to B" would be unclear
_NEGATIVE = ("never", "avoid", "not", "don't")
_POLAR = {"never": "always", "always": "never", "avoid": "use"}


def turn_command(s: Sentence, start: int, position: int, stop: int) -> list[Edit]:
    """The edits that turn an imperative at index `position` and all that is joined to it, up to `stop`."""
    text, following, quoted = s.word(position), s.word(position + 1), s.quote_after(position)
    negative = text in _NEGATIVE or (text == "do" and following in ("not", "never") and not quoted)
    joints = joints_of(s, position, stop)
    if negative:
        edits = _negative(s, start, position, stop)
    else:
        verb = position + (text in ("always", "do"))
        if not joints and text != "only" and (contrast := swap_parts(s, verb, stop)):
            return contrast + _which(s, position, stop)
        edits = _positive(s, start, position, stop, bool(joints))
    rest = _rest(s, joints, negative, text == "avoid")
    if not negative and edits[0].text.lower() == "avoid":  # "avoid `a` or choosing B"
        verbs = (verb for _, verb in joints if s.word(verb) in VERBS - {"avoid"})
        rest += [
            edit
            for position in verbs
            for edit in replace_word(s, position, lexicon.forms_of(s.word(position))[3])
        ]
    return edits + rest + _which(s, position, stop)


def _positive(s: Sentence, start: int, position: int, stop: int, joined: bool) -> list[Edit]:
    """ "pull A" → "never pull A", "use A" → "avoid A", "always pull A" → "never pull A"."""
    text, following, quoted = s.word(position), s.word(position + 1), s.quote_after(position)
    if text in ("always", "only"):
        return replace_word(s, position, "never")
    if quoted and text in ("do", "use", "try"):
        return replace_word(s, position, "avoid")
    behind = {s.word(place) for place in range(position + 1, stop)}
    more = bool(_MORE & behind) or any(word.endswith("ly") for word in behind)
    plain = text in ("use", "prefer") or (text == "try" and following in lexicon.OBJECTS)
    if plain and not joined and not more:
        return replace_word(s, position, "avoid")
    for only in range(position + 1, stop + 1):  # "press it only when S"
        if s.word(only) == "only" and s.word(only + 1) in _LIMITS:
            return [_never(s, start, position), drop(s, only)]
    # "in S, do sort the list" → "in S, never sort the list"
    bare = text == "do" and following not in lexicon.OBJECTS
    return replace_word(s, position, "never") if bare else [_never(s, start, position)]


def _never(s: Sentence, start: int, position: int) -> Edit:
    """ "never" before the verb, in the place of what only led up to it: "first," and "make sure to"."""
    low = start if behind_openers(s, start) == position else position
    while low < position and s.word(low) in lexicon.OPENERS - _SEQUENCE:
        low += 1
    return put_before(s, low, position, "never")


def _negative(s: Sentence, start: int, position: int, stop: int) -> list[Edit]:
    """ "do not pull A" → "always pull A"."""
    text = s.word(position)
    until = (place for place in range(position + 1, stop) if s.word(place) == "until")
    edits = next((replace_word(s, place, "before") for place in until), [])  # "never finish until S"
    if text == "avoid":
        return edits + _from_gerund(s, position, "always")
    size = 2 if text == "do" else 1
    verb = position + size
    if text == "not" and s.word(position + 1) == "to" and position > start:  # "be careful not to"
        return [*edits, drop(s, position)]
    if text == "never":
        return edits + replace_word(s, position, "always")
    if text == "not" and (
        verb >= len(s.words) or not steps_on(s, verb, position)
    ):  # "but not the description"
        return [*edits, drop(s, position)]
    if verb >= len(s.words):
        return edits + replace_word(s, position, "do")
    gap = s.covered[s.words[verb - 1].end : s.words[verb].start]
    if gap.strip():  # a quote or a mark stands between
        return edits + ([drop(s, position + 1)] if text == "do" else replace_word(s, position, "do"))
    return [*edits, put_before(s, position, verb, "always")]


def _from_gerund(s: Sentence, position: int, text: str) -> list[Edit]:
    """ "avoid pulling A" → "always pull A", "avoid A" → "use A", avoid `a` → do `a`."""
    if s.quote_after(position):
        return replace_word(s, position, "do")
    verb = base_of(s.word(position + 1))
    if verb:
        return replace_word(s, position, text) + replace_word(s, position + 1, verb)
    return replace_word(s, position, "try" if s.word(position + 1).endswith("ing") else "use")


def _rest(s: Sentence, joints: list[tuple[int, int]], negative: bool, avoids: bool) -> list[Edit]:
    """The edits at the joints: "never A, B, or C" takes all in, and so does "always A, B, and C"."""
    edits: list[Edit] = []
    joined = any(joint != verb for joint, verb in joints)
    ends_or = any(s.word(joint) in ("or", "nor") for joint, _ in joints)
    for number, (joint, verb) in enumerate(joints):
        text = s.word(verb)
        behind = verb + (text in ("and", "or", "nor", "then"))  # a quote stands for the verb
        if text in ("never", "always"):
            edits += replace_word(s, verb, _POLAR[text])
        elif text == "avoid":
            edits += _from_gerund(s, verb, "always")
        elif text == "don't" or (text == "do" and s.word(verb + 1) in ("not", "never")):
            edits.append(put_before(s, verb, verb + (1 if text == "don't" else 2), "always"))
        elif negative:
            edits += _also_done(s, joint, verb, joined, ends_or, avoids)
        elif joint < behind and s.word(joint) not in ("or", "nor"):
            edits += replace_word(s, joint, "or")
            edits += [drop(s, place) for place in range(joint + 1, behind)]
        elif joint == verb == behind and not joined and number == len(joints) - 1:
            edits += insert(s, verb, "or")
    return edits


def _also_done(s: Sentence, joint: int, verb: int, joined: bool, ends_or: bool, avoids: bool) -> list[Edit]:
    """A further step behind a negative one: forbidden with it, or set against it."""
    base = base_of(s.word(verb)) if avoids else ""
    edits = replace_word(s, joint, "and") if s.word(joint) in ("or", "nor") else []
    if base:
        return edits + replace_word(s, verb, base)
    contrast = (not joined and not ends_or) or (avoids and s.word(joint) in ("and", "but", "then"))
    contrast = contrast and s.word(verb) in VERBS and s.word(joint) not in ("or", "nor")
    return [put_before(s, verb, verb, "never")] if contrast else edits


def _which(s: Sentence, position: int, stop: int) -> list[Edit]:
    """A reason in other words: ", which narrows the list", ", as listings differ"."""
    for place in range(position + 2, stop):
        if is_comma(s, place) and s.word(place) in ("which", "as"):
            return turn_statement(s, place + (s.word(place) != "which"), stop)
    return []
