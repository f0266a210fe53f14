"""What reads oddly, to participants that stumble over it: each rule looks at the text of one block alone.

The rules are the participants' own. They know nothing of how texts are damaged.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from memtrial.models.simulated.text import GLUE, WORD

COMMON = frozenset({"the", "a", "to", "of", "and", "in", "when", "is"})
MARK = re.compile(r"(?<!\w)\[[A-Z]+\d*\]")
LABEL = re.compile(r"^#+ *(?:memory item *)?\w*", re.IGNORECASE | re.MULTILINE)
HEAD = re.compile(r"^# ", re.MULTILINE)
PARAGRAPH = re.compile(r"\n(?=[^\S\n]*(?:#|[-*] |\d|\n))")
STOP = re.compile(r"(?<=[.!?;])\s+")
TOKEN = re.compile(r"\[\w+\]|[^\W_]+(?:['’-][^\W_]+)*")
DIGITS = re.compile(r"\d+")
ENDED = (".", "!", "?", ":", ";", ")", '"', "'", "`", "”", "…")
_LISTS = """a an the and or but as if when while where your its
a an the your its this that these those all any each every no
is are was were be been am has have had do does did will would can could should may might must came made
correct right works runs run succeeds success solved helps"""
# no sentence ends on the first of these
DANGLING, DETERMINERS, AUXILIARIES, WELL = (frozenset(line.split()) for line in _LISTS.splitlines())
NEGATIONS = frozenset({"never", "not", "no", "cannot"})
NEGATED = re.compile(r"\b(?:[Nn]ever|[Nn]ot)\b|n['’]t\b")
CUED_ACTION = re.compile(r"\baction: *+[`\"](?P<action>[^`\"\n]{1,200})[`\"]")
SILENT_OR_SAID = re.compile(r"(?:hour|honest|honou?r|heir|[A-Z0-9]|.$)")
SAID_AS_YOU = re.compile(r"(?:eu|one|once|us[aeiu]|uni(?![nm])|ut[ei]|ubi|[A-Z0-9]|.$)")
FEWEST_COMMON, LONG_WORDS, LONG_ITEM, LONG_SENTENCE, ENOUGH, WHOLE = 0.2, 7.0, 200, 60, 4, 6


def marks(text: str) -> bool:
    """Marks in brackets, or words of which none is a common English one. A bare frame is no garbage."""
    words = WORD.findall(LABEL.sub("", text).lower())
    return bool(MARK.search(text) or (words and not COMMON & set(words)))


def fragments(text: str) -> bool:
    """A sentence that breaks off, or one without a verb."""
    for paragraph in _split_paragraphs(text):
        parts = [part for part in STOP.split(paragraph) if part.strip()]
        if len(parts) > 1 and not parts[-1].rstrip().endswith(ENDED):
            return True  # it has sentences, and does not end with one
        for part in parts:
            spoken = [word.lower() for word in TOKEN.findall(part)]
            cut = part.rstrip().endswith((",", "-")) or (spoken and spoken[-1] in DANGLING)
            # a title needs no verb, nor does a short remark
            bare = len(spoken) >= WHOLE and part.rstrip().endswith(".") and not _has_verb(spoken)
            if bare or (cut and len(spoken) >= ENOUGH):
                return True
    return False


def words(text: str) -> bool:
    """Words outside plain English: marks in brackets, or few of the small words that hold a sentence."""
    spoken = WORD.findall(LABEL.sub("", text).lower())
    plain = sum(word in GLUE for word in spoken)
    return bool(MARK.search(text)) or (len(spoken) >= ENOUGH and plain < FEWEST_COMMON * len(spoken))


def repetition(text: str) -> bool:
    """A word twice in a row, whatever its number, or a sentence twice in an item."""
    for item in HEAD.split(text):
        heard: set[tuple[str, ...]] = set()
        for sentence in _split_sentences(item):
            stripped = tuple(DIGITS.sub("", word).lower() for word in sentence)
            if any(word == after for word, after in pairwise(stripped)) or stripped in heard:
                return True
            if len(stripped) >= ENOUGH:
                heard.add(stripped)
    return False


def length(text: str) -> bool:
    """Longer than usual: its words, a sentence, or the whole of an item."""
    sentences = _split_sentences(text)
    sizes = [len(word) for sentence in sentences for word in sentence]
    if len(sizes) >= ENOUGH and sum(sizes) > LONG_WORDS * len(sizes):
        return True
    return (
        len(sizes) > LONG_ITEM * max(len(HEAD.findall(text)), 1)
        or max(map(len, sentences), default=0) > LONG_SENTENCE
    )


def grammar(text: str) -> bool:
    """`a` for `an`, a negation of a negation, or a reason that speaks against what it is given for."""
    for sentence in _split_sentences(text):
        low = [word.lower() for word in sentence]
        negated = [word in NEGATIONS or word.endswith(("n't", "n’t")) for word in low]
        if any(map(_wrong_article, low, sentence[1:])) or any(
            first and second for first, second in pairwise(negated)
        ):
            return True
        place = low.index("because") if "because" in low else len(low)
        against = any(negated[:place]) or "avoid" in low[:place]
        if against and WELL & set(low[place:]) and not any(negated[place:]):
            return True
    return False


def negation(text: str) -> bool:
    """A `never` or a `not`; one in capitals is a heading of a sort."""
    return bool(NEGATED.search(text))


def contradiction(text: str) -> bool:
    """An item whose fields name different actions: its cue one that nothing else in it names."""
    for item in HEAD.split(text):
        cues = list(CUED_ACTION.finditer(item))
        rest = CUED_ACTION.sub(" ", item)
        if any(cue["action"] not in rest for cue in cues):
            return True
    return False


ODD: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        rule.__name__: rule
        for rule in (marks, fragments, words, repetition, length, grammar, negation, contradiction)
    }
)
"""The rules by name: what a participant may stumble over."""


@lru_cache(maxsize=4096)
def reads_oddly(block: str, by: str) -> bool:
    """Whether a block reads oddly to one who stumbles by this rule."""
    return ODD[by](block)


def _split_paragraphs(text: str) -> list[str]:
    """The text under each heading, of each step of a list, and between blank lines; without the labels."""
    return [part for piece in PARAGRAPH.split(text) if (part := LABEL.sub("", piece).strip())]


def _split_sentences(text: str) -> list[list[str]]:
    return [TOKEN.findall(part) for paragraph in _split_paragraphs(text) for part in STOP.split(paragraph)]


def _has_verb(words: list[str]) -> bool:
    """An auxiliary, a word with a verb's ending, or a word that takes an object: `wind the crank`."""
    return any(
        word in AUXILIARIES
        or (after in DETERMINERS and word not in GLUE and word[0] != "[")
        or (len(word) > 3 and word not in GLUE and word.endswith(("s", "ed", "ing")))
        for word, after in pairwise([*words, ""])
    )


def _wrong_article(article: str, word: str) -> bool:
    if word.startswith("["):
        return False
    vowel = word[0] in "aeiou"
    if article == "a":
        return vowel and not SAID_AS_YOU.match(word)
    return article == "an" and not vowel and not SILENT_OR_SAID.match(word)
