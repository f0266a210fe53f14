"""How long one request is tried: bounded, doubling, as the provider asks; once where nothing heals."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.limits import RetryPolicy
from memtrial.models.client.types import ProviderFault

WAITS = st.floats(0, 1e6)


def fault(heals: bool = True, retry_after_s: float | None = None) -> ProviderFault:
    return ProviderFault("said", "server error", heals, retry_after_s)


@given(attempts=st.integers(1, 20), attempt=st.integers(1, 40), asked=st.none() | WAITS, seed=st.integers())
def test_what_cannot_heal_is_given_up_at_once_and_nothing_is_tried_for_ever(attempts, attempt, asked, seed):
    retry_policy = RetryPolicy(attempts)
    assert retry_policy.wait_s(fault(False, asked), attempt, Random(seed)) is None
    given_up = retry_policy.wait_s(fault(True, asked), attempt, Random(seed)) is None
    assert given_up == (attempt >= attempts or (asked or 0.0) > retry_policy.longest_asked_s)


@given(asked=WAITS, attempt=st.integers(1, 5), seed=st.integers())
def test_the_provider_is_waited_for_exactly_as_long_as_it_asks(asked, attempt, seed):
    retry_policy = RetryPolicy(longest_asked_s=600.0)
    waited = retry_policy.wait_s(fault(retry_after_s=asked), attempt, Random(seed))
    assert waited == (asked if asked <= 600.0 else None)


@given(first=st.floats(0.001, 10), longest=st.floats(10, 100), attempt=st.integers(1, 18), seed=st.integers())
def test_our_own_pauses_double_up_to_the_longest_and_are_spread(first, longest, attempt, seed):
    retry_policy = RetryPolicy(20, first_wait_s=first, longest_wait_s=longest)
    waited = retry_policy.wait_s(fault(), attempt, Random(seed))
    full = min(longest, first * 2 ** (attempt - 1))
    assert waited is not None
    assert full / 2 <= waited <= full
    others = {retry_policy.wait_s(fault(), attempt, Random(other)) for other in range(10)}
    assert len(others) == 10
