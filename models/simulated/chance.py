"""Chance for simulated participants: drawn from text and the repeat, from nothing else."""

from __future__ import annotations

from hashlib import blake2b


def uniform(*parts: str | int) -> float:
    """A number in [0, 1) that depends on all parts and on nothing else."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def choice(options: tuple[str, ...], *parts: str | int) -> str:
    """One of the options, each as likely as any other."""
    return options[int(uniform(*parts) * len(options))]
