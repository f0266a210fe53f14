"""Recency, and what stands for confidence: exact values, worked out here by decimals and fractions."""

from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from memtrial.memory.bank.bank_item import ItemUses
from memtrial.memory.bank.ranking.ranking_profile import ConfidenceForm, RecencyForm
from memtrial.memory.bank.ranking.score_parts import odds_of, rate_confidence, rate_recency
from tests.support.ranked import DAY, NOW, bank_item, pool_of

getcontext().prec = 40
AGES = (0, 1, 7, 30, 31.2, 45, 64.9, 90, 180, 365, 1000)
DAYS = (1, 7, 30, 45, 90)
LN2 = Decimal(2).ln()


def recency(age_days: float, form: RecencyForm) -> float:
    return float(rate_recency(np.array([NOW - age_days * DAY]), NOW, form)[0])


def test_recency_is_the_power_of_two_or_of_e() -> None:
    for age, days in product(AGES, DAYS):
        passed = Decimal(str(age)) / Decimal(days)
        folded, halved = (float((-passed * rate).exp()) for rate in (Decimal(1), LN2))
        seen = recency(age, RecencyForm(kind="efold", days=days))
        assert seen == pytest.approx(folded, abs=1e-9), (age, days)
        seen = recency(age, RecencyForm(kind="half_life", days=days))
        assert seen == pytest.approx(halved, abs=1e-9), (age, days)


def test_a_half_life_is_a_half_and_an_efold_of_45_days_halves_in_31_2() -> None:
    assert recency(45, RecencyForm()) == 0.5
    assert recency(90, RecencyForm()) == 0.25
    assert float(Decimal(45) * LN2) == pytest.approx(31.19, abs=0.01)
    assert recency(float(Decimal(45) * LN2), RecencyForm(kind="efold")) == pytest.approx(0.5, abs=1e-9)
    assert recency(45, RecencyForm(kind="efold")) == pytest.approx(0.36787944117144233, abs=1e-12)


def test_what_is_dated_ahead_of_the_clock_is_new() -> None:
    assert recency(-400, RecencyForm()) == 1.0


def confidence(form: ConfidenceForm, uses: ItemUses, stored: float = 0.8, age_days: float = 0.0) -> float:
    pool = pool_of([bank_item("a", age_days, stored, uses)], [[1.0]])
    return float(rate_confidence(pool.figures, NOW, form)[0])


@pytest.mark.parametrize(
    ("wins", "losses", "a", "b", "wanted"),
    [
        (12, 3, 1, 1, Fraction(13, 17)),
        (0, 0, 1, 1, Fraction(1, 2)),
        (0, 5, 1, 1, Fraction(1, 7)),
        (5, 0, 1, 1, Fraction(6, 7)),
        (1, 1, 1, 1, Fraction(1, 2)),
        (100, 1, 1, 1, Fraction(101, 103)),
        (12, 3, 2, 1, Fraction(14, 18)),
        (12, 3, 1, 3, Fraction(13, 19)),
        (7, 2, 3, 4, Fraction(10, 16)),
    ],
)
def test_log_odds_are_squashed_into_the_mean_of_a_beta(
    wins: int, losses: int, a: float, b: float, wanted: Fraction
) -> None:
    form = ConfidenceForm(kind="log_odds", wins_prior=a, losses_prior=b)
    assert confidence(form, ItemUses(wins=wins, losses=losses)) == pytest.approx(float(wanted), abs=1e-9)
    odds = (Decimal(wins) + Decimal(a)) / (Decimal(losses) + Decimal(b))
    assert odds_of(wins, losses, form) == pytest.approx(float(odds.ln()), abs=1e-9)


def test_the_raw_log_odds_of_twelve_wins_and_three_losses() -> None:
    assert odds_of(12, 3, ConfidenceForm()) == pytest.approx(1.1786549963416462, abs=1e-12)


@pytest.mark.parametrize(
    ("cited", "wanted"), [(0, Fraction(1, 2)), (1, Fraction(2, 3)), (9, Fraction(10, 11))]
)
def test_usage_lifts_whatever_is_cited(cited: int, wanted: Fraction) -> None:
    uses = ItemUses(retrieved=50, shown=50, cited=cited)
    assert confidence(ConfidenceForm(kind="usage"), uses) == pytest.approx(float(wanted), abs=1e-9)


@pytest.mark.parametrize("cited", [0, 1, 9, 1000])
def test_a_boost_is_bounded(cited: int) -> None:
    square = Decimal(1 + cited) ** 2  # tanh(log x) = (x² - 1) / (x² + 1)
    wanted = Decimal("0.5") * (1 + Decimal("0.2") * (square - 1) / (square + 1))
    boosted = confidence(ConfidenceForm(kind="boosted"), ItemUses(cited=cited), stored=0.5)
    assert boosted == pytest.approx(float(wanted), abs=1e-9)
    assert confidence(ConfidenceForm(kind="boosted"), ItemUses(cited=cited), stored=0.95) <= 1.0


@pytest.mark.parametrize("kind", ["stored", "log_odds", "usage", "boosted"])
def test_what_was_only_found_or_shown_changes_nothing(kind: str) -> None:
    form = ConfidenceForm.model_validate({"kind": kind})
    assert confidence(form, ItemUses(retrieved=99, shown=98)) == confidence(form, ItemUses())


@pytest.mark.parametrize(
    ("age", "last_cited", "wanted"),
    [(0, None, "0.8"), (90, None, "0.4"), (180, None, "0.2"), (180, 90.0, "0.4"), (180, 0.0, "0.8")],
)
def test_decay_counts_from_the_last_citation(age: float, last_cited: float | None, wanted: str) -> None:
    moment = None if last_cited is None else NOW - last_cited * DAY
    uses = ItemUses(cited=int(last_cited is not None), last_cited=moment)
    decayed = confidence(ConfidenceForm(decay_days=90.0), uses, age_days=age)
    assert decayed == pytest.approx(float(wanted), abs=1e-9)
    assert confidence(ConfidenceForm(), uses, age_days=age) == 0.8
