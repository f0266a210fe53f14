"""Texts to scores: numbers in [0, 1], words for success and failure, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import polars as pl

from loadbearing.outcomes.count_words import how_many, listed
from loadbearing.outcomes.sheet import distinct
from loadbearing.outcomes.table_fault import TableFault


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
    """The score of each row, null where there is none.

    Args:
        name: of the column, for the messages.
        scale: the full score, by which all are divided.

    Raises:
        TableFault: the scale is no full score, a text is no score, or a number lies outside [0, scale]; the
            message names the first row.
    """
    if not 0 < scale < inf:
        raise TableFault(f"--scale needs a positive number, the full score; got {scale:g}")
    word, score = pl.col("text").str.to_lowercase(), pl.col("score")
    table = (
        column.to_frame()
        .select(pl.first().alias("text"))
        .with_row_index("row", offset=1)
        .with_columns(
            word.replace_strict(dict(_WORDS), default=pl.col("text").cast(pl.Float64, strict=False))
            .fill_nan(None)
            .alias("score")
        )
    )
    strange = table.filter((score.is_null() & ~word.is_in(list(_MISSING))) | score.is_infinite())
    for row, text, _ in strange.head(1).rows():
        raise TableFault(
            f"column {name!r}, row {row}: a score is a number from 0 to 1 or a word such as true, "
            f"false, pass, fail; got {text[:60]!r}{_more(strange.height)}; {_advice(text)}"
        )
    outside = table.filter((score < 0) | (score > scale))
    for row, text, _ in outside.head(1).rows():
        percentages = scale == 1 and outside["score"].min() > 1 and outside["score"].max() <= 100  # type: ignore[operator]
        hint = (
            "they look like percentages: --scale 100 divides them"
            if percentages
            else "--scale FULL divides by the full score"
        )
        raise TableFault(
            f"column {name!r}, row {row}: a score lies from 0 to {scale:g}, got {text!r}"
            f"{_more(outside.height)}; {hint}"
        )
    # polars multiplies by the inverse, which rounds twice
    return pl.Series(table["score"].to_numpy() / scale).fill_nan(None)


def errors_of(column: pl.Series, status: bool) -> pl.Series:
    """Rows that the infrastructure lost.

    Args:
        column: flags or messages; an empty text, 0, false, no or ok is no error.
        status: it says how each trial ended instead, and only words for an error count.
    """
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


def _advice(text: str) -> str:
    """What to do about a text that is no score."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"that is a decimal comma: write {text.replace(',', '.')}, with a point"
    if re.fullmatch(r"[+-]?[\d.,]+ ?%", text):
        return "take the per cent signs away, and --scale 100 divides the numbers"
    return "leave it empty where the infrastructure failed, or name another column with --score-column"


def _more(count: int) -> str:
    return f" (and {how_many(count - 1, 'more row')})" if count > 1 else ""
