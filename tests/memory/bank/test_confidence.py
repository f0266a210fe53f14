"""What an item begins with, and what signals make of it: exact values, as fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import ItemUses
from memtrial.memory.bank.confidence.beta_posterior import BetaPosterior, match_prior
from memtrial.memory.bank.confidence.eta_rule import EtaRule
from memtrial.memory.bank.confidence.initial_confidence import EXPLICIT, initialise_confidence
from memtrial.memory.bank.confidence.item_signals import EventKind, ItemSignal, follow_signals
from memtrial.memory.bank.confidence.signal_weights import SIGNALS, SignalWeights

LINEAR = {
    "success": (Fraction(70, 100), Fraction(85, 100)),
    "failure": (Fraction(60, 100), Fraction(75, 100)),
}
PRODUCT = {"success": Fraction(7, 10), "failure": Fraction(6, 10)}
JUDGED = (0, 1, 10, 25, 33, 40, 50, 75, 85, 99, 100)


@pytest.mark.parametrize("outcome", ["success", "failure"])
@pytest.mark.parametrize("percent", JUDGED)
def test_the_judge_decides_where_in_its_range_an_item_begins(outcome, percent: int) -> None:
    sure = Fraction(percent, 100)
    low, high = LINEAR[outcome]
    assert initialise_confidence(outcome, percent / 100) == pytest.approx(
        float(low + (high - low) * sure), abs=1e-9
    )
    product = initialise_confidence(outcome, percent / 100, "product")
    assert product == pytest.approx(float(PRODUCT[outcome] * sure), abs=1e-9)
    assert product <= 0.7


def test_the_documents_own_examples() -> None:
    assert initialise_confidence("success", 0.4) == pytest.approx(0.76, abs=1e-9)
    assert initialise_confidence("success") == pytest.approx(0.775, abs=1e-9)
    assert initialise_confidence("failure") == pytest.approx(0.675, abs=1e-9)
    assert EXPLICIT == 0.8


@pytest.mark.parametrize("judged", [-0.01, 1.01, float("nan"), 85.0])
def test_a_confidence_that_is_none_is_refused(judged: float) -> None:
    with pytest.raises(ValueError, match="confidence in"):
        initialise_confidence("success", judged)


@pytest.mark.parametrize("percent", [0, 10, 50, 60, 67, 70, 77, 80, 85, 100])
@pytest.mark.parametrize("strength", [1, 2, 5])
def test_a_prior_has_the_stored_mean(percent: int, strength: int) -> None:
    prior = match_prior(percent / 100, strength)
    stored = Fraction(percent, 100)
    assert prior.alpha == pytest.approx(float(stored * strength), abs=1e-9)
    assert prior.beta == pytest.approx(float((1 - stored) * strength), abs=1e-9)
    assert prior.mean == pytest.approx(float(stored), abs=1e-9)


def test_a_half_is_the_flat_prior_and_what_a_rating_does_to_eight_tenths() -> None:
    assert match_prior(0.5) == BetaPosterior(1.0, 1.0)
    weight = SignalWeights().weight("explicit")
    assert weight == pytest.approx(float(Fraction(7, 17)), abs=1e-12)
    prior = match_prior(0.8)
    helpful = (Fraction(16, 10) + Fraction(7, 17)) / (2 + Fraction(7, 17))
    assert prior.seen(True, weight).mean == pytest.approx(float(helpful), abs=1e-9)
    assert prior.seen(False, weight).mean == pytest.approx(
        float(Fraction(16, 10) / (2 + Fraction(7, 17))), abs=1e-9
    )
    assert (round(prior.seen(True, weight).mean, 3), round(prior.seen(False, weight).mean, 3)) == (
        0.834,
        0.663,
    )


@pytest.mark.parametrize("counts", [(0.0, 0.0), (-1.0, 2.0), (float("nan"), 1.0), (float("inf"), 1.0)])
def test_counts_that_are_none_are_refused(counts: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        BetaPosterior(*counts)


@pytest.mark.parametrize(
    ("confidence", "strength"), [(1.2, 2.0), (-0.1, 2.0), (float("nan"), 2.0), (0.5, 0.0)]
)
def test_a_prior_of_nothing_is_refused(confidence: float, strength: float) -> None:
    with pytest.raises(ValueError, match="strength above 0"):
        match_prior(confidence, strength)


def test_the_weights_begin_as_the_document_says() -> None:
    weights = SignalWeights()
    wanted = {"explicit": Fraction(7, 17), "usage": Fraction(5, 17), "outcome": Fraction(5, 17)}
    for kind in SIGNALS:
        assert weights.weight(kind) == pytest.approx(float(wanted[kind]), abs=1e-9)
    assert [round(weights.weight(kind), 4) for kind in SIGNALS] == [0.4118, 0.2941, 0.2941]


def follow(*kinds: tuple[EventKind, bool], stored: float = 0.5):
    signals = [ItemSignal("a", float(moment), kind, good) for moment, (kind, good) in enumerate(kinds)]
    return follow_signals(signals, {"a": stored})


@pytest.mark.parametrize(
    ("kinds", "wanted"),
    [
        ((), Fraction(1, 2)),
        ((("cited", True),), (1 + Fraction(5, 17)) / (2 + Fraction(5, 17))),
        ((("cited", True), ("outcome", True)), (1 + Fraction(10, 17)) / (2 + Fraction(10, 17))),
        ((("cited", True), ("outcome", True), ("explicit", True)), Fraction(2, 3)),
        ((("cited", True), ("outcome", False)), (1 + Fraction(5, 17)) / (2 + Fraction(10, 17))),
        ((("explicit", False),), 1 / (2 + Fraction(7, 17))),
    ],
)
def test_three_signals_from_a_flat_prior(kinds, wanted: Fraction) -> None:
    """.5641 after a citation, .6136 after its success, .6667 after a rating; contextd has .57, .62, .67."""
    assert follow(*kinds).posteriors["a"].mean == pytest.approx(float(wanted), abs=1e-9)


def test_finding_and_showing_bear_on_nothing() -> None:
    followed = follow(*[("retrieved", True)] * 9, *[("shown", True)] * 8, ("cited", True), ("outcome", False))
    assert followed.posteriors["a"] == follow(("cited", True), ("outcome", False)).posteriors["a"]
    assert followed.uses["a"] == ItemUses(9, 8, 1, 0, 1, last_cited=17.0)
    assert len(followed.history) == 1


@pytest.mark.parametrize(
    ("before", "helpful", "usage", "outcome"),
    [
        ((("cited", True),), True, (6, 5), (5, 5)),
        ((("cited", True),), False, (5, 6), (5, 5)),
        ((("cited", True), ("outcome", True)), True, (6, 5), (6, 5)),
        ((("cited", True), ("outcome", False)), False, (5, 6), (6, 5)),
        ((("cited", True), ("outcome", False)), True, (6, 5), (5, 6)),
        ((("outcome", True), ("outcome", False)), True, (5, 5), (5, 5)),
        ((("outcome", True), ("outcome", False), ("outcome", False)), False, (5, 5), (6, 5)),
        ((("retrieved", True), ("shown", True)), True, (5, 5), (5, 5)),
        ((), True, (5, 5), (5, 5)),
    ],
)
def test_a_rating_teaches_what_the_other_signals_are_worth(before, helpful, usage, outcome) -> None:
    weights = follow(*before, ("explicit", helpful)).weights
    assert (weights.explicit, weights.usage, weights.outcome) == (
        BetaPosterior(7, 3),
        BetaPosterior(*usage),
        BetaPosterior(*outcome),
    )


def test_all_items_of_a_project_teach_its_weights_and_the_past_stays() -> None:
    signals = [
        ItemSignal("a", 1, "cited"),
        ItemSignal("a", 2, "explicit", True),
        ItemSignal("b", 3, "cited"),
        ItemSignal("b", 4, "explicit", False),
    ]
    followed = follow_signals(signals, {"a": 0.5, "b": 0.8})
    assert followed.weights.usage == BetaPosterior(6, 6)
    # a's citation counted 5/17 and does so still; b's counted what one was worth after the first rating
    first = 1 + Fraction(5, 17) + Fraction(7, 17)
    assert followed.posteriors["a"].alpha == pytest.approx(float(first), abs=1e-9)
    total = Fraction(7, 10) + Fraction(6, 11) + Fraction(1, 2)
    assert followed.posteriors["b"].alpha == pytest.approx(
        float(Fraction(16, 10) + Fraction(6, 11) / total), abs=1e-9
    )
    assert followed.posteriors["b"].beta == pytest.approx(
        float(Fraction(4, 10) + Fraction(7, 10) / total), abs=1e-9
    )
    assert [step.moment for step in followed.history] == [0.0, 2, 4]


@pytest.mark.parametrize(
    ("signals", "why"),
    [
        ([ItemSignal("b", 1, "cited")], "none named 'b'"),
        ([ItemSignal("a", 2, "cited"), ItemSignal("a", 1, "cited")], "order of time"),
        ([ItemSignal("a", float("nan"), "cited")], "order of time"),
    ],
)
def test_signals_that_cannot_be_followed_are_refused(signals, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        follow_signals(signals, {"a": 0.5})


@given(
    st.lists(
        st.tuples(st.sampled_from(["cited", "outcome", "explicit", "shown"]), st.booleans()), max_size=30
    )
)
def test_a_confidence_stays_between_0_and_1_and_shares_sum_to_1(kinds) -> None:
    followed = follow(*kinds, stored=0.7)
    assert 0 < followed.posteriors["a"].mean < 1
    assert sum(followed.weights.weight(kind) for kind in SIGNALS) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("stored", "outcomes", "wanted"),
    [
        (0.76, (True,), "0.81"),
        (0.76, (False,), "0.735"),
        (0.5, (True, False, False), "0.5"),
        (0.98, (True, True), "1"),
        (0.02, (False,), "0"),
        (0.99, (True, False), "0.975"),
        (0.7, (), "0.7"),
    ],
)
def test_the_step_rule(stored: float, outcomes: tuple[bool, ...], wanted: str) -> None:
    assert EtaRule().follow(stored, outcomes) == pytest.approx(float(wanted), abs=1e-9)


@pytest.mark.parametrize(
    ("share", "drift"),
    [
        (0, Fraction(-25, 1000)),
        (Fraction(1, 3), 0),
        (Fraction(2, 5), Fraction(5, 1000)),
        (1, Fraction(5, 100)),
    ],
)
def test_the_step_rule_drifts_upward_from_one_success_in_three_on(share, drift) -> None:
    assert EtaRule().drift(float(share)) == pytest.approx(float(drift), abs=1e-9)


def test_the_step_rule_saturates_where_the_posterior_finds_the_share() -> None:
    outcomes = np.random.default_rng(4).random(4_000) < 0.4
    assert EtaRule().follow(0.7, outcomes.tolist()) > 0.9
    posterior = match_prior(0.7)
    for helped in outcomes.tolist():
        posterior = posterior.seen(helped)
    assert posterior.mean == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize("eta", [0.0, -0.1, 1.5, float("nan")])
def test_a_step_of_none_is_refused(eta: float) -> None:
    with pytest.raises(ValueError, match="step in"):
        EtaRule(eta)
