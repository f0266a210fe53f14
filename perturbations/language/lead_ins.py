"""Lead-ins, which say the same with more words: "you should pull the lever", "note that …", "for household
tasks", "this is because". Nothing here is a negation, a number, an order or an action.
"""

import re

from loadbearing.memory.language.lexicon import OBJECTS, VERBS, word_set
from loadbearing.memory.language.sentences import Edit, Sentence
from loadbearing.memory.language.word_lists import words
from loadbearing.perturbations.language.spelling import with_capital
from loadbearing.perturbations.language.stand_ins import Ways

_SUBJECTS = word_set("the a an this these those every each it there most many some all both another")
_RANGES = words("lead_ins.ranges")
_KINDS = words("lead_ins.kinds")
_MAIN = word_set("need needs require requires benefit is are should must can have often usually typically")
_BEHIND_RANGE = word_set("that which with about in of for where to on without from over whose") | {""}
_POLAR = word_set("avoid never always prefer")
_NOT_LED = word_set("note remember be make keep sit")
_OBJECTS = OBJECTS | words("lead_ins.objects")
_BECAUSE = re.compile(r",\s++because\b")


def led_in(sentence: Sentence) -> list[Ways]:
    """The same advice with a lead-in: "You should pull the lever", "be sure to pull it"."""
    found = []
    for at in sentence.heads[:1]:  # the next ones may only go on with a list
        word, behind = sentence.words[at], sentence.word(at + 1)
        told = sentence.raw[word.start : word.end]
        comma = "," in sentence.covered[max(0, word.start - 8) : word.start]
        if at and not (comma and told == word.text):
            continue
        if not told[1:].islower() or sentence.finite_in(range(at + 1, sentence.clause(at).stop)):
            continue
        start, end = word.start, word.start + 1
        leads = [f"you should {word.text[0]}"]
        if word.text == "do" and behind == "not":
            leads, end = ["you should"], word.end
        elif word.text in _POLAR:
            if not behind:
                continue
        elif word.text in _NOT_LED or word.text not in VERBS | {"do"}:
            continue
        elif sentence.quote_after(at):
            pass
        elif behind in _OBJECTS:
            leads += [f"be sure to {word.text[0]}", f"make sure to {word.text[0]}"]
        else:
            continue
        found.append(tuple(Edit(start, end, with_capital(told, lead)) for lead in leads))
    return found


def noted(sentence: Sentence) -> Ways:
    """A statement with a lead-in: "Note that the list is long"."""
    if not sentence.words or not sentence.raw[:1].isupper() or len(sentence.words) < 6:
        return ()
    first = sentence.words[0]
    if first.start or first.text not in _SUBJECTS or not sentence.finite_in(range(len(sentence.words))):
        return ()
    start = first.text[0]
    return (Edit(0, 1, f"Note that {start}"), Edit(0, 1, f"Keep in mind that {start}"))


def headed(sentence: Sentence, label: str) -> list[Ways]:
    """A bare range of cases with a word that says what it is: "For household tasks that have a goal"."""
    words = [word.text for word in sentence.words[:6]]
    at = next((at for at, word in enumerate(words[:3]) if word in _RANGES), None)
    if at is None or sentence.words[0].start or not all(word in _KINDS for word in words[:at]):
        return []
    if _MAIN & {word.text for word in sentence.words[at + 3 :]}:
        return []  # a whole sentence: "Tasks about fruit need bees"
    found: list[Ways] = []
    if sentence.word(at + 1) in _BEHIND_RANGE and "," not in sentence.covered:
        says = ("For", "Meant for") if label == "description" else ("Holds for", "Meant for")
        found.append(tuple(Edit(0, 1, f"{one} {words[0][0]}") for one in says))
    if sentence.word(at + 1) == "with" and sentence.word(at + 2) not in ("", "which", "regard", "respect"):
        found.append((Edit(sentence.words[at + 1].start, sentence.words[at + 1].end, "that have"),))
    return found


def parted(sentence: Sentence) -> Ways:
    """The reason in a sentence of its own: "Pull it. This is because it sticks."."""
    found = _BECAUSE.search(sentence.covered)
    if found is None or not sentence.closed or sum(word.text == "because" for word in sentence.words) > 1:
        return ()
    told = sentence.covered[: found.start()].split()
    return (Edit(*found.span(), ". This is because"),) if len(told) > 3 else ()
