"""Words that give a statement its direction. Data only."""

from loadbearing.memory.language.lexicon import forms_of, word_set

#: Verbs, in all forms, whose opposite says the opposite of what they say, whatever follows.
OUTCOMES = frozenset(
    form
    for verb in word_set(
        """
        avoid cause clarify complicate contain decrease destroy endanger fail gain improve increase lack lose
    narrow obscure preserve prevent reduce save simplify succeed waste widen work worsen
        """
    )
    for form in forms_of(verb)
)
#: Comparatives that turn a statement wherever they stand in it.
COMPARED = word_set(
    """
    better cheaper dearer easier faster fewer harder higher larger less likelier longer lower more quicker
    safer shorter slower smaller stronger weaker worse
    """
)
GRADED = COMPARED | word_set(
    """
    accurate ambiguous cheap clear complete consistent correct costly critical crucial dangerous
    discouraged earlier easy effective efficient enough essential hard harmful helpful important
    impossible inaccurate incomplete inconsistent ineffective insufficient invalid invisible irrelevant
    later likely necessary needless possible recommended relevant reliable safe successful sufficient
    trustworthy unambiguous unclear unimportant unlikely unnecessary unreliable unsuccessful untrustworthy
    unwise useful useless valid visible vital wasteful wise worst wrong
    """
)
