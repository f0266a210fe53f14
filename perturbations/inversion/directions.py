"""Words that give a statement its direction. Data only."""

from loadbearing.memory.language.lexicon import forms_of
from loadbearing.memory.language.word_lists import words

#: Verbs, in all forms, whose opposite says the opposite of what they say, whatever follows.
OUTCOMES = frozenset(form for verb in words("directions.outcomes") for form in forms_of(verb))
#: Comparatives that turn a statement wherever they stand in it.
COMPARED = words("directions.compared")
GRADED = COMPARED | words("directions.graded")
