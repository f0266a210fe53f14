"""Texts to scores: numbers in [0, 1], words for success and failure, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf, isinf, isnan
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from loadbearing.outcomes.columns import Coded
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.sheet import held, listed
from loadbearing.outcomes.table_fault import TableFault

_SUCCESS = (
    "true",
    "t",
    "yes",
    "y",
    "pass",
    "passed",
    "success",
    "succeeded",
    "correct",
    "solved",
    "resolved",
    "win",
    "won",
)
_FAILURE = (
    *("false", "f", "no", "n", "fail", "failed", "failure", "incorrect", "wrong", "unsolved", "unresolved"),
    *("loss", "lost", "not_resolved", "not resolved"),
)
_WORDS: Mapping[str, float] = MappingProxyType(dict.fromkeys(_SUCCESS, 1.0) | dict.fromkeys(_FAILURE, 0.0))
_ERRORS = frozenset(
    {
        "error",
        "errored",
        "crash",
        "crashed",
        "exception",
        "infra_error",
        "infrastructure_error",
        "provider_error",
    }
)
MISSING = _ERRORS | {"", "nan", "na", "n/a", "null", "none", "missing", "-", "--"}
_NO_ERROR = (MISSING - _ERRORS) | {
    "0",
    "false",
    "no",
    "f",
    "n",
    "ok",
    "okay",
    "success",
    "failure",
    "done",
    "completed",
    "finished",
}


def scores_of(column: Coded, name: str, scale: float) -> NDArray[np.float64]:
    """The score of each row, NaN where there is none.

    Args:
        name: of the column, for the messages.
        scale: the full score, by which all are divided.

    Raises:
        TableFault: the scale is no full score, a text is no score, or a number lies outside [0, scale]; the
            message names the first row.
    """
    if not 0 < scale < inf:
        raise TableFault(f"--scale needs a positive number, the full score; got {scale:g}")
    values = np.array([_score(text) for text in column.values] or [np.nan])
    scores = values[column.codes]
    strange = np.array(
        [
            isinf(v) or (isnan(v) and t.lower() not in MISSING)
            for t, v in zip(column.values, values, strict=False)
        ]
    )
    rows = np.flatnonzero(strange[column.codes]) if len(strange) else np.zeros(0, dtype=np.int64)
    if len(rows):
        text = column.values[column.codes[rows[0]]]
        raise TableFault(
            f"column {name!r}, row {rows[0] + 1}: a score is a number from 0 to 1 or a word such as true, "
            f"false, pass, fail; got {text[:60]!r}{_more(len(rows))}; {_advice(text)}"
        )
    rows = np.flatnonzero((scores < 0) | (scores > scale))
    if len(rows):
        text = column.values[column.codes[rows[0]]]
        top = float(np.nanmax(scores))
        hint = (
            "; they look like percentages: --scale 100 divides them"
            if scale == 1 and 1 < top <= 100 and np.nanmin(scores) >= 0
            else "; --scale FULL divides by the full score"
        )
        raise TableFault(
            f"column {name!r}, row {rows[0] + 1}: a score lies from 0 to {scale:g}, got {text!r}"
            f"{_more(len(rows))}{hint}"
        )
    return scores / scale


def errors_of(column: Coded, status: bool) -> NDArray[np.bool_]:
    """Rows that the infrastructure lost.

    Args:
        column: flags or messages; an empty text, 0, false, no or ok is no error.
        status: it says how each trial ended instead, and only words for an error count.
    """
    texts = [text.lower() for text in column.values]
    flags = [text in _ERRORS if status else text not in _NO_ERROR for text in texts]
    return np.array(flags or [False])[column.codes]


def numbers_of(column: Coded) -> NDArray[np.float64] | None:
    """The column as numbers; None where some text is none."""
    values = np.array([_number(text) for text in column.values] or [np.nan])
    found = values[column.codes]
    return None if np.isnan(found).any() else found


def score_words(column: Coded) -> str:
    """What a score column holds, in a few words: its values, or its range."""
    texts = [text for text in held(column) if text.lower() not in MISSING]
    if len(texts) <= 6:
        return listed(sorted(texts))
    return f"{len(texts)} different numbers"


def _score(text: str) -> float:
    word = _WORDS.get(text.lower())
    return _number(text) if word is None else word


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _advice(text: str) -> str:
    """What to do about a text that is no score."""
    if re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"that is a decimal comma: write {text.replace(',', '.')}, with a point"
    if re.fullmatch(r"[+-]?[\d.,]+ ?%", text):
        return "take the per cent signs away, and --scale 100 divides the numbers"
    return "leave it empty where the infrastructure failed, or name another column with --score-column"


def _more(count: int) -> str:
    return f" (and {how_many(count - 1, 'more row')})" if count > 1 else ""
