"""Chance for simulated participants: drawn from text and the repeat, from nothing else."""

from collections.abc import Callable
from hashlib import blake2b


def uniform(*parts: str | int) -> float:
    """A number in [0, 1) that depends on all parts and on nothing else."""
    return following(*parts)()


def following(*parts: str | int) -> Callable[..., float]:
    """`uniform` with these parts first; a long one is read once, however many numbers are drawn."""
    begun = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8)

    def drawn(*more: str | int) -> float:
        whole = begun.copy()
        whole.update("".join(f"\x1f{part}" for part in more).encode())
        return int.from_bytes(whole.digest(), "big") / 2**64

    return drawn


def choice(options: tuple[str, ...], *parts: str | int) -> str:
    """One of the options, each as likely as any other."""
    return options[int(uniform(*parts) * len(options))]
