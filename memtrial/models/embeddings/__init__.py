"""Texts as vectors, by hashing, a local model or a provider."""
