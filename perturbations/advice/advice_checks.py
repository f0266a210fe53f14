"""What became of the advice of an item: turned, kept, or hidden, read from the two texts alone."""

from collections.abc import Iterator

from memtrial.memory.language.structure import advising_text, parts
from memtrial.perturbations.advice.advice_words import advice_keys, word_key
from memtrial.perturbations.language.differences import n_contradicted, n_flips
from memtrial.perturbations.language.word_spans import locate_words


def check_turned(before: str, after: str, with_reason: bool) -> Iterator[str]:
    """What is missing where the item was to advise the opposite.

    Args:
        with_reason: the reason was to turn with it.
    """
    # where the item advises: a turned title or reason leaves the advice as it was
    advice = advising_text(before), advising_text(after)
    n = n_flips(*advice)
    if n < 1:
        yield f"has {n} flips in what it advises, where at least 1 was wanted"
    if with_reason and (n_contradicted(*advice) or _mechanism_left(before, after)):
        yield "advises the opposite for the reason that was given for the advice"


def check_kept(before: str, after: str) -> Iterator[str]:
    """What is missing where the item was to advise the same."""
    n = n_flips(advising_text(before), advising_text(after), whys=True)
    if n:
        yield f"has {n} flips in what it advises, where at most 0 was wanted"


def _mechanism_left(before: str, after: str) -> bool:
    """Whether the Mechanism stands as it was, and what it explains is turned."""
    cut = (parts(before), parts(after))
    own, second = (
        "".join(part.body for part in old_and_new if part.label == "mechanism").strip() for old_and_new in cut
    )
    return own == second != "" and n_flips(advising_text(before), advising_text(after)) > 0


def check_hidden(least: float, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    """What is missing where a share of the advice's words was to be hidden, and every other one to stand.

    Args:
        least: that share of the words of all items, by stem; at least one word is hidden.
    """
    keys = frozenset[str]().union(*map(advice_keys, before))
    there, left = _keys_of(before), _keys_of(after)
    standing, most = len(keys & left), min(round((1 - least) * len(keys)), len(keys) - 1)
    if keys and standing > most:
        yield f"{standing} of {len(keys)} words of the advice still stand, where at most {most} were wanted"
    if gone := sorted(key for key in there - keys - left if not key.startswith("=")):
        yield f"`{gone[0]}` is gone, which is no word of the advice"


def _keys_of(items: tuple[str, ...]) -> set[str]:
    words = (word for item in items for part in parts(item) for word in locate_words(part))
    return {word_key(word) for word in words if not word.framed}
