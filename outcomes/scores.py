"""Texts to scores: numbers in [0, 1], words for success and failure, and what is missing."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import polars as pl

from loadbearing.outcomes.count_words import how_many, listed
from loadbearing.outcomes.sheet import TableFault, distinct


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


_SUCCESS = _words("true, t, yes, y, pass, passed, success, succeeded, correct, solved, resolved, win, won")
_FAILURE = _words(
    "false, f, no, n, fail, failed, failure, incorrect, wrong, unsolved, unresolved, loss, lost, "
    "not_resolved, not resolved"
)
_WORDS: Mapping[str, float] = MappingProxyType(dict.fromkeys(_SUCCESS, 1.0) | dict.fromkeys(_FAILURE, 0.0))
_ERRORS = _words(
    "error, errored, crash, crashed, exception, infra_error, infrastructure_error, provider_error"
)
_BLANK = _words(", nan, na, n/a, null, none, missing, -, --")
_NO_ERROR = _BLANK | _words("0, false, no, f, n, ok, okay, success, failure, done, completed, finished")
_MISSING = _BLANK | _ERRORS


def scores_of(column: pl.Series, name: str, scale: float) -> pl.Series:
    """The score of each row over the full one; null where there is none. Raises TableFault: it is none."""
    if not 0 < scale < inf:
        raise TableFault(f"--scale needs a positive number, the full score; got {scale:g}")
    word = column.str.to_lowercase()
    numbers = column.cast(pl.Float64, strict=False).fill_nan(None)
    score = word.replace_strict(dict(_WORDS), default=numbers, return_dtype=pl.Float64)
    _refuse_rows(
        column,
        (score.is_null() & ~word.is_in(list(_MISSING))) | score.is_infinite(),
        f"column {name!r}: a score is a number from 0 to 1, with a point, or a word such as true, false, pass"
        " or fail, and empty where the infrastructure failed; --score-column names another column",
    )
    _refuse_rows(
        column,
        (score < 0) | (score > scale),
        f"column {name!r}: a score lies from 0 to {scale:g}; --scale 100 divides percentages, --scale FULL"
        " scores with another full score",
    )
    # polars multiplies by the inverse, which rounds twice
    return pl.Series("score", score.to_numpy() / scale).fill_nan(None)


def _refuse_rows(column: pl.Series, wrong: pl.Series, needed: str) -> None:
    rows = wrong.fill_null(False).arg_true()
    if len(rows):
        more = f" (and {how_many(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
        raise TableFault(f"{needed}; row {rows[0] + 1} holds {column[rows[0]][:60]!r}{more}")


def errors_of(column: pl.Series, status: bool) -> pl.Series:
    """Rows that the infrastructure lost, by flags or messages; of a status only words for an error count."""
    word = column.str.to_lowercase()
    return word.is_in(list(_ERRORS)) if status else ~word.is_in(list(_NO_ERROR))


def numbers_of(column: pl.Series) -> pl.Series | None:
    """The column as numbers; None where some text is none."""
    numbers = column.cast(pl.Float64, strict=False).fill_nan(None)
    return None if numbers.null_count() else numbers


def score_words(column: pl.Series) -> str:
    """What a score column holds, in a few words: its values, or how many there are."""
    texts = [text for text in distinct(column) if text.lower() not in _MISSING]
    return listed(sorted(texts)) if len(texts) <= 6 else f"{len(texts)} different numbers"
