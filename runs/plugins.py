"""Bring your own: what `path/to/module.py:Object` may stand for, loaded by kind.

A stranger's object is wrapped so that it fits our protocols, and kept behind a border: whatever it raises
becomes one clear line. See `runs.plugin_object` for how a file is run and an object made of it.
"""

from __future__ import annotations

from runs.plugin_condenser import load_condenser
from runs.plugin_gate import load_gate
from runs.plugin_memory import load_memory
from runs.plugin_object import digest_of, load_object, wants
from runs.plugin_perturbation import load_perturbation
from runs.plugin_world import load_world

__all__ = [
    "digest_of",
    "load_condenser",
    "load_gate",
    "load_memory",
    "load_object",
    "load_perturbation",
    "load_world",
    "wants",
]
