"""The list of guards, and the sentences behind the reasons: what holds for every member."""

import pytest

from loadbearing.analysis.reasons import Caveat, Reason
from loadbearing.analysis.verdicts.guards.order import GUARDS
from loadbearing.analysis.verdicts.rules import WORDS

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
    "no_content_evidence",
    "oddity",
    "rewording",
    "unreadable",
    "adherence",
    "presence",
    "carries_content",
    "not_delivered",
    "not_applicable",
    "advice_check",
    "coherence",
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
    assert any(word in said for word in ("`inert`", "`load-bearing`", "any verdict", "untestable"))


def test_every_reason_but_the_rules_own_has_a_sentence() -> None:
    for reason in Reason:
        assert bool(reason.sentence) == (reason not in RULES), reason
    assert all(caveat.sentence for caveat in Caveat)
    assert all(words.claim(code) for words in WORDS.values() for code in RULES)
