"""The list of guards, and the sentences behind the reasons: what holds for every member."""

from __future__ import annotations

from string import Formatter

import pytest

from loadbearing.analysis.reasons import Caveat, Reason
from loadbearing.analysis.verdicts.guards.order import GUARDS
from loadbearing.analysis.verdicts.rules import WORDS
from loadbearing.analysis.verdicts.sentences import NAMED

ORDER = [
    "floor",
    "ceiling",
    "nothing_to_carry",
    "utility_not_established",
    "backbones_differ",
    "effects_cancel",
    "actions_differ",
    "most_of_the_utility",
    "placebo_moves",
    "oddity",
    "rewording",
    "not_delivered",
    "not_applicable",
    "advice_check",
    "positive_control",
    "interim",
    "boundaries",
]
RULES = (Reason.ABOVE, Reason.BELOW, Reason.WITHIN, Reason.UNDECIDED)


def test_the_guards_act_in_this_order() -> None:
    assert [guard.__name__ for guard in GUARDS] == ORDER


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_every_guard_says_against_what_and_which_word_it_takes(guard) -> None:
    said = guard.__doc__ or ""
    assert said.startswith("Against ")
    assert any(word in said for word in ("`inert`", "`load-bearing`", "any word", "untestable"))


def test_every_reason_has_a_sentence_and_every_name_in_it_is_known() -> None:
    claims = [words.claim(code) for words in WORDS.values() for code in RULES]
    own = [reason.sentence for reason in Reason if reason not in RULES]
    assert all(own)
    for sentence in (*claims, *own, *(caveat.sentence for caveat in Caveat)):
        names = [name for _, name, _, _ in Formatter().parse(sentence) if name]
        assert {name.partition(".")[0].partition("[")[0] for name in names} <= NAMED.keys(), sentence
