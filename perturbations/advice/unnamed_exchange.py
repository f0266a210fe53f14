"""Whether an item can be given other actions where nothing is known of the world, and whether it was."""

from collections.abc import Iterable
from functools import lru_cache

from memtrial.memory.language.sentences import sentences_of
from memtrial.memory.language.structure import ADVISING, parts
from memtrial.memory.words import content_words
from memtrial.perturbations.advice.advice_spans import spans_around
from memtrial.perturbations.advice.advised_action import exchangeable
from memtrial.perturbations.advice.frame_spans import is_heading, without_frame
from memtrial.perturbations.advice.phrase_exchange import Pair
from memtrial.perturbations.advice.plain_commands import find_command_fault, is_command, told_text


@lru_cache(maxsize=4096)  # each donor of a slot asks again
def find_unplain(item: str) -> str:
    """The first sentence that advises and is no plain command, with the reason; empty where there is none."""
    own = any(part.label in ADVISING and part.body.strip() for part in parts(item))
    starts = [advice.start for advice in exchangeable(item)]
    explains = {around.start for around in spans_around(item) if around.whole}
    for part, start, whole in sentences_of(item):
        # a heading that explains may tell as well: "Secrets never go into the repository"
        silent = start in explains and not is_heading(item, start)
        bare = without_frame(item, start, whole)
        if (own and part.label not in ADVISING) or silent or bare is None:
            continue
        low, sentence = bare
        told = told_text(sentence)
        acts = any(low <= start < low + len(sentence.raw) for start in starts)
        fault = find_command_fault(sentence, told) if is_command(sentence, told) else "it is no command"
        if fault or not acts:
            return f"`{' '.join(sentence.raw.split())[:60]}`: {fault or 'it tells no action'}"
    return ""


def left_of(pairs: Iterable[Pair], items: Iterable[str]) -> str:
    """The first word of what was exchanged that an item still says, anywhere; empty where there is none."""
    gone = {stem for pair in pairs for stem in set(content_words(pair.old)) - set(content_words(pair.new))}
    return next((word for item in items for word in content_words(item) if word in gone), "")
