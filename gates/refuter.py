"""Could anything refute the item, or was it narrowed until nothing can?

A program sees advice that is its own condition ("where sorting helps, sort") and an exclusion that exempts
every failure. Whether a possible case would refute the rest, the judge says.
"""

import re
from collections.abc import Iterator

from memtrial.gates.explanatory_reach import OUTCOME
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.scope_text import EMPTY, read_scope
from memtrial.memory.language.sentences import Sentence, cut_sentences, mask_quotes
from memtrial.memory.words import content_words

IDLE = EMPTY | frozenset(content_words(read_section("gates.idle")))
_END = r"(?=\s*(?:[,.;:!)—–-]|\Z|(?:and|or|then|to|do|use|for|here|there)\b))"
"""The condition ends here: "if required", and not "if required fields are empty"."""
VALUE = re.compile(
    r"(?i)\b(?:when|whenever|where|wherever|if|once|as)\s++"
    r"(?:(?:it|this|that|they|you|doing\s++(?:so|this|it)"
    r"|the\s++(?:advice|rule|tip|action|step|method|approach|strategy))\s++)?"
    r"(?:(?:is|are|was|would\s++be|will\s++be|seems?|looks?|can|really)\s++)?"
    r"(?:help(?:s|ful|ing)?|useful|needed|necessary|appropriate|applicable|relevant|works?|required"
    r"|suitable|beneficial|warranted|better|best|makes?\s++sense|called\s++for"
    rf"|the\s++(?:right|best|correct)\s++(?:thing|choice|move))\b{_END}"
    r"|\b(?:when|whenever|where|wherever|if)\s++(?:[\w'’-]{1,30}\s++){1,6}?(?:is|are|would\s++be|seems?)\s++"
    r"(?:useful|helpful|appropriate|sensible|advisable|beneficial|worthwhile|a\s++good\s++idea"
    r"|the\s++(?:right|best|correct)\s++(?:thing|choice|move|way))\b"
    r"|\b(?:when|whenever|where|wherever|if)\s++(?:[\w'’-]{1,30}\s++){1,6}?(?:makes?\s++sense|(?:is|are)\s++called\s++for)\b"
    r"|\bdepending\s++on\s++(?:the\s++)?(?:situation|case|context|circumstances?|task|needs?)\b"
    r"|\bwhatever\s++(?:way\s++)?(?:the\s++)?(?:situation|case|context|circumstances?|task)\s++(?:requires?|demands?|needs?|calls)\b"
)


def emptiness(case: GateCase) -> Iterator[Ruling]:
    """What makes the item true whatever happens, seen by a program."""
    for raw in cut_sentences(case.roles.what):
        sentence = Sentence(raw, mask_quotes(raw))
        read = clauses(sentence)
        state = {word for low, high in read.when for word in content_words(raw[low:high])}
        condition_words = set(content_words(raw[read.begin : read.reason])) - IDLE
        if state and condition_words and condition_words <= state:
            yield Ruling("the advice is the condition said again, so no case could refute it")
        if value := VALUE.search(sentence.covered):
            account = "the condition is that the advice is good, so no case could refute it"
            yield Ruling(account, value[0].strip())
    for beyond in read_scope(case.roles.where or "").beyond:
        words = set(content_words(beyond))
        if words and words <= OUTCOME | IDLE and words & OUTCOME:
            yield Ruling("the Scope exempts every case in which the advice fails", beyond.split("\n")[0])


REFUTER = GateKind(
    "refuter",
    "The item was narrowed until no possible case could refute it.",
    ("what",),
    emptiness,
    sees_others=True,
)
