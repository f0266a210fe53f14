"""An imperative turned with all that is joined to it: "pull A, then press B" → "never pull A, or press B"."""

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.sentences import Edit, Sentence
from memtrial.perturbations.advice.imperatives import behind_openers, steps_on
from memtrial.perturbations.advice.imperatives import joints as joints_of
from memtrial.perturbations.inversion.inverted_statements import drop, insert, put_before, replace_word

_SEQUENCE = words("commands.sequence")
_NEGATIVE = ("never", "avoid", "not", "don't")
_POLAR = {"never": "always", "always": "never"}


def turn_command(s: Sentence, start: int, position: int, stop: int) -> list[Edit]:
    """The edits that turn an imperative at index `position` and all that is joined to it, up to `stop`."""
    text, following, quoted = s.word(position), s.word(position + 1), s.quote_after(position)
    negative = text in _NEGATIVE or (text == "do" and following in ("not", "never") and not quoted)
    turn = _negative if negative else _positive
    return turn(s, start, position) + _rest(s, joints_of(s, position, stop), negative, text == "avoid")


def _positive(s: Sentence, start: int, position: int) -> list[Edit]:
    """ "pull A" → "never pull A", "do `a`" → "avoid `a`", "always pull A" → "never pull A"."""
    text, following = s.word(position), s.word(position + 1)
    if text in ("always", "only"):
        return replace_word(s, position, "never")
    if text == "do" and s.quote_after(position):
        return replace_word(s, position, "avoid")
    # "in S, do sort the list" → "in S, never sort the list"
    bare = text == "do" and following not in lexicon.OBJECTS
    return replace_word(s, position, "never") if bare else [_never(s, start, position)]


def _never(s: Sentence, start: int, position: int) -> Edit:
    """ "never" before the verb, in the place of what only led up to it: "first," and "make sure to"."""
    low = start if behind_openers(s, start) == position else position
    while low < position and s.word(low) in lexicon.OPENERS - _SEQUENCE:
        low += 1
    return put_before(s, low, position, "never")


def _negative(s: Sentence, start: int, position: int) -> list[Edit]:
    """ "do not pull A" → "always pull A"."""
    text = s.word(position)
    if text == "avoid":
        return _from_gerund(s, position)
    if text == "never":
        return replace_word(s, position, "always")
    if text == "not" and (position > start or not steps_on(s, position + 1, position)):
        return [drop(s, position)]  # "be careful not to", "but not the description"
    verb = position + (2 if text == "do" else 1)
    if verb >= len(s.words):
        return replace_word(s, position, "do")
    gap = s.covered[s.words[verb - 1].end : s.words[verb].start]
    if gap.strip():  # a quote or a mark stands between
        return [drop(s, position + 1)] if text == "do" else replace_word(s, position, "do")
    return [put_before(s, position, verb, "always")]


def _from_gerund(s: Sentence, position: int) -> list[Edit]:
    """ "avoid pulling A" → "always pull A", "avoid A" → "use A", avoid `a` → do `a`."""
    if s.quote_after(position):
        return replace_word(s, position, "do")
    if verb := base_of(s.word(position + 1)):
        return replace_word(s, position, "always") + replace_word(s, position + 1, verb)
    return replace_word(s, position, "try" if s.word(position + 1).endswith("ing") else "use")


def _rest(s: Sentence, joints: list[tuple[int, int]], negative: bool, avoids: bool) -> list[Edit]:
    """The edits at the joints: "never A, B, or C" takes all in, and so does "always A, B, and C"."""
    edits: list[Edit] = []
    joined = any(joint != verb for joint, verb in joints)
    for number, (joint, verb) in enumerate(joints):
        text = s.word(verb)
        behind = verb + (text in ("and", "or", "nor", "then"))  # a quote stands for the verb
        if text in _POLAR:
            edits += replace_word(s, verb, _POLAR[text])
        elif text == "avoid":
            edits += _from_gerund(s, verb)
        elif text == "don't" or (text == "do" and s.word(verb + 1) in ("not", "never")):
            edits.append(put_before(s, verb, verb + (1 if text == "don't" else 2), "always"))
        elif negative:
            edits += _also_done(s, joint, verb, avoids)
        elif joint < behind and s.word(joint) not in ("or", "nor"):
            edits += replace_word(s, joint, "or")
            edits += [drop(s, place) for place in range(joint + 1, behind)]
        elif joint == verb == behind and not joined and number == len(joints) - 1:
            edits += insert(s, verb, "or")
    return edits


def _also_done(s: Sentence, joint: int, verb: int, avoids: bool) -> list[Edit]:
    """A further step behind a negative one: forbidden with it, or set against it."""
    base = base_of(s.word(verb)) if avoids else ""
    if base:
        both = replace_word(s, joint, "and") if s.word(joint) in ("or", "nor") else []
        return both + replace_word(s, verb, base)
    if s.word(joint) in ("or", "nor"):
        return replace_word(s, joint, "and")
    return [put_before(s, verb, verb, "never")] if s.word(verb) in VERBS else []
