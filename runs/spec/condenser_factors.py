"""A condenser of a spec: its kind, its gates, and what tells it apart from another one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeGuard

from pydantic import Field, JsonValue, field_validator, model_validator

from memtrial.gates.suite import NAMES as GATE_NAMES
from memtrial.gates.suite import SEED_SUBSET, gate_names, gates_of_native
from memtrial.plugins.plugin_names import is_plugin, settled_names
from memtrial.runs.spec.sections import SpecPart, settings_in

Reviewing = Literal["none", "gates", "human"]
"""`none`: drafts are stored as they are, and no gate runs. `human`: a person accepts, edits or rejects each
first draft; what the gates find is advice, and nothing is revised."""
CONDENSERS = ("native", "theory", "additive", "raw", "steps", "nothing")
TYPED = ("theory", "additive")
"""Kinds whose items have a Trigger."""
DRAFTING = ("native", *TYPED)
"""Kinds that a model writes, in our loop where they have gates."""
GATED = (*DRAFTING, "steps")
"""Kinds whose items gates look at."""
RAW = ("raw", "steps")
"""Kinds that show a run as it was recorded."""
LIKE = ("placebo_like", "length_like", "thin_like")
"""Keys that name another condenser, which goes first."""


class CondenserSpec(SpecPart):
    """One condenser, named by its key; your own kinds and gates as `path/to/module.py:Object`.

    Args:
        kind: `raw` is the trajectory itself; `steps` are its steps in up to three windows, each an item that
            gates let through or drop; `additive` has the native fields with those of theory beside them.
        settings: arguments of a kind of your own; they become part of its name. Those of a gate stand with
            it: `gates: [{gate: module.py:Object, settings: {k: 1}}]`.
        source: prompts of a native condenser, if not those that `control` names.
        gates: those of its loop (fork B), by name, `seed` or `all`; by default `seed` for theory,
            additive and steps, none for native.
        max_rounds: revisions of an item at most.
        exhort: gates whose failures the draft prompt warns of. A native one is then no longer upstream's, but
            a control of its own: the criteria as wording alone.
        placebo_like: a gated condenser of the same kind; each item is revised as often as there, and no
            revision is told what is wrong.
        length_like: a condenser; what native shows is cut or padded to the number of its words.
        thin_like: a gated condenser; as many items are removed at random as its gates dropped.
        review: who decides on the drafts (fork C).
    """

    kind: str
    settings: dict[str, JsonValue] = Field(default_factory=dict, exclude=True)
    source: Path | None = None
    gates: tuple[str, ...] = ()
    max_rounds: int = Field(2, ge=0, le=10)
    exhort: tuple[str, ...] = ()
    placebo_like: str | None = None
    length_like: str | None = None
    thin_like: str | None = None
    review: Reviewing = "gates"

    @model_validator(mode="before")
    @classmethod
    def _gates_of_theory(cls, raw: Any) -> Any:
        raw = ruled_out(settings_in(raw, "kind"))
        if (
            isinstance(raw, dict)
            and raw.get("kind") in (*TYPED, "steps")
            and not raw.keys() & {"gates", *LIKE}
        ):
            return raw | {"gates": SEED_SUBSET}
        if not isinstance(raw, dict) or raw.get("kind") != "native":
            return raw
        given = {key: raw.get(key) for key in ("gates", "exhort")}
        return raw | {key: gates_of_native(gates) for key, gates in given.items() if _are_names(gates)}

    @field_validator("kind")
    @classmethod
    def _known_kind(cls, kind: str) -> str:
        if kind not in CONDENSERS and not is_plugin(kind):
            there = ", ".join((*CONDENSERS, "and path/to/module.py:Object"))
            raise ValueError(f"no condenser is of kind {kind!r}; there are {there}")
        return kind

    @field_validator("gates", "exhort", mode="before")
    @classmethod
    def _named_gates(cls, given: Any) -> Any:
        return gate_names(given) if isinstance(given, str) else settled_names(given, "gate")

    @field_validator("gates", "exhort")
    @classmethod
    def _known_gates(cls, gates: tuple[str, ...]) -> tuple[str, ...]:
        named = gate_names(gates)
        unknown = sorted(name for name in named if not is_plugin(name) and name not in GATE_NAMES)
        if unknown:
            there = ", ".join((*GATE_NAMES, "seed and all"))
            raise ValueError(f"no gate is named {', '.join(unknown)}; there are {there}")
        return named

    @model_validator(mode="after")
    def _nothing_ignored(self) -> CondenserSpec:
        if self.kind != "native" and self.source is not None:
            raise ValueError(f"only a native condenser has a source; got one with kind {self.kind!r}")
        if self.kind not in GATED and self.gates:
            raise ValueError(f"a condenser of kind {self.kind!r} has no gates; leave them out")
        if any(map(is_plugin, self.exhort)):
            raise ValueError("exhort takes gates that ship; one of your own states no failure")
        if self.kind not in DRAFTING and self.exhort:
            there = ", ".join(DRAFTING)
            raise ValueError(f"a condenser that is exhorted is of kind {there}; got {self.kind!r}")
        having = [key for key in LIKE if getattr(self, key) is not None]
        if len(having) > 1 or (having and self.gates):
            both = ", ".join([*having, *["gates"] * bool(self.gates)])
            raise ValueError(f"a condenser has one of gates, {', '.join(LIKE)}; got {both}")
        if having and self.kind not in (("native",) if having == ["length_like"] else DRAFTING):
            raise ValueError(f"a condenser of kind {self.kind!r} takes no {having[0]}")
        return self

    @property
    def like(self) -> str | None:
        """The condenser that goes first."""
        return self.placebo_like or self.length_like or self.thin_like


def _are_names(gates: Any) -> TypeGuard[str | list[str]]:
    listed = isinstance(gates, list) and all(isinstance(entry, str) for entry in gates)
    return isinstance(gates, str) or listed


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
        drafts = [(condenser.kind, condenser.source, condenser.exhort) for condenser in (asked, peer)]
        if asked.placebo_like is not None and drafts[0] != drafts[1]:
            return f"condensers.{name} and {asked.like!r} must draft alike: the same kind, source and exhort"
    return ""


def ruled_out(raw: Any) -> Any:
    """A condenser's keys without those that its `review` or kind rules out; ValueError where one was asked
    for."""
    review = raw.get("review", "gates") if isinstance(raw, dict) else "gates"
    if review not in ("none", "human"):
        if not isinstance(raw, dict) or raw.get("kind") != "steps":
            return raw
        if (rounds := raw.get("max_rounds", 0)) != 0:
            raise ValueError(f"kind steps is never revised; got max_rounds: {rounds}; leave that out")
        return {**raw, "max_rounds": 0}
    kind, following = raw.get("kind"), sorted(key for key in raw if str(key).endswith("_like") and raw[key])
    if kind not in DRAFTING or following:
        got = following[0] if following else f"kind {kind!r}"
        there = ", ".join(DRAFTING)
        raise ValueError(f"review: {review} is for condensers of their own of kind {there}; got {got}")
    key, off = ("gates", []) if review == "none" else ("max_rounds", 0)
    given = raw.get(key, off)
    if (list(given) if isinstance(given, tuple) else given) != off:
        raise ValueError(f"review: {review} takes no {key}; got {given!r}; leave that out")
    return {**raw, key: off}
