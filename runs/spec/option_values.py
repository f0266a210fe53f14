"""Options of the library as somebody gave them: each of the kind its field states, or a fault in one line."""

import os
from collections.abc import Mapping
from dataclasses import fields
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from memtrial.faults import SpecFault
from memtrial.outcomes.given_path import path_of, show_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SEEDS = (0, 2**63 - 1)
"""A seed is stored as a whole number of 64 bits."""

UNBOUNDED: Mapping[str, tuple[int, int]] = MappingProxyType({})


def settle(options: "DataclassInstance", bounds: Mapping[str, tuple[int, int]] = UNBOUNDED) -> None:
    """Put the plain value into each field of frozen options: a number of numpy as a number, a text as a Path.

    Args:
        bounds: of a whole number, the least and the most, by field.

    Raises:
        SpecFault: a value is of another kind than its field, or out of bounds.
    """
    hints = get_type_hints(type(options))
    for field in fields(options):
        value = plain_value(field.name, getattr(options, field.name), hints[field.name])
        low, high = bounds.get(field.name, (None, None))
        if value is not None and low is not None and high is not None and not low <= value <= high:
            raise SpecFault(
                f"{option_of(field.name)} takes a whole number from {low:,} to {high:,};"
                f" got {_describe(value)}"
            )
        object.__setattr__(options, field.name, value)


def option_of(name: str) -> str:
    """A field as it is called everywhere in messages: by its option of the command line."""
    return f"--{name.replace('_', '-')}"


def refuse_options(given: object, needed: type, name: str) -> None:
    """The options are of their class; else SpecFault."""
    if not isinstance(given, needed):
        raise SpecFault(f"{name} needs {needed.__name__}(…); got {type(given).__name__}")


def seed_value(value: object) -> int:
    """A seed that was given by itself; SpecFault where it is none."""
    number = plain_value("seed", value, int)
    if not SEEDS[0] <= number <= SEEDS[1]:
        raise SpecFault(f"--seed takes a whole number from 0 to {SEEDS[1]:,}; got {_describe(number)}")
    return int(number)


def plain_value(name: str, value: object, hint: Any) -> Any:
    """The value as its field's kind has it; SpecFault where it is none of that kind."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if value is None and NoneType in kinds:
        return None
    kind = next(kind_named for kind_named in kinds if kind_named is not NoneType)
    if kind is Path:
        return path_of(value, f"{option_of(name)}: a file or folder", SpecFault)
    fits, needed = _fit(value, kind)
    if not fits:
        raise SpecFault(f"{option_of(name)} takes {needed}; got {_describe(value)}")
    if kind is int:
        return int(value)  # type: ignore[call-overload]
    if get_origin(kind) is tuple:
        return tuple(value)  # type: ignore[arg-type]
    return float(value) if kind is float else value  # type: ignore[arg-type]


def _fit(value: object, kind: Any) -> tuple[bool, str]:
    """Whether a value is of a kind, and what is needed."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, bool), "True or False"
    if kind is int:
        return whole, "a whole number"
    if kind is float:
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        return is_number and isfinite(_as_float(value)), "a number"  # type: ignore[arg-type]
    if kind is str:
        return _is_text(value), "a text"
    if get_origin(kind) is Literal:
        words = get_args(kind)
        return isinstance(value, str) and value in words, f"one of {', '.join(map(str, words))}"
    if get_origin(kind) is tuple:
        return isinstance(value, list | tuple) and all(map(_is_text, value)), "a list of texts"
    if get_origin(kind) is Mapping:
        held = get_args(kind)[1]
        fits = isinstance(value, Mapping) and all(
            _is_text(key) and _fit(entry, held)[0] for key, entry in value.items()
        )
        return fits, f"a mapping from a text to {_fit(None, held)[1]}"
    return isinstance(value, get_origin(kind) or kind), f"a {(get_origin(kind) or kind).__name__.lower()}"


def _is_text(value: object) -> bool:
    """A text without halves of surrogate pairs, which no file can hold."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _as_float(value: Real) -> float:
    """As a float; infinity where none is so large."""
    try:
        return float(value)
    except OverflowError:
        return inf


_LONGEST = 256
"""Bits of a number that is shown in full."""


def _describe(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        return f"a number of {value.bit_length():,} bits"
    is_plain = isinstance(value, str | bytes | int | float | os.PathLike | NoneType)
    return show_text(repr(value)) if is_plain else type(value).__name__
