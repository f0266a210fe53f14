"""Whether a line of a memory file only names a topic, or only leads in, and tells nobody to do anything.

Both are read from closed lists of words. A line with a word outside of them is taken to tell something:
damage that leaves a lesson in place would make a memory look as if nobody read it.
"""

import re

from memtrial.memory.language.lexicon import read_section, words

_MODIFIERS, _HEADS, _KINDS = words("topics.modifiers"), words("topics.heads"), words("topics.kinds")
_COMMANDING = words("topics.commanding")
"""Words of the lists that are verbs as well: "Test components" may be an order, "Test commands" is none."""
_MOST_WORDS = 10


def _phrases(name: str) -> frozenset[str]:
    return frozenset(" ".join(read_section(name).split()).split("; "))


_PHRASES, _READERS = _phrases("topics.phrases"), _phrases("topics.readers")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,3}[.)]? ")
_NAMED_FILE = re.compile(r"(?:CLAUDE|AGENTS?|GEMINI|README|CONTRIBUTING|MEMORY|COPILOT)\.md|\.cursorrules")
_JOINT = re.compile(r" ?(?:, ?(?:and )?|&|/|\band\b|\bof\b|\bfor\b) ?")
_PLAIN = re.compile(r"[a-z&/,\s-]+")
_NEUTRAL = "🚀📁📂🏗🛠🔧📝📚🧪📦⚙🗂🧩📋📖🗄\ufe0f"
"""Signs before a heading that neither approve nor forbid."""
_LEAD_IN = re.compile(
    r"(?:please )?(?:always )?(?:follow|observe|keep to|stick to|remember|note) (?:these|the following)"
    r"(?: (?:rules|guidelines|conventions|steps|points|notes|instructions|standards|principles|practices))?:"
    r"|(?:the following|these) (?:rules|guidelines|conventions|instructions|standards) (?:apply|hold)"
    r"(?: to (?:this|the) (?:project|repository|codebase))?[.:]"
    r"|(?:rules|guidelines|conventions|notes|in short|in brief|for example|examples?):"
)
_OF_FILE = re.compile(
    r"this (?:file|document|guide) (?:provides|gives|contains|holds)"
    r" (?:guidance|guidelines|instructions|context|notes)(?: and (?:guidelines|instructions|context|notes))?"
    r" (?:to|for) (?P<reader>[a-z ]{1,40}?)"
    r"(?: \([a-z./]{1,40}\))?(?: (?:when )?working (?:with|on|in)(?: the)?(?: code)?(?: in)?"
    r" (?:this|the) (?:repository|project|codebase|repo))?\."
)


def bare_topic(text: str) -> str:
    """The text without its number, a neutral sign, marks of emphasis and a colon at its end."""
    bare = " ".join(text.split()).strip("# ").lstrip(_NEUTRAL).strip("*_: ")
    number = _NUMBER.match(bare)
    return bare[number.end() :] if number else bare


def names_topic(text: str) -> bool:
    """Whether a heading names a topic, as an item's Title may, and tells nothing.

    Each part of it, cut at "and" and its like, is a noun of the list, with others before it that say of what:
    "Project structure", "Build and test commands". A word of no list, a mark, a figure or a sign makes it one
    that may tell something; so does a verb before a noun that could be its object: "Test components".
    """
    bare = bare_topic(text)
    if _NAMED_FILE.fullmatch(bare):
        return True
    low = bare.lower()
    if low in _PHRASES:
        return True
    if not _PLAIN.fullmatch(low) or len(low.split()) > _MOST_WORDS:
        return False
    *others, last = (part.split() for part in _JOINT.split(low))
    if not all((*others, last)) or last[-1] not in _HEADS or not set(last[:-1]) <= _MODIFIERS:
        return False
    if not all(set(part[:-1]) <= _MODIFIERS and part[-1] in _HEADS | _MODIFIERS for part in others):
        return False
    commands = any(word in _COMMANDING for part in (*others, last) for word in part)
    return low in _HEADS or not commands or last[-1] in _KINDS


def leads_in(text: str) -> bool:
    """Whether a line only points at what follows it, or says for whom the file is: "Follow these rules:"."""
    low = " ".join(text.strip().strip("*_").lower().split())
    if _LEAD_IN.fullmatch(low):
        return True
    of_file = _OF_FILE.fullmatch(low)
    return of_file is not None and of_file["reader"] in _READERS
