"""The further estimands in a line each, for reports that hold no figures."""

from __future__ import annotations

from loadbearing.outcomes.reserved_names import ALL
from loadbearing.reports.base.lookup import Results, Row, of_estimand, subject
from loadbearing.reports.base.numbers import interval

ALL_BACKBONES = "all backbones"
_NAMES = {
    ("contrast", False): "contrast of drops",
    ("instructed", True): "utility when instructed",
    ("instructed", False): "drop when instructed",
    ("content", False): "content effect",
    ("dose", True): "dose, for one true item more,",
}
_SAID = ("contrast", "follow", "content", "instructed", "factorial", "dose")


def further_lines(results: Results) -> tuple[str, ...]:
    """What was found beyond the matrix: the hypotheses over all backbones, follow, content, instructed, dose.

    Retention and the drops beyond the placebo's are left to the long report.
    """
    primary = {str(entry.get("condition")) for entry in results.get("hypotheses") or ()}
    found = []
    for estimand in _SAID:
        for row in of_estimand(results, estimand):
            pooled = row.get("backbone") == ALL
            if estimand == "contrast" and not (pooled and row.get("condition") in primary):
                continue
            found.append(_line(row))
    return tuple(found)


def _line(row: Row) -> str:
    backbone = ALL_BACKBONES if row.get("backbone") == ALL else str(row.get("backbone"))
    estimand, condition = str(row.get("estimand")), str(row.get("condition"))
    plain = estimand in ("follow", "dose") or condition in ("intact", "without")
    under = "" if plain else f" under {condition}"
    what = _NAMES.get((estimand, plain), estimand)
    return f"{backbone}, {subject(row)}: {what}{under} {interval(row)} {row.get('verdict')}."
