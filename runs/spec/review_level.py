"""Who decides on the drafts of a condenser: nobody, its gates, or a person (fork C)."""

from typing import Any, Literal

Reviewing = Literal["none", "gates", "human"]
"""`none`: drafts are stored as they are, and no gate runs. `human`: a person accepts, edits or rejects each
first draft; what the gates find is advice, and nothing is revised."""


def ruled_out(raw: Any) -> Any:
    """A condenser's keys without those that its `review` rules out; ValueError where one was asked for."""
    review = raw.get("review", "gates") if isinstance(raw, dict) else "gates"
    if review not in ("none", "human"):
        return raw
    kind, following = raw.get("kind"), sorted(key for key in raw if str(key).endswith("_like") and raw[key])
    if kind not in ("theory", "native") or following:
        got = following[0] if following else f"kind {kind!r}"
        raise ValueError(f"review: {review} is for theory and native condensers of their own; got {got}")
    key, off = ("gates", []) if review == "none" else ("max_rounds", 0)
    given = raw.get(key, off)
    if (list(given) if isinstance(given, tuple) else given) != off:
        raise ValueError(f"review: {review} takes no {key}; got {given!r}; leave that out")
    return {**raw, key: off}
