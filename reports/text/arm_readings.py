"""Verdict sentences: what the words on one arm's utility and drops say when they are read together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from loadbearing.analysis.reasons import Reason
from loadbearing.analysis.result import Estimate
from loadbearing.outcomes.reserved_names import MEANING, ORACLE, PLACEBO, REMOVAL, WITHOUT
from loadbearing.reports.base.lookup import (
    drop_words,
    find,
    judged_arms,
    judged_backbones,
    utility_word,
)
from loadbearing.reports.base.numbers import interval, is_known, share, signed
from loadbearing.reports.model.results import Results
from loadbearing.reports.text.comparison_readings import read_comparison, reference_of
from loadbearing.reports.text.reading import (
    Reading,
    capital,
    effect_of,
    evidence,
    listed,
    margin_text,
    sample,
)
from loadbearing.reports.text.verdict_entry import printed

Carried = Literal["fully", "partly", "not", "reversed", "untestable", "insensitive", "open", "unmeasured"]


_HEADLINES: Mapping[tuple[str, Carried], str] = {
    ("helps", "fully"): "useful and used",
    ("helps", "partly"): "useful, and used in part",
    ("helps", "not"): "placebo: the block helps, its content does not",
    ("helps", "reversed"): "useful, yet damage raises the score",
    ("helps", "untestable"): "useful; its content could not be tested",
    ("helps", "open"): "useful; whether its content is used is open",
    ("none", "fully"): "used, no net benefit",
    ("none", "partly"): "used in part, no net benefit",
    ("none", "not"): "no signal or ignored",
    ("none", "reversed"): "no net benefit, and damage raises the score",
    ("none", "untestable"): "no signal or ignored",
    ("none", "open"): "no net benefit; whether its content is used is open",
    ("harms", "fully"): "used, and harmful on net",
    ("harms", "partly"): "used in part, and harmful on net",
    ("harms", "not"): "its presence costs, its content does not carry",
    ("harms", "reversed"): "harmful, and less so when damaged",
    ("harms", "untestable"): "harmful on net; its content could not be tested",
    ("harms", "open"): "harmful on net; whether its content is used is open",
    ("inconclusive", "fully"): "used; whether it helps on net is open",
    ("inconclusive", "partly"): "used in part; whether it helps on net is open",
    ("inconclusive", "not"): "damage does little; whether it helps on net is open",
    ("inconclusive", "reversed"): "damage raises the score; whether it helps on net is open",
    ("inconclusive", "untestable"): "content untestable; whether it helps on net is open",
    ("inconclusive", "open"): "not settled",
}

_UTILITY_SAYS = {
    "helps": "The score is higher with this memory than without",
    "none": "This memory moves the score by less than {margin} either way",
    "harms": "The score is lower with this memory than without",
    "inconclusive": "Neither an effect of this memory nor its absence is shown",
}


def arm_readings(results: Results) -> tuple[Reading, ...]:
    """One reading for each backbone and arm that was judged, in the order of the run."""
    return tuple(
        read_arm(results, backbone, arm)
        for backbone in judged_backbones(results)
        for arm in judged_arms(results, backbone)
    )


def read_arm(results: Results, backbone: str, arm: str) -> Reading:
    """Combine the utility of one arm with its drops.

    The content is judged by damage to meaning. Damage that removes it (`filler`, `empty`, `without`)
    measures the utility once more, and is listed as such.

    Source: the project's statistics plan, section 2 (reading with utility) and amendments 1 and 4.
    """
    if reference_of(results):
        return read_comparison(results, backbone, arm)
    gain = utility_word(results, backbone, arm)
    words = drop_words(results, backbone, arm)
    telling = _telling(results, words)
    carried = _carried(telling)
    headline = _HEADLINES.get((gain, "open" if carried in ("insensitive", "unmeasured") else carried), "")
    if gain == "none" and carried == "untestable" and _no_room(results, backbone, arm, telling):
        headline = "no room: its content could not be tested"
    if gain == "untestable":
        headline = "not judged: its text did not reach the prompt"
    if carried == "insensitive":
        headline = "content not judged: the positive control did not work in this run"
    if carried == "unmeasured":
        headline = f"utility: {printed(gain) or 'not measured'}; its content was not tested"
    if arm == ORACLE:
        headline = f"positive control: {headline or 'not settled'}"
    gain_row = find(results, "utility", backbone=backbone, arm=arm)
    says = [_utility_sentence(results, gain, gain_row)]
    says += _content_sentences(results, backbone, arm, telling, carried)
    if telling and results.effects and not _of_meaning(results, telling):
        says.append("No damage to meaning was planned, so this rests on weaker damage.")
    return Reading(
        subject=(backbone, arm),
        headline=capital(headline or "not settled"),
        says=" ".join(says),
        rests_on=_rests_on(results, backbone, arm, gain, gain_row, words),
        leaves=_leaves(results, backbone, arm, gain, carried, words),
    )


def _telling(results: Results, words: Mapping[str, str]) -> dict[str, str]:
    """The verdicts that speak about content; all but placebo and absence where no meaning was damaged."""
    others = {condition: word for condition, word in words.items() if condition not in (PLACEBO, WITHOUT)}
    return _of_meaning(results, words) or others


def _of_meaning(results: Results, words: Mapping[str, str]) -> dict[str, str]:
    return {condition: word for condition, word in words.items() if effect_of(results, condition) == MEANING}


def _carried(words: Mapping[str, str]) -> Carried:
    """One word for several drops: some damage shows use, only all damage shows the lack of it."""
    seen = set(words.values())
    if not seen:
        return "unmeasured"
    if "load-bearing" in seen:
        return "fully" if len(seen) == 1 else "partly"
    if "reversed" in seen:
        return "reversed"
    if "insensitive" in seen:
        return "insensitive"
    if seen == {"inert"}:
        return "not"
    return "untestable" if seen <= {"untestable"} else "open"


def _utility_sentence(results: Results, gain: str, row: Estimate | None) -> str:
    if gain == "untestable":
        return f"Its utility is untestable ({(row and row.reason) or 'no reason was recorded'})."
    if gain not in _UTILITY_SAYS:
        return "Its utility was not measured."
    said = _UTILITY_SAYS[gain].format(margin=margin_text(results))
    return f"{said} ({interval(row)})." if row else f"{said}."


def _content_sentences(
    results: Results, backbone: str, arm: str, telling: Mapping[str, str], carried: Carried
) -> list[str]:
    def named(word: str) -> str:
        return listed([c for c, given in telling.items() if given == word])

    said = []
    if "load-bearing" in telling.values():
        which = "every damage to it that was tried" if carried == "fully" and len(telling) > 1 else "damage"
        said.append(
            f"Under {which} ({named('load-bearing')}) the score falls: the outcome depends on this text."
        )
    if "inert" in telling.values():
        said.append(f"Under {named('inert')} it moves by less than {margin_text(results)} either way.")
    if "reversed" in telling.values():
        said.append(f"Under {named('reversed')} the score rises.")
    for word in ("inconclusive", "untestable", "insensitive"):
        said += _reasons(results, backbone, arm, word, telling)
    return said


def _no_room(results: Results, backbone: str, arm: str, telling: Mapping[str, str]) -> bool:
    """Floor or ceiling under every damage: then the score could not have shown a signal."""
    rows = (find(results, "drop", backbone, arm, condition) for condition in telling)
    return all(row is not None and row.code in (Reason.FLOOR, Reason.CEILING) for row in rows)


def _reasons(results: Results, backbone: str, arm: str, word: str, telling: Mapping[str, str]) -> list[str]:
    """Why a word was given: one sentence a reason, with the conditions that share it."""
    sharing: dict[str, list[str]] = {}
    for condition in (c for c, given in telling.items() if given == word):
        row = find(results, "drop", backbone=backbone, arm=arm, condition=condition)
        sharing.setdefault((row and row.reason) or "no reason was recorded", []).append(condition)
    return [
        f"{capital(word)} under {listed(conditions)} ({reason})." for reason, conditions in sharing.items()
    ]


def _rests_on(
    results: Results, backbone: str, arm: str, gain: str, gain_row: Estimate | None, words: Mapping[str, str]
) -> str:
    """The numbers, those that speak of content first; the drop under `without` is the utility again."""
    parts = [evidence("utility", gain, gain_row)] if gain else []
    used = [gain_row]
    for condition in dict.fromkeys((*_telling(results, words), *words)):
        if condition == WITHOUT and gain:
            continue
        row = find(results, "drop", backbone=backbone, arm=arm, condition=condition)
        note = " (content removed)" if effect_of(results, condition) == REMOVAL else ""
        parts.append(evidence(f"{condition}{note}", words[condition], row))
        used.append(row)
    empty = results.empty_slots.get(arm)
    if empty:
        parts.append(f"in {share(empty)} of its intact trials there was no item to show, and they count")
    parts.append(sample(used))
    return "; ".join(filter(None, parts)) + "." if any(parts) else "Nothing was measured."


def _leaves(
    results: Results, backbone: str, arm: str, gain: str, carried: Carried, words: Mapping[str, str]
) -> tuple[str, ...]:
    said = []
    if carried in ("fully", "partly"):
        said.append("whether the advice is right")
        rewording = find(results, "drop", backbone, arm, PLACEBO)
        if rewording is not None and rewording.effect(results.alpha) > 0:
            said.append("whether meaning matters at all: a rewording that keeps it lowers the score too")
        elif PLACEBO not in words:
            said.append("how much the oddity of damaged text contributes (no paraphrase was run)")
    if "reversed" in _telling(results, words).values():
        said.append("what in the text does the harm")
    if carried in ("not", "untestable", "open", "insensitive"):
        said.append("whether the text is read without changing the outcome")
    if gain in ("none", "inconclusive") and carried in ("not", "untestable", "open"):
        said.append(_channel(results, backbone, arm))
    if gain == "helps" and carried == "not":
        said.append(_still_possible(results, backbone, arm))
    if gain == "none":
        said.append("whether gains and losses cancel between tasks")
    if arm == ORACLE:
        said.append("anything about a condenser: this text was written by the world, not distilled")
    elif gain == "helps" and carried not in ("fully", "partly"):
        said.append("which property of the block does the helping")
    return tuple(part for part in said if part)


def _still_possible(results: Results, backbone: str, arm: str) -> str:
    """How much of the help may be content after all: inert is not zero."""
    telling = _telling(results, drop_words(results, backbone, arm))
    rows = (find(results, "drop", backbone, arm, condition) for condition in telling)
    highs = [row.high for row in rows if row is not None and is_known(row.high)]
    if not highs:
        return ""
    return f"whether a small part of the help is content (a drop up to {signed(max(highs))} fits)"


def _channel(results: Results, backbone: str, arm: str) -> str:
    """Whether memory could have reached this model at all."""
    if arm == ORACLE:
        return "whether this model uses memory of any kind"
    known = {c: w for c, w in drop_words(results, backbone, ORACLE).items() if c != PLACEBO}
    if not known:
        return "whether memory reaches this model at all (it had no positive control)"
    if "load-bearing" in _telling(results, known).values():
        return (
            "whether the text is ignored or holds nothing usable (the positive control is load-bearing "
            "here, so memory does reach this model)"
        )
    return "whether this model uses memory of any kind (its positive control is not load-bearing either)"
