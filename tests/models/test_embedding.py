"""Vectors know their space, and nothing is compared across two."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadbearing.models.embeddings.embedding import HashingEmbedder, SpaceFault, Vectors, require_same_space
from tests.support.vectors import cosine

calm = settings(max_examples=25, deadline=None)  # the first call imports, and machines are shared

EMBEDDERS = (HashingEmbedder(), HashingEmbedder(64))
texts = st.lists(st.text(max_size=30), max_size=5)


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: e.space)
@calm
@given(listed=texts)
def test_one_float32_vector_a_text_of_length_one_or_zero(embedder, listed):
    vectors = embedder.embed(listed)
    assert vectors.space == embedder.space
    assert vectors.array.shape == (len(listed), embedder.dimensions)
    assert vectors.array.dtype == np.float32
    lengths = np.linalg.norm(vectors.array, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: e.space)
@calm
@given(listed=texts)
def test_a_text_has_one_vector_whatever_stands_beside_it(embedder, listed):
    alone = [embedder.embed([text]).array[0] for text in listed]
    again = HashingEmbedder(embedder.dimensions).embed(listed).array
    assert all(np.array_equal(a, b) for a, b in zip(alone, again, strict=True))


def test_vectors_stay_the_same_from_release_to_release():
    array = HashingEmbedder(16).embed(["Find the first order"]).array
    # pinned: a changed vector under the same space name would let old and new vectors mix
    expected = np.zeros(16, dtype=np.float32)
    expected[[2, 3, 8, 14, 15]] = np.array([1, -1, -1, -1, -1]) / np.sqrt(5)
    np.testing.assert_allclose(array[0], expected, atol=1e-6)


def test_shared_words_are_near_and_order_counts():
    vectors = HashingEmbedder().embed(
        ["total of my first order", "Total of my last order", "boil water", "order first my of total"]
    )
    near = cosine(vectors, vectors)
    np.testing.assert_allclose(np.diag(near), 1, atol=1e-5)
    assert near[0, 1] > 0.4 > near[0, 2]
    assert 0.4 < near[0, 3] < 0.99


def test_cosine_ignores_length_and_is_zero_for_nothing():
    a = Vectors("s", np.array([[3, 0], [0, 0]], dtype=np.float32))
    b = Vectors("s", np.array([[2, 0], [0, 5], [1, 1]], dtype=np.float32))
    np.testing.assert_allclose(cosine(a, b), [[1, 0, 0.5**0.5], [0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize(
    "other",
    [Vectors("other", np.ones((1, 2), dtype=np.float32)), Vectors("s", np.ones((1, 3), dtype=np.float32))],
    ids=["space", "dimensions"],
)
def test_mixed_spaces_are_refused_by_name(other):
    mine = Vectors("s", np.ones((2, 2), dtype=np.float32))
    for pair in ((mine, other), (other, mine)):
        with pytest.raises(SpaceFault) as fault:
            require_same_space(*pair)
        message = str(fault.value)
        assert all(repr(vectors.space) in message for vectors in pair)
        assert all(f" {vectors.array.shape[1]}" in message for vectors in pair)
        assert "\n" not in message


def test_embedders_of_different_settings_have_different_spaces():
    a, b = (embedder.embed(["same text"]) for embedder in EMBEDDERS)
    with pytest.raises(SpaceFault):
        cosine(a, b)


def test_vectors_are_frozen():
    with pytest.raises(FrozenInstanceError):
        HashingEmbedder().embed(["a"]).space = "b"
