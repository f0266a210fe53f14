"""Condensers that follow another one: with which one they can be compared."""

from collections.abc import Mapping

from loadbearing.runs.spec.sections import CondenserSpec


def misfit(condensers: Mapping[str, CondenserSpec]) -> str:
    """What is wrong with the first condenser that names another one; empty where all fit."""
    for name, asked in condensers.items():
        if asked.like is None:
            continue
        peer = condensers.get(asked.like)
        if peer is None:
            return f"condensers.{name} names {asked.like!r}; there are {', '.join(condensers)}"
        if peer.like is not None:
            return f"condensers.{name} names {asked.like!r}, which follows {peer.like!r}; name that one"
        if asked.length_like is None and not peer.gates:
            return f"condensers.{name} needs one with gates; {asked.like!r} has none"
        drafts = [(one.kind, one.source, one.exhort) for one in (asked, peer)]
        if asked.placebo_like is not None and drafts[0] != drafts[1]:
            return f"condensers.{name} and {asked.like!r} must draft alike: the same kind, source and exhort"
    return ""
