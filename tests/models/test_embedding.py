"""Vectors by hashing: the same on every machine and in every release."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.models.embeddings.embedding import HashingEmbedder
from tests.support.vectors import cosine

calm = settings(max_examples=25, deadline=None)  # the first call imports, and machines are shared

EMBEDDERS = (HashingEmbedder(), HashingEmbedder(64))
texts = st.lists(st.text(max_size=30), max_size=5)


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: e.space)
@calm
@given(listed=texts)
def test_one_float32_vector_a_text_of_length_one_or_zero(embedder, listed):
    vectors = embedder.vectors(listed)
    assert vectors.shape == (len(listed), embedder.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: e.space)
@calm
@given(listed=texts)
def test_a_text_has_one_vector_whatever_stands_beside_it(embedder, listed):
    alone = [embedder.vectors([text])[0] for text in listed]
    again = HashingEmbedder(embedder.dimensions).vectors(listed)
    assert all(np.array_equal(a, b) for a, b in zip(alone, again, strict=True))


def test_vectors_stay_the_same_from_release_to_release():
    array = HashingEmbedder(16).vectors(["Find the first order"])
    # pinned: a changed vector under the same space name would let old and new vectors mix
    expected = np.zeros(16, dtype=np.float32)
    expected[[2, 3, 8, 14, 15]] = np.array([1, -1, -1, -1, -1]) / np.sqrt(5)
    np.testing.assert_allclose(array[0], expected, atol=1e-6)


def test_shared_words_are_near_and_order_counts():
    vectors = HashingEmbedder().vectors(
        ["total of my first order", "Total of my last order", "boil water", "order first my of total"]
    )
    near = cosine(vectors, vectors)
    np.testing.assert_allclose(np.diag(near), 1, atol=1e-5)
    assert near[0, 1] > 0.4 > near[0, 2]
    assert 0.4 < near[0, 3] < 0.99


def test_cosine_ignores_length_and_is_zero_for_nothing():
    a = np.array([[3, 0], [0, 0]], dtype=np.float32)
    b = np.array([[2, 0], [0, 5], [1, 1]], dtype=np.float32)
    np.testing.assert_allclose(cosine(a, b), [[1, 0, 0.5**0.5], [0, 0, 0]], atol=1e-6)
