import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.prices import Price, shipped_prices
from memtrial.models.client.types import Reply

TABLE = shipped_prices()
SONNET = Price(3.0, 15.0, 0.3, 3.75)
counts = st.integers(0, 10**7)


def test_the_table_says_when_it_is_of_and_where_it_is_from() -> None:
    assert re.fullmatch(r"20\d\d-[01]\d", TABLE.date)
    assert "litellm" in TABLE.source
    ships = Path(__file__).resolve().parents[2] / "memtrial" / "models" / "client" / "prices.toml"
    assert ships.stat().st_size < 100_000


def test_every_row_is_sane() -> None:
    assert len(TABLE.shipped) > 100
    for model, price in TABLE.shipped.items():
        assert re.fullmatch(r"[a-z-]+/[\w.:/-]+", model)
        assert price.output >= price.input >= 0, model
        assert price.cache_read is None or price.cache_read <= price.input, model
    assert {"anthropic", "openai", "gemini", "deepseek", "mistral", "xai"} <= {
        model.partition("/")[0] for model in TABLE.shipped
    }


def test_a_known_price_is_the_providers() -> None:
    assert TABLE.of("anthropic/claude-sonnet-4-5") == SONNET
    # a million of each kind: 3 + 15 + 0.3 + 3.75
    million = Reply("", 10**6, 10**6, "m", cache_read_tokens=10**6, cache_write_tokens=10**6)
    assert TABLE.usd("anthropic/claude-sonnet-4-5", million) == pytest.approx(22.05)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("anthropic/claude-sonnet-4-5", True),
        ("anthropic/claude-sonnet-4-5-20250929", True),
        ("openai/gpt-5-mini-2025-08-07", True),
        ("anthropic/claude-sonnet-4-5-fast", False),
        ("anthropic/claude-sonnet-4", False),
        ("anthropic/claude-sonnet-4-5-2025", False),
        ("openai/gpt-5-min", False),
        ("openrouter/claude-sonnet-4-5", False),
        ("claude-sonnet-4-5", False),
        ("simulated/reader?uptake=0.5", True),
        ("replay/some/folder?model=openai/nobody", True),
    ],
)
def test_a_price_is_found_by_name_and_never_guessed(model: str, known: bool) -> None:
    assert (TABLE.of(model) is not None) is known


def test_nothing_is_paid_for_what_is_played_here() -> None:
    assert TABLE.usd("simulated/reader", Reply("x", 10, 10, "m")) == 0
    assert TABLE.usd("replay/x?model=anthropic/claude-sonnet-4-5", Reply("x", 10, 10, "m")) == 0


def test_an_unknown_price_is_no_price_and_not_nothing() -> None:
    assert TABLE.usd("openai/nobody", Reply("x", 10, 10, "m")) is None


def test_the_users_own_prices_win() -> None:
    mine = shipped_prices({"anthropic/claude-sonnet-4-5": Price(1, 2), "lab/m": Price(0, 0)})
    assert mine.of("anthropic/claude-sonnet-4-5") == Price(1, 2)
    assert mine.of("anthropic/claude-sonnet-4-5-20250929") == Price(1, 2)
    assert mine.of("lab/m?x=1") == Price(0, 0)
    assert (mine.date, TABLE.of("lab/m")) == (TABLE.date, None)


@given(counts, counts, counts, counts)
def test_every_token_counts_once(a: int, b: int, c: int, d: int) -> None:
    plain = Reply("", a, b, "m", cache_read_tokens=c, cache_write_tokens=d)
    # where the cache has no price of its own, a token of the prompt is a token of the prompt
    assert Price(3, 0).usd(plain) == pytest.approx(Price(3, 0).usd(Reply("", a + c + d, b, "m")))
