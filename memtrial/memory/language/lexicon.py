"""Plain English words that carry the direction of advice, and the words around them, from text files."""

from functools import cache
from importlib.resources import files


@cache
def sections(file: str) -> dict[str, str]:
    """The sections of a file, by name, in their order; without comments."""
    text = (files("memtrial.memory.language") / f"{file}.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            sections[name] = []
        elif name and line.strip() and not line.startswith("#"):
            sections[name].append(line)
    return {name: "\n".join(lines) for name, lines in sections.items()}


def read_section(name: str) -> str:
    """A section of words.txt: `MODULE.LIST`, or `LIST` for the lexicon's own."""
    return sections("words")[name]


def words(name: str) -> frozenset[str]:
    """The words of a section of words.txt, as a set."""
    return frozenset(read_section(name).split())


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def phrases(text: str) -> dict[str, str]:
    """A table of `this = that` entries, parted by semicolons."""
    pairs = (entry.split("=") for entry in text.split(";") if entry.strip())
    return {first.strip(): second.strip() for first, second in pairs}


def table(name: str) -> dict[str, tuple[str, ...]]:
    """A section of words.txt whose lines read `this | that -> one, other`."""
    pairs = (line.split(" -> ") for line in read_section(name).split("\n"))
    return {old: tuple(news.split(", ")) for olds, news in pairs for old in olds.split(" | ")}


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(first, second) for first, second in (pair.split("/") for pair in text.split())]


#: Words that turn a clause into its opposite. The manipulation check counts them on both sides.
NEGATORS = words("negators")
#: Auxiliaries, positive to negative; the other way round is read from right to left.
AUXILIARIES = dict(_pairs(read_section("auxiliaries")))
POSITIVE = {negative: positive for positive, negative in AUXILIARIES.items()}
#: Order and condition. `unless` is a negator, the rest are pairs.
CONDITIONS = dict(_pairs(read_section("conditions")))

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

#: Words before an imperative that do not change whether it is one.
OPENERS = words("openers")
#: Verbs that only hand on to the next one: "make sure to pull".
CARRIERS = tuple(read_section("carriers").split("; "))
#: Words that open a condition, a place or a purpose in front of the main clause.
LEADING = words("leading")
#: Words that end the main clause.
SUBORDINATORS = words("subordinators")
DETERMINERS = words("determiners")
PRONOUNS = words("pronouns")
OBJECTS = DETERMINERS | word_set("it them him me us everything anything")
FINITE = frozenset(AUXILIARIES) | frozenset(POSITIVE) | word_set("am be may might shall cannot")
NON_VERBS = DETERMINERS | PRONOUNS | LEADING | SUBORDINATORS | FINITE | NEGATORS
NON_VERBS |= words("non_verbs_more")
VERBS = words("verbs")

_IRREGULAR_FORMS = {forms.split("/")[0]: forms.split("/") for forms in read_section("irregular").split()}


def forms_of(verb: str) -> list[str]:
    """Base, third person, past, participle in -ing."""
    if verb in _IRREGULAR_FORMS:
        return _IRREGULAR_FORMS[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"]
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    stem = verb.removesuffix("e") if not verb.endswith("ee") else verb
    short = len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou" and verb[-3] not in "aeiou"
    if short and sum(letter in "aeiouy" for letter in verb) == 1:
        stem += verb[-1]
    return [verb, third, (stem + "d" if stem.endswith("e") else stem + "ed"), stem + "ing"]


def _antonyms() -> dict[str, str]:
    pairs = _pairs(read_section("word_pairs"))
    for first, second in _pairs(read_section("verb_pairs")):
        pairs += zip(forms_of(first), forms_of(second), strict=True)
    opposites: dict[str, str] = {}
    for first, second in pairs:
        opposites.setdefault(first, second)
        opposites.setdefault(second, first)
    return opposites


#: Opposites, both ways, with their inflections.
ANTONYMS = _antonyms()
THIRD_PERSON = frozenset(forms_of(verb)[1] for verb in VERBS if verb != "be") | words("third_person")

#: Verbs of statements, which no one advises.
STATIVE = words("stative")
#: Third persons that are nouns as often.
NOUNISH = words("nounish")
#: Pasts without -ed.
PASTS = words("pasts")
PREPOSITIONS = words("prepositions")
#: How often something holds, and the opposite.
OFTEN = phrases(read_section("often"))
_BASE_OF = {forms_of(verb)[3]: verb for verb in VERBS | STATIVE}


def base_of(word: str) -> str:
    """The verb of a form in -ing; empty where it is none that is known."""
    return _BASE_OF.get(word.lower(), "")
