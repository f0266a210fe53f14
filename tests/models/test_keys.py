import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.keys import Keys, is_here, plain_address, read_keys
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.http_errors import LONGEST_MESSAGE, one_line, retry_after_s
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import PLACEHOLDER, reach

SECRET = "sk-0123456789"
THERE = "https://api.example.org"


def test_the_environment_wins_over_the_nearest_file_and_nothing_is_exported(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=far-away-key\nA=far\n")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / ".env").write_text(
        "# ours\nexport OPENAI_API_KEY='near-key-${HOME}'\nXAI_API_KEY = from-file\nEMPTY_API_KEY=\nodd\n"
    )
    before = dict(os.environ)
    keys = read_keys({"XAI_API_KEY": "from-environment"}, inner)
    assert keys.get("OPENAI_API_KEY") == "near-key-${HOME}"
    assert keys.get("XAI_API_KEY") == "from-environment"
    assert keys.get("EMPTY_API_KEY") is keys.get("A") is keys.get("odd") is None
    assert dict(os.environ) == before


def test_no_file_is_fine(tmp_path: Path) -> None:
    assert read_keys({"A": "b"}, tmp_path).get("A") == "b"


@pytest.mark.parametrize("content", [b"A=\xff\xfe", b"A=" + b"x" * 70_000])
def test_a_file_that_is_no_such_file_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(ModelFault, match=r"\.env") as raised:
        read_keys({}, tmp_path)
    assert "\n" not in str(raised.value)


@given(
    st.lists(
        st.text("abcdefghij-_019", min_size=8, max_size=20).filter(lambda one: one not in "[key]"), max_size=4
    ),
    st.lists(st.text("abcdefghij-_019 ", max_size=10), min_size=5, max_size=5),
)
def test_no_known_secret_is_left_in_any_text(secrets: list[str], around: list[str]) -> None:
    keys = Keys({f"K{n}_API_KEY": secret for n, secret in enumerate(secrets)})
    text = "".join(piece + secret for piece, secret in zip(around, [*secrets, ""], strict=False))
    hidden = keys.hide(text)
    assert not any(secret in hidden for secret in secrets)
    assert keys.hide(hidden) == hidden


def test_a_key_within_a_longer_key_hides_both() -> None:
    keys = Keys({"A_API_KEY": SECRET, "B_AUTH_TOKEN": f"{SECRET}-longer", "C_API_KEY": "short"})
    assert keys.hide(f"{SECRET}-longer {SECRET} short") == "[key] [key] short"


def test_keys_are_in_no_representation() -> None:
    assert SECRET not in repr(Keys({"A_API_KEY": SECRET}))
    keys = Keys({"ANTHROPIC_API_KEY": SECRET, "OPENAI_API_KEY": SECRET})
    for model in ("anthropic/claude-haiku-4-5", "openai/gpt-4.1-nano"):
        assert SECRET not in repr(open_backend(model, keys))


def test_a_key_at_the_cut_of_a_message_is_hidden_too() -> None:
    keys = Keys({"A_API_KEY": SECRET})
    line = one_line("x" * (LONGEST_MESSAGE - 4) + SECRET + "\n\ny" * 1000, keys)
    assert SECRET[:4] not in line
    assert "\n" not in line
    assert len(line) == LONGEST_MESSAGE + 1


@pytest.mark.parametrize("bad", ["two words", "schlüssel-123", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_named_but_not_shown(bad: str) -> None:
    with pytest.raises(ModelFault, match="GEMINI_API_KEY") as raised:
        reach("gemini/m", "gemini", Keys({"GEMINI_API_KEY": bad}))
    assert bad not in str(raised.value)


def test_the_first_variable_that_is_set_gives_the_key() -> None:
    found = reach("gemini/m", "gemini", Keys({"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": f" {SECRET}\n"}))
    assert (found.key, found.holder) == (SECRET, "GOOGLE_API_KEY")
    with pytest.raises(ModelFault, match="set GEMINI_API_KEY or GOOGLE_API_KEY"):
        reach("gemini/m", "gemini", Keys())


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost/v1", True),
        ("http://[::1]:9/v1", True),
        ("http://localhost.example.org", False),
        (THERE, False),
    ],
)
def test_only_a_server_on_this_machine_needs_no_key(address: str, here: bool) -> None:
    assert is_here(address) is here
    keys = Keys({"OPENAI_BASE_URL": f"{address}/"})
    if here:
        assert reach("openai/m", "openai", keys)[1:3] == (address, PLACEHOLDER)
    else:
        with pytest.raises(ModelFault):
            reach("openai/m", "openai", keys)


@pytest.mark.parametrize(
    "bad",
    [
        "127.0.0.1:8000",
        "ftp://127.0.0.1",
        "http://",
        "http://host:port",
        "http://host:99999",
        "http://a b",
        "http://user:secret-word@host",
        "http://host?key=secret-word",
        "http://host#part",
        "http://[::1",
        SECRET,
    ],
)
def test_what_is_no_address_is_one_line_that_shows_nothing(bad: str) -> None:
    with pytest.raises(ModelFault, match=r"^U is ") as raised:
        plain_address("U", bad)
    assert not any(secret in str(raised.value) for secret in ("secret-word", SECRET))


NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "3", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "3", "retry-after-ms": "x"}, 3.0),
        ({"retry-after": "Sun, 22 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 22 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 99 Nov 2026 11:00:00 GMT"}, None),
    ],
)
def test_how_long_the_provider_asks_us_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds
