"""The texts of scores: numbers as people write them, words for success, and words for no score at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType

import polars as pl

from memtrial.outcomes.table_fault import TableFault


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


_SUCCESS = _words(
    "true, t, yes, y, pass, passed, success, succeeded, correct, solved, resolved, win, won, "
    "ja, oui, sí, sim, 是, 对, 正确"
)
_FAILURE = _words(
    "false, f, no, n, fail, failed, failure, incorrect, wrong, unsolved, unresolved, loss, lost, "
    "not_resolved, not resolved, nein, nee, non, não, 否, 错, 错误"
)
WORDS: Mapping[str, float] = MappingProxyType(dict.fromkeys(_SUCCESS, 1.0) | dict.fromkeys(_FAILURE, 0.0))
INSPECT: Mapping[str, float] = MappingProxyType({"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0})
"""Correct, incorrect, partly correct, no answer, as Inspect writes and weighs them."""
ERRORS = _words(
    "error, errored, crash, crashed, exception, infra_error, infrastructure_error, provider_error"
)
BLANK = _words(", nan, na, n/a, null, none, missing, -, --")
MISSING = BLANK | ERRORS
_COMMA = r"^[+-]?[0-9]+,[0-9]+$"


@dataclass(frozen=True, slots=True)
class ScoreRange:
    """The lowest and the highest score that there can be, whatever scores there are."""

    low: float = 0.0
    high: float = 1.0

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"


SHARE, PER_CENT = ScoreRange(), ScoreRange(0.0, 100.0)


@dataclass(frozen=True, slots=True)
class NumberTexts:
    """A column as numbers, null where a text is none.

    Args:
        percent: every number had a per cent sign, which is taken off.
        commas: a decimal comma stood in the place of a point.
    """

    values: pl.Series
    percent: bool
    commas: bool


def read_range(text: str) -> ScoreRange:
    """The range in `LOW,HIGH`. Raises TableFault: it is none."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = 0.0
    if not (isfinite(low) and isfinite(high) and low < high):
        raise TableFault(f"--range needs LOW,HIGH, as 1,5: the lowest and the highest score; got {text!r}")
    return ScoreRange(low, high)


def read_numbers(column: pl.Series) -> NumberTexts:
    """The numbers of a column of texts, with decimal points or commas, with or without per cent signs."""
    bodies = column.str.strip_suffix("%").str.strip_chars()
    signed = column.str.ends_with("%")
    commas = bodies.str.contains(_COMMA)
    # `1,234` beside `0.5` is a thousand and more
    by_comma = bool(commas.any()) and not bool(bodies.str.contains(r"^[+-]?[0-9]*\.[0-9]").any())
    plain_texts = bodies.str.replace(",", ".", literal=True) if by_comma else bodies
    values = plain_texts.cast(pl.Float64, strict=False).fill_nan(None)
    percent = bool(signed.any()) and bool(signed.filter(values.is_not_null()).all())
    if signed.any() and not percent:
        values = column.cast(pl.Float64, strict=False).fill_nan(None)
    return NumberTexts(values, percent, by_comma and not bool(values.is_null().all()))


def read_words(column: pl.Series) -> pl.Series:
    """The score of each text that is a word for one, else null; `C`, `I`, `P`, `N` as Inspect has them."""
    words = column.str.to_lowercase()
    known: dict[str, float] = dict(WORDS)
    if words.is_in(["c", "i"]).any() and words.is_in([*MISSING, *INSPECT]).all():
        known |= INSPECT
    elif words.is_in(["f"]).any() and not words.is_in(["c", "i"]).any():
        known["p"] = 1.0
    return words.replace_strict(known, default=None, return_dtype=pl.Float64)


def holds_scores(column: pl.Series) -> bool:
    """Whether each text is a number, a word for success or for no score at all, and some are scores."""
    column = column.unique()  # a table of a million rows has few
    words, numbers = read_words(column), read_numbers(column).values
    scores = words.is_not_null() | numbers.is_not_null()
    return bool(scores.any()) and bool((scores | column.str.to_lowercase().is_in(list(MISSING))).all())
